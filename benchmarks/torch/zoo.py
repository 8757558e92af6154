"""The models that check.py checks: some of transformers, timm and torchvision (those of
test/Fuzz/torch, where they are described) and some of layers.py."""

import pathlib
import sys

import torch
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Fuzz" / "torch"))

import layers  # noqa: E402
import model_zoo  # noqa: E402
import model_zoo_images  # noqa: E402,F401
import model_zoo_sound  # noqa: E402,F401
import model_zoo_text  # noqa: E402,F401

#: The sizes of calls by the names of dynamic sizes: the first four are those of training.
SIZES = {
    "b": [(2,), (1,), (3,), (5,), (4,), (7,), (8,), (6,)],
    "bs": [(2, 7), (1, 5), (3, 1), (4, 16), (1, 1), (5, 5), (2, 12), (3, 9)],
    "bst": [(2, 7, 5), (1, 5, 5), (3, 1, 4), (4, 9, 16), (1, 1, 1), (5, 3, 3), (2, 12, 1), (3, 9, 8)],
    "bhw": [(2, 64, 96), (1, 64, 64), (3, 96, 32), (2, 32, 64), (1, 96, 96), (4, 64, 32), (2, 32, 32), (5, 32, 96)],
    "bn": [(2, 1600), (1, 1333), (3, 800), (2, 1000), (1, 400), (4, 512), (2, 1281), (1, 2000)],
    "ne": [(6, 15), (1, 4), (9, 1), (4, 3), (12, 50), (2, 2), (30, 64), (7, 7)],
    "n": [(9,), (1,), (33,), (4,), (2,), (16,), (50,), (7,)],
}


class Model:
    """A model, and its arguments for each of eight sizes. An argument is described by its dtype, or "ids"
    for tokens, "edges" for pairs of nodes, and its dimensions, where letters are dynamic."""

    def __init__(self, name, source, make, arguments, trains=True):
        self.name, self.source, self.make, self.described, self.trains = name, source, make, arguments, trains
        letters = "".join(dict.fromkeys(d for _, dims in arguments for d in dims if isinstance(d, str)))
        self.letters, self.sizes = letters, SIZES[letters]

    def arguments(self, place, device="cpu", dtype=torch.float32):
        generator = torch.Generator().manual_seed(place)
        sizes = dict(zip(self.letters, self.sizes[place]))
        made = []
        for kind, dims in self.described:
            shape = [sizes.get(d, d) for d in dims]
            if kind == "edges":
                made.append(torch.randint(0, sizes["n"], shape, generator=generator))
            elif kind == "ids":
                made.append(torch.randint(3, 50, shape, generator=generator))
            else:
                made.append(torch.randn(shape, generator=generator))
        return tuple(each.to(device, dtype if each.is_floating_point() else each.dtype) for each in made)

    def dynamic_shapes(self):
        return tuple({place: torch.export.Dim.AUTO for place, d in enumerate(dims) if isinstance(d, str)}
                     for _, dims in self.described)


MODELS = {}


def add(name, source, make, arguments, **options):
    MODELS[name] = Model(name, source, make, arguments, **options)


#: Models by the package that they need; those of small names in check.py are the ones that a test checks.
OF_TRANSFORMERS = (
    "bert", "roberta", "electra", "albert", "distilbert", "deberta-v2", "modernbert", "fnet", "gpt2", "llama",
    "gemma2", "phi", "bloom", "qwen3", "mixtral", "qwen2_moe", "t5", "bart", "pegasus", "mamba", "rwkv", "xlnet",
    "whisper", "wav2vec2", "vit", "clip_vision_model", "clip_text_model", "hf_swin", "segformer", "detr", "dinov2")
OF_TIMM = ("convnext_atto", "efficientnet_lite0", "mobilevit_xxs", "mixer_tiny", "timm_starnet_s1")
OF_TORCHVISION = ("resnet18", "squeezenet1_1", "shufflenet_v2_x0_5", "tv_mobilenet_v3_small", "tv_swin_v2_t")

for _source, _names in (("transformers", OF_TRANSFORMERS), ("timm", OF_TIMM), ("torchvision", OF_TORCHVISION)):
    for _name in _names:
        _found = model_zoo.MODELS[_name]
        add(_name, _source, _found.make, _found.arguments)

IDS, ROWS = ("ids", ("b", "s")), ("f32", ("b", "s", 8))
GRAPH = (("f32", ("n", 8)), ("edges", (2, "e")))


def _with_options(make, *args):
    return lambda: make(*args)


def _perceptron():
    return nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 4))


for _name, _make, _arguments in (
        ("perceptron", _perceptron, (ROWS,)),
        ("transformer", layers.Transformer, (IDS, ("ids", ("b", "t")))),
        ("lstm", _with_options(layers.Recurrent, nn.LSTM), (IDS,)),
        ("gru", _with_options(layers.Recurrent, nn.GRU), (IDS,)),
        ("gcn", layers.GraphConvolution, GRAPH),
        ("gat", layers.GraphAttention, GRAPH),
        ("message_passing", layers.MessagePassing, GRAPH),
        ("pointnet", layers.PointNet, (("f32", ("b", 3, "s")),)),
        ("unet", layers.UNet, (("f32", ("b", 3, "h", "w")),)),
        ("generator", layers.Generator, (("f32", ("b", 10, 1, 1)),)),
        ("diffusion_block", layers.DiffusionBlock, (("f32", ("b", 4, 8, 8)), ("f32", ("b",)))),
        ("vae", layers.Variational, (("f32", ("n", 20)),)),
        ("dlrm", layers.Recommender, (("f32", ("b", 6)), IDS)),
        ("tab_transformer", layers.Table, (("ids", ("n", 4)), ("f32", ("n", 5)))),
        ("n_beats", layers.Series, (("f32", ("n", 12)),)),
        ("tcn", layers.Temporal, (("f32", ("b", 4, "s")),)),
        ("char_highway", layers.Highway, (IDS,)),
        ("contrastive", layers.Siamese, (("f32", ("n", 8)), ("f32", ("n", 12)))),
        ("speech", layers.Speech, (("f32", ("b", 6, "s")),)),
        ("spatial_transformer", layers.SpatialTransformer, (("f32", ("b", 3, "h", "w")),)),
        ("vq_vae", layers.Quantizer, (("f32", ("n", 10)),))):
    add(_name, "torch.nn", _make, _arguments)

for _name, _make, _arguments in (
        ("experts", layers.Experts, (ROWS,)),
        ("selection", layers.Selection, (("f32", ("n", 8)),)),
        ("masked_loss", layers.Masked, (IDS,)),
        ("unique", layers.Unique, (IDS,)),
        ("ragged", layers.Ragged, (ROWS, IDS)),
        ("early_exit", layers.Early, (("f32", ("n", 8)),))):
    add(_name, "data-dependent", _make, _arguments)
