"""Operators that other programs do not use."""

import torch
import torch.nn.functional as F
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32, i64, lit

from .common import M, N, ROWS, MATRIX

FAMILY = "operators"


D2 = dict(dynamic=({0: N}, {0: N}))


ROW2 = [case(str(n), f32(n, 3), f32(n, 3)) for n in (4, 1, 32)]


program(
    "losses_elementwise",
    function(
        lambda x, y: (
            F.mse_loss(x, y),
            F.l1_loss(x, y, reduction="sum"),
            F.smooth_l1_loss(x, y, reduction="none"),
            F.huber_loss(x, y, delta=0.5),
            F.mse_loss(x, y, reduction="none"),
        )
    ),
    FAMILY,
    example=(f32(4, 3), f32(4, 3)),
    **D2,
    cases=ROW2,
)


program(
    "losses_binary",
    function(
        lambda x, y: (
            F.binary_cross_entropy_with_logits(x, y),
            F.binary_cross_entropy(x.sigmoid(), y, reduction="none"),
            F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"),
            F.kl_div(
                x.log_softmax(1),
                y.log_softmax(1),
                reduction="sum",
                log_target=True,
            ),
        )
    ),
    FAMILY,
    example=(f32(4, 3), f32(4, 3, lo=0, hi=1)),
    **D2,
    cases=[case(str(n), f32(n, 3), f32(n, 3, lo=0, hi=1)) for n in (4, 1, 32)],
)


program(
    "losses_images",
    function(lambda x, t: F.cross_entropy(x, t)),
    FAMILY,
    example=(f32(4, 3, 2, 2), i64(4, 2, 2, lo=0, hi=2)),
    **D2,
    cases=[
        case(str(n), f32(n, 3, 2, 2), i64(n, 2, 2, lo=0, hi=2)) for n in (4, 1)
    ],
)


def losses_of_probabilities(x, t):
    weight = torch.tensor([1.0, 2.0, 0.5])
    return (
        F.cross_entropy(x, t),
        F.cross_entropy(x, t, label_smoothing=0.125, reduction="none"),
        F.cross_entropy(x, t, weight=weight, reduction="sum"),
        F.cross_entropy(x.unsqueeze(2), t.unsqueeze(2), label_smoothing=0.5),
    )


program(
    "losses_of_probabilities",
    function(losses_of_probabilities),
    FAMILY,
    example=(f32(4, 3), f32(4, 3, lo=0, hi=1)),
    **D2,
    cases=[case(str(n), f32(n, 3), f32(n, 3, lo=0, hi=1)) for n in (4, 1, 32)],
)


TWO = [case(str(n), f32(n), f32(n)) for n in (4, 0, 1, 32)]


program(
    "elementwise_rare",
    function(
        lambda x, y: (
            torch.xlogy(x.abs(), y.abs()),
            torch.logaddexp(x, y),
            torch.logaddexp2(x, y),
            torch.sinc(x),
            torch.heaviside(x, y),
            torch.deg2rad(x),
            torch.rad2deg(x),
            torch.float_power(x.abs(), y),
            torch.ldexp(x, y.int()),
            torch.fmod(x, 0.7),
            torch.copysign(x, -1.0),
            torch.hypot(x, y),
            torch.rsub(x, y),
            torch.rsub(x, 1),
        )
    ),
    FAMILY,
    example=(f32(4), f32(4)),
    **D2,
    cases=TWO,
)


program(
    "integers_rare",
    function(
        lambda a, b: (
            torch.gcd(a, b),
            torch.lcm(a, b),
            torch.isin(a, b),
            torch.isin(a, 3),
            torch.bitwise_and(7, a),
            a.abs(),
        )
    ),
    FAMILY,
    example=(i64(4), i64(4)),
    **D2,
    cases=[case(str(n), i64(n), i64(n)) for n in (4, 0, 1, 32)],
)


NS = [case(str(n), f32(n)) for n in (4, 0, 1, 32)]


program(
    "histograms",
    function(
        lambda x: (
            torch.histc(x, 4, -2, 2),
            torch.histc(x, bins=3, min=0, max=1),
            torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])),
            torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0]), right=True),
            torch.searchsorted(torch.tensor([-1.0, 0.0, 1.0]), x),
            torch.searchsorted(
                torch.tensor([-1.0, 0.0, 1.0]), x, side="right"
            ),
        )
    ),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


