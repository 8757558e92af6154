"""Sizes that meet, where one of them may be 1."""

import functools
import itertools

import sympy
import torch
import torch._meta_registrations
import torch._refs
from torch._C import DispatchKey
from torch._decomp import decomposition_table
from torch._subclasses import fake_impls
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols, statically_known_true
from torch.utils._sympy.functions import Min

from ._sizes import any_sizes, traces

_repeat = torch.ops.aten.expand.default


def _is_at_most_one(size):
    """Whether a size is computed that is 0 or 1, as that of `x[:1]` is."""
    if not isinstance(size, torch.SymInt) or size.node.is_nested_int() or size.node.expr.is_symbol:
        return False
    return bool(size.node.shape_env.bound_sympy(size.node.expr).upper <= 1)


def _is_one(size):
    """Whether a size that is at most 1 is 1, which a graph depends on. Of a guard PyTorch keeps the limits of symbols
    alone: it is asked for them, and for what the size is the least of."""
    if not size == 1:
        return False
    shape_env, expr = size.node.shape_env, size.node.expr
    parts = sorted(expr.free_symbols, key=str) + list(expr.args if isinstance(expr, Min) else ())
    for each in parts:
        shape_env.evaluate_expr(sympy.Ge(each, 1))
    return True


def _is_repeated(size, other):
    """Whether a size that is at most 1 is broadcast to another: where it is 0, so has that to be, which Tally
    checks. PyTorch sums gradients only where the size is known to be 1: where there may be some, a graph depends on
    it, and ends if it depends on values."""
    if _is_at_most_one(other) or statically_known_true(other == 1):
        return False
    return _is_one(size) if torch.is_grad_enabled() else True


def _repeat_ones(shape, others):
    """A shape for broadcasting to others."""
    repeated = {dim for dim, size in enumerate(shape, -len(shape)) if _is_at_most_one(size)
                and any(_is_repeated(size, other[dim]) for other in others if len(other) >= -dim)}
    return [1 if dim in repeated else size for dim, size in enumerate(shape, -len(shape))] if repeated else shape


def _ask_for_one(sizes):
    """Decides about sizes that meet one which depends on values."""
    symbolic = [size for size in sizes if isinstance(size, torch.SymInt)]
    if any(free_unbacked_symbols(size) for size in symbolic):
        for size in symbolic:
            if not (size.node.is_nested_int() or free_unbacked_symbols(size)):
                bool(size == 1)


def _let_rows_be_one(module, name):
    """A function of PyTorch that finds the shape which shapes broadcast to. It takes a size that depends on values
    for none to broadcast, and the size that meets it for equal: where that may be 1, a graph depends on whether it is."""
    find = getattr(module, name)

    @functools.wraps(find)
    def find_any(*shapes):
        if traces.get() and any_sizes():
            lists = [shape for shape in shapes if isinstance(shape, (tuple, list, torch.Size))]
            for sizes in itertools.zip_longest(*map(reversed, lists), fillvalue=1):
                _ask_for_one(sizes)
            shapes = [_repeat_ones(each, lists) if isinstance(each, (tuple, list)) else each for each in shapes]
        return find(*shapes)

    setattr(module, name, find_any)


_let_rows_be_one(torch._refs, "_broadcast_shapes")
_let_rows_be_one(fake_impls, "infer_size")
torch._meta_registrations._broadcast_shapes = torch._refs._broadcast_shapes

_expand = torch._refs.expand


@functools.wraps(_expand)
def _expand_any(x, *shape, **options):
    """A tensor that is repeated, of whose sizes some are 1."""
    if traces.get() and any_sizes():
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        kept = [size if isinstance(each, int) and each == -1 else each
                for size, each in zip(x.shape, wanted[len(wanted) - x.dim():])]
        own = x.shape
        sizes = _repeat_ones(own, [kept])
        x = x if sizes is own else x.as_strided(sizes, x.stride())
    return _expand(x, *shape, **options)


torch._refs.expand = decomposition_table[_repeat] = _repeat.py_kernels[DispatchKey.Meta] = _expand_any
_repeat._dispatch_cache.clear()

_broadcast = torch._refs._maybe_broadcast


@functools.wraps(_broadcast)
def _broadcast_any(*args, **options):
    """Tensors of the shape that theirs broadcast to. PyTorch's own takes sizes that are not known for equal."""
    if traces.get() and any_sizes():
        shapes = [each.shape for each in args if isinstance(each, torch.Tensor)]
        if any(_repeat_ones(shape, shapes) is not shape for shape in shapes):
            whole = torch._refs._broadcast_shapes(*shapes)
            args = [each.expand(whole) if isinstance(each, torch.Tensor) and each.dim() else each for each in args]
    return _broadcast(*args, **options)


torch._refs._maybe_broadcast = torch._meta_registrations._maybe_broadcast = _broadcast_any
