"""Symbols of sizes that may be 0.

PyTorch takes the symbol of a size for a positive number, also where it is told that the size may be 0. A program that asks
whether a size is 0 is then told that it is not, and its graph, which does not depend on that, serves all sizes."""

import contextvars
import functools
import sys

import sympy
import torch
import torch._prims
import torch.fx.experimental._config
from torch._decomp import decomposition_table
from torch._dynamo.source import TensorPropertySource
from torch._prims_common import canonicalize_dim
from torch._subclasses import fake_impls
from torch.fx.experimental import symbolic_shapes
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols, guard_or_false, statically_known_true
from torch.utils._sympy import solve
from torch.utils._sympy.symbol import SymT

_slice = torch.ops.aten.slice.Tensor

#: Whether a frame is traced for Tally, for all sizes or for some.
traces = contextvars.ContextVar("traces", default=False)


def any_sizes():
    """Whether what is traced is traced for all sizes."""
    return torch.fx.experimental._config.backed_size_oblivious


def _let_sizes_be_zero():
    make = symbolic_shapes.make_symbol

    @functools.wraps(make)
    def make_any(prefix, index, **assumptions):
        if prefix is SymT.SIZE and any_sizes() and assumptions.pop("positive", None):
            assumptions["nonnegative"] = True
        return make(prefix, index, **assumptions)

    symbolic_shapes.make_symbol = make_any


_let_sizes_be_zero()

_isolate = solve._try_isolate_lhs


def _isolate_any(relation, thing, floordiv_inequality):
    """A step of solving a relation for a symbol. PyTorch's own divides an inequality by factors that may be 0, of
    `s0 * s1 <= 0` say, and finds a limit for the symbol that it does not have."""
    if isinstance(relation, solve.INEQUALITY_TYPES):
        terms = [each for each in sympy.Add.make_args(relation.lhs) if each.has(thing)]
        factors = [sympy.Mul(*[each for each in sympy.Mul.make_args(term) if not each.has(thing)]) for term in terms]
        if not all(each.is_positive or each.is_negative for each in factors):
            return relation
    return _isolate(relation, thing, floordiv_inequality)


solve._try_isolate_lhs = _isolate_any

_slice_as_pytorch = fake_impls.op_implementations_dict.get(_slice)


def _count_left_out(start, end):
    """How many elements a slice leaves out at the start and at the end, if these are numbers; else None."""
    start = 0 if start is None else start
    if not isinstance(start, int) or start < 0:
        return None
    if end is None or isinstance(end, int) and end == sys.maxsize:
        return start, 0
    return (start, -end) if isinstance(end, int) and end < 0 else None


def _is_given(index):
    """Whether an index is computed from numbers that are arguments, and from no size."""
    if not isinstance(index, torch.SymInt) or free_unbacked_symbols(index):
        return False
    symbols, sources = index.node.expr.free_symbols, index.node.shape_env.var_to_sources
    return not any(isinstance(source, TensorPropertySource) for each in symbols for source in sources.get(each, ()))


def _find_bound(size, index):
    """Where a slice starts or ends that is given such an index; None where that depends on a value. Where the index is
    an argument, a graph depends on whether it is negative."""
    found = fake_impls._compute_slice_index(size, index)
    if found is None and (isinstance(index, int) or _is_given(index)):
        return torch.sym_min(index, size) if index >= 0 else torch.sym_max(index + size, 0)
    return found


def _find_length(first, last):
    """How many elements are between two places."""
    if guard_or_false(last >= first):
        return last - first
    return 0 if guard_or_false(first >= last) else torch.sym_max(last - first, 0)


def _slice_any(fake_mode, func, self, dim=0, start=None, end=None, step=1):
    """A slice whose length is an expression in its size; PyTorch 2.11 takes the length for a value where an index may be
    outside of the tensor. Where a slice leaves out elements at the start and at the end, nothing but the size is clamped
    in it, so that the lengths of `x[1:]` and `x[:-1]` are the same."""
    size = self.shape[dim] if self.dim() else 0
    is_last = isinstance(start, int) and start < 0 and (end is None or statically_known_true(end == sys.maxsize))
    is_symbol = isinstance(size, torch.SymInt) and (is_last or not free_unbacked_symbols(size))
    if not (any_sizes() and is_symbol and isinstance(step, int) and step > 0) or self.is_quantized:
        return _slice_as_pytorch(fake_mode, func, self, dim, start, end, step)
    dim, left_out = canonicalize_dim(self.dim(), dim), _count_left_out(start, end)
    if is_last:
        length = torch.sym_min(size, -start)
        first = size - length
    elif left_out:
        length = torch.sym_max(size - sum(left_out), 0) if any(left_out) else size
        first = torch.sym_min(size, left_out[0]) if left_out[0] else 0
    else:
        first = 0 if start is None else _find_bound(size, start)
        last = size if end is None or statically_known_true(end == sys.maxsize) else _find_bound(size, end)
        if first is None or last is None:
            return _slice_as_pytorch(fake_mode, func, self, dim, start, end, step)
        length = _find_length(first, last)
    sizes, strides = list(self.shape), list(self.stride())
    offset = self.storage_offset() + first * strides[dim]
    sizes[dim], strides[dim] = (length + step - 1) // step, strides[dim] * step
    return self.as_strided(sizes, strides, offset)


if _slice_as_pytorch:
    fake_impls.op_implementations_dict[_slice] = _slice_any


def _is_one(size):
    """Whether a size is 1. A graph depends on that, and ends if the size depends on values, where PyTorch takes a size for
    another number until it knows."""
    return bool(size == 1) if any_sizes() else guard_or_false(size == 1)


def _squeeze_any(self, dims):
    """Without the dimensions whose size is 1, which that of `x[:1]` is where there is a row."""
    dims = [canonicalize_dim(self.dim(), dim) for dim in dims] if self.dim() else []
    ones = [dim for dim in dims if _is_one(self.shape[dim])]
    return torch._prims.squeeze(self, ones) if ones else torch._prims.view_of(self)


decomposition_table[torch.ops.aten.squeeze.dims] = _squeeze_any


def _asking_for_values(impl):
    """What PyTorch finds of an index_put, which takes the sizes of the values for those of the places. A graph depends
    on whether they are, as one that is 1 is broadcast."""

    def put_any(fake_mode, func, self, indices, values, *args, **kwargs):
        masks = (torch.bool, torch.uint8)
        if any_sizes() and not any(each is not None and each.dtype in masks for each in indices):
            places = torch.ops.aten.index.Tensor(self, indices).shape
            for size, other in zip(reversed(values.shape), reversed(places)):
                if not free_unbacked_symbols([size, other]) and not size == other:
                    _is_one(size)
        return impl(fake_mode, func, self, indices, values, *args, **kwargs)

    return put_any


for _overload in (torch.ops.aten.index_put.default, torch.ops.aten.index_put_.default):
    if _overload in fake_impls.op_implementations_dict:
        fake_impls.op_implementations_dict[_overload] = _asking_for_values(fake_impls.op_implementations_dict[_overload])
