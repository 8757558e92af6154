"""Tracing for all sizes."""

import torch
import torch.fx.experimental._config
from torch._C import DispatchKey
from torch._prims_common import is_contiguous_or_false
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor

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


class Tracer:
    """What Dynamo calls for a frame that it has not compiled for such arguments, under settings of ours:
    no size is special, not 0, not 1, not one that is equal to another, and sizes and numbers that
    depend on values are part of the graph, as are recurrent layers. They are set while a frame is
    traced only, as that costs time."""

    def __init__(self, trace):
        self._trace = trace
        self._torchdynamo_orig_backend = trace  # Where Dynamo looks for the backend.

    def __call__(self, *args):
        sizes = torch.fx.experimental._config.patch(backed_size_oblivious=True, use_duck_shape=False)
        values = torch._dynamo.config.patch(
            capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True, allow_rnn=True)
        with sizes, values:
            return self._trace(*args)
