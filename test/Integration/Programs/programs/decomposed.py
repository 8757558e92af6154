"""Operators under the names that decompositions leave."""

import torch
from torch.nn import functional as F

from recording.table import case, function, program
from recording.values import f32, lit

from .common import N

FAMILY = "decomposed"
AUTO = torch.export.Dim.AUTO
# Whether the last window is one too many is decided for the example.
QUIRK = "torch keeps a guard on the parity of the example's sizes"
aten = torch.ops.aten


def decomposed_convolution(x, weight, bias):
    return (
        aten.convolution(x, weight, bias, [2, 1], [1, 0], [1, 2], False,
                         [0, 0], 1),
        aten.convolution(x, weight, None, [1], [0], [1], True, [0], 1),
        aten.convolution(x, weight, None, [2, 3], [1, 0], [1, 1], True,
                         [1, 2], 2))


program(
    "decomposed_convolution", function(decomposed_convolution), FAMILY,
    dynamic=({0: N, 2: AUTO, 3: AUTO}, {}, {}), oblivious=True,
    example=(f32(2, 4, 6, 8), f32(4, 4, 3, 2), f32(4)),
    cases=[case(f"{n} of {h} by {w}", f32(n, 4, h, w), f32(4, 4, 3, 2), f32(4))
           for n, h, w in ((2, 6, 8), (1, 3, 3), (0, 5, 5), (3, 1, 9))],
)


def decomposed_pools(x):
    values, places = aten.max_pool2d_with_indices(x, [3, 2], [2, 1], [1, 0],
                                                  [1, 2])
    up, where = F.max_pool2d(x, 2, 3, 1, ceil_mode=True, return_indices=True)
    deep, depth = F.max_pool3d(x, 2, 1, return_indices=True)
    row, column = F.max_pool1d(x[:, 0], 3, 2, return_indices=True)
    return (values, places, up, where, deep, depth, row, column,
            aten._adaptive_avg_pool2d(x, [2, 3]),
            aten._adaptive_avg_pool3d(x, [1, 2, 3]))


NAN, INF = float("nan"), float("inf")
program(
    "decomposed_pools", function(decomposed_pools), FAMILY,
    dynamic=({0: N, 2: AUTO, 3: AUTO},), oblivious=True,
    example=(f32(3, 4, 5, 6),),
    cases=[case(f"{n} of {h} by {w}", f32(n, 4, h, w), quirk=QUIRK)
           for n, h, w in ((3, 5, 6), (2, 7, 4), (2, 4, 9))],
)


def decomposed_places(x):
    """The first of the largest, or the last NaN."""
    return F.max_pool2d(x, 2, 2, 1, return_indices=True)


program(
    "decomposed_places", function(decomposed_places), FAMILY,
    dynamic=({1: N},), oblivious=True, example=(f32(1, 4, 4),),
    cases=[case("ties", lit([[[1.0, 1, 2, 2], [1, 1, 2, 2], [3, 3, 3, 3],
                              [0, 0, 0, 0]]])),
           case("lowest", lit([[[-INF] * 4] * 2])),
           case("nan", lit([[[NAN, 1, INF, NAN], [NAN, NAN, 1, 1]]])),
           case("one row", f32(1, 1, 4))],
)


def decomposed_norms(x, weight, bias, mean, variance):
    return (
        *aten.native_group_norm(x, weight, bias, x.shape[0], 4, x.shape[2], 2,
                                1e-5),
        *aten._native_batch_norm_legit_no_training(
            x, weight, bias, mean, variance, 0.1, 1e-5),
        *aten._native_batch_norm_legit.no_stats(x, weight, None, True, 0.1,
                                                1e-3),
        *aten._native_batch_norm_legit_functional(
            x, None, bias, mean, variance, True, 0.25, 1e-5),
        aten._softmax(x, 1, False), aten._log_softmax(x, -1, False),
        torch.ops.prims.convert_element_type(x, torch.float64))


program(
    "decomposed_norms", function(decomposed_norms), FAMILY,
    dynamic=({0: N, 2: AUTO}, {}, {}, {}, {}), oblivious=True,
    example=(f32(2, 4, 3), f32(4), f32(4), f32(4), f32(4, lo=0.1)),
    cases=[case(f"{n} of {m}", f32(n, 4, m), f32(4), f32(4), f32(4),
                f32(4, lo=0.1))
           for n, m in ((2, 3), (1, 2), (7, 4), (32, 5))],
)


def decomposed_trained(x, mean, variance):
    """A step of training updates what is known of the batches before."""
    return aten.batch_norm(x, None, None, mean, variance, True, 0.25, 1e-5,
                           False), mean + 0


program(
    "decomposed_trained", function(decomposed_trained), FAMILY,
    dynamic=({0: N, 2: AUTO}, {}, {}), oblivious=True,
    example=(f32(2, 3, 4, 2), f32(3), f32(3, lo=0.1)),
    cases=[case(f"{n} of {m}", f32(n, 3, m, 2), f32(3), f32(3, lo=0.1))
           for n, m in ((2, 4), (1, 2), (5, 7), (0, 4))],
)
