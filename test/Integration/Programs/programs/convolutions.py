"""Convolutions of one to three dimensions."""

import torch
from torch.nn import functional as F

from recording.table import case, function, program
from recording.values import f32

from .common import N

FAMILY = "convolutions"
AUTO = torch.export.Dim.AUTO
CLOSE = dict(rtol=1e-4, atol=1e-4)


def convolved(name, body, weight, shape, sizes, kind=f32, tolerance=CLOSE):
    """A program on x[n, 4, ...], of which `sizes` are the last dimensions."""
    dims = {0: N, **{i + 2: AUTO for i in range(len(shape))}}
    w = kind(*weight)
    program(
        name,
        function(body),
        FAMILY,
        dynamic=(dims, {}),
        oblivious=True,
        example=(kind(2, 4, *shape), w),
        cases=[case(" by ".join(map(str, size)), kind(2, 4, *size), w)
               for size in sizes]
        + [case("one image", kind(1, 4, *shape), w),
           case("no batch", kind(0, 4, *shape), w)],
        **tolerance,
    )


convolved("convolution_1d", lambda x, w: (
    F.conv1d(x, w, padding=2), F.conv1d(x, w, stride=2, padding=3),
    F.conv1d(x, w, dilation=3, padding=6, stride=3)),
          (3, 4, 3), (11,), [(1,), (2,), (17,), (33,), (70,)])
convolved("convolution_2d", lambda x, w: (
    F.conv2d(x, w, padding=1), F.conv2d(x, w, stride=2, padding=1),
    F.conv2d(x, w, dilation=(1, 2), padding=(1, 3), stride=(2, 3)),
    F.conv2d(x, w[:, :, :1, :1])),
          (5, 4, 3, 3), (6, 7), [(1, 1), (2, 16), (7, 17), (4, 33)])
convolved("convolution_3d", lambda x, w: (
    F.conv3d(x, w, padding=1), F.conv3d(x, w, stride=(1, 2, 2), padding=1)),
          (3, 4, 2, 3, 2), (3, 4, 5), [(1, 1, 1), (2, 3, 17)])
convolved("convolution_groups", lambda x, w: (
    F.conv2d(x, w, padding=1, groups=2),
    F.conv2d(x, w[:4, :1], padding=1, stride=2, groups=4),
    F.conv2d(x, w[:, :1], padding=1, groups=4)),
          (8, 2, 3, 2), (6, 7), [(1, 1), (3, 33)])


def kernels_of_images(x, w, v):
    """Each image has kernels of its own: there are as many groups as images."""
    b, c, n = x.shape
    wide = x.reshape(1, b * c, n)
    y = F.conv1d(wide, w.reshape(b * w.shape[1], c, w.shape[-1]), stride=2, padding=1, groups=b)
    depthwise = F.conv1d(wide, v.expand(b * c, 1, 3), groups=b * c)
    up = F.conv_transpose1d(wide, w.transpose(1, 2).reshape(b * c, -1, w.shape[-1]), stride=2, groups=b)
    return y.reshape(b, -1, y.shape[-1]), depthwise.reshape(b, c, -1), up.reshape(b, -1, up.shape[-1])


IMAGES = [(b, c, n) for b, c, n in ((2, 3, 5), (1, 3, 4), (3, 2, 17), (1, 2, 3), (5, 8, 33))]
program("convolution_groups_of_size", function(kernels_of_images), FAMILY,
        dynamic=({0: N, 1: AUTO, 2: AUTO}, {0: N, 2: AUTO}, {}), oblivious=True,
        example=(f32(2, 3, 5), f32(2, 4, 3, 2), f32(1, 1, 3)),
        cases=[case(f"{b}, {c}, {n}", f32(b, c, n), f32(b, 4, c, 2), f32(1, 1, 3)) for b, c, n in IMAGES]
        + [case("no images", f32(0, 3, 5), f32(0, 4, 3, 2), f32(1, 1, 3), raises="")], **CLOSE)


def no_channels(x, w):
    return (F.conv1d(x, w, w[:, 0, 0], padding=1), F.conv1d(x[:, :0], w[:, :0]),
            F.conv1d(x[:, :0], w[:, :0], w[:, 0, 0], stride=2, padding=3))


program("convolution_no_channels", function(no_channels), FAMILY,
        dynamic=({0: N, 2: AUTO}, {}), oblivious=True,
        example=(f32(2, 4, 5), f32(3, 4, 2)),
        cases=[case(f"{n}, {m}", f32(n, 4, m), f32(3, 4, 2))
               for n, m in ((2, 5), (1, 2), (0, 4), (3, 33))], **CLOSE)


def transposed(x, w):
    return (F.conv_transpose1d(x, w, stride=3), F.conv_transpose1d(
        x, w, stride=2, padding=1, output_padding=1),
            F.conv_transpose1d(x, w[:, :, :1], stride=4))


program("convolution_transposed_nothing", function(transposed), FAMILY,
        dynamic=({0: N, 2: AUTO}, {}), oblivious=True,
        example=(f32(2, 4, 5), f32(4, 3, 4)),
        cases=[case(f"{n}, {m}", f32(n, 4, m), f32(4, 3, 4))
               for n, m in ((2, 5), (1, 1), (0, 4), (3, 17))] +
        [case("no places", f32(2, 4, 0), f32(4, 3, 4), raises="")], **CLOSE)


convolved("convolution_transposed_phases", lambda x, w: (
    F.conv_transpose2d(x, w, stride=2, padding=1),
    F.conv_transpose2d(x, w[:, :, :2, :3], stride=(3, 2), output_padding=(2, 1)),
    F.conv_transpose2d(x, w[:, :1], stride=(1, 3), padding=(2, 0), groups=2)),
          (4, 3, 4, 4), (6, 7), [(1, 1), (2, 16), (5, 17)])
convolved("convolution_transposed_blocks", lambda x, w: (
    F.conv_transpose2d(x, w[:, :, :2, :3], w[0, :, 0, 0], stride=(2, 3)),
    F.conv_transpose2d(x, w[:, :1, :5, :1], w[:2, 0, 0, 0], stride=(5, 1), groups=2)),
          (4, 3, 5, 4), (6, 7), [(1, 1), (2, 16), (5, 17)])
