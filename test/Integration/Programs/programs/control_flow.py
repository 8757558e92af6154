"""cond, while_loop, scan, map, associative_scan, invoke_subgraph."""

import torch
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.compiler import nested_compile_region

from recording.table import case, function, program
from recording.values import b1, chosen, f32, i64, lit

from .common import K, M, N

FAMILY = "control-flow"
UP = dict(lo=0.1, hi=1.0)
DOWN = dict(lo=-1.0, hi=-0.1)


def cond_data(x):
    return torch.cond(x.sum() > 0, lambda a: a + 1, lambda a: a * 2, (x,))


_EITHER = [case("up", f32(5, **UP)), case("down", f32(5, **DOWN)),
           case("none", f32(0)), case("one up", f32(1, **UP)),
           case("one down", f32(1, **DOWN)), case("32", f32(32)),
           case("33", f32(33), raises="")]
program("cond_data", function(cond_data), FAMILY, tags=("hop", "cond"),
        dynamic=({0: N},), example=(f32(4),), cases=_EITHER)


def cond_size(x):
    return torch.cond(x.shape[0] > 4, lambda a: a.cos() * 2,
                      lambda a: a.sin(), (x,))


program("cond_size", function(cond_size), FAMILY, tags=("hop", "cond"),
        dynamic=({0: N},), example=(f32(6),),
        cases=[case(f"{n}", f32(n)) for n in (6, 5, 4, 3, 1, 0, 32)] + [
            case("33", f32(33), raises="")])


def cond_predicate_input(p, x, y):
    """A boolean input decides, several results."""
    return torch.cond(p, lambda a, b: (a + b, a.sum()),
                      lambda a, b: (a - b, b.max()), (x, y))


program("cond_predicate_input", function(cond_predicate_input), FAMILY,
        tags=("hop", "cond"), dynamic=(None, {0: N}, {0: N}),
        example=(lit(True), f32(4), f32(4)),
        cases=[case("true", lit(True), f32(5), f32(5)),
               case("false", lit(False), f32(5), f32(5)),
               case("one, false", lit(False), f32(1), f32(1)),
               case("none, true", lit(True), f32(0), f32(0)),
               case("none, false: max of nothing", lit(False), f32(0),
                    f32(0), raises=""),
               case("sizes differ", lit(True), f32(5), f32(4), raises="")])


def cond_sizes_differ(x):
    """The branches' results have different sizes: the result's is new."""
    y = torch.cond(x.sum() > 0, lambda a: a[1:] * 2, lambda a: a + 1, (x,))
    return y, y.sum(), y.shape[0]


program("cond_sizes_differ", function(cond_sizes_differ), FAMILY,
        tags=("hop", "cond", "unbacked"), dynamic=({0: N},),
        example=(f32(4),), oblivious=True,
        cases=[c for c in _EITHER if c.name != "none"])


def cond_of_unbacked(x, k):
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[0])
    part = x[:u]
    y = torch.cond(u > 2, lambda a: a.cumsum(0), lambda a: a * 10, (part,))
    return y, y.shape[0]


program("cond_of_unbacked", function(cond_of_unbacked), FAMILY,
        tags=("hop", "cond", "unbacked", "item"), dynamic=({0: N}, None),
        example=(f32(6), lit(3)), strict=True,
        cases=[case(f"{u} of 6", f32(6), lit(u)) for u in (3, 2, 0, 1, 6)
               ] + [case("7 of 6", f32(6), lit(7), raises=""),
                    case("-1", f32(6), lit(-1), raises="")])


def cond_with_check(x, k):
    """The check stands in a branch: it holds only where it is taken."""
    def checked(a, b):
        u = b.item()
        torch._check(u >= 0)
        torch._check(u < 4)
        return a + u

    return torch.cond(x.sum() > 0, checked, lambda a, b: a - b, (x, k))


