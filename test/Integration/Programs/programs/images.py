"""Images that are resized, or read at places between their elements."""

import itertools

import torch
from torch.nn import functional as F

from recording.table import case, function, program
from recording.values import f32, floats, ints, lit

from .common import N

FAMILY = "images"
AUTO = torch.export.Dim.AUTO
QUIRK = "torch keeps a guard on the example's sizes"
SIZES = ((5, 7), (1, 1), (2, 9), (8, 8))


def sampled(name, interpolation, shape, grid, channels=2):
    """An image at places inside and outside of it, in all modes."""
    dims = {i + 2: AUTO for i in range(len(shape))}
    places = {i + 1: AUTO for i in range(len(shape))}

    def body(x, places):
        return tuple(
            F.grid_sample(x, places, interpolation, padding, aligned)
            for padding, aligned in itertools.product(
                ("zeros", "border", "reflection"), (False, True)))

    def arguments(n, size, count):
        return (f32(n, channels, *size), f32(n, *count, len(size), lo=-2.5, hi=2.5))

    program(
        f"images_sampled_{name}", function(body), FAMILY, oblivious=True,
        dynamic=({0: N, **dims}, {0: N, **places}),
        example=arguments(2, shape, grid),
        cases=[case(f"{n} of {size} at {count}", *arguments(n, size, count),
                    quirk=QUIRK)
               for n, size, count in (
                   (2, shape, grid), (1, grid, shape),
                   (3, (1,) * len(shape), grid), (0, shape, grid),
                   (1, shape, (0,) * len(grid)))]
        + [case("an empty image", *arguments(1, (0,) * len(shape), grid),
                raises="")],
    )


sampled("linear", "bilinear", (4, 5), (3, 6))
sampled("nearest", "nearest", (4, 5), (3, 6))
sampled("cubic", "bicubic", (4, 5), (3, 6))
# Elements are found once for all channels.
sampled("cubic_channels", "bicubic", (4, 5), (3, 6), channels=32)
sampled("linear_3d", "bilinear", (2, 3, 4), (3, 1, 2))
sampled("nearest_3d", "nearest", (2, 3, 4), (3, 1, 2))


def images_nowhere(x, grid):
    """Places that are no numbers have nothing."""
    return F.grid_sample(x, grid, align_corners=False)


program(
    "images_nowhere", function(images_nowhere), FAMILY,
    dynamic=({0: N}, {0: N}), example=(f32(2, 1, 2, 3), f32(2, 1, 1, 2)),
    cases=[case("infinite", f32(1, 1, 2, 3), lit([[[[0.5, float("inf")]]]])),
           case("far", f32(1, 1, 2, 3), lit([[[[1e30, -1e30]]]])),
           case("inside", f32(3, 1, 2, 3), f32(3, 1, 1, 2))],
)


def resized(name, body, dtype=torch.float32):
    program(
        f"images_{name}", function(body), FAMILY, oblivious=True,
        dynamic=({0: N, 2: AUTO, 3: AUTO},),
        example=(floats(dtype, 2, 3, 6, 8),),
        cases=[case(f"{h} by {w}", floats(dtype, 2, 3, h, w))
               for h, w in ((6, 8), *SIZES)]
        + [case("no batch", floats(dtype, 0, 3, 4, 4)),
           case("no rows", floats(dtype, 2, 3, 0, 4), raises="")],
    )


resized("smooth", lambda x: (
    F.interpolate(x, (3, 4), mode="bilinear", antialias=True),
    F.interpolate(x, (9, 2), mode="bilinear", antialias=True,
                  align_corners=True),
    F.interpolate(x, (3, 11), mode="bicubic", antialias=True)))
resized("smooth_wide", lambda x: (
    F.interpolate(x, (3, 4), mode="bilinear", antialias=True),
    F.interpolate(x, (5, 11), mode="bicubic", antialias=True)), torch.float64)
resized("places_wide", lambda x: (
    F.interpolate(x, (3, 5), mode="bilinear"),
    F.interpolate(x, (7, 11), mode="bilinear", align_corners=True),
    F.interpolate(x, (3, 11), mode="bicubic"),
    F.interpolate(x, (7, 3), mode="bicubic", align_corners=True),
    F.interpolate(x[:, :, 0], 5, mode="linear"),
    F.interpolate(x[:, :, None], (2, 3, 11), mode="trilinear")), torch.float64)
