"""Reductions, softmax, normalization, cumulative sums."""

import torch
import torch.nn.functional as F
from torch import nn

from recording.table import case, function, program
from recording.values import b1, f32, i64, ints, lit

from .common import M, MATRIX, N, ROWS, matrix, rows

FAMILY = "reductions"


def sums(x):
    return x.sum(), x.sum(0), x.sum(1, keepdim=True), x.sum((0, 1)), x.sum(-1)


program("sums", function(sums), FAMILY, dynamic=MATRIX,
        example=(f32(3, 4),), cases=matrix())


def means(x):
    return x.mean(), x.mean(0, keepdim=True), x.mean((0, 1)), x.mean(1)


program("means", function(means), FAMILY, dynamic=MATRIX,
        example=(f32(3, 4),), cases=matrix())


def integer_sums(i, b):
    return i.sum(), i.sum(0), b.sum(), b.sum(0), i.sum(dtype=torch.float32), \
        i.float().mean(), torch.prod(i), b.any(), b.all(), b.any(0), b.all(0)


program("integer_sums", function(integer_sums), FAMILY,
        tags=("integer", "boolean"), dynamic=({0: N}, {0: N}),
        example=(ints(torch.int32, 4), b1(4)),
        cases=[case(f"{n} elements", ints(torch.int32, n, lo=1, hi=3), b1(n))
               for n in (5, 0, 1, 16, 32)] + [
            case("all true", ints(torch.int32, 3), lit([True] * 3)),
            case("33", ints(torch.int32, 33), b1(33), raises="")])


def extrema(x):
    return x.amax(1), x.amin(1, keepdim=True), x.max(), x.min(), \
        x.amax((0, 1))


program("extrema", function(extrema), FAMILY, dynamic=MATRIX,
        example=(f32(3, 4),),
        cases=[case("3 by 4", f32(3, 4)), case("1 by 1", f32(1, 1)),
               case("7 by 1", f32(7, 1)), case("32 by 3", f32(32, 3)),
               case("nan", lit([[1.0, float("nan")], [0.0, 2.0]])),
               case("0 by 4", f32(0, 4), raises=""),
               case("4 by 0", f32(4, 0), raises="")])


def extrema_of_rows(x):
    """The reduced size is static, so no rows are legal."""
    values, places = x.max(1)
    return values, places, x.argmax(1), x.argmin(-1, keepdim=True), x.amin(1)


program("extrema_of_rows", function(extrema_of_rows), FAMILY, dynamic=ROWS,
        example=(f32(3, 5),),
        cases=rows(5, case("ties", lit([[1.0, 3.0, 3.0, 0.0, 3.0],
                                        [2.0, 2.0, 2.0, 2.0, 2.0]]))))


def extrema_of_bytes(x, y):
    return (x.argmax(1), x.argmin(1), *x.max(1), y.argmax(1), y.argmin(1), *y.min(0))


program("extrema_of_bytes", function(extrema_of_bytes), FAMILY, dynamic=(MATRIX[0], MATRIX[0]),
        example=(i64(3, 4, lo=0, hi=255, dtype=torch.uint8), i64(3, 4, dtype=torch.int16)),
        cases=[case(f"{n} by {m}", i64(n, m, lo=0, hi=255, dtype=torch.uint8),
                    i64(n, m, lo=-30000, hi=30000, dtype=torch.int16))
               for n, m in ((3, 4), (1, 1), (2, 24), (32, 23))] +
        [case("ties", lit([[0] * 20, [255] * 20], dtype=torch.uint8),
              lit([[-32768] * 20, [32767] * 19 + [-32768]], dtype=torch.int16)),
         case("none", i64(0, 4, dtype=torch.uint8), i64(0, 4, dtype=torch.int16), raises="")])


def argmax_all(x):
    return x.argmax(), x.argmin(0)


program("argmax_all", function(argmax_all), FAMILY, dynamic=MATRIX,
        example=(f32(3, 4),),
        cases=[case("3 by 4", f32(3, 4)), case("1 by 1", f32(1, 1)),
               case("5 by 1", f32(5, 1)), case("2 by 24", f32(2, 24)),
               case("0 by 4", f32(0, 4), raises=""),
               case("33 by 1", f32(33, 1), raises="")])


def variances(x):
    return x.var(1), x.var(1, correction=0), x.std(1), \
        torch.var_mean(x, 1, keepdim=True)


program("variances", function(variances), FAMILY, dynamic=MATRIX,
        example=(f32(3, 4),),
        cases=[case("3 by 4", f32(3, 4)), case("1 by 1", f32(1, 1)),
               case("0 by 4", f32(0, 4)), case("2 by 24", f32(2, 24)),
               case("33 by 2", f32(33, 2), raises="")])


def norms_and_logsumexp(x):
    return torch.logsumexp(x, 1), torch.linalg.vector_norm(x, dim=1), \
        x.norm(), torch.count_nonzero(x, 1), x.abs().sum(1)


program("norms_and_logsumexp", function(norms_and_logsumexp), FAMILY,
        dynamic=MATRIX, example=(f32(3, 4),),
        cases=[case("3 by 4", f32(3, 4)), case("1 by 1", f32(1, 1)),
               case("0 by 4", f32(0, 4)), case("2 by 24", f32(2, 24)),
               case("33 by 2", f32(33, 2), raises="")])


def products(x):
    return x.prod(), x.prod(0), x.prod(1, keepdim=True)


program("products", function(products), FAMILY, dynamic=MATRIX,
        example=(f32(3, 4),), cases=matrix(lo=0.8, hi=1.2))


def softmaxes(x):
    return F.softmax(x, -1), torch.softmax(x, 0), F.log_softmax(x, 1)


