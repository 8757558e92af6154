"""The models that models.py times: random weights, realistic width, few layers; eight shapes each.

Those of transformers and torchvision are built as these packages build them. Two have what only values
decide: how many rows a mask keeps, and how often a loop goes round.
"""

import dataclasses
import pathlib
import sys
import typing

import torch
from torch import nn
from torch.nn import functional as F

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "cpu"), str(ROOT / "test" / "Fuzz" / "torch")]

import model_zoo  # noqa: E402
import models as cpu_models  # noqa: E402

#: Layers of a transformer.
LAYERS = 4

TOKENS = ((8, 128), (1, 128), (4, 384), (16, 64), (1, 512), (3, 77), (32, 32), (2, 333))
BATCHES = ((8,), (1,), (2,), (3,), (5,), (13,), (16,), (32,))
IMAGES = ((8, 224, 224), (1, 224, 224), (2, 160, 192), (4, 256, 256), (1, 480, 640), (3, 224, 320), (16, 128, 128),
          (1, 64, 96))


@dataclasses.dataclass
class Network:
    """A model, and what it is called with."""
    make: typing.Callable
    #: Makes the arguments of a shape, on the CPU.
    arguments: typing.Callable
    shapes: tuple


class Matcher(nn.Module):
    """Assigns points of one set to points of another: scores of projected features, whose rows and columns
    are normalized in turns until all rows have nearly the same sum, or 100 times."""

    def __init__(self, width=256):
        super().__init__()
        self.left, self.right = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, left, right):
        scores = 10 * self.left(left) @ self.right(right).transpose(1, 2) / left.shape[-1] ** 0.5

        def goes_on(count, scores):
            apart = (scores.exp().sum(2) * (scores.shape[1] / scores.shape[2]) - 1).abs().amax()
            return (apart > 1e-3) & (count < 100)

        def normalize(count, scores):
            scores = scores - scores.logsumexp(2, keepdim=True)
            return count + 1, scores - scores.logsumexp(1, keepdim=True)

        count = torch.zeros((), dtype=torch.int64, device=left.device)
        if torch.compiler.is_compiling():
            count, scores = torch._higher_order_ops.while_loop(goes_on, normalize, (count, scores))
        else:
            while goes_on(count, scores):
                count, scores = normalize(count, scores)
        return scores.exp(), count


def _from_config(kind, **options):
    model_zoo.prepare_transformers()
    import transformers
    config = transformers.AutoConfig.for_model(kind, **options)
    config._attn_implementation = "sdpa"
    return transformers.AutoModel.from_config(config)


def _make_bert():
    return cpu_models.Results(_from_config(
        "bert", vocab_size=30522, hidden_size=768, num_hidden_layers=LAYERS, num_attention_heads=12,
        intermediate_size=3072))


def _make_llama():
    model_zoo.prepare_transformers()
    import transformers
    config = transformers.LlamaConfig(
        vocab_size=32000, hidden_size=2048, num_hidden_layers=LAYERS, num_attention_heads=32, num_key_value_heads=8,
        intermediate_size=8192)
    config._attn_implementation = "sdpa"
    return cpu_models.Decoder(transformers.LlamaForCausalLM(config))


def _make_vit():
    return cpu_models.Results(_from_config("vit", hidden_size=768, num_hidden_layers=LAYERS, num_attention_heads=12,
                                           intermediate_size=3072))


def _make_mixtral():
    return cpu_models.Results(_from_config(
        "mixtral", vocab_size=32000, hidden_size=1024, num_hidden_layers=2, num_attention_heads=16,
        num_key_value_heads=4, intermediate_size=3584, num_local_experts=8, experts_implementation="eager"),
        use_cache=False)


def _make_whisper():
    model = _from_config(
        "whisper", vocab_size=1000, d_model=512, encoder_layers=LAYERS, decoder_layers=1, encoder_attention_heads=8,
        decoder_attention_heads=8, encoder_ffn_dim=2048, decoder_ffn_dim=2048, max_source_positions=1500,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    return cpu_models.Results(model.get_encoder())


def _of_torchvision(name, **options):
    def make():
        model_zoo.prepare_torchvision()
        import torchvision.models
        return model_zoo.First(torchvision.models.get_model(name, weights=None, **options))
    return make


def _ids(*sizes):
    return (torch.randint(3, 1000, sizes),)


def _continue_cache(b, s, past):
    return (*_ids(b, s), torch.randn(LAYERS, b, 8, past, 64), torch.randn(LAYERS, b, 8, past, 64))


def _image(b, h=224, w=224):
    return (torch.randn(b, 3, h, w),)


def _frames(b):
    return (torch.randn(b, 80, 3000),)


def _rows_and_mask(b, s):
    return torch.randn(b, s, 768), torch.rand(b, s) > 0.3


def _two_sets(b, m, n):
    return torch.randn(b, m, 256), torch.randn(b, n, 256)


NETWORKS = {
    "bert": Network(_make_bert, _ids, TOKENS),
    "llama_cached": Network(_make_llama, _continue_cache, (
        (1, 1, 511), (8, 1, 1024), (1, 1, 2047), (16, 1, 128), (1, 128, 128), (2, 64, 333), (4, 1, 77), (1, 256, 64))),
    "vit": Network(_make_vit, _image, BATCHES),
    "mixtral": Network(_make_mixtral, _ids, TOKENS),
    "whisper_encoder": Network(_make_whisper, _frames, tuple((b,) for b in range(1, 9))),
    "resnet18": Network(_of_torchvision("resnet18"), _image, IMAGES),
    "convnext_tiny": Network(_of_torchvision("convnext_tiny"), _image, IMAGES),
    "deeplabv3": Network(_of_torchvision("deeplabv3_mobilenet_v3_large", weights_backbone=None), _image, IMAGES),
    "packed": Network(cpu_models.Packed, _rows_and_mask, TOKENS),
    "matcher": Network(Matcher, _two_sets, (
        (1, 512, 512), (4, 256, 256), (1, 1024, 777), (2, 100, 300), (8, 64, 64), (1, 33, 31), (3, 500, 77),
        (16, 128, 128))),
}
