"""In-place ops, writes through views, mutated inputs and buffers."""

import torch
from torch import nn
from torch.export import Dim

from recording.table import case, function, program
from recording.values import b1, f32, i64, lit

from .common import M, MATRIX, N, matrix, rows

FAMILY = "mutation"


def in_place(x, y):
    z = x.clone()
    z.add_(1).mul_(y)
    z.sub_(0.5).div_(2)
    z.clamp_(min=-0.25)
    w = torch.empty_like(z)
    w.copy_(z)
    w.relu_()
    return z, w, x


program("in_place", function(in_place), FAMILY, dynamic=({0: N}, {0: N}),
        example=(f32(4), f32(4)),
        cases=[case(f"{n} elements", f32(n), f32(n)) for n in (5, 0, 1, 32)
               ] + [case("sizes differ", f32(4), f32(5), raises="")])


def through_views(x):
    """Each write is seen through the base and through other views."""
    base = x.clone()
    flat = base.view(-1)
    flat.mul_(2)
    base[0].fill_(7.0)
    base[:, 1].add_(flat[0])
    base.t()[2].zero_()
    return base, flat, base.sum(0)


program("through_views", function(through_views), FAMILY,
        tags=("views",), dynamic=({0: N},), example=(f32(4, 5),),
        oblivious=True,
        cases=[case(f"{n} rows", f32(n, 5)) for n in (4, 1, 9, 32)] + [
            case("no row to fill", f32(0, 5), raises="")])


def slice_writes(x, v):
    y = x.clone()
    y[1:3] = v
    y[:, 0] = 1.0
    y[-1] += 2
    y[::2, 1:] *= 3
    return y


program("slice_writes", function(slice_writes), FAMILY, tags=("views",),
        dynamic=({0: Dim("n", min=3, max=32)}, {}),
        example=(f32(6, 3), f32(2, 3)), oblivious=True,
        cases=[case(f"{n} rows", f32(n, 3), f32(2, 3)) for n in (6, 3, 32)])


def chunk_writes(x):
    y = x * 1.0
    a, b = y.chunk(2, 1)
    a.add_(b)
    b.copy_(a)
    for row in y.unbind(1)[:2]:
        row.neg_()
    return y


program("chunk_writes", function(chunk_writes), FAMILY, tags=("views",),
        dynamic=({0: N},), example=(f32(5, 4),), cases=rows(4))


def masked_writes(x, mask, i):
    y = x.clone()
    y.masked_fill_(mask[:, None], 0.0)
    y.index_add_(0, i, torch.ones(i.shape[0], 2))
    y.scatter_(1, i[:1, None] * 0, 5.0)
    z = torch.zeros(x.shape[0], dtype=torch.int64)
    z[i] = 1
    return y, z


program("masked_writes", function(masked_writes), FAMILY,
        dynamic=({0: N}, {0: N}, {}),
        example=(f32(5, 2), b1(5), lit([0, 2])),
        cases=[case("5 rows", f32(5, 2), b1(5), lit([4, 2])),
               case("32 rows", f32(32, 2), b1(32), lit([31, 0])),
               case("too large", f32(3, 2), b1(3), lit([3, 0]), raises="")])


def mutated_input(x, y):
    x.add_(y)
    return x.sum(), x * 2


program("mutated_input", function(mutated_input), FAMILY,
        tags=("input-mutation",), dynamic=MATRIX + ({1: M},),
        example=(f32(3, 4), f32(1, 4)),
        cases=[case(f"{n} by {m}", f32(n, m), f32(1, m)) for n, m in (
            (3, 4), (0, 4), (1, 1), (32, 2))] + [
            case("m differs", f32(3, 4), f32(1, 3), raises="")])


def mutated_part(x, i):
    """Only a part of the input is written, through a view."""
    x[:, 0].copy_(x[:, 1])
    x[i] = 0.0
    return (x > 0).sum()


program("mutated_part", function(mutated_part), FAMILY,
        tags=("input-mutation", "views"), dynamic=({0: N}, {}),
        example=(f32(4, 3), lit([1, 3])),
        cases=[case("4 rows", f32(4, 3), lit([1, 3])),
               case("32 rows", f32(32, 3), lit([-1, 0])),
               case("too large", f32(4, 3), lit([1, 4]), raises="")])


class Counter(nn.Module):
    """Buffers that a call changes (see README: each case is a first call)."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.tensor(0))
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.calls.add_(1)
        self.total += x.sum(0)
        return x * self.calls + self.total


program("counter", Counter, FAMILY, tags=("buffer-mutation",),
        dynamic=({0: N},), example=(f32(4, 3),),
        cases=[case("first call", f32(4, 3)),
               case("33 rows", f32(33, 3), raises="")])


class Cache(nn.Module):
    """A buffer that is overwritten: earlier calls do not matter."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.zeros(33, 2))

    def forward(self, x):
        self.kept.fill_(-1.0)
        self.kept[: x.shape[0]] = x
        return self.kept.clone(), self.kept.sum(0)


program("cache", Cache, FAMILY, tags=("buffer-mutation",), dynamic=({0: N},),
        example=(f32(4, 2),), cases=rows(2), oblivious=True)


def aliases(x):
    """Results that are inputs, each other, or views of each other."""
    y = x + 1
    return x, y, y, y.view(-1), y[0:1]


program("aliases", function(aliases), FAMILY, tags=("views",),
        dynamic=MATRIX, example=(f32(3, 4),), cases=matrix(), oblivious=True)


def filled_steps(x, i):
    """A chain of functional and in-place ops on integers."""
    count = torch.zeros_like(i)
    count += i
    count <<= 1
    count.bitwise_or_(1)
    y = x.clone()
    y[count > 3] = -1.0
    return count, y


program("filled_steps", function(filled_steps), FAMILY, tags=("integer",),
        dynamic=({0: N}, {0: N}), example=(f32(4), i64(4)),
        cases=[case(f"{n} elements", f32(n), i64(n)) for n in (5, 0, 1, 32)])