program("softmaxes", function(softmaxes), FAMILY, tags=("softmax",),
        dynamic=MATRIX, example=(f32(3, 4),),
        cases=matrix(case("large", lit([[1000.0, 1001.0], [-1000.0, 0.0]])),
                     lo=-5.0, hi=5.0))


def masked_softmax(x, mask):
    scores = x.masked_fill(mask, float("-inf"))
    return torch.softmax(scores, -1), torch.nan_to_num(scores.softmax(-1))


program("masked_softmax", function(masked_softmax), FAMILY,
        tags=("softmax",), dynamic=({0: N, 1: M}, {0: N, 1: M}),
        example=(f32(3, 4), b1(3, 4)),
        cases=[case(f"{n} by {m}", f32(n, m), b1(n, m))
               for n, m in ((3, 4), (0, 4), (4, 0), (1, 1), (5, 17))] + [
            case("a row of nothing", f32(2, 3),
                 lit([[True, True, True], [False, True, False]])),
            case("masks differ", f32(2, 3), b1(2, 4), raises="")])


class LayerNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)

    def forward(self, x):
        return self.norm(x), F.layer_norm(x, (4, 8)), \
            F.rms_norm(x, (8,), self.norm.weight, 1e-6), F.rms_norm(x, (8,))


program("layer_norms", LayerNorms, FAMILY, tags=("norm",), dynamic=ROWS,
        example=(f32(3, 4, 8),),
        cases=[case(f"{n} rows", f32(n, 4, 8)) for n in (3, 0, 1, 7)] + [
            case("33 rows", f32(33, 4, 8), raises=""),
            case("7 wide", f32(3, 4, 7), raises="")])


class Normalised(nn.Module):
    """Batch norm with running statistics, group norm."""

    def __init__(self):
        super().__init__()
        self.batch = nn.BatchNorm1d(6)
        self.group = nn.GroupNorm(2, 6)
        nn.init.normal_(self.batch.running_mean)
        nn.init.uniform_(self.batch.running_var, 0.5, 2.0)

    def forward(self, x):
        return self.group(self.batch(x))


program("batch_and_group_norm", Normalised, FAMILY,
        tags=("norm", "buffers"), dynamic=({0: N, 2: M},),
        example=(f32(3, 6, 4),),
        cases=[case(f"{n} by {m}", f32(n, 6, m))
               for n, m in ((3, 4), (1, 2), (2, 7), (5, 1))] + [
            case("33 rows", f32(33, 6, 2), raises="")])


def cumulative(x, i):
    return x.cumsum(0), torch.cumsum(x, 1), i.cumsum(0), \
        torch.cumsum(i > 0, 0), x.cumsum(-1, dtype=torch.float64)


program("cumulative", function(cumulative), FAMILY, tags=("cumsum",),
        dynamic=({0: N, 1: M}, {0: N}), example=(f32(3, 4), i64(3)),
        cases=[case(f"{n} by {m}", f32(n, m), i64(n)) for n, m in (
            (3, 4), (0, 4), (4, 0), (1, 1), (32, 3), (2, 24))] + [
            case("n differs", f32(3, 4), i64(4), raises="")])


def cumulative_others(x):
    return torch.cumprod(x, 1), torch.cummax(x, 0)[0], torch.logcumsumexp(x, 1)


program("cumulative_others", function(cumulative_others), FAMILY,
        tags=("cumsum", "rare"), dynamic=MATRIX, example=(f32(3, 4),),
        cases=[case(f"{n} by {m}", f32(n, m)) for n, m in (
            (3, 4), (1, 1), (0, 4), (9, 2))])


def matrix_norms(x, y, z):
    return (torch.linalg.norm(x, "fro"), torch.linalg.matrix_norm(y),
            torch.linalg.matrix_norm(y, 1), torch.linalg.matrix_norm(y, -1),
            torch.linalg.matrix_norm(y, float("inf"), dim=(1, 2), keepdim=True),
            torch.linalg.norm(y, -float("inf"), dim=(2, 1)),
            torch.norm(x, dtype=torch.float64),
            torch.norm(x, dim=1, keepdim=True, dtype=torch.float64),
            torch.linalg.vecdot(x, x), torch.linalg.diagonal(z),
            z.sum_to_size(1, 3))


# The sizes of norms by order are those of the example, whatever is declared.
program("matrix_norms", function(matrix_norms), FAMILY,
        dynamic=({0: N, 1: M}, None, {0: N}),
        example=(f32(4, 3), f32(4, 2, 3), f32(4, 2, 3)), rtol=1e-4, atol=1e-5,
        cases=[case(f"{n},{m}", f32(n, m), f32(4, 2, 3), f32(n, 2, 3))
               for n, m in ((4, 3), (1, 1), (0, 3), (7, 24))])


def sums_with_rows(x, y):
    """Sums of all elements, of which some operands have one for each row."""
    places = torch.arange(x.shape[1])
    return ((x / y[:, None]).sum(), (x * y[:, None]).amax(), (x > y[:, None]).any(),
            torch.where(places < y[:, None] * 3, x, 0).mean(),
            torch.nn.functional.kl_div(x.log_softmax(-1), x.exp().softmax(-1), reduction="batchmean"))


program("sums_with_rows", function(sums_with_rows), FAMILY,
        dynamic=({0: N, 1: M}, {0: N}), example=(f32(4, 3), f32(4, lo=0.5, hi=2.0)), rtol=1e-4,
        cases=[case(f"{n} by {m}", f32(n, m), f32(n, lo=0.5, hi=2.0))
               for n, m in ((4, 3), (1, 1), (1, 24), (32, 17))] +
        [case("nothing", f32(0, 3), f32(0), raises="")])
