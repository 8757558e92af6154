"""Operators that stay whole in graphs. PyTorch takes them apart in lookups of single elements at indices that it computes, or in
writes at such; Tally knows what they are, and reads and writes rows."""

import contextlib

import torch
from torch._C import DispatchKey
from torch._decomp import decompositions

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


def keep_whole(table):
    """Takes operators out of a table of decompositions."""
    for packet in (*_IN_TABLE, *_RESIZES):
        for overload in packet.overloads():
            table.pop(getattr(packet, overload), None)


def _is_equal(size, other):
    """1 or 0, without a guard."""
    difference = size - other
    return 1 - torch.sym_min(torch.sym_max(difference, -difference), 1)


def _correct(factor, given, made, is_nearest):
    """A factor with which PyTorch's decompositions give what its operators do: they copy elements where a size stays the same,
    and nearest ones where it is doubled, whatever the factor is."""
    if factor is None or not 1 < factor < 3 or factor == 2:
        return factor
    corrected = factor + (1 - factor) * _is_equal(made, given)
    return corrected + (2 - factor) * _is_equal(made, 2 * given) if is_nearest else corrected


def _take_apart_well(name, x, size, options, factors):
    """PyTorch's decomposition, with factors that are right for it."""
    is_nearest = "nearest" in name
    factors = [_correct(each, given, made, is_nearest) for each, given, made in zip(factors, x.shape[2:], size)]
    if is_nearest:
        return decompositions._upsample_nearest(x, size, factors)
    return decompositions._upsample_linear(x, size, *options, factors)


def _resize(packet, overload, take_apart):
    """How an operator resizes an image: whole, unless a gradient is wanted, which Tally does not know."""
    is_right = any(part in packet.__name__ for part in ("exact", "cubic"))

    def run(x, size, *rest):
        trains = torch.is_grad_enabled() and x.requires_grad
        if trains and is_right or any(isinstance(each, torch.SymFloat) for each in torch.utils._pytree.tree_leaves(rest)):
            return take_apart(x, size, *rest)
        if overload == "vec":
            *options, factors = rest
            size = decompositions.upsample_compute_output_size(x.size(), size, factors)
            factors = factors or [None] * len(size)
        else:
            options = [each for each in rest if isinstance(each, bool)]
            factors = [*rest[len(options):], *[None] * len(size)][:len(size)]
        if trains:
            return _take_apart_well(packet.__name__, x, size, options, factors)
        with torch._C._AutoDispatchBelowAutograd():
            return packet.default(x, size, *options, *factors)

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
