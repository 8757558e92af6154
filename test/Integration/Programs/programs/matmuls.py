"""The matmul family."""

import torch
from torch import nn
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32, floats, i64, ints, lit

from .common import K, M, N

FAMILY = "matmul"
CLOSE = dict(rtol=1e-4, atol=1e-4)
B = Dim("b", min=0, max=8)


def mm(x, y):
    return torch.mm(x, y)


_MM = [case(f"{n} by {k} by {m}", f32(n, k), f32(k, m)) for n, k, m in (
    (3, 4, 5), (1, 1, 1), (0, 4, 5), (3, 0, 5), (3, 4, 0), (0, 0, 0),
    (1, 7, 1), (9, 1, 3), (32, 16, 24))] + [
    case("k differs", f32(3, 4), f32(5, 3), raises=""),
    case("k too large", f32(3, 17), f32(17, 3), raises="")]
program("mm", function(mm), FAMILY, dynamic=({0: N, 1: K}, {0: K, 1: M}),
        example=(f32(3, 4), f32(4, 5)), cases=_MM, **CLOSE)


def bmm(x, y):
    return torch.bmm(x, y), x @ y.relu()


program("bmm", function(bmm), FAMILY,
        dynamic=({0: B, 1: N, 2: K}, {0: B, 1: K, 2: M}),
        example=(f32(2, 3, 4), f32(2, 4, 5)), **CLOSE,
        cases=[case(f"{b} by {n} by {k} by {m}", f32(b, n, k), f32(b, k, m))
               for b, n, k, m in ((2, 3, 4, 5), (1, 1, 1, 1), (0, 3, 4, 5),
                                  (2, 3, 0, 5), (2, 0, 4, 0), (8, 2, 3, 2))
               ] + [case("batches differ", f32(2, 3, 4), f32(3, 4, 5),
                         raises=""),
                    case("no broadcasting", f32(2, 3, 4), f32(1, 4, 5),
                         raises=""),
                    case("k differs", f32(2, 3, 4), f32(2, 3, 5), raises="")])


def matmul_broadcast(x, y, z, v):
    """4-D by 2-D, 4-D by 3-D, by a vector, of vectors."""
    return x @ y, x @ z, x @ v, v @ y, v @ v


def _broadcast(b, n, k, m):
    return f32(b, 3, n, k), f32(k, m), f32(3, k, 2), f32(k)


program("matmul_broadcast", function(matmul_broadcast), FAMILY,
        dynamic=({0: B, 2: N, 3: K}, {0: K, 1: M}, {1: K}, {0: K}),
        example=_broadcast(2, 4, 5, 6), **CLOSE,
        cases=[case(f"{b}, {n}, {k}, {m}", *_broadcast(b, n, k, m),
                    quirk="a guard on strides that assumes n > 0"
                    if n == 0 else "")
               for b, n, k, m in ((2, 4, 5, 6), (1, 1, 1, 1), (0, 4, 5, 6),
                                  (2, 0, 3, 3), (2, 3, 0, 4), (2, 3, 4, 0))
               ] + [case("k differs in v", *_broadcast(2, 4, 5, 6)[:3],
                         f32(4), raises="")])


class Linears(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 12)
        self.second = nn.Linear(12, 4, bias=False)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


program("linears", Linears, FAMILY, dynamic=({0: B, 1: N},),
        example=(f32(2, 3, 8),), **CLOSE,
        cases=[case(f"{b} by {n}", f32(b, n, 8)) for b, n in (
            (2, 3), (1, 1), (0, 3), (3, 0), (8, 2), (1, 32))] + [
            case("9 batches", f32(9, 2, 8), raises="")])


def added_products(m, x, y, c, bx, by):
    return (torch.addmm(m, x, y, beta=0.5, alpha=2),
            torch.baddbmm(c, bx, by, beta=0.5), torch.mv(y.t(), x[0]),
            torch.outer(m, m))


def _added(b, k, m):
    return (f32(m), f32(3, k), f32(k, m), f32(b, 3, m), f32(b, 3, k),
            f32(b, k, m))


