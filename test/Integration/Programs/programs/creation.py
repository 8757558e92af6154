"""Tensors made from sizes and constants."""

import torch
from torch import nn
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32

from .common import M, MATRIX, N, matrix

FAMILY = "creation"


def filled(x):
    n, m = x.shape[0], x.shape[1]
    return (torch.zeros(n, m), torch.ones(m, dtype=torch.int64),
            torch.full((n,), 3.5), torch.full((m, 2), n), x.new_zeros(n, 3),
            torch.full((2,), True), torch.zeros(n, dtype=torch.bool))


program("filled", function(filled), FAMILY, dynamic=MATRIX,
        example=(f32(3, 5),), cases=matrix())


def filled_like(x):
    return (torch.zeros_like(x), torch.ones_like(x, dtype=torch.int32),
            torch.full_like(x, -2), torch.empty_like(x).fill_(4.0),
            x.new_full((x.shape[0],), 2), torch.empty(x.shape[1]).zero_())


program("filled_like", function(filled_like), FAMILY, dynamic=MATRIX,
        example=(f32(3, 5),), cases=matrix())


def aranges(x):
    n = x.shape[0]
    return (torch.arange(n), torch.arange(1, n + 1), torch.arange(0, n, 2),
            torch.arange(n, dtype=torch.float32) / 2,
            torch.arange(n - 1, -1, -1), torch.arange(0.0, 1.0, 0.25) + n)


program("aranges", function(aranges), FAMILY, oblivious=True, dynamic=({0: N},),
        example=(f32(5),), cases=[
            case(f"{n}", f32(n)) for n in (5, 0, 1, 2, 31, 32)] + [
            case("33", f32(33), raises="")])


def linear_spaces(x):
    return torch.linspace(0, 1, 5) * x.sum(), torch.eye(x.shape[0]), \
        torch.eye(x.shape[0], 3)


program("linear_spaces", function(linear_spaces), FAMILY, tags=("rare",),
        dynamic=({0: N},), example=(f32(4),), cases=[
            case(f"{n}", f32(n)) for n in (4, 0, 1, 9)])


def causal(x):
    n = x.shape[0]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    i = torch.arange(n)
    near = (i[:, None] - i[None, :]).abs() <= 2
    scores = torch.where(mask & near, x @ x.T, float("-inf"))
    return torch.softmax(scores, -1) @ x


program("causal", function(causal), FAMILY, dynamic=({0: N},),
        tags=("matmul",), rtol=1e-4, atol=1e-4, example=(f32(5, 3),),
        cases=[case(f"{n} rows", f32(n, 3)) for n in (5, 0, 1, 2, 32)])


def constants(x):
    weights = torch.tensor([0.5, -1.0, 2.0])
    return x * weights, x[:, torch.tensor([2, 0])], torch.tensor(3.0) + x, \
        torch.tensor([[1, 2], [3, 4]]), torch.scalar_tensor(2.5)


program("constants", function(constants), FAMILY, tags=("constants",),
        dynamic=({0: N},), example=(f32(4, 3),), cases=[
            case(f"{n} rows", f32(n, 3)) for n in (4, 0, 1, 32)])


