"""Control flow with trees of tensors, sizes as operands, and nesting."""

import torch
from torch import nn
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from recording.table import case, function, program
from recording.values import b1, f32, i64, lit

from .common import K, M, N

FAMILY = "control-flow"
UP = dict(lo=0.1, hi=1.0)
DOWN = dict(lo=-1.0, hi=-0.1)


def _zero():
    return torch.zeros((), dtype=torch.int64)


def cond_tree(x, y):
    """Operands and results are trees."""
    def both(pair, table):
        return {"a": pair[0] + table["t"], "b": (pair[1] + 1, pair[0].sum())}

    def neither(pair, table):
        return {"a": pair[0] - 1, "b": (pair[1] * 2, table["t"].mean())}

    return torch.cond(y.sum() > 0, both, neither, ([x, y], {"t": x * 2}))


program("cond_tree", function(cond_tree), FAMILY, tags=("hop", "cond"),
        dynamic=({0: N}, {0: M}), example=(f32(3), f32(5)), strict=True,
        cases=[case("up", f32(3), f32(5, **UP)),
               case("down", f32(3), f32(5, **DOWN)),
               case("one", f32(1), f32(1, **UP)),
               case("no y", f32(3), f32(0)),
               case("no x, up", f32(0), f32(2, **UP)),
               case("33", f32(33), f32(2), raises="")])


def cond_size_operand(x, y):
    """Sizes used in both branches, in arithmetic and as sizes."""
    n, m = x.shape[0], y.shape[0]

    def wide(a, b):
        return a.sum() + torch.arange(n + m).sum(), b[:1].expand(3).sum() * n

    def narrow(a, b):
        return a.prod() * m, b.sum() - torch.full((n,), 2.0).sum()

    return torch.cond(n * 2 >= m + 3, wide, narrow, (x, y))


program("cond_size_operand", function(cond_size_operand), FAMILY,
        tags=("hop", "cond", "symint"), dynamic=({0: N}, {0: M}),
        example=(f32(5), f32(4)), strict=True,
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (5, 4), (3, 4), (4, 5), (2, 9), (32, 24), (2, 2))])


def cond_rank_two(x, y):
    """Branches with concatenation: both sizes of the result are new."""
    return torch.cond(
        x.sum() > y.sum(),
        lambda a, b: torch.cat([a, b]), lambda a, b: a.clone(), (x, y))


program("cond_concatenates", function(cond_rank_two), FAMILY,
        tags=("hop", "cond", "unbacked"), dynamic=({0: N, 1: K}, {0: M, 1: K}),
        example=(f32(3, 4), f32(2, 4)),
        cases=[case(name, f32(n, k, **a), f32(m, k, **b))
               for name, n, m, k, a, b in (
                   ("joined", 3, 2, 4, UP, DOWN),
                   ("not joined", 3, 2, 4, DOWN, UP),
                   ("joined with nothing", 3, 0, 2, UP, DOWN),
                   ("nothing joined", 0, 3, 2, UP, DOWN),
                   ("not joined, one", 1, 1, 1, DOWN, UP))])


def cond_uses_result(x, w):
    """What comes after the cond needs its size to be right."""
    y = torch.cond(x.sum() > 0, lambda a: a[::2] + 0, lambda a: a + 1, (x,))
    torch._check(y.shape[0] == w.shape[0])
    return y * w


program("cond_uses_result", function(cond_uses_result), FAMILY,
        tags=("hop", "cond", "unbacked", "checked"),
        dynamic=({0: N}, {0: M}), example=(f32(6, **UP), f32(3)),
        oblivious=True,
        cases=[case("every other", f32(6, **UP), f32(3)),
               case("every other of 7", f32(7, **UP), f32(4)),
               case("all", f32(6, **DOWN), f32(6)),
               case("none", f32(0), f32(0)),
               case("wrong for every other", f32(6, **UP), f32(6), raises=""),
               case("wrong for all", f32(6, **DOWN), f32(3), raises="")])


def cond_embedding(x, i):
    """An index out of bounds matters in the taken branch only."""
    return torch.cond(x.sum() > 0, lambda a, b: a[b] * 2,
                      lambda a, b: b.to(a.dtype), (x, i))


program("cond_indexes", function(cond_embedding), FAMILY,
        tags=("hop", "cond"), dynamic=({0: N}, {0: M}),
        example=(f32(4), lit([0, 3])),
        cases=[case("taken", f32(4, **UP), lit([0, 3, 3])),
               case("not taken, too large", f32(4, **DOWN), lit([9])),
               case("taken, none", f32(4, **UP), i64(0)),
               case("taken, too large", f32(4, **UP), lit([1, 4]),
                    raises="")])


