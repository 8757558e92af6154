"""Views, concatenation, splitting, slicing, padding."""

import torch
import torch.nn.functional as F
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32, i64

from .common import K, M, MATRIX, N, ROWS, matrix, rows

FAMILY = "views"


def reshapes(x):
    n, m = x.shape[0], x.shape[1]
    return (x.reshape(m, n), x.view(n * m), x.flatten(),
            x.reshape(n, m, 1).view(-1, 1), x.view(1, n, m))


program("reshapes", function(reshapes), FAMILY, oblivious=True, dynamic=MATRIX,
        example=(f32(3, 5),), cases=matrix())


def heads(x):
    n, m = x.shape[0], x.shape[1]
    parts = x.view(n, m, 4, 2).transpose(1, 2)
    return parts, parts.reshape(n, 4, m * 2), parts.flatten(0, 1), \
        x.unflatten(2, (2, 4)).movedim(2, 0)


program("heads", function(heads), FAMILY, dynamic=({0: N, 1: M},),
        example=(f32(3, 5, 8),),
        cases=[case(f"{n} by {m}", f32(n, m, 8)) for n, m in (
            (3, 5), (1, 1), (0, 5), (3, 0), (7, 1), (32, 1), (1, 24))] + [
            case("2 by 25", f32(2, 25, 8), raises=""),
            case("7 wide", f32(2, 2, 7), raises="")])


def transposes(x, y):
    return (x.permute(2, 0, 1), x.transpose(0, 1).contiguous(), y.t() * 2,
            x.swapaxes(0, 2) + 1, x.permute(1, 2, 0).reshape(-1), y.mT)


program("transposes", function(transposes), FAMILY,
        dynamic=({0: N, 1: M}, {0: N, 1: M}),
        example=(f32(3, 5, 2), f32(3, 5)),
        cases=[case(f"{n} by {m}", f32(n, m, 2), f32(n, m)) for n, m in (
            (3, 5), (1, 1), (0, 5), (3, 0), (7, 1), (32, 2))] + [
            case("they differ", f32(3, 5, 2), f32(5, 3), raises="")])


def squeezes(x):
    y = x.unsqueeze(1)
    return y, y.squeeze(1), x[None, :, None], y.squeeze(), x.unsqueeze(-1)


program("squeezes", function(squeezes), FAMILY, dynamic=({0: N},),
        example=(f32(4, 3),), cases=[c for c in rows(3) if c.name != "1 row"])


def expands(x, y):
    n = y.shape[0]
    return (x.expand(n, -1), x[0].expand(4, n, x.shape[1]), y.expand_as(y),
            x.repeat(2, 3), torch.tile(x, (2, 1)), y[:, None].repeat(1, n),
            torch.broadcast_to(x, (n, x.shape[1])))


program("expands", function(expands), FAMILY, dynamic=({1: M}, {0: N}),
        example=(f32(1, 5), f32(3)),
        cases=[case(f"{n} and {m}", f32(1, m), f32(n)) for n, m in (
            (3, 5), (1, 1), (0, 5), (3, 0), (32, 1))] + [
            case("2 rows", f32(2, 5), f32(3), raises="")])


def cats(x, y, z):
    return (torch.cat([x, y]), torch.cat([x, x, y * 2], 0),
            torch.cat([y, z], dim=1), torch.cat([x, x + 1], -1))


program("cats", function(cats), FAMILY,
        dynamic=({0: N}, {0: M}, {0: M, 1: K}),
        example=(f32(3, 4), f32(5, 4), f32(5, 2)),
        cases=[case(f"{n}, {m}, {k}", f32(n, 4), f32(m, 4), f32(m, k))
               for n, m, k in ((3, 5, 2), (0, 5, 2), (3, 0, 2), (3, 5, 0),
                               (1, 1, 1), (0, 0, 0), (32, 24, 16))] + [
            case("m differs", f32(3, 4), f32(5, 4), f32(4, 2), raises=""),
            case("33", f32(33, 4), f32(5, 4), f32(5, 2), raises="")])


def stacks(x, y):
    return (torch.stack([x, y]), torch.stack([x, y, x], 1),
            torch.vstack([x, y]), torch.hstack([x, y]),
            torch.stack([x, y], -1))


program("stacks", function(stacks), FAMILY, dynamic=({0: N}, {0: N}),
        example=(f32(3), f32(3)),
        cases=[case(f"{n} elements", f32(n), f32(n))
               for n in (3, 0, 1, 31, 32)] + [
            case("sizes differ", f32(3), f32(4), raises="")])


def splits(x):
    a, b = x.split([3, 5], 1)
    c, d, e = torch.chunk(x, 3, dim=1)
    f, g = x.tensor_split(2, dim=1)
    first = x.unbind(1)[0]
    return a, b + 1, c, d, e, f * g, first


program("splits", function(splits), FAMILY, dynamic=ROWS,
        example=(f32(4, 8),), cases=rows(8))


def split_at(x, y):
    """The pieces' sizes are symbolic."""
    n = y.shape[0]
    a, b = x.split([n, x.shape[0] - n])
    return a * 2, b + 1, a + y[:, None]


program("split_at", function(split_at), FAMILY, oblivious=True, tags=("guard",),
        dynamic=({0: N}, {0: M}),
        example=(f32(7, 2), f32(3)),
        cases=[case(f"{n} of {t}", f32(t, 2), f32(n)) for n, t in (
            (3, 7), (1, 2), (24, 32), (5, 9))] + [
            case("more than there are", f32(3, 2), f32(4), raises="")])


def slices(x):
    return (x[1:], x[:-1], x[::2], x[:, 3:7], x[:, -2:], x[1::3],
            x[2:5], x[:, :100])


