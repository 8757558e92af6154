"""Tracing for all sizes."""

import contextlib
import contextvars
import functools
import math
import operator
import warnings

import torch
import torch._decomp.decompositions
import torch._higher_order_ops.effects
import torch._meta_registrations
import torch._refs
import torch.fx.experimental._config
from torch._C import DispatchKey
from torch._dynamo.exc import TorchDynamoException
from torch._prims_common import canonicalize_dim, infer_size, is_contiguous_or_false
from torch._subclasses.fake_impls import _compute_stride
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.fx.experimental.symbolic_shapes import statically_known_true

from ._recurrent import recurrent_layers
from ._reports import UnsupportedProgram

_attention = torch.ops.aten.scaled_dot_product_attention.default
_contiguous = torch.ops.aten.contiguous.default
_copy = torch.ops.aten.copy.default
_grid_backward = torch.ops.aten.affine_grid_generator_backward.default
_flatten = torch.ops.aten.flatten.using_ints
_linear = torch.ops.aten.linear.default
_reshape = torch.ops.aten.reshape.default


def _any_sizes():
    """Whether what is traced is traced for all sizes."""
    return torch.fx.experimental._config.backed_size_oblivious


#: Copies that were made where PyTorch returns a view for some sizes, while a frame is traced that nothing
#: was asked for; else None, and PyTorch asks.
_copies = contextvars.ContextVar("copies", default=None)


class _WrittenCopy(Exception):
    """A program writes to what is a view for some sizes, and a copy for others."""


def check_copies_are_read():
    """Raises an error if what was traced writes to one of these copies: for some sizes it is to write to
    what was copied."""
    if any(each._version for each in _copies.get() or ()):
        raise _WrittenCopy


def _make_copy(x):
    copy = x.clone(memory_format=torch.contiguous_format)
    # What Dynamo has seen tells what the program writes to; what AOTAutograd makes of it writes to nothing.
    if isinstance(copy, FakeTensor):
        _copies.get().append(copy)
    return copy


@_contiguous.py_impl(DispatchKey.CompositeImplicitAutograd)
def _make_contiguous(x, *, memory_format=torch.contiguous_format):
    """PyTorch's own asks whether a size of a transposed tensor is 1, and then copies nothing: a graph
    for each answer. Where no size is special, what may have to be copied is."""
    if memory_format != torch.contiguous_format or _copies.get() is None:
        return _contiguous._op_dk(
            DispatchKey.CompositeImplicitAutograd, x, memory_format=memory_format)
    return x if is_contiguous_or_false(x) else _make_copy(x)


def _let_method_not_ask(kind):
    """The method of Tensor asks the same before it calls the operator."""
    method = kind.contiguous

    def contiguous(self, memory_format=torch.contiguous_format):
        if _copies.get() is not None:
            return _contiguous(self, memory_format=memory_format)
        return method(self, memory_format=memory_format)

    kind.contiguous = contiguous


_let_method_not_ask(FakeTensor)
_let_method_not_ask(FunctionalTensor)


@_reshape.py_impl(DispatchKey.CompositeImplicitAutograd)
def _reshape_any(x, shape):
    """PyTorch's own asks the same, to find out whether a view will do."""
    if _copies.get() is None or is_contiguous_or_false(x):
        return _reshape._op_dk(DispatchKey.CompositeImplicitAutograd, x, shape)
    shape = infer_size(shape, x.numel())
    if _compute_stride(x.shape, x.stride(), shape, size_oblivious=True) is not None:
        return x.view(shape)
    return _make_copy(x).view(shape)


@_flatten.py_impl(DispatchKey.CompositeImplicitAutograd)
def _flatten_any(x, start_dim=0, end_dim=-1):
    """PyTorch's own reshapes without the operator above."""
    if _copies.get() is None or x.dim() == 0:
        return _flatten._op_dk(DispatchKey.CompositeImplicitAutograd, x, start_dim, end_dim)
    first, last = (canonicalize_dim(x.dim(), each) for each in (start_dim, end_dim))
    if first >= last:  # Nothing to do, or an error.
        return _flatten._op_dk(DispatchKey.CompositeImplicitAutograd, x, start_dim, end_dim)
    return _reshape_any(x, [*x.shape[:first], math.prod(x.shape[first:last + 1]), *x.shape[last + 1:]])


@_linear.py_impl(DispatchKey.CompositeImplicitAutograd)
def _linear_any(x, weight, bias=None):
    """PyTorch's own asks the same of an input of more than two dimensions, which it reshapes."""
    if _copies.get() is not None and x.dim() > 2 and not is_contiguous_or_false(x):
        x = x.clone(memory_format=torch.contiguous_format)
    return _linear._op_dk(DispatchKey.CompositeImplicitAutograd, x, weight, bias)


def _find_shape_env(tensor):
    """What knows the symbols in the sizes of a tensor; None where there are none."""
    numbers = (*tensor.shape, *tensor.stride()) if isinstance(tensor, torch.Tensor) else ()
    return next((each.node.shape_env for each in numbers if isinstance(each, torch.SymInt)), None)


def _is_known_to_fit(mask, query, key):
    """Whether a mask of attention fits for all sizes: none of its sizes may be 1, or not, as it happens."""
    scores = (*query.shape[:-1], key.shape[-2])
    return query.dim() == key.dim() == 4 and len(scores) >= mask.dim() and all(
        statically_known_true(size == 1) or statically_known_true(size == wanted)
        for size, wanted in zip(reversed(mask.shape), reversed(scores)))


