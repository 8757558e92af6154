"""Tracing for all sizes."""

import contextlib
import functools

import torch
import torch.fx.experimental._config
from torch._C import DispatchKey
from torch._dynamo.exc import TorchDynamoException
from torch._prims_common import is_contiguous_or_false
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor

from ._reports import UnsupportedProgram

_contiguous = torch.ops.aten.contiguous.default


def _any_sizes():
    """Whether what is traced is traced for all sizes."""
    return torch.fx.experimental._config.backed_size_oblivious


@_contiguous.py_impl(DispatchKey.CompositeImplicitAutograd)
def _make_contiguous(x, *, memory_format=torch.contiguous_format):
    """PyTorch's own asks whether a size of a transposed tensor is 1, and then copies nothing: a graph
    for each answer. Where no size is special, what may have to be copied is."""
    if memory_format != torch.contiguous_format or not _any_sizes():
        return _contiguous._op_dk(
            DispatchKey.CompositeImplicitAutograd, x, memory_format=memory_format)
    return x if is_contiguous_or_false(x) else x.clone(memory_format=memory_format)


def _let_method_not_ask(kind):
    """The method of Tensor asks the same before it calls the operator."""
    method = kind.contiguous

    def contiguous(self, memory_format=torch.contiguous_format):
        if _any_sizes():
            return _contiguous(self, memory_format=memory_format)
        return method(self, memory_format=memory_format)

    kind.contiguous = contiguous


_let_method_not_ask(FakeTensor)
_let_method_not_ask(FunctionalTensor)


def _let_choice_not_ask(name):
    """PyTorch chooses a library for a convolution by its sizes, and asks whether a batch is 1 or less than
    16. All that it means to a graph is where the elements of the result lie."""
    choose = getattr(torch._C, name)

    @functools.wraps(choose)
    def choose_for_all(*args, **kwargs):
        image = args[0] if args else kwargs.get("input")  # PyTorch 2.11 passes it by name.
        shape_env = getattr(getattr(image, "fake_mode", None), "shape_env", None)
        with shape_env.suppress_guards() if shape_env and _any_sizes() else contextlib.nullcontext():
            return choose(*args, **kwargs)

    setattr(torch._C, name, choose_for_all)


_let_choice_not_ask("_select_conv_backend")
_let_choice_not_ask("_conv_determine_backend_memory_format")


@contextlib.contextmanager
def _recurrent_layers():
    """Has recurrent layers traced as loops over their steps, where no gradient is needed, of which
    PyTorch has none for such loops. Else a graph ends at them: it would have all steps one by one."""
    if torch.is_grad_enabled():
        yield
        return
    from torch.export import _patches
    with torch._dynamo.config.patch(allow_rnn=True), \
            _patches.register_lstm_while_loop_decomposition(), \
            _patches.register_gru_while_loop_decomposition():
        yield


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
            capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True)
        try:
            with sizes, values, _recurrent_layers():
                return self._trace(*args)
        except TorchDynamoException as error:
            if isinstance(getattr(error, "inner_exception", None), UnsupportedProgram):
                raise
        return self._trace(*args)
