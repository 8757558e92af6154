"""Models of transformers, timm and torchvision for bench.py: random weights, realistic width, few layers."""

import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional as F

from workloads import Workload, make_layers, rand

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test" / "Fuzz" / "torch"))

TOKENS = ({0: "b", 1: "s"},)
BATCH = ({0: "b"},)
SIZES = ((4, 128), (1, 77), (1, 1), (2, 33))
BATCHES = ((3,), (1,), (2,), (5,))


class Results(nn.Module):
    """A model whose result is its first tensor."""

    def __init__(self, inner, **fixed):
        super().__init__()
        self.inner, self.fixed = inner, fixed

    def forward(self, x):
        result = self.inner(x, **self.fixed)
        return result if isinstance(result, torch.Tensor) else result[0]


class Decoder(nn.Module):
    """A decoder that takes its cache, and returns it longer."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, ids, keys, values):
        from transformers import DynamicCache
        cache = DynamicCache()
        for layer in range(self.inner.config.num_hidden_layers):
            cache.update(keys[layer], values[layer], layer)
        out = self.inner(ids, past_key_values=cache, use_cache=True)
        layers = out.past_key_values.layers
        return out.logits, torch.stack([l.keys for l in layers]), torch.stack([l.values for l in layers])


class Mixture(nn.Module):
    """Mixtral's experts: each gets the rows that were routed to it, as many as the data says."""

    def __init__(self, width=512, inner=1024, experts=8, most=2):
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(nn.ModuleDict({
            "gate": nn.Linear(width, inner, bias=False), "up": nn.Linear(width, inner, bias=False),
            "down": nn.Linear(inner, width, bias=False)}) for _ in range(experts))
        self.most = most

    def forward(self, x):
        rows = self.norm(x).flatten(0, 1)
        weights, chosen = torch.topk(F.softmax(self.gate(rows), dim=-1), self.most, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        result = torch.zeros_like(rows)
        for number, expert in enumerate(self.experts):
            row, place = torch.where(chosen == number)
            part = rows[row]
            part = expert["down"](F.silu(expert["gate"](part)) * expert["up"](part))
            result = result.index_add(0, row, part * weights[row, place, None])
        return x + result.view_as(x)


class Packed(nn.Module):
    """A layer that computes only what a mask keeps."""

    def __init__(self, width=768):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, keep):
        rows = x[keep]
        rows = rows + self.down(F.gelu(self.up(self.norm(rows))))
        return rows, x.index_put((keep,), rows)


class Detections(nn.Module):
    """Boxes above a threshold, in the order of their scores, with classes and the overlap of each pair."""

    def forward(self, logits, boxes):
        scores, classes = torch.softmax(logits, -1).max(-1)
        found = torch.nonzero(scores > 0.05).squeeze(1)
        order = torch.argsort(scores[found], descending=True)
        found = found[order]
        boxes = boxes[found]
        area = (boxes[:, 2:] - boxes[:, :2]).clamp(min=0).prod(-1)
        low = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
        high = torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
        both = (high - low).clamp(min=0).prod(-1)
        return scores[found], classes[found], both / (area[:, None] + area[None, :] - both)


