"""Operators that stay whole in graphs. PyTorch takes them apart in lookups of single elements at indices that it computes, or in
writes at such; Tally knows what they are, and reads and writes rows."""

import contextlib

import torch
from torch._C import DispatchKey
from torch._decomp.decompositions import upsample_compute_output_size

aten = torch.ops.aten

#: Operators that PyTorch's table takes apart. What it makes of isin asks for sizes, and looks up places among no elements.
_IN_TABLE = (
    aten.col2im, aten.grid_sampler_2d, aten.im2col, aten.index_add, aten.index_copy, aten.index_fill, aten.isin,
    aten.max_unpool2d, aten.max_unpool3d, aten.reflection_pad1d, aten.reflection_pad2d, aten.reflection_pad3d, aten.replication_pad1d,
    aten.replication_pad2d, aten.replication_pad3d, aten.roll)

#: Operators that PyTorch takes apart before it computes gradients.
_RESIZES = (
    aten._upsample_nearest_exact1d, aten._upsample_nearest_exact2d, aten._upsample_nearest_exact3d, aten.upsample_bicubic2d,
    aten.upsample_bilinear2d, aten.upsample_linear1d, aten.upsample_nearest1d, aten.upsample_nearest2d,
    aten.upsample_nearest3d, aten.upsample_trilinear3d)


def keep_whole(decompositions):
    """Takes operators out of a table of decompositions."""
    for packet in (*_IN_TABLE, *_RESIZES):
        for overload in packet.overloads():
            decompositions.pop(getattr(packet, overload), None)


def _may_keep_size(factors):
    """Whether an image may be as large as before, or twice as large, by factors that are neither 1 nor 2: PyTorch copies elements
    then, and what it takes resizing apart in does not."""
    return any(isinstance(each, float) and 1 < each < 3 and each != 2 for each in factors or ())


def _resize(packet, overload, take_apart):
    """How an operator resizes an image: whole, if gradients are not wanted, as Tally knows none of it."""
    is_exact = "exact" in packet.__name__

    def run(x, size, *rest):
        options = torch.utils._pytree.tree_leaves(rest)
        is_taken_apart_well = is_exact or not _may_keep_size(options)
        wants_gradient = torch.is_grad_enabled() and x.requires_grad and is_taken_apart_well
        if wants_gradient or any(isinstance(each, torch.SymFloat) for each in options):
            return take_apart(x, size, *rest)
        if overload == "vec":
            *options, factors = rest
            size = upsample_compute_output_size(x.size(), size, factors)
            rest = (*options, *(factors or [None] * len(size)))
        with torch._C._AutoDispatchBelowAutograd() if not x.requires_grad else contextlib.nullcontext():
            return packet.default(x, size, *rest)

    return run


@contextlib.contextmanager
def whole_resizes():
    """Has images resized by one operator while graphs are traced."""
    operators = [(packet, overload) for packet in _RESIZES for overload in ("default", "vec")]
    before = {pair: dict(getattr(*pair).py_kernels) for pair in operators}
    try:
        for (packet, overload), kernels in before.items():
            operator = getattr(packet, overload)
            take_apart = kernels.get(DispatchKey.Autograd, operator)
            # One of these is where gradients are wanted, the other one where they are not.
            for key in (DispatchKey.Autograd, DispatchKey.CompositeImplicitAutograd):
                if overload == "vec" or key == DispatchKey.Autograd and key in kernels:
                    operator.py_kernels[key] = _resize(packet, overload, take_apart)
                else:
                    operator.py_kernels.pop(key, None)
            operator._dispatch_cache.clear()
        yield
    finally:
        for (packet, overload), kernels in before.items():
            operator = getattr(packet, overload)
            operator.py_kernels.clear()
            operator.py_kernels.update(kernels)
            operator._dispatch_cache.clear()
