"""Dimensions without elements: what is an error, and what nothing is."""

import torch
from torch.nn import functional as F

from recording.table import case, function, program
from recording.values import f32, floats, i64, ints, lit

from .common import K, M, MATRIX, N

AUTO = torch.export.Dim.AUTO

FAMILY = "empty"
NONE = lit([], torch.int64)


def put(x, i):
    x = x.clone()
    x[i] = 1.0
    return x


def indexed(name, body, more=()):
    """A program that indexes the rows of x[n, m] by i[k]."""
    program(
        name,
        function(body),
        FAMILY,
        dynamic=({0: N, 1: M}, {0: K}),
        oblivious=True,
        example=(f32(4, 3), i64(5, lo=0, hi=3)),
        cases=[
            case("rows", f32(4, 3), i64(5, lo=0, hi=3)),
            case("no index, no rows", f32(0, 3), NONE),
            case("no columns", f32(3, 0), lit([2, 0])),
            case("nothing at all", f32(0, 0), NONE),
            case("no rows", f32(0, 3), lit([0]), raises=""),
            case("no rows, no columns", f32(0, 0), lit([0]), raises=""),
            case("out of range", f32(4, 3), lit([4]), raises=""),
            *more,
        ],
    )


indexed("empty_index", lambda x, i: x[i],
        [case("negative", f32(4, 3), lit([-4, -1])),
         # Nothing is read, and nothing is looked at.
         case("out of range, no columns", f32(3, 0), lit([7]))])
indexed("empty_index_put", put, [case("negative", f32(4, 3), lit([-4, -1]))])
indexed("empty_index_select", lambda x, i: x.index_select(0, i),
        [case("out of range, no columns", f32(3, 0), lit([7]), raises=""),
         case("negative", f32(4, 3), lit([-1]), raises="")])
indexed("empty_embedding", lambda x, i: F.embedding(i, x),
        [case("out of range, no columns", f32(3, 0), lit([7]), raises="")])

program(
    "empty_take",
    function(lambda x, i: x.take(i)),
    FAMILY,
    dynamic=({0: N, 1: M}, {0: K}),
    oblivious=True,
    example=(f32(4, 3), i64(5, lo=0, hi=3)),
    cases=[case("some", f32(4, 3), lit([11, 0, -12])),
           case("none", f32(0, 3), NONE),
           case("of nothing", f32(0, 3), lit([0]), raises="")],
)


def reduced(name, body, right, wrong=()):
    program(name, function(body), FAMILY, dynamic=MATRIX, oblivious=True,
            example=(f32(4, 3),),
            cases=[case(f"{n} by {m}", f32(n, m)) for n, m in right]
            + [case(f"{n} by {m}", f32(n, m), raises="") for n, m in wrong])


reduced("empty_argmax", lambda x: x.argmax(1), [(4, 3), (0, 3), (1, 1)],
        [(3, 0), (0, 0)])
reduced("empty_argmin_all", lambda x: x.argmin(), [(4, 3), (1, 1)],
        [(3, 0), (0, 3), (0, 0)])
reduced("empty_quantile", lambda x: x.quantile(0.5, 1), [(4, 3), (1, 1)],
        [(3, 0), (0, 3), (0, 0)])
reduced("empty_means", lambda x: (
    x.mean(), x.mean(1), x.var(), x.std(0), x.sum(), x.prod(1), x.logsumexp(1),
    F.mse_loss(x, x + 1)), [(4, 3), (3, 0), (0, 3), (0, 0)])
reduced("empty_medians", lambda x: (
    x.median(), x.nanmedian(), x.double().median(), x.half().median(),
    x.long().median(), x.int().median(), x.short().median(),
    x.char().median(), x.abs().byte().median()),
        [(4, 3), (3, 0), (0, 3), (1, 1)])


def convolved(x, w):
    return (F.conv2d(x, w, padding=2), F.conv2d(x, w, padding=1, stride=2))