def cond_mutates_copy(x):
    """In-place ops on a branch's own tensors."""
    def one(a):
        b = a.clone()
        b.add_(1)
        b[:1].fill_(5.0)
        return b

    def other(a):
        b = torch.zeros_like(a)
        b.copy_(a * 2)
        return b

    return torch.cond(x.sum() > 0, one, other, (x,))


program("cond_mutates_copy", function(cond_mutates_copy), FAMILY,
        tags=("hop", "cond", "mutation"), dynamic=({0: N},), strict=True,
        example=(f32(4),),
        cases=[case("up", f32(5, **UP)), case("down", f32(5, **DOWN)),
               case("one", f32(1, **UP)), case("none", f32(0))])


def while_nested(x, n, m):
    """A loop in a loop; the inner bound is the outer counter."""
    def outer(i, a):
        def inner(j, b):
            return j + 1, b + i

        _, a = while_loop(lambda j, b: j < m, inner, (_zero(), a))
        return i + 1, a * 0.5

    return while_loop(lambda i, a: i < n, outer, (_zero(), x))


program("while_nested", function(while_nested), FAMILY,
        tags=("hop", "while_loop"), dynamic=({0: N}, None, None), strict=True,
        example=(f32(3), lit(2), lit(3)),
        cases=[case(f"{n} by {m}", f32(k), lit(n), lit(m)) for n, m, k in (
            (2, 3, 4), (0, 3, 4), (3, 0, 4), (1, 1, 1), (4, 2, 0))])


def while_several(x, y, n):
    """Carries of several sizes and types."""
    def step(i, a, b, flag):
        return i + 1, a + b.sum(), b * 2, ~flag

    return while_loop(lambda i, a, b, flag: (i < n) & (b.sum() < 100), step,
                      (_zero(), x, y, torch.tensor(True)))


program("while_several", function(while_several), FAMILY,
        tags=("hop", "while_loop"), dynamic=({0: N}, {0: M, 1: K}, None),
        strict=True, example=(f32(3), f32(2, 3), lit(3)),
        cases=[case(f"{n}, {m} by {k}, {t} times", f32(n),
                    f32(m, k, **UP), lit(t)) for n, m, k, t in (
            (3, 2, 3, 3), (3, 2, 3, 0), (1, 1, 1, 5), (3, 2, 3, 50),
            (0, 0, 2, 2), (2, 3, 0, 4))])


def while_size(x, y):
    """A size bounds the loop."""
    n = x.shape[0]

    def step(i, a):
        return i + 1, a + y[:1].sum()

    return while_loop(lambda i, a: i < n, step, (_zero(), x))


program("while_size", function(while_size), FAMILY,
        tags=("hop", "while_loop", "symint"), dynamic=({0: N}, {0: M}),
        strict=True, example=(f32(4), f32(3)),
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (4, 3), (1, 1), (0, 2), (7, 2), (32, 24))])


def while_unbacked(x, k):
    """The carry has a data-dependent size."""
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[0])
    part = x[:u] * 1.0

    def step(i, a):
        return i + 1, a * 2 + x.sum()

    return while_loop(lambda i, a: i < 3, step, (_zero(), part))[1]


program("while_unbacked", function(while_unbacked), FAMILY,
        tags=("hop", "while_loop", "unbacked", "item"),
        dynamic=({0: N}, None), strict=True, example=(f32(5), lit(2)),
        cases=[case(f"{u} of {n}", f32(n), lit(u)) for n, u in (
            (5, 2), (5, 0), (5, 5), (1, 1), (32, 7))] + [
            case("6 of 5", f32(5), lit(6), raises="")])


def while_indexes(x, n):
    """Each round reads the row of its counter: beyond the last is an error."""
    def step(i, a):
        row = torch.index_select(x, 0, i.reshape(1)).squeeze(0)
        return i + 1, a + row

    return while_loop(lambda i, a: i < n, step, (_zero(), torch.zeros(2)))[1]


program("while_indexes", function(while_indexes), FAMILY,
        tags=("hop", "while_loop"), dynamic=({0: N}, None), strict=True,
        example=(f32(4, 2), lit(3)),
        cases=[case(f"{t} of {n}", f32(n, 2), lit(t)) for n, t in (
            (4, 3), (4, 4), (4, 0), (1, 1), (0, 0), (32, 32))] + [
            case("5 of 4", f32(4, 2), lit(5), raises=""),
            case("1 of 0", f32(0, 2), lit(1), raises="")])


