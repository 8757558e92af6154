"""Dims and case lists that many programs share."""

from torch.export import Dim

from recording.table import case
from recording.values import f32

# Bounds are small so that the recorded files are.
N = Dim("n", min=0, max=32)
M = Dim("m", min=0, max=24)
K = Dim("k", min=0, max=16)
ROWS = ({0: N},)
MATRIX = ({0: N, 1: M},)


def rows(width, *more, dtype=None, lo=-2.0, hi=2.0):
    """Calls of a program on x[n, width], n up to 32, and one beyond."""
    kind = {} if dtype is None else {"dtype": dtype}

    def x(n):
        return f32(n, width, lo=lo, hi=hi, **kind)

    return [case("5 rows", x(5)), case("no rows", x(0)), case("1 row", x(1)),
            case("32 rows, the bound", x(32)),
            case("33 rows", x(33), raises=""), *more]


def matrix(*more, lo=-2.0, hi=2.0, dtype=None):
    """Calls of a program on x[n, m]."""
    kind = {} if dtype is None else {"dtype": dtype}

    def x(n, m):
        return f32(n, m, lo=lo, hi=hi, **kind)

    return [case("3 by 5", x(3, 5)), case("0 by 5", x(0, 5)),
            case("3 by 0", x(3, 0)), case("1 by 1", x(1, 1)),
            case("1 by 7", x(1, 7)), case("9 by 1", x(9, 1)),
            case("32 by 2, the bound", x(32, 2)),
            case("2 by 24, the bound", x(2, 24)),
            case("33 by 2", x(33, 2), raises=""),
            case("2 by 25", x(2, 25), raises=""), *more]