program(
    "empty_convolution",
    function(convolved),
    FAMILY,
    dynamic=({0: N, 2: M, 3: M}, {}),
    oblivious=True,
    example=(f32(2, 3, 5, 5), f32(4, 3, 3, 3)),
    cases=[case("5 by 5", f32(2, 3, 5, 5), f32(4, 3, 3, 3)),
           case("1 by 1", f32(1, 3, 1, 1), f32(4, 3, 3, 3)),
           case("no batch", f32(0, 3, 4, 4), f32(4, 3, 3, 3)),
           case("no columns", f32(1, 3, 0, 0), f32(4, 3, 3, 3), raises="")],
)


# With a window of one element nothing else keeps the input from being empty.
program(
    "empty_convolution_padded",
    function(lambda x, w: F.conv1d(x, w, padding=1)),
    FAMILY,
    dynamic=({0: N, 2: M}, {}),
    oblivious=True,
    example=(f32(2, 3, 5), f32(4, 3, 1)),
    cases=[case("5", f32(2, 3, 5), f32(4, 3, 1)),
           case("no batch", f32(0, 3, 4), f32(4, 3, 1)),
           case("nothing", f32(0, 3, 0), f32(4, 3, 1)),
           case("no elements", f32(1, 3, 0), f32(4, 3, 1), raises="")],
)

program(
    "empty_convolution_transposed",
    function(lambda x, w: F.conv_transpose1d(x, w)),
    FAMILY,
    dynamic=({0: N, 2: M}, {}),
    oblivious=True,
    example=(f32(2, 3, 5), f32(3, 4, 3)),
    cases=[case("5", f32(2, 3, 5), f32(3, 4, 3)),
           case("no batch", f32(0, 3, 4), f32(3, 4, 3)),
           case("no elements", f32(1, 3, 0), f32(3, 4, 3), raises="")],
)

# The padding takes all results away, but no more than there are.
program(
    "empty_convolution_transposed_away",
    function(lambda x, w: F.conv_transpose1d(x, w, padding=1)),
    FAMILY,
    dynamic=({0: N, 2: M}, {}),
    oblivious=True,
    example=(f32(2, 3, 5), f32(3, 4, 3)),
    cases=[case("5", f32(2, 3, 5), f32(3, 4, 3)),
           case("no batch", f32(0, 3, 4), f32(3, 4, 3)),
           case("nothing", f32(0, 3, 0), f32(3, 4, 3)),
           case("no elements", f32(1, 3, 0), f32(3, 4, 3), raises="")],
)

# Some dimensions have to have elements, whatever the others have.
program(
    "empty_pool_3d",
    function(lambda x: (
        F.adaptive_avg_pool3d(x, (1, 2, 3)), F.avg_pool3d(x, 2, padding=1))),
    FAMILY,
    dynamic=({0: AUTO, 1: AUTO, 2: AUTO, 3: AUTO},),
    oblivious=True,
    example=(f32(2, 5, 3, 4),),
    cases=[case("5", f32(2, 5, 3, 4)),
           case("small", f32(1, 2, 2, 2)),
           case("smaller than a window", f32(2, 4, 4, 1), raises=""),
           case("no depth", f32(2, 0, 3, 4), raises="")],
)
program(
    "empty_adaptive_pool_3d",
    function(lambda x: F.adaptive_avg_pool3d(x, (1, 2, 3))),
    FAMILY,
    dynamic=({0: AUTO, 1: AUTO, 2: AUTO, 3: AUTO},),
    oblivious=True,
    example=(f32(2, 5, 3, 4),),
    cases=[case("5", f32(2, 5, 3, 4)),
           case("no channels", f32(0, 4, 4, 1)),
           case("no depth", f32(2, 0, 3, 4), raises="")],
)