def histograms_of_data(x):
    """Parts of the range of the elements."""
    return (torch.histc(x, 5), torch.histc(x.double(), 7, 2.0, 2.0), torch.histc(torch.cat([x, x.flip(0)]).half().float()),
            torch.histc(x.clamp(1, 1), 3))


program("histograms_of_data", function(histograms_of_data), FAMILY, dynamic=ROWS, example=(f32(4),),
        cases=[*NS, case("not finite", lit([1.0, float("inf")]), raises="the range of the elements is not finite")])


def searches_of_known_lengths(x):
    """Also where the sequence is not in order, or has a NaN."""
    lots = torch.linspace(-2, 2, 33)
    bounds = (lots, lots[:8], lots[:7], lots[:1], lots[:0], lots.roll(5), torch.cat([lots[3:9], lots[:2] / 0, lots[:2] * float("nan")]))
    return tuple(torch.bucketize(x, b, right=right) for b in bounds for right in (False, True)) + (
        torch.searchsorted(torch.arange(-3, 4), x.long()), torch.isin(x, lots[1:20]),
        torch.searchsorted(lots.double().reshape(3, 11), torch.stack([x, x + 1, x - 1]).double(), out_int32=True))


program("searches_of_known_lengths", function(searches_of_known_lengths), FAMILY, dynamic=ROWS, example=(f32(4),),
        cases=[*NS, case("edges", lit([-2.0, 2.0, -1.875, 0.0, -0.0, float("nan"), float("inf"), -float("inf"), 3.0]))])

program(
    "searchsorted_rows",
    function(
        lambda s, v: (
            torch.searchsorted(s.sort(1).values, v),
            torch.searchsorted(
                s.sort(1).values, v, right=True, out_int32=True
            ),
        )
    ),
    FAMILY,
    dynamic=({0: N, 1: M}, {0: N}),
    example=(f32(3, 4), f32(3, 2)),
    cases=[
        case(f"{n},{m}", f32(n, m), f32(n, 2))
        for n, m in ((3, 4), (0, 3), (3, 0), (1, 1))
    ],
)


program(
    "differences",
    function(
        lambda x: (
            torch.diff(x),
            torch.diff(x, dim=0),
            torch.trapezoid(x),
            torch.trapezoid(x, dx=0.5, dim=0),
            torch.logcumsumexp(x, 0),
            torch.cummin(x, 1).values,
        )
    ),
    FAMILY,
    dynamic=({0: Dim("n", min=3, max=32), 1: Dim("m", min=3, max=24)},),
    example=(f32(4, 5),),
    cases=[case(f"{n},{m}", f32(n, m)) for n, m in ((3, 4), (3, 3), (32, 24))],
)


program(
    "grids",
    function(
        lambda x, y: (
            torch.meshgrid(x, y, indexing="ij"),
            torch.meshgrid(x, y, indexing="xy"),
            torch.cartesian_prod(x, y),
            torch.broadcast_tensors(x[:, None], y),
            x.sum(),
        )
    ),
    FAMILY,
    dynamic=({0: N}, {0: M}),
    example=(f32(3), f32(4)),
    cases=[
        case(f"{n},{m}", f32(n), f32(m))
        for n, m in ((3, 4), (0, 3), (1, 1), (32, 24))
    ],
)


NM = [
    case(f"{n},{m}", f32(n, m))
    for n, m in ((3, 4), (0, 3), (3, 0), (1, 1), (32, 24))
]


program(
    "triangle_indices",
    function(
        lambda x: (
            torch.tril_indices(3, 5, 1),
            torch.triu_indices(2, 4, 1) * x.sum().long(),
            torch.tril_indices(3, 3, -1),
        )
    ),
    FAMILY,
    dynamic=MATRIX,
    example=(f32(3, 4),),
    cases=NM,
)