program("slices", function(slices), FAMILY, oblivious=True, dynamic=({0: N},),
        example=(f32(9, 8),), cases=[
            case(f"{n} rows", f32(n, 8)) for n in (9, 5, 4, 3, 2, 1, 0, 32)
        ] + [case("33 rows", f32(33, 8), raises="")])


def slices_short(x):
    """Slices of few rows or none."""
    return x[1:] * 2, x[:-1] + 1, x[::3], x[1:] - x[:-1]


program("slices_short", function(slices_short), FAMILY, oblivious=True, dynamic=({0: N},),
        example=(f32(9, 2),), cases=[
            case(f"{n} rows", f32(n, 2)) for n in (9, 2, 1, 0, 3, 32)])


def selects(x):
    return x[0], x[-1], x.select(0, 1), x[:, 2], x[..., -1], x[1, 2]


program("selects", function(selects), FAMILY, dynamic=({0: N},),
        example=(f32(9, 4),), cases=[
            case("9 rows", f32(9, 4)), case("2 rows", f32(2, 4)),
            case("32 rows", f32(32, 4)),
            case("1 row", f32(1, 4), raises=""),
            case("0 rows", f32(0, 4), raises="")])


def narrows(x):
    n = x.shape[0]
    return (torch.narrow(x, 0, 1, n - 1), x.narrow(1, 1, 2),
            x.narrow(0, 0, n // 2))


program("narrows", function(narrows), FAMILY, oblivious=True,
        deferred=True, dynamic=({0: N},),
        example=(f32(9, 4),), cases=[
            case(f"{n} rows", f32(n, 4)) for n in (9, 2, 1, 3, 32)] + [
            case("0 rows", f32(0, 4), raises="")])


def flips(x):
    return x.flip(0), x.flip([0, 1]), torch.roll(x, 2, 1), torch.roll(x, 1, 0)


program("flips", function(flips), FAMILY, dynamic=MATRIX,
        example=(f32(3, 5),), cases=[
            case(f"{n} by {m}", f32(n, m)) for n, m in (
                (3, 5), (1, 1), (0, 5), (7, 2))])


def pads(x):
    return (F.pad(x, (1, 2)), F.pad(x, (0, 1, 2, 0), value=1.5),
            F.pad(x, (0, 0, 0, x.shape[0])), F.pad(x, (-1, 0)))


program("pads", function(pads), FAMILY, dynamic=({0: N},),
        example=(f32(3, 5),), cases=rows(5))


def pad_modes(x):
    return (F.pad(x, (1, 2), mode="reflect"),
            F.pad(x, (2, 1), mode="replicate"),
            F.pad(x, (1, 1), mode="circular"))


program("pad_modes", function(pad_modes), FAMILY, oblivious=True, tags=("rare",),
        dynamic=({0: N, 2: Dim("wide", min=3, max=24)},),
        example=(f32(2, 3, 5),), cases=[
            case(f"{n} by {m}", f32(n, 3, m)) for n, m in (
                (2, 5), (3, 3), (4, 24))] + [
            case("too narrow", f32(2, 3, 2), raises="")])


def triangles(x):
    return x.tril(), x.triu(1), torch.tril(x, -1), x.triu(-2)


program("triangles", function(triangles), FAMILY, dynamic=MATRIX,
        example=(f32(3, 5),), cases=matrix())


def diagonals(x):
    return torch.diagonal(x, 0, 0, 1), x.diagonal(1).sum(), x.trace()


program("diagonals", function(diagonals), FAMILY, oblivious=True, tags=("rare",),
        dynamic=({0: N, 1: N},), example=(f32(4, 4),),
        cases=[case(f"{n}", f32(n, n)) for n in (4, 2, 9, 32)] + [
            case("not square", f32(4, 5), raises="")])


def strided_views(x):
    """as_strided windows and unfold."""
    return x.unfold(0, 3, 2), x.unfold(0, 2, 1).sum(-1)


program("strided_views", function(strided_views), FAMILY, oblivious=True, tags=("rare",),
        dynamic=({0: Dim("n", min=3, max=32)},), example=(f32(9),), cases=[
            case(f"{n}", f32(n)) for n in (9, 3, 4, 32)] + [
            case("2", f32(2), raises="")])


def integer_views(x):
    return torch.cat([x, x.flip(0)]), x.view(-1, 1) * x, x[1:].sum()


program("integer_views", function(integer_views), FAMILY, oblivious=True, tags=("integer",),
        dynamic=({0: N},), example=(i64(5),), cases=[
            case(f"{n}", i64(n)) for n in (5, 1, 2, 32)])


def copies_of_views(x):
    """Operators that give copies of views: an update of one is not seen."""
    a, ops = x * 2, torch.ops.aten
    parts = [ops.view_copy(a, (-1,)), ops.t_copy(a), ops.select_copy(a, 0, 1),
             ops.slice_copy(a, 0, 1), ops.expand_copy(a, (2, *a.shape)),
             ops.permute_copy(a, (1, 0)), ops.unsqueeze_copy(a, 0),
             ops.squeeze_copy(a), ops.diagonal_copy(a),
             ops.as_strided_copy(a, (2,), (1,)), *ops.unbind_copy(a, 1),
             *ops.split_copy(a, 2, 1), ops.alias_copy(a)]
    parts[0].add_(1)
    a.mul_(3)
    return a, parts


program("copies_of_views", function(copies_of_views), FAMILY,
        dynamic=({0: Dim.AUTO},), example=(f32(4, 3),),
        cases=[case(f"{n}", f32(n, 3)) for n in (4, 5, 32)] +
        [case("one row", f32(1, 3), raises="")])