program("cond_with_check", function(cond_with_check), FAMILY,
        tags=("hop", "cond", "unbacked", "item"), dynamic=({0: N}, None),
        example=(f32(4), lit(2)), strict=True,
        cases=[case("taken, 3", f32(5, **UP), lit(3)),
               case("taken, 0", f32(5, **UP), lit(0)),
               case("not taken, 3", f32(5, **DOWN), lit(3)),
               case("not taken, 9", f32(5, **DOWN), lit(9)),
               case("not taken, -1", f32(0), lit(-1)),
               case("taken, 4", f32(5, **UP), lit(4), raises=""),
               case("taken, -1", f32(1, **UP), lit(-1), raises="")])


class CondLinear(nn.Module):
    """Branches with parameters."""

    def __init__(self):
        super().__init__()
        self.one = nn.Linear(4, 4)
        self.other = nn.Linear(4, 4, bias=False)

    def forward(self, x):
        return torch.cond(x.mean() > 0, lambda a: self.one(a).relu(),
                          lambda a: self.other(a), (x,))


program("cond_linear", CondLinear, FAMILY, tags=("hop", "cond", "matmul"),
        rtol=1e-4, atol=1e-4, dynamic=({0: N},), example=(f32(3, 4),),
        cases=[case("up", f32(3, 4, **UP)), case("down", f32(3, 4, **DOWN)),
               case("none", f32(0, 4)), case("one", f32(1, 4, **UP)),
               case("33", f32(33, 4), raises="")])


def cond_chain(x):
    """One cond after the other, one inside a branch."""
    def inner(a):
        return torch.cond(a.amax() > 0.5, lambda b: b * 2, lambda b: b - 1,
                          (a,))

    y = torch.cond(x.sum() > 0, inner, lambda a: a + 3, (x,))
    return torch.cond(y.shape[0] > 3, lambda a: a.exp(), inner, (y,))


program("cond_chain", function(cond_chain), FAMILY, tags=("hop", "cond"),
        dynamic=({0: N},), example=(f32(6),),
        cases=[case("up, large", f32(6, **UP)),
               case("up, small", f32(6, lo=0.1, hi=0.4)),
               case("down", f32(6, **DOWN)),
               case("short, up", f32(2, **UP)),
               case("short, down", f32(3, **DOWN)), case("one", f32(1))])


def cond_integers(i, x):
    """Integer and boolean operands and results."""
    return torch.cond(i.sum() % 2 == 0, lambda a, b: (a * 2, b > 0),
                      lambda a, b: (a + 1, b <= 0), (i, x))


program("cond_integers", function(cond_integers), FAMILY,
        tags=("hop", "cond", "integer"), dynamic=({0: N}, {0: N}),
        example=(i64(4), f32(4)),
        cases=[case("even", lit([1, 3]), f32(2)),
               case("odd", lit([1, 2]), f32(2)),
               case("none", i64(0), f32(0)), case("32", i64(32), f32(32))])


def while_count(x, n):
    """n times, the counter is a tensor."""
    def going(i, a):
        return i < n

    def step(i, a):
        return i + 1, a * 0.5 + 1

    return while_loop(going, step, (torch.zeros((), dtype=torch.int64), x))


_COUNTS = [case(f"{n} times {m}", f32(m), lit(n)) for n, m in (
    (3, 5), (0, 5), (1, 5), (7, 0), (2, 1), (20, 32))] + [
    case("-1 times", f32(3), lit(-1)), case("33", f32(33), lit(1), raises="")]
program("while_count", function(while_count), FAMILY,
        tags=("hop", "while_loop"), dynamic=({0: N}, None), strict=True,
        example=(f32(4), lit(3)), cases=_COUNTS)


def while_stacked(x, w, n):
    """The tensors after each round, stacked, which gradients of loops are made of. There is one where there is no
    round, too."""
    def step(i, a, w, n):
        return i + 1, torch.tanh(a @ w)

    counts, stack = torch.ops.higher_order.while_loop_stack_output(
        lambda i, a, w, n: i < n, step, (torch.zeros((), dtype=torch.int64), x), (w, n))
    return counts, stack, stack[-1] * 2