resized("exact", lambda x: (
    F.interpolate(x, (3, 11), mode="nearest-exact"),
    F.interpolate(x, scale_factor=2, mode="nearest-exact"),
    F.interpolate(x[:, :, 0], 5, mode="nearest-exact"),
    F.interpolate(x[:, :, None], (2, 3, 11), mode="nearest-exact")))
resized("by_factor", lambda x: (
    F.interpolate(x, scale_factor=1.3),
    F.interpolate(x, scale_factor=(2.2, 1.1), mode="nearest-exact")))
resized("by_size", lambda x: (
    torch.ops.aten.upsample_bilinear2d(x, (4, 9), False, 1.5, None),
    torch.ops.aten.upsample_bicubic2d(x, (4, 9), True),
    torch.ops.aten.upsample_nearest2d(x, (4, 9), 2.0, 0.75),
    torch.ops.aten.upsample_linear1d(x[:, :, 0], (5,), False),
    torch.ops.aten.upsample_nearest3d(x[:, :, None], (2, 4, 9)),
    torch.ops.aten.upsample_trilinear3d(x[:, :, None], (2, 4, 9), False)))


def images_smooth_bytes(x):
    """Bytes are rounded in each dimension, by weights of 16 bits."""
    return (F.interpolate(x, (5, 4), mode="bilinear", antialias=True),
            F.interpolate(x, (9, 21), mode="bicubic", antialias=True),
            F.interpolate(x, scale_factor=(1.0, 0.4), mode="bicubic",
                          antialias=True),
            F.interpolate(x, (3, 30), mode="bilinear", antialias=True,
                          align_corners=True))


def images_of_bytes(n, h, w):
    return ints(torch.uint8, n, 3, h, w, lo=0, hi=255)


program(
    "images_smooth_bytes", function(images_smooth_bytes), FAMILY,
    oblivious=True, dynamic=({0: N, 2: AUTO, 3: AUTO},),
    example=(images_of_bytes(2, 6, 8),),
    cases=[case(f"{h} by {w}", images_of_bytes(2, h, w))
           for h, w in ((6, 8), (5, 7), (1, 3), (9, 21), (16, 23))]
    + [case("no batch", images_of_bytes(0, 4, 4)),
       case("no rows", images_of_bytes(2, 0, 4), raises="")],
)


def images_halved(x):
    """Sizes that are halves and three quarters of others, rounded down."""
    y = F.interpolate(x, scale_factor=0.5)
    return F.kl_div(y, y.abs(), reduction="none"), \
        F.interpolate(x, scale_factor=0.75, mode="bilinear") + 1


program(
    "images_halved", function(images_halved), FAMILY, oblivious=True,
    dynamic=({0: N, 2: AUTO, 3: AUTO},), example=(f32(2, 3, 6, 8),),
    cases=[case(f"{h} by {w}", f32(2, 3, h, w))
           for h, w in ((6, 8), (5, 7), (2, 3), (9, 4))]
    + [case("one row", f32(2, 3, 1, 4), raises="")],
)


def affine_grids(x, theta, wide):
    size = x.shape
    return (F.grid_sample(x, F.affine_grid(theta, size, align_corners=False),
                          align_corners=False),
            F.affine_grid(theta, size, align_corners=True),
            F.affine_grid(wide, (size[0], 1, 2, size[2], 1),
                          align_corners=False))


# The sizes of a grid are those of the example, whatever is declared.
program("affine_grids", function(affine_grids), FAMILY,
        dynamic=({0: N}, {0: N}, {0: N}),
        example=(f32(2, 3, 5, 4), f32(2, 2, 3), f32(2, 3, 4)),
        rtol=1e-4, atol=1e-4,
        cases=[case(f"{n}", f32(n, 3, 5, 4), f32(n, 2, 3), f32(n, 3, 4))
               for n in (2, 1, 5)] +
        [case("no image", f32(0, 3, 5, 4), f32(0, 2, 3), f32(0, 3, 4),
              raises=""),
         case("too few", f32(2, 3, 5, 4), f32(1, 2, 3), f32(2, 3, 4),
              raises="")])