class Tables(nn.Module):
    """Buffers, also one that is not saved with the state, and a parameter
    large enough for a data file."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(16, 24))
        self.register_buffer("kept", torch.arange(24))
        self.register_buffer("derived", torch.randn(24), persistent=False)

    def forward(self, x):
        return x @ self.scale + self.kept, self.derived[: x.shape[1]] * x


program("tables", Tables, FAMILY, tags=("constants", "buffers", "matmul"),
        rtol=1e-4, atol=1e-4, dynamic=({0: N},), example=(f32(3, 16),),
        cases=[case(f"{n} rows", f32(n, 16)) for n in (3, 0, 1, 32)])


def size_roots(x):
    n = x.shape[0]
    return x * n ** -0.5, x + n ** 0.5, x - (n / 4) ** 2, x * 2.0 ** n


program("size_roots", function(size_roots), FAMILY, tags=("symint", "floats"), dynamic=({0: N},), example=(f32(5),),
        cases=[case(f"{n}", f32(n)) for n in (5, 1, 2, 32)])


def size_arithmetic(x, y):
    n, m = x.shape[0], y.shape[0]
    return (n // 2, n % 3, n ** 2, n * m + 1, torch.sym_max(n, m),
            torch.sym_min(n, m - 5), n - m, -n, x.numel(), n // (m + 1),
            (n - m) // 3, (n - m) % 3)


program("size_arithmetic", function(size_arithmetic), FAMILY,
        tags=("symint",), dynamic=({0: N}, {0: M}),
        example=(f32(5), f32(7)),
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (5, 7), (7, 5), (0, 3), (3, 0), (1, 1), (32, 24), (4, 4))] + [
            case("33", f32(33), f32(1), raises="")])


def size_comparisons(x, y):
    n, m = x.shape[0], y.shape[0]
    k = torch.sym_ite(n < m, n, m)
    return k, x[:k] + y[:k], x.sum() / n, y * (n / (m + 1)), \
        torch.sym_float(n) * 0.5


program("size_comparisons", function(size_comparisons), FAMILY,
        tags=("symint",), dynamic=({0: N}, {0: M}), example=(f32(5), f32(7)),
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (5, 7), (3, 9))])


def sized_results(x):
    """Sizes computed from sizes."""
    n = x.shape[0]
    return (torch.zeros(n // 2), torch.ones(n * n), torch.zeros(n % 4, 2),
            x[: n // 2] + x[n - n // 2:], torch.full(((n + 3) // 4,), 1.0))


program("sized_results", function(sized_results), FAMILY, oblivious=True, tags=("symint",),
        dynamic=({0: N},), example=(f32(9),), cases=[
            case(f"{n}", f32(n)) for n in (9, 1, 2, 0, 8, 31, 32)] + [
            case("33", f32(33), raises="")])


def scalar_inputs(x, n, flag, factor):
    """An int that varies, a bool and a float that are constants."""
    y = x * n + factor
    return (y if flag else x), torch.arange(3) + n, n * 2 + 1


program("scalar_inputs", function(scalar_inputs), FAMILY, tags=("scalar",),
        dynamic={"x": {0: N}, "n": Dim.DYNAMIC,
                 "flag": None, "factor": None},
        example=(f32(4), 7, True, 1.5),
        cases=[case("7", f32(4), 7, True, 1.5),
               case("0", f32(1), 0, True, 1.5),
               case("1", f32(0), 1, True, 1.5),
               case("another float", f32(4), 7, True, 2.0, raises=""),
               case("another flag", f32(4), 7, False, 1.5, raises="")])


def scalar_sizes(x, n):
    """The int is a size; which values are legal, the checks say."""
    torch._check(n >= 0)
    torch._check(n <= x.shape[0])
    return torch.zeros(n, 2), x[:n] * 2, torch.arange(n)


program("scalar_sizes", function(scalar_sizes), FAMILY, tags=("scalar",),
        dynamic={"x": {0: N}, "n": Dim.DYNAMIC}, deferred=True,
        example=(f32(6), 3),
        cases=[case("3 of 6", f32(6), 3), case("all of 9", f32(9), 9),
               case("2 of 32", f32(32), 2),
               case("7 of 6", f32(6), 7, raises=""),
               case("negative", f32(6), -1, raises="")])


def ranges_of_halves(x):
    """Middles of parts, and random numbers that only training would use."""
    n = x.shape[0]
    torch.rand([])
    return (torch.arange(0.5, n, dtype=torch.float32) / n,
            torch.arange(n + 1, 0, -0.25), torch.arange(0, n * 0.3, 0.1),
            torch.arange(-1.5, n, 2))


program("ranges_of_halves", function(ranges_of_halves), FAMILY,
        dynamic=({0: Dim.AUTO},), example=(f32(4),), rtol=1e-4, atol=1e-4,
        cases=[case(f"{n}", f32(n)) for n in (4, 2, 7, 32)])