@_attention.py_impl(DispatchKey.CompositeImplicitAutograd)
def _attend_any(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """PyTorch's own asks whether a size of a mask is 1, to choose an algorithm that all masks suit."""
    shape_env = _find_shape_env(query)
    asks = not (shape_env and attn_mask is not None and _any_sizes() and _is_known_to_fit(attn_mask, query, key))
    # What else it asks, a graph depends on.
    dropout_p = float(dropout_p)
    if not asks:
        all(bool(one == other) for one, other in (*zip(query.shape[:2], key.shape), *zip(key.shape[:3], value.shape)))
    with contextlib.nullcontext() if asks else shape_env.suppress_guards():
        return _attention._op_dk(
            DispatchKey.CompositeImplicitAutograd, query, key, value, attn_mask, dropout_p, is_causal,
            scale=scale, enable_gqa=enable_gqa)


def _let_choice_not_ask(module, name):
    """A function of PyTorch whose answer for the first sizes is taken for all: no size is asked for."""
    choose = getattr(module, name)

    @functools.wraps(choose)
    def choose_for_all(*args, **kwargs):
        tensor = args[0] if args else kwargs.get("input")  # PyTorch 2.11 passes it by name.
        shape_env = _find_shape_env(tensor)
        with shape_env.suppress_guards() if shape_env and _any_sizes() else contextlib.nullcontext():
            return choose(*args, **kwargs)

    setattr(module, name, choose_for_all)


# PyTorch chooses a library for a convolution by its sizes, and asks whether a batch is 1 or less than 16.
# All that it means to a graph is where the elements of the result lie.
_let_choice_not_ask(torch._C, "_select_conv_backend")
_let_choice_not_ask(torch._C, "_conv_determine_backend_memory_format")
# What is written to must not have two elements in one place, as expanded tensors have.
_let_choice_not_ask(torch, "_debug_has_internal_overlap")


@_copy.py_impl(DispatchKey.Meta)
def _copy_any(x, source, non_blocking=False):
    """The result of a copy into a tensor, which has the strides of that. PyTorch's own asks for sizes too, to
    find out whether two elements of the tensor are in one place."""
    if not _any_sizes() or any(isinstance(each, int) and each == 0 for each in x.stride()):
        return _copy._op_dk(DispatchKey.Meta, x, source, non_blocking)
    torch._refs.expand(source, x.shape)  # Where this is an error, the copy is.
    return x.new_empty_strided(x.shape, x.stride())


_space_evenly = torch._decomp.decompositions._linspace_from_neg_one


def _space_any(num_steps, align_corners, dtype, device):
    """Places of the pixels of an affine grid, from -1 to 1. PyTorch's own takes the first size for all."""
    if not isinstance(num_steps, torch.SymInt):
        return _space_evenly(num_steps, align_corners, dtype, device)
    last = num_steps - 1
    places = torch.arange(num_steps, dtype=dtype, device=device)
    return (2 * places - last) / (torch.sym_max(last, 1) if align_corners else num_steps)


torch._decomp.decompositions._linspace_from_neg_one = _space_any


@_grid_backward.py_impl(DispatchKey.CompositeImplicitAutograd)
def _grid_backward_any(grad, size, align_corners):
    """PyTorch's own takes numbers for sizes. A grid is a product of a matrix and the places of pixels."""
    if not any(isinstance(each, torch.SymInt) for each in size):
        return _grid_backward._op_dk(DispatchKey.CompositeImplicitAutograd, grad, size, align_corners)
    columns = [grad]
    for dim in range(grad.dim() - 2, 0, -1):  # The first coordinate goes along the last dimension of pixels.
        places = _space_any(size[dim + 1], align_corners, grad.dtype, grad.device)
        columns.insert(-1, grad * places.reshape([-1 if each == dim else 1 for each in range(grad.dim())]))
    return torch.stack([each.flatten(1, -2).sum(1) for each in columns], -1)


@torch._dynamo.substitute_in_graph(torch.nn.modules.transformer._detect_is_causal_mask)
def _detect_is_causal_mask(mask, is_causal=None, size=None):
    """PyTorch's own compares the elements of a mask to find out whether it may be left out, which ends a
    graph. What is not said to be causal is used as it is."""
    return is_causal is True


# PyTorch 2.11 asks whether a division in the size of what is pooled leaves a rest, to round as `//` does.
torch._meta_registrations.div_rtn = operator.floordiv

# PyTorch 2.11 drops this check, which has no result.
torch._higher_order_ops.effects._register_effectful_op(
    torch.ops.aten._linalg_check_errors.default, torch._higher_order_ops.effects._EffectType.ORDERED)


class Tracer:
    """What Dynamo calls for a frame that it has not compiled for such arguments, under settings of ours:
    no size is special, not 0, not 1, not one that is equal to another, and sizes and numbers that
    depend on values are part of the graph. They are set while a frame is traced only, as that
    costs time. A frame that PyTorch cannot trace so, say where a size 1 meets another size, is traced
    as it always does: parts of the call may have run before it, and must not run again."""

    def __init__(self, trace):
        self._trace = trace
        self._torchdynamo_orig_backend = trace  # Where Dynamo looks for the backend.

    def __call__(self, *args):
        sizes = torch.fx.experimental._config.patch(backed_size_oblivious=True, use_duck_shape=False)
        values = torch._dynamo.config.patch(
            capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True,
            reorderable_logging_functions={*torch._dynamo.config.reorderable_logging_functions, warnings.warn})
        try:
            with sizes, values, recurrent_layers():
                return self._trace_for_all(*args)
        except TorchDynamoException as error:
            if isinstance(getattr(error, "inner_exception", None), UnsupportedProgram):
                raise
        return self._trace(*args)

    def _trace_for_all(self, *args):
        token = _copies.set([])
        try:
            return self._trace(*args)
        except TorchDynamoException as error:
            if not isinstance(getattr(error, "inner_exception", None), _WrittenCopy):
                raise
        finally:
            _copies.reset(token)
        return self._trace(*args)
