"""Tracing for all sizes."""

import contextlib
import contextvars
import functools
import inspect
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
from torch._dynamo.source import TensorPropertySource
from torch._dynamo.types import ConvertFrameReturn
from torch._dynamo.variables import (
    BuiltinVariable, ConstantVariable, SymNodeVariable, TensorVariable, UserFunctionVariable)
from torch._dynamo.variables.builder import VariableBuilder
from torch._dynamo.variables.torch import TorchInGraphFunctionVariable
from torch._guards import GuardSource
from torch._prims_common import canonicalize_dim, infer_size, is_contiguous_or_false
from torch._subclasses.fake_impls import _compute_stride
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.fx.experimental.symbolic_shapes import (
    GuardOnDataDependentSymNode, ShapeEnv, statically_known_true)

from . import _branches, _broadcasts  # noqa: F401
from ._integers import substitute_function, substitute_method
from ._recurrent import recurrent_layers
from ._reports import UnsupportedProgram
from ._sizes import any_sizes, traces

_attention = torch.ops.aten.scaled_dot_product_attention.default
_average = torch.ops.aten.adaptive_avg_pool2d.default
_contiguous = torch.ops.aten.contiguous.default
_copy = torch.ops.aten.copy.default
_grid_sampler = torch.ops.aten.grid_sampler_2d.default
_grid_backward = torch.ops.aten.affine_grid_generator_backward.default
_flatten = torch.ops.aten.flatten.using_ints
_kron = torch.ops.aten.kron.default
_linear = torch.ops.aten.linear.default
_pool = torch.ops.aten.max_pool1d.default
_pool_with_places = torch.ops.aten.max_pool1d_with_indices.default
_reshape = torch.ops.aten.reshape.default


#: Copies that were made where PyTorch returns a view for some sizes, while a frame is traced that nothing
#: was asked for; else None, and PyTorch asks.
_copies = contextvars.ContextVar("copies", default=None)


class _Ones:
    """Sizes of arguments that are 1 in the call that is traced: whether there are any, and whether they are 1 in all
    calls of the graph."""

    def __init__(self, fixed):
        self.fixed, self.found = fixed, False


_ones = contextvars.ContextVar("ones", default=_Ones(fixed=False))


def _let_ones_be_fixed():
    create = ShapeEnv.create_symbol

    @functools.wraps(create)
    def create_any(self, val, source, *args, **kwargs):
        ones = _ones.get()
        is_size = isinstance(source, TensorPropertySource)  # Not a number that is an argument.
        if is_size and val == 1 and kwargs.get("do_not_specialize_zero_one"):
            ones.found = True
            kwargs["do_not_specialize_zero_one"] = not ones.fixed
        return create(self, val, source, *args, **kwargs)

    ShapeEnv.create_symbol = create_any


_let_ones_be_fixed()


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


@_kron.py_impl(DispatchKey.CompositeImplicitAutograd)
def _kron_any(x, y):
    """PyTorch's own takes numbers for sizes."""
    dims = max(x.dim(), y.dim())
    x, y = (each.reshape((1,) * (dims - each.dim()) + tuple(each.shape)) for each in (x, y))
    sizes = [size * other for size, other in zip(x.shape, y.shape)]
    for dim in range(dims):
        x, y = x.unsqueeze(2 * dim + 1), y.unsqueeze(2 * dim)
    return (x * y).reshape(sizes)


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
    """PyTorch's own asks the same of an input of more than two dimensions, which it reshapes; where PyTorch 2.11 is not
    sure of the strides of its first dimension, it multiplies each of its matrices alone."""
    if _copies.get() is None or x.dim() <= 2 or weight.dim() != 2:
        return _linear._op_dk(DispatchKey.CompositeImplicitAutograd, x, weight, bias)
    rows = _reshape_any(x, [math.prod(x.shape[:-1]), x.shape[-1]])
    return _linear(rows, weight, bias).view([*x.shape[:-1], weight.shape[0]])


@_average.py_impl(DispatchKey.CompositeImplicitAutograd)
def _average_any(x, output_size):
    """PyTorch's own asks for sizes to find out whether the pixels of a mean lie as those of the image do."""
    shape_env = _find_shape_env(x)
    is_mean = shape_env and any_sizes() and all(isinstance(each, int) and each == 1 for each in output_size)
    with shape_env.suppress_guards() if is_mean else contextlib.nullcontext():
        return _average._op_dk(DispatchKey.CompositeImplicitAutograd, x, output_size)


