"""Operations for bench.py (--more) that models put between their large products: positions, masks, losses, boxes."""

import torch
from torch import nn
from torch.nn import functional as F

from operations import IMAGES, LOOKUPS, TABLES, booleans, on_tables
from workloads import Function, Workload, rand

TOKENS = ((4, 12, 128), (1, 12, 77), (2, 2, 5))


def rotate_half(x):
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)


def rotate_pairs(x, angles):
    """Rotary positions of neighbors, as GPT-J and the first Llama have them."""
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([first * cos - second * sin, first * sin + second * cos], -1).flatten(-2)


def group_norm_last(x):
    """A group norm of channels that come last, 8 in a group."""
    groups = x.unflatten(-1, (4, 8))
    variance, mean = torch.var_mean(groups, (1, 2, 4), keepdim=True, correction=0)
    return ((groups - mean) * torch.rsqrt(variance + 1e-5)).flatten(-2)


def box_iou(a, b):
    low, high = torch.maximum(a[:, None, :2], b[None, :, :2]), torch.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    area_a, area_b = (a[:, 2:] - a[:, :2]).prod(-1), (b[:, 2:] - b[:, :2]).prod(-1)
    return shared / (area_a[:, None] + area_b[None] - shared + 1e-6)


def partition_windows(x):
    """Windows of 7 by 7 of a shifted image, as Swin has them."""
    x = torch.roll(x, (-3, -3), (1, 2))
    return x.unflatten(2, (-1, 7)).unflatten(1, (-1, 7)).transpose(2, 3).reshape(-1, 49, x.shape[-1])


def make_rows():
    for name, function in (("var_mean", lambda x: torch.var_mean(x, -1)), ("cummax_indices", lambda x: x.cummax(-1)[1]),
                           ("one_hot", lambda x: F.one_hot(x.argmax(-1), 1100).float()), ("triu", torch.triu),
                           ("flip_rows", lambda x: x.flip(0)), ("roll_both", lambda x: x.roll((2, -3), (0, 1))),
                           ("repeat_interleave", lambda x: x.repeat_interleave(3, 0)),
                           ("repeat_elements", lambda x: x.repeat_interleave(2, 1)),
                           ("log_sigmoid", F.logsigmoid), ("mish", F.mish),
                           ("min_indices", lambda x: x.min(-1)[1]), ("column_argmax", lambda x: x.argmax(0)),
                           ("cumsum_mask", lambda x: (x > 0).long().cumsum(-1)), ("all_rows", lambda x: (x > -5).all(-1)),
                           ("quantize", lambda x: torch.clamp(torch.round(x / 0.05), -128, 127).to(torch.int8)),
                           ("to_bf16", lambda x: x.bfloat16().float())):
        yield on_tables(name, function)
    yield on_tables("lerp", lambda x, y: torch.lerp(x, y, 0.3), 2)
    yield on_tables("smooth_l1", F.smooth_l1_loss, 2)
    yield on_tables("bce_logits", lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()), 2)
    yield on_tables("where_row", lambda x, y: torch.where(y[0] > 0, x, torch.finfo(x.dtype).min), 2, read=lambda x, y: (x, y[0]))
    yield on_tables("or_not", lambda x, y: x | ~y, 2, booleans)
    yield on_tables("masked_softmax", lambda x, y: x.masked_fill(y < 0, -torch.inf).softmax(-1), 2)
    yield on_tables("interleave", lambda x, y: torch.stack([x, y], 1).flatten(0, 1), 2)
    yield on_tables("cat_bool", lambda x, y: torch.cat([x, y], -1), 2, booleans)
    yield on_tables("take_along_rows", lambda x, y: x[torch.arange(x.shape[0]), y.argmax(-1)], 2)
    yield Workload("image_cross_entropy", Function(F.cross_entropy),
                   lambda b, h, w: (rand(b, 21, h, w), torch.randint(0, 21, (b, h, w))),
                   ({0: "b", 2: "h", 3: "w"}, {0: "b", 1: "h", 2: "w"}), ((4, 224, 224), *IMAGES))
    yield Workload("image_nll", Function(lambda x, t: F.nll_loss(x.log_softmax(1), t)),
                   lambda b, h, w: (rand(b, 21, h, w), torch.randint(0, 21, (b, h, w))),
                   ({0: "b", 2: "h", 3: "w"}, {0: "b", 1: "h", 2: "w"}), IMAGES)
    yield Workload("box_iou", Function(box_iou), lambda n, m: (torch.rand(n, 4), torch.rand(m, 4)), ({0: "n"}, {0: "m"}),
                   ((1000, 300), (33, 7), (2, 1)))