def make_text():
    import model_zoo
    model_zoo.prepare_transformers()
    import transformers

    def load(kind, **options):
        config = transformers.AutoConfig.for_model(kind, **options)
        return transformers.AutoModel.from_config(config).eval()

    def ids(*sizes):
        return (torch.randint(3, 1000, sizes),)

    common = {"vocab_size": 1000, "hidden_size": 768, "num_hidden_layers": 2, "num_attention_heads": 12,
              "intermediate_size": 3072}
    yield Workload("bert", Results(load("bert", **common)), ids, TOKENS, SIZES)
    yield Workload("gpt2", Results(load("gpt2", vocab_size=1000, n_embd=768, n_layer=2, n_head=12),
                                   use_cache=False), ids, TOKENS, SIZES)
    yield Workload("t5_encoder", Results(transformers.T5EncoderModel(transformers.T5Config(
        vocab_size=1000, d_model=512, d_kv=64, d_ff=2048, num_layers=2, num_heads=8)).eval()), ids, TOKENS, SIZES)
    yield Workload("deberta", Results(load("deberta-v2", relative_attention=True, pos_att_type=["c2p", "p2c"],
                                           **common)), ids, TOKENS, SIZES)
    config = transformers.LlamaConfig(vocab_size=1000, hidden_size=1024, num_hidden_layers=2,
                                      num_attention_heads=16, num_key_value_heads=4, intermediate_size=2816)
    config._attn_implementation = "sdpa"

    def cached(b, s, past):
        return (*ids(b, s), rand(2, b, 4, past, 64), rand(2, b, 4, past, 64))

    yield Workload("llama_cached", Decoder(transformers.LlamaForCausalLM(config).eval()), cached,
                   ({0: "b", 1: "s"}, {1: "b", 3: "p"}, {1: "b", 3: "p"}),
                   ((2, 3, 128), (1, 1, 511), (4, 1, 64), (1, 64, 17)))
    whisper = transformers.WhisperModel(transformers.WhisperConfig(
        vocab_size=1000, d_model=512, encoder_layers=2, decoder_layers=1, encoder_attention_heads=8,
        decoder_attention_heads=8, encoder_ffn_dim=2048, decoder_ffn_dim=2048, max_source_positions=500,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1))
    yield Workload("whisper_encoder", Results(whisper.eval().get_encoder()), lambda b: (rand(b, 80, 1000),), BATCH,
                   BATCHES)


def make_images():
    import model_zoo
    model_zoo.prepare_torchvision()
    import timm
    import torchvision.models as vision

    def image(b):
        return (rand(b, 3, 224, 224),)

    def sized(b, h, w):
        return (rand(b, 3, h, w),)

    spatial = ({0: "b", 2: "h", 3: "w"},)
    spaces = ((2, 224, 224), (1, 160, 192), (1, 64, 64), (3, 96, 128))
    yield Workload("vit_small", timm.create_model("vit_small_patch16_224", depth=3).eval(), image, BATCH, BATCHES)
    yield Workload("swin", timm.create_model("swin_tiny_patch4_window7_224", depths=(1, 1, 2, 1)).eval(), image, BATCH,
                   BATCHES)
    yield Workload("convnext", timm.create_model("convnext_tiny", depths=(1, 1, 2, 1)).eval(), sized, spatial, spaces)
    yield Workload("resnet18", vision.resnet18(weights=None).eval(), sized, spatial, spaces)
    yield Workload("resnet50", timm.create_model("resnet50", layers=(1, 1, 2, 1)).eval(), sized, spatial, spaces)
    yield Workload("mobilenet_v3", vision.mobilenet_v3_large(weights=None).eval(), sized, spatial, spaces)
    yield Workload("efficientnet", timm.create_model("efficientnet_b0").eval(), sized, spatial, spaces)


def make_models():
    yield from make_layers()
    yield from make_text()
    yield from make_images()
    yield Workload("mixture", Mixture().eval(), lambda b, s: (rand(b, s, 512),), TOKENS, SIZES)
    yield Workload("packed", Packed().eval(), lambda b, s: (rand(b, s, 768), rand(b, s) > 0),
                   ({0: "b", 1: "s"}, {0: "b", 1: "s"}), SIZES)

    def boxes(n):
        # Scores are far enough apart that rounding does not change their order.
        logits = torch.zeros(n, 91)
        logits[torch.arange(n), torch.randint(91, (n,))] = torch.linspace(8, 0, n)[torch.randperm(n)]
        corner = 500 * torch.rand(n, 2)
        return logits, torch.cat([corner, corner + 1 + 100 * torch.rand(n, 2)], 1)

    yield Workload("detections", Detections(), boxes, ({0: "n"},) * 2, ((2000,), (333,), (17,), (1,)))