program("added_products", function(added_products), FAMILY,
        dynamic=({0: M}, {1: K}, {0: K, 1: M}, {0: B, 2: M}, {0: B, 2: K},
                 {0: B, 1: K, 2: M}),
        example=_added(2, 4, 5), **CLOSE,
        cases=[case(f"{b}, {k}, {m}", *_added(b, k, m)) for b, k, m in (
            (2, 4, 5), (1, 1, 1), (0, 4, 5), (2, 0, 5), (2, 4, 0), (8, 3, 2))
        ] + [case("9 batches", *_added(9, 2, 2), raises=""),
             case("m differs", f32(4), *_added(2, 4, 5)[1:], raises="")])


def einsums(x, y, z):
    return (torch.einsum("bij,bjk->bik", x, y),
            torch.einsum("bij,lj->bil", x, z), torch.einsum("bij->ji", x),
            torch.einsum("bij,bij->b", x, x))


program("einsums", function(einsums), FAMILY,
        dynamic=({0: B, 1: N, 2: K}, {0: B, 1: K}, {1: K}),
        example=(f32(2, 3, 4), f32(2, 4, 5), f32(6, 4)), **CLOSE,
        cases=[case(f"{b}, {n}, {k}", f32(b, n, k), f32(b, k, 5), f32(6, k))
               for b, n, k in ((2, 3, 4), (1, 1, 1), (0, 3, 4), (2, 0, 4),
                               (2, 3, 0), (8, 5, 3))] + [
            case("k differs", f32(2, 3, 4), f32(2, 4, 5), f32(6, 3),
                 raises="")])


def turned_vectors(x, y):
    """Matrices whose columns lie along memory, and vectors that do or do not."""
    d = x.double()
    return (x.t() @ y, x.t() @ x[:, 0], d.t() @ d[:, -1], x.half().t() @ y.half(), torch.stack([x, -x]).mT @ y,
            torch.einsum("bji,bj->bi", torch.stack([x, -x]), torch.stack([y, y * 2])), x[:, 1:].t() @ y + 1)


program("turned_vectors", function(turned_vectors), FAMILY, dynamic=({0: Dim.AUTO}, {0: Dim.AUTO}), oblivious=True,
        example=(f32(3, 5), f32(3)), rtol=1e-3, atol=1e-3,
        cases=[case(f"{n}", f32(n, 5), f32(n), quirk="torch keeps a guard that the example's sizes are not 1") for n in (3, 0, 1, 17, 32)])

program("turned_vectors_of_many", function(turned_vectors), FAMILY, dynamic=({1: Dim.AUTO}, None), oblivious=True,
        example=(f32(160, 5), f32(160)), rtol=1e-3, atol=1e-3,
        cases=[case(f"{m}", f32(160, m), f32(160)) for m in (5, 2, 47)])


def einsums_of_three(x, w, y, z):
    """Bilinear forms, in the order of eager mode and along paths; a factor of
    one element; sums, products and diagonals without a matrix."""
    einsum = torch.ops.aten.einsum
    return (torch.einsum("bi,ijk,bk->bj", x, w, y),
            einsum("bi,ijk,bk->jb", [x, w, y], path=[1, 2, 0, 1]),
            einsum("bi,ijk,bk->b", [x, w, y], path=[0, 2, 0, 1]),
            torch.nn.functional.bilinear(x, x.relu(), z, z[:, 0, 0]),
            torch.einsum("bi,bk->bik", x, y), torch.einsum("bi,ijk->bkj", x, w),
            torch.einsum("bi,bi,ci->bc", x, x, x[:1]),
            torch.einsum("bi,bi->", x, x), torch.einsum("iik,bk->bi",
                                                       w[:3, :3], y))


def _forms(b, i, k):
    return f32(b, i), f32(i, 5, k), f32(b, k), f32(5, i, i)


program("einsums_of_three", function(einsums_of_three), FAMILY,
        dynamic=({0: B}, {2: K}, {0: B, 1: K}, {}),
        example=_forms(2, 3, 4), **CLOSE,
        cases=[case(f"{b}, {k}", *_forms(b, 3, k))
               for b, k in ((2, 4), (1, 1), (0, 4), (2, 0), (7, 9))] + [
            case("k differs", *_forms(2, 3, 4)[:2], f32(2, 3), f32(5, 3, 3),
                 raises="")])


BATCH = Dim("batch", min=0, max=100)


def small_matrices(x, y, v, w):
    """Batches of matrices of few elements, in every order of memory."""
    return (x @ y, x @ y.transpose(1, 2).contiguous().transpose(1, 2),
            x.transpose(1, 2) @ v.unsqueeze(-1), torch.einsum("bij,bi->bj", x, v),
            torch.einsum("bji,bi->bj", x.transpose(1, 2), v.neg()),
            v.unsqueeze(1) @ x, torch.nn.functional.linear(x, w), y.double() @ y.double().transpose(1, 2))


