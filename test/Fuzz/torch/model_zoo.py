"""Real models with tiny random configurations, and calls of them.

A model is made by a function; its arguments are tensors described by their
sizes, where "b", "s", "h" and "w" are dynamic.
"""

import contextlib
import dataclasses
import sys
from typing import Callable

import torch
from torch import nn


@dataclasses.dataclass
class Model:
    name: str
    make: Callable
    arguments: tuple  # (dtype or "ids", dims)
    calls: tuple  # sizes by name, the first for the export


MODELS: dict = {}

TEXT = ({"b": 2, "s": 7}, {"b": 1, "s": 7}, {"b": 3, "s": 1}, {"b": 4, "s": 16})
IDS = (("ids", ("b", "s")),)
IMAGES = (("f32", ("b", 3, 32, 32)),)
BATCHES = ({"b": 2}, {"b": 1}, {"b": 3})
SPATIAL = (("f32", ("b", 3, "h", "w")),)
# Multiples of 32, which strides divide.
SPACES = ({"b": 2, "h": 64, "w": 96}, {"b": 1, "h": 64, "w": 64},
          {"b": 3, "h": 96, "w": 32})


def add(name, make, arguments, calls):
    MODELS[name] = Model(name, make, arguments, calls)


class First(nn.Module):
    """A model whose result is its first tensor."""

    def __init__(self, inner, **fixed):
        super().__init__()
        self.inner = inner
        self.fixed = fixed

    def forward(self, *arguments):
        result = self.inner(*arguments, **self.fixed)
        while not isinstance(result, torch.Tensor):
            result = (next(iter(result.values())) if isinstance(result, dict)
                      else result[0])
        return result


TINY = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 37,
        "max_position_embeddings": 64, "hidden_dropout_prob": 0.0,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def transformer(kind, encoder_only=False, **changes):
    """A model of transformers by its type. None stands for a setting that the type does not have."""
    def make():
        prepare_transformers()
        import transformers
        settings = {name: value for name, value in {**TINY, **changes}.items() if value is not None}
        config = transformers.AutoConfig.for_model(kind, **settings)
        config._attn_implementation = changes.get("attention", "eager")
        model = transformers.AutoModel.from_config(config)
        if encoder_only:
            model = model.get_encoder()
        fixed = {"use_cache": False} if hasattr(config, "use_cache") \
            and not encoder_only else {}
        return First(model, **fixed)
    return make


for _kind in ("bert", "roberta", "electra", "albert", "distilbert", "mobilebert",
              "deberta-v2", "mpnet", "big_bird", "modernbert", "nystromformer",
              "squeezebert", "fnet", "roformer"):
    _more = {}
    if _kind in ("albert", "electra"):
        _more = {"embedding_size": 16}
    if _kind == "distilbert":
        _more = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 37}
    if _kind == "mobilebert":
        _more = {"embedding_size": 32, "intra_bottleneck_size": 16,
                 "true_hidden_size": 16}
    if _kind == "big_bird":
        _more = {"attention_type": "original_full"}
    if _kind == "squeezebert":
        _more = {"embedding_size": 32, "q_groups": 1, "k_groups": 1,
                 "v_groups": 1, "post_attention_groups": 1,
                 "intermediate_groups": 1, "output_groups": 1}
    add(_kind, transformer(_kind, **_more), IDS, TEXT)

