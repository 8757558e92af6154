"""Pools whose number of windows is rounded up."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from recording.table import case, function, program
from recording.values import Value, f32

from .common import N

FAMILY = "pools"
AUTO = torch.export.Dim.AUTO
# Whether the last window is one too many is decided for the example.
QUIRK = "torch keeps a guard on the parity of the example's sizes"


def pooled(name, body, shape, sizes, wrong=()):
    """A program on x[n, 2, ...], of which `sizes` are the last dimensions."""
    dims = {0: N, **{i + 2: AUTO for i in range(len(shape))}}
    program(
        name,
        function(body),
        FAMILY,
        dynamic=(dims,),
        oblivious=True,
        example=(f32(2, 2, *shape),),
        cases=[case(" by ".join(map(str, size)), f32(1, 2, *size),
                    quirk=QUIRK) for size in sizes]
        + [case("no batch", f32(0, 2, *shape), quirk=QUIRK)]
        + [case(" by ".join(map(str, size)), f32(1, 2, *size), raises="")
           for size in wrong],
    )


pooled("pool_up_1d", lambda x: (
    F.avg_pool1d(x, 2, 2, 1, ceil_mode=True),
    F.avg_pool1d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)),
       (7,), [(k,) for k in (1, 2, 3, 4, 5, 8, 24)], [(0,)])
pooled("pool_up_apart", lambda x: F.max_pool2d(x, 2, 5, 1, ceil_mode=True),
       (7, 7), [(k, k + 1) for k in (1, 3, 4, 5, 8, 9)], [(0, 3)])
pooled("pool_up_2d", lambda x: (
    F.max_pool2d(x, 3, 2, ceil_mode=True),
    F.max_pool2d(x, 2, 2, 1, ceil_mode=True),
    F.max_pool2d(x, (2, 3), (3, 2), (1, 1), dilation=(2, 1), ceil_mode=True),
    F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    F.avg_pool2d(x, (3, 2), 2, (1, 0), True, False),
    F.avg_pool2d(x, 2, 2, ceil_mode=True, divisor_override=3)),
       (7, 7), [(k, k) for k in (3, 4, 5, 6, 7, 8)], [(1, 1)])
pooled("pool_up_3d", lambda x: (
    F.max_pool3d(x, 2, 2, ceil_mode=True),
    F.avg_pool3d(x, 3, 2, 1, ceil_mode=True)),
       (5, 5, 5), [(k, k, k) for k in (3, 4, 5)], [(0, 0, 0)])


def pool(stride, padding):
    return nn.MaxPool2d(3, stride, padding, ceil_mode=True)


class Inception(nn.Module):
    """Pools after convolutions, and branches that are joined."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3), pool(2, 0),
                                  nn.Conv2d(4, 4, 3, padding=1), pool(2, 0))
        self.left = nn.Conv2d(4, 4, 1)
        self.right = nn.Sequential(pool(1, 1), nn.Conv2d(4, 4, 1))

    def forward(self, x):
        x = self.stem(x)
        x = torch.cat([self.left(x), self.right(x)], 1)
        return pool(2, 0)(x)


program(
    "pool_up_inception",
    Inception,
    FAMILY,
    dynamic=({0: N, 2: AUTO, 3: AUTO},),
    example=(f32(2, 3, 64, 48),),
    rtol=1e-4,
    atol=1e-4,
    cases=[case(f"{n}, {h} by {w}", f32(n, 3, h, w), quirk=QUIRK)
           for n, h, w in ((1, 33, 33), (2, 47, 64), (1, 40, 35))],
)


class Dropouts(nn.Module):
    """Dropout in place does nothing when a program is not training."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Dropout(0.2, inplace=True),
                                    nn.Linear(3, 2),
                                    nn.AlphaDropout(0.5, inplace=True),
                                    nn.Dropout1d(0.5, inplace=True))

    def forward(self, x):
        y = x + 1
        return self.layers(y), y


program(
    "dropout_in_place",
    Dropouts,
    FAMILY,
    dynamic=({0: N},),
    example=(f32(4, 3),),
    cases=[case(str(n), f32(n, 3)) for n in (4, 0, 1)],
)


def folded(x, y):
    columns = F.unfold(x, (3, 2), padding=1, stride=2)
    size = x.shape[-2:]
    return (F.fold(columns, size, (3, 2), padding=1, stride=2),
            F.fold(F.unfold(x, 2, dilation=2), size, 2, dilation=2),
            F.fold(y, (3, 4), (2, 3)))


program("folds", function(folded), FAMILY,
        dynamic=({0: N, 2: AUTO, 3: AUTO}, {0: N}),
        oblivious=True, example=(f32(2, 2, 5, 6), f32(2, 6, 4)),
        cases=[case(f"{n} of {h} by {w}", f32(n, 2, h, w), f32(n, 6, 4))
               for n, h, w in ((2, 5, 6), (1, 4, 4), (3, 17, 4), (2, 4, 33))] +
        [case("no batch", f32(0, 2, 5, 6), f32(0, 6, 4),
              quirk="torch keeps a guard that there are elements"),
         case("too small", f32(2, 2, 2, 6), f32(2, 6, 4), raises="")],
        rtol=1e-4, atol=1e-4)


def padded(x):
    return (F.pad(x, (1, 2, 0, 1, 1, 1), mode="reflect"),
            F.pad(x, (3, 0, 1, 2, 0, 4), mode="replicate"))


program("pads_3d", function(padded), FAMILY,
        dynamic=({0: N, 2: AUTO, 3: AUTO, 4: AUTO},), oblivious=True,
        example=(f32(2, 2, 3, 4, 5),),
        cases=[case(f"{n} of {d} by {h} by {w}", f32(n, 2, d, h, w))
               for n, d, h, w in ((2, 3, 4, 5), (1, 2, 2, 3), (0, 3, 4, 5),
                                  (2, 9, 3, 17))] +
        [case("too small", f32(2, 2, 3, 4, 2), raises="")])


def few(*shape, other=2.0):
    """Elements of which many are equal."""
    return Value(lambda rng: torch.tensor(rng.choice(
        [-math.inf, 1.0, other], size=shape)).float())


def adaptive_maxima(x, y, z):
    return (*F.adaptive_max_pool2d(x, (3, 1), return_indices=True),
            F.adaptive_max_pool2d(x, 1), F.adaptive_max_pool1d(y, 2),
            *F.adaptive_max_pool3d(z, (2, 3, 2), return_indices=True))


program("adaptive_maxima", function(adaptive_maxima), FAMILY,
        dynamic=({0: N, 2: AUTO, 3: AUTO}, {1: AUTO}, {0: N, 3: AUTO}),
        oblivious=True,
        example=(f32(2, 3, 5, 7), f32(3, 6), f32(2, 2, 3, 5, 4)),
        cases=[case(f"{n} of {h} by {w}", f32(n, 3, h, w), f32(3, w),
                    f32(n, 2, 3, h, 4))
               for n, h, w in ((2, 5, 7), (1, 1, 1), (3, 16, 2), (2, 2, 33),
                               (0, 4, 5))] +
        [case("equal ones", few(2, 3, 5, 7), few(3, 6), few(2, 2, 3, 5, 4)),
         case("NaN", few(2, 3, 5, 7, other=math.nan), f32(3, 6), f32(2, 2, 3, 5, 4)),
         case("no rows", f32(2, 3, 0, 7), f32(3, 6), f32(2, 2, 3, 5, 4),
              raises="")])