def _small(b, n, k, m):
    return f32(b, n, k), f32(b, k, m), f32(b, n), f32(m, k)


program("small_matrices", function(small_matrices), FAMILY,
        dynamic=({0: BATCH, 1: N, 2: K}, {0: BATCH, 1: K, 2: M},
                 {0: BATCH, 1: N}, {0: M, 1: K}),
        example=_small(2, 3, 4, 5), **CLOSE,
        cases=[case(f"{b} by {n} by {k} by {m}", *_small(b, n, k, m))
               for b, n, k, m in ((2, 3, 4, 5), (1, 1, 1, 1), (0, 3, 4, 5),
                                  (2, 3, 0, 5), (2, 0, 4, 0), (100, 3, 3, 3),
                                  (3, 13, 16, 17))])


def integer_matmul(x, y):
    return x @ y


program("integer_matmul", function(integer_matmul), FAMILY,
        tags=("integer",), dynamic=({0: N, 1: K}, {0: K, 1: M}),
        example=(i64(3, 4), i64(4, 5)),
        cases=[case(f"{n} by {k} by {m}", i64(n, k), i64(k, m))
               for n, k, m in ((3, 4, 5), (1, 1, 1), (3, 0, 2), (0, 4, 2))])


def half_matmul(x, y):
    return x @ y


program("half_matmul", function(half_matmul), FAMILY, tags=("dtypes",),
        dynamic=({0: N, 1: K}, {0: K}), rtol=2e-2, atol=2e-2,
        example=(floats(torch.bfloat16, 3, 4), floats(torch.bfloat16, 4, 5)),
        cases=[case(f"{n} by {k}", floats(torch.bfloat16, n, k),
                    floats(torch.bfloat16, k, 5))
               for n, k in ((3, 4), (1, 1), (3, 0), (0, 4), (7, 16))])


def byte_matmul(x, y):
    return torch._int_mm(x, y), torch._int_mm(y.t(), x.t()) + 1


program("byte_matmul", function(byte_matmul), FAMILY,
        tags=("integer", "dtypes"), dynamic=({0: N, 1: K}, {0: K, 1: M}),
        example=(ints(torch.int8, 3, 4), ints(torch.int8, 4, 5)),
        cases=[case(f"{n} by {k} by {m}",
                    ints(torch.int8, n, k, lo=-128, hi=127),
                    ints(torch.int8, k, m, lo=-128, hi=127))
               for n, k, m in ((3, 4, 5), (1, 1, 1), (2, 7, 9), (32, 16, 24),
                               (31, 15, 23), (0, 4, 2), (3, 0, 2),
                               (2, 3, 0))] + [
            case("k differs", ints(torch.int8, 3, 4), ints(torch.int8, 5, 3),
                 raises="")])