def make_tables():
    def rows(n, v):
        return torch.randint(0, v, (n,)), rand(v, 64)

    def bags(n, v):
        return torch.randint(0, v, (n, 10)), rand(v, 64)

    lookups = ({0: "n"}, {0: "v"})
    yield Workload("embedding_bags", Function(lambda i, w: F.embedding_bag(i, w, mode="sum")), bags, lookups, LOOKUPS,
                   read=lambda i, w: (i, w[i]))
    yield Workload("embedding_sum", Function(lambda i, w: F.embedding(i, w).mean(1)), bags, lookups, LOOKUPS)
    # The sums of a graph's messages: as many as there are indices.
    yield Workload("scatter_rows", Function(lambda i, w: torch.zeros(100, 64).index_add(0, i, w)),
                   lambda n: (torch.randint(0, 100, (n,)), rand(n, 64)), ({0: "n"}, {0: "n"}), ((20000,), (77,), (2,)))
    yield Workload("scatter_amax", Function(lambda i, w: torch.zeros(100, 64).scatter_reduce(
        0, i[:, None].expand_as(w), w, "amax")),
                   lambda n: (torch.randint(0, 100, (n,)), rand(n, 64)), ({0: "n"}, {0: "n"}), ((20000,), (77,), (2,)))


def make_positions():
    heads = ({0: "b", 1: "h", 2: "s"},)

    def queries(b, h, s):
        return (rand(b, h, s, 64),)

    def angles(b, h, s):
        return rand(b, h, s, 64), rand(s, 64)

    for name, function in (("rotate_half", rotate_half), ("split_heads", lambda x: x.transpose(1, 2).flatten(2)),
                           ("repeat_kv", lambda x: x[:, :, None].expand(-1, -1, 4, -1, -1).flatten(1, 2)),
                           ("causal_mask", lambda x: torch.full((x.shape[2], x.shape[2]), -torch.inf).triu(1))):
        yield Workload(name, Function(function), queries, heads, TOKENS)
    yield Workload("rope", Function(lambda x, a: x * a.cos() + rotate_half(x) * a.sin()), angles, (*heads, {0: "s"}), TOKENS)
    yield Workload("rope_pairs", Function(rotate_pairs), lambda b, h, s: (rand(b, h, s, 64), rand(s, 32)),
                   (*heads, {0: "s"}), TOKENS)


def resize(**options):
    return Function(lambda x: F.interpolate(x, **options))