def while_fills(x):
    """The carry is written row by row."""
    def step(i, a):
        row = (x + i).unsqueeze(0)
        return i + 1, torch.index_put(a, (i.reshape(1),), row)

    return while_loop(lambda i, a: i < 4, step,
                      (_zero(), torch.zeros(4, x.shape[0])))[1]


program("while_fills", function(while_fills), FAMILY,
        tags=("hop", "while_loop"), dynamic=({0: N},), strict=True,
        example=(f32(3),),
        cases=[case(f"{n}", f32(n)) for n in (3, 1, 0, 32)])


def scan_tree(x, y):
    """Trees of carries, items and results."""
    def step(carry, item):
        total, best = carry["total"], carry["best"]
        total = total + item["x"]
        best = torch.maximum(best, item["y"])
        return {"total": total, "best": best}, (total * best, item["x"] * 2)

    return scan(step, {"total": torch.zeros(2), "best": y[0]},
                {"x": x, "y": y})


program("scan_tree", function(scan_tree), FAMILY, tags=("hop", "scan"),
        dynamic=({0: N}, {0: N}), strict=True,
        example=(f32(5, 2), f32(5, 2)),
        cases=[case(f"{n}", f32(n, 2), f32(n, 2)) for n in (5, 2, 32)] + [
            case("sizes differ", f32(5, 2), f32(4, 2), raises="")])


def scan_closure(x, w, h):
    """The body closes over a matrix and a size."""
    n = w.shape[0]

    def step(state, row):
        state = torch.tanh(row @ w + state / n)
        return state, state.sum()

    return scan(step, h, x)


program("scan_closure", function(scan_closure), FAMILY,
        tags=("hop", "scan", "matmul", "symint"), rtol=1e-4, atol=1e-4,
        dynamic=({0: N, 1: K}, {0: K, 1: M}, {0: M}), strict=True,
        example=(f32(5, 3), f32(3, 4), f32(4)),
        cases=[case(f"{n}, {k}, {m}", f32(n, k), f32(k, m), f32(m))
               for n, k, m in ((5, 3, 4), (2, 2, 2), (32, 3, 3), (3, 2, 1))
               ] + [case("h differs", f32(5, 3), f32(3, 4), f32(3),
                         raises="")])


def mapped_tree(x, y, z):
    def body(pair, c):
        a, b = pair
        return {"sum": a + b, "dot": (a * b).sum() * c.sum()}

    return map_rows(body, (x, y), z)


program("mapped_tree", function(mapped_tree), FAMILY, tags=("hop", "map"),
        dynamic=({0: N, 1: M}, {0: N, 1: M}, {0: K}), strict=True,
        example=(f32(4, 3), f32(4, 3), f32(2)),
        cases=[case(f"{n} by {m}, {k}", f32(n, m), f32(n, m), f32(k))
               for n, m, k in ((4, 3, 2), (2, 2, 2), (32, 2, 3), (3, 5, 1))
               ] + [case("rows differ", f32(4, 3), f32(3, 3), f32(2),
                         raises="")])


class CondLoop(nn.Module):
    """A loop in one branch, layers in the other."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x, p):
        def refined(a):
            return while_loop(lambda i, b: i < 3,
                              lambda i, b: (i + 1, torch.tanh(self.layer(b))),
                              (_zero(), a))[1]

        return torch.cond(p, refined, lambda a: self.layer(a), (x,))


program("cond_loop", CondLoop, FAMILY,
        tags=("hop", "cond", "while_loop", "matmul"), rtol=1e-4, atol=1e-4,
        dynamic=({0: N}, None), strict=True, example=(f32(4, 3), lit(True)),
        cases=[case(f"{n}, {p}", f32(n, 3), lit(p)) for n, p in (
            (4, True), (4, False), (1, True), (0, True), (0, False),
            (32, True))])


def cond_masks(x, mask, p):
    """Both branches select data-dependent rows; then a reduction."""
    y = torch.cond(p, lambda a, m: a[m], lambda a, m: a[~m], (x, mask))
    return y.sum(0), y.shape[0]


program("cond_masks", function(cond_masks), FAMILY,
        tags=("hop", "cond", "unbacked"), dynamic=({0: N}, {0: N}, None),
        example=(f32(5, 2), b1(5), lit(True)), strict=True,
        cases=[case(f"{n}, {p}", f32(n, 2), b1(n), lit(p)) for n, p in (
            (5, True), (5, False), (0, True), (1, False), (32, True))])