class HalfLayers(nn.Module):
    """Constant weights, biases behind sums of f32, and an odd depth."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(9, 37, dtype=torch.bfloat16)
        self.second = nn.Linear(37, 5, dtype=torch.bfloat16)
        self.conv = nn.Conv1d(3, 7, 3, padding=1, dtype=torch.bfloat16)
        self.last = nn.Linear(9, 7, dtype=torch.float16)

    def forward(self, x, y):
        return (self.second(torch.relu(self.first(x))), self.conv(y),
                self.conv(y).float() @ y.transpose(1, 2).float(),
                self.last(x.half()))


program("half_layers", HalfLayers, FAMILY, tags=("dtypes", "matmul"),
        dynamic=({0: N}, {0: B, 2: M}), rtol=2e-2, atol=2e-2,
        example=(floats(torch.bfloat16, 3, 9), floats(torch.bfloat16, 2, 3, 5)),
        cases=[case(f"{n}, {b}, {m}", floats(torch.bfloat16, n, 9),
                    floats(torch.bfloat16, b, 3, m))
               for n, b, m in ((3, 2, 5), (1, 1, 1), (0, 1, 3), (13, 0, 2),
                               (15, 2, 24), (32, 8, 17))])


def grouped(x, w, ends, y, z):
    """Groups of rows, of columns, and of what is summed; and batches."""
    return (torch._grouped_mm(x, w, offs=ends), torch._grouped_mm(w.transpose(1, 2), y, offs=ends),
            torch._grouped_mm(x.t(), z, offs=ends), torch._grouped_mm(w.transpose(1, 2), w))


def halves(*shape):
    """PyTorch takes no other type when it traces."""
    return floats(torch.bfloat16, *shape)


def grouped_case(n, m, counts, **more):
    ends = [sum(counts[:place + 1]) for place in range(len(counts))]
    return case(f"{n},{m} {list(counts)}", halves(n, 8), halves(4, 8, m), lit(ends, torch.int32), halves(8, n), halves(n, m),
                **more)


# Rows start at multiples of 16 bytes.
WIDE_N, WIDE_M = 8 * Dim("_n", min=1, max=4), 8 * Dim("_m", min=1, max=3)
program(
    "grouped_mm", function(grouped), FAMILY, tags=("matmul",),
    dynamic=({0: WIDE_N}, {2: WIDE_M}, None, {1: WIDE_N}, {0: WIDE_N, 1: WIDE_M}),
    example=(halves(16, 8), halves(4, 8, 24), lit([4, 4, 9, 16], torch.int32), halves(8, 16), halves(16, 24)),
    rtol=0.02, atol=0.02,
    cases=[grouped_case(n, m, counts) for n, m, counts in (
        (16, 24, (4, 0, 5, 7)), (8, 8, (0, 0, 8, 0)), (24, 8, (24, 0, 0, 0)))])


@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
def grouped_matmul(input: torch.Tensor, weight: torch.Tensor,
                   offs: torch.Tensor) -> torch.Tensor:
    """What transformers has for mixtures of experts."""
    output = input.new_zeros(input.shape[0], weight.shape[2])
    start = 0
    for expert, end in enumerate(offs.tolist()):
        output[start:end] = input[start:end] @ weight[expert]
        start = end
    return output


@grouped_matmul.register_fake
def _(input, weight, offs):
    return input.new_empty(input.shape[0], weight.shape[2])


program(
    "grouped_matmuls",
    function(lambda x, w, counts: (
        grouped_matmul(x, w, counts.cumsum(0)),
        grouped_matmul(x.half(), w.half(), counts.cumsum(0).int()))),
    FAMILY,
    tags=("matmul",),
    dynamic=({0: N}, {2: M}, None),
    example=(f32(5, 3), f32(4, 3, 2), lit([2, 0, 1, 2])),
    rtol=0.001,
    atol=0.001,
    cases=[case(f"{n},{m} {list(counts)}", f32(n, 3), f32(4, 3, m),
                lit(list(counts)))
           for n, m, counts in ((5, 2, (2, 0, 1, 2)), (1, 1, (0, 0, 1, 0)),
                                (0, 3, (0, 0, 0, 0)), (32, 24, (0, 30, 1, 1)),
                                (6, 0, (1, 2, 1, 1)))],
)


@torch.library.custom_op("transformers::grouped_mm_fallback_backward", mutates_args=())
def grouped_matmul_backward(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor,
                            grad_output: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of that."""
    to_input, to_weight = torch.zeros_like(input), torch.zeros_like(weight)
    start = 0
    for expert, end in enumerate(offs.tolist()):
        to_input[start:end] = grad_output[start:end] @ weight[expert].T
        to_weight[expert] = input[start:end].T @ grad_output[start:end]
        start = end
    return to_input, to_weight


@grouped_matmul_backward.register_fake
def _(input, weight, offs, grad_output):
    return torch.empty_like(input), torch.empty_like(weight)


program(
    "grouped_matmul_gradients",
    function(lambda x, w, counts, grad: grouped_matmul_backward(x, w, counts.cumsum(0), grad)),
    FAMILY,
    tags=("matmul",),
    dynamic=({0: N}, {2: M}, None, {0: N, 1: M}),
    example=(f32(5, 3), f32(4, 3, 2), lit([2, 0, 1, 2]), f32(5, 2)),
    cases=[case(f"{n},{m} {list(counts)}", f32(n, 3), f32(4, 3, m), lit(list(counts)), f32(n, m))
           for n, m, counts in ((5, 2, (2, 0, 1, 2)), (1, 1, (0, 0, 1, 0)), (0, 3, (0, 0, 0, 0)), (32, 24, (0, 30, 1, 1)),
                                (6, 0, (1, 2, 1, 1)))],
)