for _kind, _more in {
        "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
        "gpt_neox": {}, "gptj": {"n_embd": 32, "n_layer": 2, "n_head": 4,
                                 "n_positions": 64, "rotary_dim": 4},
        "llama": {"num_key_value_heads": 2},
        "mistral": {"num_key_value_heads": 2},
        "qwen2": {"num_key_value_heads": 2},
        "gemma": {"num_key_value_heads": 2, "head_dim": 8},
        "phi": {}, "stablelm": {"num_key_value_heads": 2},
        "opt": {"ffn_dim": 37, "word_embed_proj_dim": 32},
        "bloom": {"n_layer": 2, "n_head": 4},
        "mpt": {"d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 64},
        "mixtral": {"num_key_value_heads": 2, "num_local_experts": 4,
                    "intermediate_size": 48},
        "falcon": {}, "olmo": {}, "codegen": {
            "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64,
            "n_ctx": 64, "rotary_dim": 4}}.items():
    add(_kind, transformer(_kind, **_more), IDS, TEXT)

add("t5", transformer("t5", True, d_model=32, d_kv=8, d_ff=37, num_layers=2,
                      num_heads=4), IDS, TEXT)
add("bart", transformer("bart", d_model=32, encoder_layers=1, decoder_layers=1,
                        encoder_attention_heads=4, decoder_attention_heads=4,
                        encoder_ffn_dim=37, decoder_ffn_dim=37), IDS, TEXT)
add("whisper", transformer(
    "whisper", True, d_model=32, encoder_layers=2, decoder_layers=1,
    encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=37,
    decoder_ffn_dim=37, num_mel_bins=8, max_source_positions=10),
    (("f32", ("b", 8, 20)),), BATCHES)
add("vit", transformer("vit", image_size=32, patch_size=8), IMAGES, BATCHES)
add("segformer", transformer(
    "segformer", hidden_sizes=[8, 16, 16, 16], depths=[1, 1, 1, 1],
    num_attention_heads=[1, 2, 2, 2]), SPATIAL, SPACES)
add("hf_swin", transformer(
    "swin", image_size=32, patch_size=4, embed_dim=8, depths=[1, 1],
    num_attention_heads=[1, 2], window_size=4), IMAGES, BATCHES)
add("hf_convnext", transformer(
    "convnext", hidden_sizes=[8, 16], depths=[1, 1], num_stages=2), SPATIAL,
    SPACES)
add("dinov2", transformer("dinov2", image_size=28, patch_size=14),
    (("f32", ("b", 3, 28, 28)),), BATCHES)


def timm_model(name, **options):
    def make():
        prepare_torchvision()
        import timm
        return timm.create_model(name, pretrained=False, num_classes=7,
                                 **options)
    return make


for _kind, _arguments, _calls in (
        ("edgenext_xx_small", SPATIAL, SPACES),
        ("mobilenetv3_small_050", SPATIAL, SPACES),
        ("convnext_atto", SPATIAL, SPACES),
        ("efficientnet_lite0", SPATIAL, SPACES),
        ("resnet10t", SPATIAL, SPACES),
        ("ghostnet_050", SPATIAL, SPACES),
        ("mobilevit_xxs", SPATIAL, SPACES)):
    add(_kind, timm_model(_kind), _arguments, _calls)
add("vit_tiny", timm_model("vit_tiny_patch16_224", img_size=32, depth=2),
    IMAGES, BATCHES)
add("mixer_tiny", timm_model("mixer_s32_224", img_size=32), IMAGES, BATCHES)


def vision_model(name, **options):
    def make():
        prepare_torchvision()
        import torchvision
        found = getattr(torchvision.models, name, None) or \
            getattr(torchvision.models.segmentation, name)
        return First(found(weights=None, **options))
    return make


for _kind, _options in {
        "mnasnet0_5": {}, "googlenet": {"init_weights": False,
                                        "aux_logits": False},
        "resnet18": {}, "squeezenet1_1": {}, "shufflenet_v2_x0_5": {},
        "mobilenet_v2": {}, "regnet_y_400mf": {},
        "fcn_resnet50": {"weights_backbone": None}}.items():
    add(_kind, vision_model(_kind, **_options), SPATIAL, SPACES)


def _broadcast_mask(mask_function, bh_indices=True):
    """What transformers asks vmap for, by broadcasting."""
    def of(*indices):
        placed = []
        for place, index in enumerate(indices):
            shape = [1] * 4
            shape[place] = -1
            placed.append(index if index is None else index.reshape(shape))
        mask = mask_function(*placed)
        sizes = [1 if i is None else i.numel() for i in indices]
        mask = mask.expand(sizes)
        return mask if bh_indices else mask[0, 0]
    return of


def prepare_transformers():
    """Lets masks be exported: torch.export.save cannot write what indexing
    under vmap becomes in releases before 5, which use vmap for all masks."""
    prepare_torchvision()
    from transformers import masking_utils
    if hasattr(masking_utils, "TransformGetItemToIndex"):
        masking_utils.TransformGetItemToIndex = contextlib.nullcontext
        masking_utils._vmap_for_bhqkv = _broadcast_mask


def prepare_torchvision():
    """Lets torchvision be imported where its compiled operators, which no
    model here uses, do not fit the installed torch."""
    if "torchvision" in sys.modules:
        return
    try:
        import torchvision  # noqa: F401
        return
    except RuntimeError:
        for name in [n for n in sys.modules if n.startswith("torchvision")]:
            del sys.modules[name]
    names = ("nms", "qnms", "roi_align", "qroi_align", "roi_pool",
             "ps_roi_align", "ps_roi_pool", "deform_conv2d",
             "_roi_align_backward", "_roi_pool_backward",
             "_ps_roi_align_backward", "_ps_roi_pool_backward",
             "_deform_conv2d_backward")
    library = torch.library.Library("torchvision", "FRAGMENT")
    prepare_torchvision.library = library  # Its end would undo what it defines.
    for name in names:
        library.define(f"{name}(Tensor input) -> Tensor")