program("while_stacked", function(while_stacked), FAMILY,
        tags=("hop", "while_loop", "unbacked", "matmul"), rtol=1e-4, atol=1e-4,
        dynamic=({0: N}, None, None), example=(f32(4, 3), f32(3, 3), lit(3)),
        cases=[case(f"{n} rounds of {m}", f32(m, 3), f32(3, 3), lit(n))
               for n, m in ((3, 4), (1, 1), (0, 2), (2, 0), (17, 5), (-1, 3))])


def while_converges(x):
    """The number of rounds depends on the data."""
    return while_loop(lambda a, c: a.abs().max() > 0.1,
                      lambda a, c: (a / 2, c + 1),
                      (x, torch.tensor(0)))


program("while_converges", function(while_converges), FAMILY,
        tags=("hop", "while_loop"), dynamic=({0: N},), example=(f32(4),),
        cases=[case("5", f32(5)), case("one", f32(1)), case("32", f32(32)),
               case("at once", lit([0.05, -0.05])),
               case("max of nothing", f32(0), raises="")])


def while_matrix(x, w, n):
    """Closes over w; the carry is a matrix."""
    def step(i, a):
        return i - 1, torch.tanh(a @ w) + x

    return while_loop(lambda i, a: i > 0, step, (n, x))[1]


program("while_matrix", function(while_matrix), FAMILY,
        tags=("hop", "while_loop", "matmul"), rtol=1e-4, atol=1e-4,
        dynamic=({0: N, 1: K}, {0: K, 1: K}, None), strict=True,
        example=(f32(3, 4), f32(4, 4), lit(2)),
        cases=[case(f"{n} by {k}, {t} times", f32(n, k), f32(k, k), lit(t))
               for n, k, t in ((3, 4, 2), (1, 1, 5), (0, 4, 2), (3, 0, 2),
                               (3, 4, 0))] + [
            case("w is not square", f32(3, 4), f32(4, 5), lit(1),
                 raises="")])


def while_checked(x, n):
    """A check in the body fails in the round that violates it."""
    def step(i, a):
        u = i.item()
        torch._check(u <= 4)
        return i + 1, a + u

    return while_loop(lambda i, a: i < n, step,
                      (torch.zeros((), dtype=torch.int64), x))[1]


program("while_checked", function(while_checked), FAMILY,
        tags=("hop", "while_loop", "unbacked", "item"),
        dynamic=({0: N}, None), strict=True, example=(f32(4), lit(3)),
        cases=[case(f"{n} rounds", f32(3), lit(n)) for n in (3, 0, 1, 5)] + [
            case("6 rounds", f32(3), lit(6), raises="")])


def while_cond(x, n):
    """A cond in a loop."""
    def step(i, a):
        return i + 1, torch.cond(i % 2 == 0, lambda b: b * 2,
                                 lambda b: b - 1, (a,))

    return while_loop(lambda i, a: i < n, step,
                      (torch.zeros((), dtype=torch.int64), x))


program("while_cond", function(while_cond), FAMILY,
        tags=("hop", "while_loop", "cond"), dynamic=({0: N}, None),
        strict=True, example=(f32(4), lit(3)), cases=_COUNTS[:5])


def scan_sums(x):
    def step(total, row):
        total = total + row
        return total, total * 2

    return scan(step, torch.zeros(3), x)


program("scan_sums", function(scan_sums), FAMILY, tags=("hop", "scan"),
        dynamic=({0: N},), example=(f32(5, 3),),
        cases=[case(f"{n} rows", f32(n, 3)) for n in (5, 2, 3, 1, 32)] + [
            case("33 rows", f32(33, 3), raises="")])


class ScanCell(nn.Module):
    """A recurrent cell over a dynamic batch and length."""

    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(7, 4)

    def forward(self, x, h):
        def step(state, item):
            new = torch.tanh(self.cell(torch.cat([item, state], -1)))
            return new, new.sum(-1)

        return scan(step, h, x)