# What is searched in a sequence without elements comes first; NaN comes last,
# and in a sequence that is in no order it is where halving ends.
SEQUENCE = [-1.0, 0.0, 0.0, 1.5, float("nan")]
program(
    "search_nan",
    function(lambda x, v: (
        torch.searchsorted(x, v), torch.searchsorted(x, v, right=True),
        torch.bucketize(v, x), torch.searchsorted(x, 0.0))),
    FAMILY,
    dynamic=({0: N}, {0: K}),
    oblivious=True,
    example=(f32(4), f32(3)),
    cases=[
        case("ordered", lit(SEQUENCE), lit([0.0, 0.5, 9.0, float("nan"), -2.0])),
        case("two NaN", lit([*SEQUENCE[1:], float("nan")]),
             lit([0.0, float("nan"), float("inf"), -float("inf")])),
        case("no order", lit(SEQUENCE[::-1] + [0.5]),
             lit([0.0, 0.5, 9.0, float("nan"), -2.0])),
        case("nothing", f32(0), lit([0.0, float("nan")])),
        case("for nothing", lit(SEQUENCE), f32(0)),
        case("one", lit([1.0]), lit([1.0])),
    ],
)

program(
    "search_rows",
    function(lambda x, v: (torch.searchsorted(x, v),
                           torch.searchsorted(x, v.double(), right=True))),
    FAMILY,
    dynamic=({1: N}, {1: K}),
    oblivious=True,
    example=(f32(2, 4), f32(2, 3)),
    cases=[
        case("ordered", lit([[0.0, 1.0, 2.0], [-1.0, 1.0, float("nan")]]),
             lit([[1.0, 3.0], [1.0, float("nan")]])),
        case("nothing", f32(2, 0), f32(2, 3)),
        case("for nothing", f32(2, 3), f32(2, 0)),
    ],
)

program(
    "nonzero_rank_3",
    function(lambda x: (x.nonzero(), (x[None] > 1).nonzero())),
    FAMILY,
    dynamic=({0: N, 1: M},),
    oblivious=True,
    example=(ints(torch.int32, 4, 3, 2, lo=0, hi=2),),
    cases=[case(f"{n} by {m}", ints(torch.int32, n, m, 2, lo=0, hi=2))
           for n, m in ((4, 3), (0, 3), (3, 0), (1, 1), (8, 5))],
)

# A dimension that is known to be empty.
program(
    "empty_known",
    function(lambda x, y: (F.pad(y, (1, 1)), F.pad(y, (0, 0, 1, 2)), y[1:],
                           y[:, :0], torch.cat([y, y]), y[x.shape[0] - 2],
                           y.clone().fill_(1))),
    FAMILY,
    dynamic=({0: N}, {}),
    oblivious=True,
    example=(f32(4), f32(3, 0)),
    cases=[case(str(n), f32(n), f32(3, 0)) for n in (4, 2)],
)

# Means over everything, which are no error where there is nothing.
program(
    "empty_adaptive_to_one",
    function(lambda x: (F.adaptive_avg_pool1d(x, 1), F.adaptive_avg_pool2d(
        x, 1), F.adaptive_avg_pool2d(x[None], (1, 1)))),
    FAMILY,
    dynamic=({2: M},),
    oblivious=True,
    example=(f32(2, 3, 4),),
    cases=[case(str(m), f32(2, 3, m)) for m in (4, 0, 1)],
)
program(
    "empty_adaptive",
    function(lambda x: F.adaptive_avg_pool2d(x, (2, 1))),
    FAMILY,
    dynamic=({0: N, 1: M, 2: M},),
    oblivious=True,
    example=(f32(2, 4, 4),),
    cases=[case("4", f32(2, 4, 4)), case("no channel", f32(0, 4, 4)),
           case("nothing", f32(2, 0, 0), raises="")],
)

# What is sliced from a dimension that may be empty is one element or none.
program(
    "empty_broadcast",
    function(lambda x, y: (
        x + x[:1], x[:1] + x[:1], x[:1, :1] * x, torch.where(x[:1] > 0, x, y),
        torch.baddbmm(x.sum(1)[None, :1, None], x[None], x.t()[None],
                      beta=0.5),
        x[:1].expand(x.shape[0], -1), torch.broadcast_tensors(x[:1], x)[0],
        x + y[max(0, y.shape[0] - x.shape[0]):])),
    FAMILY,
    dynamic=({0: N, 1: M}, {1: M}),
    example=(f32(4, 3), f32(1, 3)),
    cases=[case(f"{n} by {m}", f32(n, m), f32(1, m))
           for n, m in ((4, 3), (0, 3), (1, 3), (4, 0), (0, 0), (1, 1))],
)
