"""Models for bench.py, of transformers, timm, torchvision and plain PyTorch: random weights, realistic width, few layers."""

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
        from transformers import DynamicCache
        self.inner, self.make_cache = inner, DynamicCache

    def forward(self, ids, keys, values):
        cache = self.make_cache()
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


class UNet(nn.Module):
    """Convolutions at three resolutions; transposed ones between them."""

    def __init__(self, width=24):
        super().__init__()
        self.down = nn.ModuleList([self.block(3, width), self.block(width, 2 * width), self.block(2 * width, 4 * width)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), nn.ConvTranspose2d(2 * width, width, 2, 2)])
        self.join = nn.ModuleList([self.block(4 * width, 2 * width), self.block(2 * width, width)])
        self.out = nn.Conv2d(width, 2, 1)

    @staticmethod
    def block(inputs, outputs):
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(),
                             nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())

    def forward(self, x):
        first = self.down[0](x)
        second = self.down[1](F.max_pool2d(first, 2))
        third = self.down[2](F.max_pool2d(second, 2))
        second = self.join[0](torch.cat([second, self.up[0](third)], 1))
        return self.out(self.join[1](torch.cat([first, self.up[1](second)], 1)))


class GraphAttention(nn.Module):
    """Heads of attention over the edges into each node, as many as there are."""

    def __init__(self, width=64, heads=8, size=16):
        super().__init__()
        self.heads = heads
        self.values = nn.Linear(width, heads * size, bias=False)
        self.source, self.target = (nn.Parameter(0.1 * torch.randn(heads, size)) for _ in range(2))
        self.out = nn.Linear(heads * size, width)

    def forward(self, x, edges):
        source, target = edges[0], edges[1]
        values = self.values(x).unflatten(-1, (self.heads, -1))
        scores = (values * self.source).sum(-1)[source] + (values * self.target).sum(-1)[target]
        scores = F.leaky_relu(scores, 0.2)
        most = torch.full(values.shape[:2], -torch.inf).scatter_reduce(0, target[:, None].expand_as(scores), scores, "amax")
        weights = (scores - most[target]).exp()
        sums = torch.zeros(values.shape[:2]).index_add(0, target, weights)
        weights = weights / (sums[target] + 1e-16)
        return self.out(torch.zeros_like(values).index_add(0, target, values[source] * weights[..., None]).flatten(1))


class Radiance(nn.Module):
    """A field of densities and colors along rays, as NeRF has it: sines of positions, a perceptron, and compositing."""

    def __init__(self, width=256, samples=32):
        super().__init__()
        self.samples = samples
        self.first = nn.Sequential(nn.Linear(63, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.second = nn.Sequential(nn.Linear(width + 63, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.density = nn.Linear(width, 1)
        self.color = nn.Sequential(nn.Linear(width + 27, width // 2), nn.ReLU(), nn.Linear(width // 2, 3), nn.Sigmoid())

    @staticmethod
    def encode(x, count):
        angles = x[..., None, :] * 2.0 ** torch.arange(count)[:, None]
        return torch.cat([x, torch.cat([angles.sin(), angles.cos()], -1).flatten(-2)], -1)

    def forward(self, origins, directions):
        depths = torch.linspace(2.0, 6.0, self.samples)
        points = self.encode(origins[:, None] + directions[:, None] * depths[:, None], 10)
        features = self.second(torch.cat([self.first(points), points], -1))
        views = self.encode(F.normalize(directions, dim=-1), 4)[:, None].expand(-1, self.samples, -1)
        colors = self.color(torch.cat([features, views], -1))
        opacity = 1 - torch.exp(-F.relu(self.density(features))[..., 0] * 0.13)
        passed = torch.cumprod(torch.cat([torch.ones_like(opacity[:, :1]), 1 - opacity], -1), -1)[:, :-1]
        weights = opacity * passed
        return (weights[..., None] * colors).sum(1), (weights * depths).sum(1)


def make_generator(width=64):
    """DCGAN's generator: transposed convolutions up to images of 32 by 32."""
    channels = (100, 4 * width, 2 * width, width)
    layers = [layer for number, (inputs, outputs) in enumerate(zip(channels, channels[1:]))
              for layer in (nn.ConvTranspose2d(inputs, outputs, 4, 2 if number else 1, 1 if number else 0, bias=False),
                            nn.BatchNorm2d(outputs), nn.ReLU())]
    return nn.Sequential(*layers, nn.ConvTranspose2d(width, 3, 4, 2, 1, bias=False), nn.Tanh())


def make_plain():
    """Models in plain PyTorch."""
    nodes = ({0: "n"}, {1: "e"})
    yield Workload("generator", make_generator().eval(), lambda b: (rand(b, 100, 1, 1),), BATCH, ((8,), (1,), (3,)))
    yield Workload("unet", UNet().eval(), lambda b, h, w: (rand(b, 3, h, w),), ({0: "b", 2: "h", 3: "w"},),
                   ((2, 64, 64), (1, 96, 128), (1, 32, 32)))
    yield Workload("graph_attention", GraphAttention().eval(),
                   lambda n, e: (rand(n, 64), torch.randint(0, n, (2, e))), nodes, ((2000, 10000), (100, 400), (7, 9)))
    yield Workload("radiance", Radiance().eval(), lambda n: (rand(n, 3), rand(n, 3)), ({0: "n"},) * 2, ((64,), (13,), (1,)))


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
    yield Workload("qwen3_moe", Results(load(
        "qwen3_moe", **common, num_key_value_heads=4, head_dim=64, moe_intermediate_size=384, num_experts=16,
        num_experts_per_tok=4), use_cache=False), ids, TOKENS, SIZES)
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
    yield Workload("wav2vec2", Results(load(
        "wav2vec2", vocab_size=1000, hidden_size=512, num_hidden_layers=2, num_attention_heads=8, intermediate_size=2048,
        mask_time_prob=0.0, apply_spec_augment=False, layerdrop=0.0)), lambda b, n: (rand(b, n),), TOKENS,
        ((2, 16000), (1, 24000), (1, 3000)))


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
    yield from make_plain()
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