def make_resized():
    image = ({0: "b", 2: "h", 3: "w"},)
    smooth = [(f"antialias_{mode}_{factor}", resize(scale_factor=factor, mode=mode, antialias=True))
              for mode in ("bilinear", "bicubic") for factor in (2.0, 0.5, 0.2)]
    for name, layer in (*smooth, ("nearest_exact", resize(scale_factor=2.0, mode="nearest-exact")),
                        ("nearest_exact_1.3", resize(scale_factor=1.3, mode="nearest-exact")),
                        ("nearest_1.3", resize(scale_factor=1.3))):
        yield Workload(name, layer, lambda b, h, w: (rand(b, 32, h, w),), image, IMAGES)
    for name, layer in smooth:
        yield Workload(f"{name}_u8", layer, lambda b, h, w: (torch.randint(0, 256, (b, 3, h, w), dtype=torch.uint8),), image,
                       ((4, 224, 224), (1, 29, 31), (1, 6, 5)))
    line, volume = ({0: "b", 2: "w"},), ({0: "b", 2: "d", 3: "h", 4: "w"},)
    lines, volumes = ((4, 1000), (1, 77), (1, 4)), ((2, 8, 28, 28), (1, 3, 9, 11), (1, 2, 3, 2))
    for name, layer in (("nearest_exact1d", resize(scale_factor=2.0, mode="nearest-exact")), ("linear1d", resize(scale_factor=2.0, mode="linear")),
                        ("adaptive_avgpool1d", nn.AdaptiveAvgPool1d(7)), ("adaptive_maxpool1d", nn.AdaptiveMaxPool1d(7))):
        yield Workload(name, layer, lambda b, w: (rand(b, 32, w),), line, lines)
    for name, layer in (("nearest3d", resize(scale_factor=2.0)), ("nearest_exact3d", resize(scale_factor=2.0, mode="nearest-exact")),
                        ("trilinear", resize(scale_factor=2.0, mode="trilinear")),
                        ("adaptive_avgpool3d", nn.AdaptiveAvgPool3d(5)), ("adaptive_maxpool3d", nn.AdaptiveMaxPool3d(5))):
        yield Workload(name, layer, lambda b, d, h, w: (rand(b, 16, d, h, w),), volume, volumes)


def make_pictures():
    image = ({0: "b", 2: "h", 3: "w"},)
    layers = (("pixel_unshuffle", Function(lambda x: F.pixel_unshuffle(F.pad(x, (0, x.shape[3] % 2, 0, x.shape[2] % 2)), 2))),
              ("channel_shuffle", nn.ChannelShuffle(4)), ("channels_last", Function(lambda x: x.permute(0, 2, 3, 1).contiguous())),
              ("replication_pad", nn.ReplicationPad2d(2)), ("circular_pad", Function(lambda x: F.pad(x, (1, 1, 1, 1), mode="circular"))),
              ("zero_pad", nn.ZeroPad2d(1)), ("squeeze_excite", Function(lambda x: x * x.mean((2, 3), keepdim=True).sigmoid())),
              ("local_response", nn.LocalResponseNorm(5)), ("pool_flat", Function(lambda x: x.flatten(2).mean(-1))),
              ("channel_mean", Function(lambda x: x.mean(1, keepdim=True))),
              ("upsample_aligned", nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)),
              ("adaptive_maxpool7", nn.AdaptiveMaxPool2d(7)), ("maxpool_indices", nn.MaxPool2d(2, return_indices=True)),
              ("gradients", Function(lambda x: (x[..., 1:, :] - x[..., :-1, :], x[..., 1:] - x[..., :-1]))))
    for name, layer in layers:
        yield Workload(name, layer.eval(), lambda b, h, w: (rand(b, 32, h, w),), image, IMAGES)
    last = ({0: "b", 1: "h", 2: "w"},)
    for name, function in (("group_norm_last", group_norm_last), ("channels_first", lambda x: x.permute(0, 3, 1, 2).contiguous()),
                           ("batch_norm_last", lambda x: F.relu(x * x[0, 0, 0] + 0.1))):
        yield Workload(name, Function(function), lambda b, h, w: (rand(b, h, w, 32),), last, IMAGES)
    yield Workload("windows", Function(partition_windows), lambda b, h: (rand(b, 7 * h, 14, 96),), ({0: "b", 1: "h"},),
                   ((4, 8), (1, 3), (1, 1)))
    yield from make_resized()
    yield Workload("fold", nn.Fold(8, 3, padding=1), lambda b: (rand(b, 288, 64),), ({0: "b"},), ((8,), (1,)))


def make_layers():
    for maker in (make_rows, make_tables, make_positions, make_pictures):
        yield from maker()