program("scan_cell", ScanCell, FAMILY, tags=("hop", "scan", "matmul"),
        rtol=1e-4, atol=1e-4, dynamic=({0: N, 1: M}, {0: M}), strict=True,
        example=(f32(5, 2, 3), f32(2, 4)),
        cases=[case(f"{n} by {m}", f32(n, m, 3), f32(m, 4)) for n, m in (
            (5, 2), (3, 3), (32, 2), (1, 1), (4, 0))] + [
            case("batches differ", f32(5, 2, 3), f32(3, 4), raises="")])


def scan_reverse(x, y):
    """Several carries and items, backwards, over the second dim."""
    def step(carry, items):
        a, b = carry
        p, q = items
        return (a * p, b + q), (a + b, p - q)

    return scan(step, (torch.ones(2), torch.zeros(2)), (x, y), dim=1,
                reverse=True)


program("scan_reverse", function(scan_reverse), FAMILY,
        tags=("hop", "scan"), dynamic=({1: N}, {1: N}), strict=True,
        example=(f32(2, 5), f32(2, 5)),
        cases=[case(f"{n}", f32(2, n), f32(2, n)) for n in (5, 2, 3, 32)] + [
            case("sizes differ", f32(2, 5), f32(2, 4), raises="")])


def scan_associative(x):
    return associative_scan(torch.add, x, 1, combine_mode="generic"), \
        associative_scan(torch.maximum, x, 1, combine_mode="generic")


program("scan_associative", function(scan_associative), FAMILY,
        tags=("hop", "associative_scan"), dynamic=({0: N},), strict=True,
        example=(f32(5, 4),),
        cases=[case(f"{n} rows", f32(n, 4)) for n in (5, 2, 8, 32)])


def mapped(x, y):
    return map_rows(lambda row, z: row * z + row.sum(), x, y)


program("mapped", function(mapped), FAMILY, tags=("hop", "map"),
        dynamic=({0: N, 1: M}, {0: M}), example=(f32(4, 3), f32(3)),
        cases=[case(f"{n} by {m}", f32(n, m), f32(m)) for n, m in (
            (4, 3), (2, 2), (32, 5), (1, 1), (3, 0))] + [
            case("m differs", f32(4, 3), f32(2), raises="")])


@nested_compile_region
def _block(x, w):
    y = torch.relu(x @ w)
    return y / (y.sum(-1, keepdim=True) + 1) + x.shape[0]


def region_twice(x, y, w):
    """One region at two sets of sizes."""
    return _block(x, w), _block(y, w).sum(0)


program("region_twice", function(region_twice), FAMILY,
        tags=("hop", "invoke_subgraph", "matmul"), rtol=1e-4, atol=1e-4,
        dynamic=({0: N}, {0: M}, None), strict=True,
        example=(f32(3, 4), f32(5, 4), f32(4, 4)),
        cases=[case(f"{n} and {m}", f32(n, 4), f32(m, 4), f32(4, 4))
               for n, m in ((3, 5), (5, 3), (4, 4), (0, 2), (2, 0), (1, 1),
                            (32, 24))] + [
            case("33", f32(33, 4), f32(2, 4), f32(4, 4), raises="")])