program(
    "diagonal_matrices",
    function(
        lambda x: (
            torch.diag(x),
            torch.diag(x, 1),
            torch.diag_embed(x),
            torch.diagflat(x, -1),
            torch.diag(torch.outer(x, x)),
            torch.diag_embed(torch.stack([x, x]), 1),
        )
    ),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


program(
    "atleast",
    function(
        lambda x, s: (
            torch.atleast_1d(s),
            torch.atleast_2d(x),
            torch.atleast_3d(x),
            torch.atleast_2d([x, s]),
        )
    ),
    FAMILY,
    dynamic=({0: N}, None),
    example=(f32(4), lit(2.5)),
    cases=[case(str(n), f32(n), lit(2.5)) for n in (4, 0, 1)],
)


program(
    "block_diagonals",
    function(lambda x, y: torch.block_diag(x, y, torch.ones(2))),
    FAMILY,
    dynamic=({0: N, 1: M}, {0: M}),
    example=(f32(3, 4), f32(4, 2)),
    cases=[
        case(f"{n},{m}", f32(n, m), f32(m, 2))
        for n, m in ((3, 4), (0, 3), (1, 1))
    ],
)


program(
    "splits_rare",
    function(
        lambda x: (
            torch.hsplit(x, 2),
            torch.tensor_split(x, (1, 3), 1),
            torch.tensor_split(x, 3, 1),
            torch.unsafe_split(x, 2, 1),
            x.unsafe_chunk(2, 1),
        )
    ),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4, 4),),
    cases=[case(str(n), f32(n, 4)) for n in (4, 0, 1, 32)],
)


program(
    "distances",
    function(
        lambda x, y: (
            torch.cdist(x, y),
            torch.cdist(x, y, p=1),
            torch.cdist(x, x, p=float("inf")),
            torch.renorm(x, 2, 0, 1.0),
        )
    ),
    FAMILY,
    dynamic=({0: Dim("n", max=20)}, {0: M}),
    example=(f32(3, 3), f32(4, 3)),
    rtol=0.0001,
    atol=0.0001,
    cases=[
        case(f"{n},{m}", f32(n, 3), f32(m, 3))
        for n, m in ((3, 4), (2, 3), (20, 24))
    ],
)


program(
    "strided_windows",
    function(
        lambda x: (
            x.as_strided((2, 2), (1, 1)),
            torch.as_strided(x, (2,), (2,), 1),
            x.unfold(0, 2, 1),
        )
    ),
    FAMILY,
    dynamic=({0: Dim("n", min=3, max=32)},),
    example=(f32(6),),
    cases=[case(str(n), f32(n)) for n in (4, 5, 32)]
    + [
        case(
            "3",
            f32(3),
            raises="aten.as_strided.default: the elements are out of bounds",
        )
    ],
)


program(
    "pixels",
    function(
        lambda x: (
            F.pixel_shuffle(x, 2),
            F.pixel_unshuffle(x[:, :, :4, :4], 2),
            F.channel_shuffle(x, 2),
        )
    ),
    FAMILY,
    dynamic=ROWS,
    example=(f32(3, 4, 4, 4),),
    cases=[case(str(n), f32(n, 4, 4, 4)) for n in (3, 1)],
)


program(
    "resizes_nearest",
    function(
        lambda x: (
            F.interpolate(x, scale_factor=2),
            F.interpolate(x, size=(3, 5)),
            F.interpolate(x[:, :, 0], scale_factor=2),
            F.interpolate(x, size=(x.shape[2] * 2, 7), mode="nearest"),
        )
    ),
    FAMILY,
    dynamic=({2: N, 3: M},),
    example=(f32(2, 1, 3, 4),),
    cases=[
        case(f"{n},{m}", f32(2, 1, n, m)) for n, m in ((3, 4), (1, 1), (9, 5))
    ],
)


program(
    "resizes_bicubic",
    function(
        lambda x: (
            F.interpolate(x, scale_factor=2, mode="bicubic"),
            F.interpolate(x, size=(5, 3), mode="bicubic", align_corners=True),
            F.interpolate(x, size=(x.shape[3], 4), mode="bicubic"),
            F.interpolate(x.half(), size=(1, 7), mode="bicubic"),
        )
    ),
    FAMILY,
    dynamic=({2: Dim.AUTO, 3: Dim.AUTO},),
    example=(f32(2, 1, 3, 4),),
    rtol=0.001,
    atol=0.001,
    cases=[
        case(f"{n},{m}", f32(2, 1, n, m)) for n, m in ((3, 4), (2, 2), (9, 5))
    ] + [case("none", f32(2, 1, 0, 4), raises="must not be empty")],
)


program(
    "resizes_bilinear",
    function(
        lambda x: (
            F.interpolate(x, scale_factor=2, mode="bilinear"),
            F.interpolate(x, size=(5, 3), mode="bilinear", align_corners=True),
            F.interpolate(x[:, :, 0], scale_factor=2, mode="linear"),
        )
    ),
    FAMILY,
    dynamic=({2: N, 3: M},),
    example=(f32(2, 1, 3, 4),),
    rtol=0.0001,
    atol=0.0001,
    cases=[
        case(f"{n},{m}", f32(2, 1, n, m)) for n, m in ((3, 4), (1, 1), (9, 5))
    ],
)