def _pool_row(pool, x, kernel_size, stride, padding, dilation, ceil_mode):
    """Pooling of a row of an image, which asks for no length. PyTorch's own of a line takes a number for it."""
    one, *_ = kernel_size
    stride = [1, *(stride or kernel_size)]
    return pool(x.unsqueeze(-2), [1, one], stride, [0, *padding], [1, *dilation], ceil_mode)


@_pool.py_impl(DispatchKey.CompositeImplicitAutograd)
def _pool_any(x, kernel_size, stride=(), padding=(0,), dilation=(1,), ceil_mode=False):
    if _copies.get() is None or x.dim() not in (2, 3):
        return _pool._op_dk(
            DispatchKey.CompositeImplicitAutograd, x, kernel_size, stride, padding, dilation, ceil_mode)
    return _pool_row(torch.max_pool2d, x, kernel_size, stride, padding, dilation, ceil_mode).squeeze(-2)


@_pool_with_places.py_impl(DispatchKey.CompositeImplicitAutograd)
def _pool_with_places_any(x, kernel_size, stride=(), padding=(0,), dilation=(1,), ceil_mode=False):
    if _copies.get() is None or x.dim() not in (2, 3):
        return _pool_with_places._op_dk(
            DispatchKey.CompositeImplicitAutograd, x, kernel_size, stride, padding, dilation, ceil_mode)
    pool = torch.ops.aten.max_pool2d_with_indices.default
    result, places = _pool_row(pool, x, kernel_size, stride, padding, dilation, ceil_mode)
    return result.squeeze(-2), places.squeeze(-2)


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


def _attend_groups(query, key, value, mask, is_causal, scale):
    """Attention in which each head of keys serves a group of heads of queries, whose rows are rows of one
    matrix then: no head of keys is copied for each of its group."""
    batch, heads, rows, width = query.shape
    key_heads, columns = key.shape[1:3]
    group = heads // key_heads
    scale = width ** -0.5 if scale is None else scale
    scores = query.reshape(batch, key_heads, group * rows, width) @ key.transpose(-1, -2)
    scores = (scores * scale).view(batch, key_heads, group, rows, columns)
    if is_causal:
        places = torch.arange(columns, device=key.device) <= torch.arange(rows, device=key.device).unsqueeze(-1)
        scores = torch.where(places, scores, float("-inf"))
    if mask is not None:
        # A mask may be for each head of queries, or for all.
        mask = mask.expand(*mask.shape[:-3], heads, -1, -1) if mask.dim() > 2 else mask
        mask = mask.unflatten(-3, (key_heads, group)) if mask.dim() > 2 else mask
        scores = torch.where(mask, scores, float("-inf")) if mask.dtype == torch.bool else scores + mask
    masked = is_causal or mask is not None
    weights = torch.ops.aten._safe_softmax(scores, -1) if masked else scores.softmax(-1)
    result = weights.view(batch, key_heads, group * rows, columns) @ value
    return result.view(batch, heads, rows, value.shape[-1])


def _find_groups(query, key, value, dropout_p):
    """How attention is computed whose heads of keys serve several heads of queries each, which PyTorch's own
    trace has no operator for, or one that knows nothing of it: in "groups", by "copies" of the heads of keys,
    or None, as PyTorch does it. Where eager mode keeps all scores, the graph does."""
    if dropout_p or not (query.dim() == key.dim() == value.dim() == 4) or not traces.get():
        return None
    if query.device.type == "cpu":
        return "copies"
    return "groups" if query.dtype in (torch.float32, torch.float64) else None