class RegionLayers(nn.Module):
    """The same region for each layer, with other parameters."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = _layer(x, layer.weight, layer.bias)
        return x


@nested_compile_region
def _layer(x, weight, bias):
    return torch.nn.functional.gelu(x @ weight.T + bias) + x


program("region_layers", RegionLayers, FAMILY,
        tags=("hop", "invoke_subgraph", "matmul"), rtol=1e-4, atol=1e-4,
        dynamic=({0: N},), strict=True, example=(f32(3, 4),),
        cases=[case(f"{n} rows", f32(n, 4)) for n in (3, 0, 1, 2, 32)] + [
            case("33 rows", f32(33, 4), raises="")])


@nested_compile_region
def _normal(x):
    return (x - x.mean()) / (x.abs().sum() + 1)


@nested_compile_region
def _outer(x, y):
    return _normal(x) * 2, _normal(torch.cat([x, y]))


def region_nested(x, y):
    """Regions within regions, results of new sizes."""
    a, b = _outer(x, y)
    c, d = _outer(b, x)
    return a + x, d.sum(), c - b


program("region_nested", function(region_nested), FAMILY,
        tags=("hop", "invoke_subgraph"), dynamic=({0: N}, {0: M}),
        strict=True, example=(f32(3), f32(5)),
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (3, 5), (5, 3), (4, 4), (2, 2), (32, 24))])


def region_unbacked(x, mask, k):
    """Regions called with data-dependent sizes."""
    u = k.item()
    torch._check(u >= 0)
    torch._check(u <= x.shape[0])
    return _normal(x[:u] + 1), _normal(x[mask]), _normal(x)


program("region_unbacked", function(region_unbacked), FAMILY,
        tags=("hop", "invoke_subgraph", "unbacked"),
        dynamic=({0: N}, {0: N}, None), strict=True,
        example=(f32(6), chosen(6, 3), lit(2)),
        cases=[case(f"{u} and {k} of {n}", f32(n), chosen(n, k), lit(u))
               for n, k, u in ((6, 3, 2), (6, 1, 6), (1, 1, 1), (32, 7, 3))
               ] + [case("7 of 6", f32(6), chosen(6, 1), lit(7),
                         raises="")])


def region_in_cond(x, y):
    return torch.cond(y.sum() > 0, lambda a, b: _normal(a) + b.sum(),
                      lambda a, b: a - _normal(b).sum(), (x, y))


program("region_in_cond", function(region_in_cond), FAMILY,
        tags=("hop", "invoke_subgraph", "cond"), dynamic=({0: N}, {0: M}),
        strict=True, example=(f32(3), f32(5)),
        cases=[case("up", f32(3), f32(5, **UP)),
               case("down", f32(3), f32(5, **DOWN)),
               case("one", f32(1), f32(1, **UP)),
               case("32 and 24", f32(32), f32(24))])


def cond_nonzero(x, p):
    """Each branch counts something else."""
    return torch.cond(p, lambda a: a[a > 0], lambda a: a[a < 1] * 2, (x,))


program("cond_nonzero", function(cond_nonzero), FAMILY,
        tags=("hop", "cond", "unbacked", "nonzero"), dynamic=({0: N}, None),
        example=(f32(5), lit(True)),
        cases=[case("true", f32(5), lit(True)),
               case("false", f32(5), lit(False)),
               case("true, none", lit([-1.0]), lit(True)),
               case("false, all", lit([-1.0, 0.0]), lit(False)),
               case("nothing", f32(0), lit(True))])


def cond_closure(x, y):
    """Branches close over sizes only through arithmetic on them."""
    n, m = x.shape[0], y.shape[0]

    def longer(a):
        return a.sum() * (n - m) + torch.zeros(n + m).sum()

    def shorter(a):
        return a.mean() + n * m // 2

    return torch.cond(n > m, longer, shorter, (x,)) + y


program("cond_closure", function(cond_closure), FAMILY,
        tags=("hop", "cond", "symint"), dynamic=({0: N}, {0: M}),
        strict=True, example=(f32(6), f32(4)),
        cases=[case(f"{n} and {m}", f32(n), f32(m)) for n, m in (
            (6, 4), (4, 6), (3, 3), (1, 0), (32, 24), (2, 1))])


def cond_mask(x, mask):
    """The predicate is all of a boolean tensor."""
    return torch.cond(mask.all(), lambda a: a.clone(),
                      lambda a: torch.zeros_like(a), (x,))


program("cond_mask", function(cond_mask), FAMILY,
        tags=("hop", "cond", "boolean"), dynamic=({0: N}, {0: M}),
        example=(f32(4), b1(3)),
        cases=[case("all", f32(5), lit([True, True])),
               case("not all", f32(5), lit([True, False])),
               case("all of none", f32(5), b1(0)),
               case("nothing", f32(0), lit([False]))])