program(
    "patches",
    function(
        lambda x: (
            F.unfold(x, 2),
            F.unfold(x, (2, 3), dilation=1, padding=1, stride=2),
        )
    ),
    FAMILY,
    dynamic=ROWS,
    example=(f32(3, 2, 4, 6),),
    cases=[case(f"{n}", f32(n, 2, 4, 6)) for n in (3, 1, 5)],
)


program(
    "bits_viewed",
    function(lambda x: (x.view(torch.int32), x.sum())),
    FAMILY,
    dynamic=ROWS,
    example=(f32(4),),
    cases=NS,
)


POS = [case(f"{n},{m}", f32(n, m)) for n, m in ((3, 4), (1, 1), (32, 24))]


program(
    "order_statistics",
    function(
        lambda x: (
            x.kthvalue(1).values,
            x.kthvalue(1, dim=0).indices,
            x.msort(),
            x.sort(0, descending=True).values,
            x.argsort(1),
            x.topk(1, 0, largest=False).values,
            x.quantile(0.5),
            x.quantile(0.25, dim=0),
            x.quantile(torch.tensor([0.1, 0.9]), dim=1),
            x.nanquantile(0.5, dim=1),
            x.nanmedian(),
        )
    ),
    FAMILY,
    dynamic=MATRIX,
    example=(f32(3, 4),),
    cases=POS,
)


program(
    "einsums_more",
    function(
        lambda x, y: (
            torch.einsum("ij,kj->ik", x, y),
            torch.einsum("ij->j", x),
            torch.einsum("ij,ij->", x, y[:1].expand(x.shape[0], 3)),
            torch.einsum("...i,...i->...", x, x),
            torch.einsum("ij,kj", x, y),
            torch.einsum("bi,bj->bij", x, x),
            torch.einsum("ii->i", x.t() @ x),
            torch.einsum("i,j,k->ijk", x[0], y[0], x[0]),
        )
    ),
    FAMILY,
    dynamic=({0: N}, {0: M}),
    example=(f32(3, 3), f32(4, 3)),
    rtol=0.0001,
    atol=0.0001,
    cases=[
        case(f"{n},{m}", f32(n, 3), f32(m, 3))
        for n, m in ((3, 4), (1, 1), (9, 5))
    ],
)


def sequences(x, y, z):
    pad = torch.nn.utils.rnn.pad_sequence
    return (pad([x, y]), pad([x, y, x + 1], batch_first=True, padding_value=-1.5),
            pad([x, y], batch_first=True, padding_side="left"),
            torch.column_stack([z, z * 2]), torch.column_stack([x, x[:, 0]]),
            torch.fft.fftshift(x), torch.fft.ifftshift(x, dim=0),
            torch.fft.fftshift(z))


program("sequences", function(sequences), FAMILY, dynamic=({0: N}, {0: M}, {0: N}),
        example=(f32(4, 2), f32(3, 2), f32(4)),
        cases=[case(f"{n},{m}", f32(n, 2), f32(m, 2), f32(n))
               for n, m in ((4, 3), (1, 1), (0, 5), (5, 0), (32, 7))] +
        [case("nothing", f32(0, 2), f32(0, 2), f32(0),
              quirk="torch keeps a guard that there are elements")])


def areas(x, y):
    return (torch.trapezoid(x, y), torch.cumulative_trapezoid(x, dx=0.25),
            torch.cumulative_trapezoid(x, y), torch.cumulative_trapezoid(x.int()),
            x.real * 2, x.conj(), torch.cumulative_trapezoid(x.half(), x))


# A range of torch's own wants three elements along the dimension, if not more.
program("areas", function(areas), FAMILY, dynamic=({0: Dim.AUTO}, None),
        example=(f32(4, 3), f32(3)), rtol=1e-3, atol=1e-4,
        cases=[case(f"{n}", f32(n, 3), f32(3)) for n in (4, 0, 1, 32)])

program("areas_of_few", function(lambda x, y: (
            torch.trapezoid(x, x), torch.cumulative_trapezoid(x, x),
            torch.trapezoid(y, y), torch.cumulative_trapezoid(y, y))),
        FAMILY, dynamic=({0: Dim.AUTO}, {0: Dim.AUTO}),
        example=(f32(4, 1), f32(4, 0)),
        cases=[case(f"{n}", f32(n, 1), f32(n, 0)) for n in (4, 0, 1, 32)])