def _copy_heads(x, heads):
    """Heads of keys or values, each as often as there are heads of queries for it."""
    batch, own, rows, width = x.shape
    return x.unsqueeze(2).expand(batch, own, heads // own, rows, width).reshape(batch, heads, rows, width)


@_attention.py_impl(DispatchKey.CompositeImplicitAutograd)
def _attend_any(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """PyTorch's own asks whether a size of a mask is 1, to choose an algorithm that all masks suit."""
    groups = _find_groups(query, key, value, dropout_p) if enable_gqa else None
    if groups:
        torch._check(query.shape[1] % key.shape[1] == 0, lambda: "heads of keys have to divide those of queries")
        torch._check(key.shape[1] == value.shape[1], lambda: "keys and values have to have as many heads")
    if groups == "groups":
        return _attend_groups(query, key, value, attn_mask, is_causal, scale)
    if groups == "copies":
        key, value = (_copy_heads(each, query.shape[1]) for each in (key, value))
        enable_gqa = False
    shape_env = _find_shape_env(query)
    asks = not (shape_env and attn_mask is not None and any_sizes() and _is_known_to_fit(attn_mask, query, key))
    # What else it asks, a graph depends on.
    dropout_p = float(dropout_p)
    if not asks:
        all(bool(one == other) for one, other in (*zip(query.shape[:2], key.shape), *zip(key.shape[:3], value.shape)))
    with contextlib.nullcontext() if asks else shape_env.suppress_guards():
        return _attention._op_dk(
            DispatchKey.CompositeImplicitAutograd, query, key, value, attn_mask, dropout_p, is_causal,
            scale=scale, enable_gqa=enable_gqa)


_call_function = TorchInGraphFunctionVariable.call_function
_call_method = TensorVariable.call_method
_call_builtin = BuiltinVariable.call_function
_call_traced = UserFunctionVariable.call_function


def _call_method_any(self, tx, name, args, kwargs):
    made = substitute_method(name, tx, [self, *args], kwargs) if _copies.get() is not None else None
    return _call_method(self, tx, name, args, kwargs) if made is None else made


_ITEMS = {operator.getitem: "__getitem__", operator.setitem: "__setitem__"}


def _call_builtin_any(self, tx, args, kwargs):
    name = _ITEMS.get(self.fn) if args and isinstance(args[0], TensorVariable) else None
    made = substitute_method(name, tx, args, kwargs) if name and _copies.get() is not None else None
    return _call_builtin(self, tx, args, kwargs) if made is None else made


def _call_function_any(self, tx, args, kwargs):
    """Attention takes `is_causal` as a bool. A condition on sizes, as in transformers, would end the graph in
    PyTorch 2.11: a graph depends on it instead."""
    made = substitute_function(self.value, tx, args, kwargs) if _copies.get() is not None else None
    if made is not None:
        return made
    if traces.get() and self.value is torch.nn.functional.scaled_dot_product_attention:
        def decide(each):
            is_condition = isinstance(each, SymNodeVariable) and isinstance(each.sym_num, torch.SymBool)
            return ConstantVariable.create(each.evaluate_expr(tx.output)) if is_condition else each

        args = [decide(each) for each in args]
        kwargs = {name: decide(each) for name, each in kwargs.items()}
    return _call_function(self, tx, args, kwargs)


def _call_traced_any(self, tx, args, kwargs):
    """A function whose code Dynamo traces."""
    made = substitute_function(self.fn, tx, args, kwargs) if _copies.get() is not None else None
    return _call_traced(self, tx, args, kwargs) if made is None else made


TorchInGraphFunctionVariable.call_function = _call_function_any
UserFunctionVariable.call_function = _call_traced_any
TensorVariable.call_method = _call_method_any
BuiltinVariable.call_function = _call_builtin_any


_wrap_float = VariableBuilder.wrap_symfloat


def _wrap_float_any(self, value):
    """A number that is an attribute of a module, or global, as `math.pi` is. PyTorch takes each for a symbol at first,
    finds that an operator wants the number itself, as a norm does its `eps`, and traces the frame again; `1j * math.pi`
    it does not trace. Here it is the number, until it changes."""
    place = self.source.guard_source
    if not (traces.get() and (place.is_unspecialized_nn_module() or place is GuardSource.GLOBAL)):
        return _wrap_float(self, value)
    with torch._dynamo.config.patch(assume_static_by_default=True):
        return _wrap_float(self, value)


VariableBuilder.wrap_symfloat = _wrap_float_any


def _let_choice_not_ask(module, name):
    """A function of PyTorch whose answer for the first sizes is taken for all: no size is asked for."""
    choose = getattr(module, name)

    @functools.wraps(choose)
    def choose_for_all(*args, **kwargs):
        tensor = args[0] if args else kwargs.get("input")  # PyTorch 2.11 passes it by name.
        shape_env = _find_shape_env(tensor)
        with shape_env.suppress_guards() if shape_env and any_sizes() else contextlib.nullcontext():
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
    if not any_sizes() or any(isinstance(each, int) and each == 0 for each in x.stride()):
        return _copy._op_dk(DispatchKey.Meta, x, source, non_blocking)
    torch._refs.expand(source, x.shape)  # Where this is an error, the copy is.
    return x.new_empty_strided(x.shape, x.stride())


def _sample_any(x, grid, interpolation_mode, padding_mode, align_corners):
    """What reading an image at the places of a grid gives. PyTorch's own computes it, an element at a time, which takes
    minutes where the sizes are symbols."""
    for each, size in ((x, "an input"), (grid, "a grid")):
        torch._check(each.dim() == 4, lambda size=size: f"grid_sampler_2d wants {size} of four dimensions")
    torch._check(x.dtype == grid.dtype, lambda: f"the input is of {x.dtype}, the grid of {grid.dtype}")
    torch._check(x.shape[0] == grid.shape[0], lambda: "the input and the grid have different batch sizes")
    torch._check(grid.shape[-1] == 2, lambda: "a grid has two coordinates for each place")
    return x.new_empty((x.shape[0], x.shape[1], grid.shape[1], grid.shape[2]))


_grid_sampler.py_kernels[DispatchKey.Meta] = _sample_any
_grid_sampler._dispatch_cache.clear()
torch._decomp.meta_table[_grid_sampler] = _sample_any

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


#: The graphs of the frame that is traced.
_graphs = contextvars.ContextVar("graphs", default=None)


def note_graph(module):
    """Tells the Tracer which graph was made of a frame."""
    if _graphs.get() is not None:
        _graphs.get().append(module)


def _is_one_operator(module):
    """Whether a graph is one operator of PyTorch's that graphs of its own do not belong to."""
    calls = [node for node in module.graph.nodes if node.op.startswith("call_")]
    return (len(calls) <= 1 and all(node.op == "call_function" for node in calls)
            and not any(isinstance(node.target, torch._ops.HigherOrderOperator) for node in calls))


def _costs_less(module):
    """Whether an operator costs less than a call of a compiled graph: on a GPU, which does not wait for it."""
    values = [node.meta.get("example_value") for node in module.graph.find_nodes(op="placeholder")]
    return any(isinstance(each, torch.Tensor) and each.device.type == "cuda" for each in values)


def _find_code(model):
    """The code of a function, or of the function that a module is called through."""
    function = inspect.unwrap(model.forward if isinstance(model, torch.nn.Module) else model)
    return getattr(function, "__code__", None)


class Tracer:
    """What Dynamo calls for a frame that it has not compiled for such arguments, under settings of ours:
    no size is special, not 0, not 1, not one that is equal to another, and sizes and numbers that
    depend on values are part of the graph. They are set while a frame is traced only, as that
    costs time. A frame that PyTorch cannot trace so, say where a size 1 meets another size, is traced for those
    sizes that are 1 in this call, and for all others, and at last as PyTorch always does: parts of the call may have
    run before it, and must not run again.

    A function that a model calls between its graphs, and that is a single operator, is left to PyTorch, if
    `model` is given."""

    def __init__(self, trace, model=None):
        self._trace = trace
        self._code = _find_code(model) if model is not None else None
        self._torchdynamo_orig_backend = trace  # Where Dynamo looks for the backend.

    def __call__(self, *args):
        token, graphs = traces.set(True), _graphs.set([])
        try:
            made = self._trace_somehow(*args)
            return made if self._pays(args[0], made) else ConvertFrameReturn()
        finally:
            _graphs.reset(graphs)
            traces.reset(token)

    def _pays(self, frame, made):
        """Whether what was made of a frame is to be called, or PyTorch runs it from now on."""
        if self._code in (None, frame.f_code) or not getattr(made, "guarded_code", None):
            return True
        # Where a graph ends before its function does, the rest is a function of its own.
        is_whole = not any(name.startswith("__resume_at") for name in made.guarded_code.code.co_names)
        graphs = _graphs.get()
        return not (is_whole and len(graphs) == 1 and _is_one_operator(graphs[0]) and _costs_less(graphs[0]))

    def _trace_somehow(self, *args):
        sizes = torch.fx.experimental._config.patch(backed_size_oblivious=True, use_duck_shape=False)
        values = torch._dynamo.config.patch(
            capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True,
            reorderable_logging_functions={*torch._dynamo.config.reorderable_logging_functions, warnings.warn})
        for fixed in (False, True):
            ones = _Ones(fixed)
            token = _ones.set(ones)
            try:
                with sizes, values, recurrent_layers():
                    return self._trace_for_all(*args)
            except (TorchDynamoException, GuardOnDataDependentSymNode) as error:
                if isinstance(getattr(error, "inner_exception", None), UnsupportedProgram):
                    raise
                if not ones.found:
                    break
            finally:
                _ones.reset(token)
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
