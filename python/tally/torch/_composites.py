"""Operators that are not of the core, and that PyTorch takes apart for no backend or not for all values, in operators
that are."""

import string

import torch
from torch._decomp import decompositions
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

aten = torch.ops.aten


def _trilinear(one, two, three, expand_one, expand_two, expand_three, sum_dims, unroll_dim=1):
    """A sum over some dimensions of a product of three tensors, each of which lacks some dimensions."""
    dims = one.dim() + len(expand_one)
    labels = string.ascii_lowercase[:dims]
    parts = ["".join(labels[dim] for dim in range(dims) if dim not in left_out)
             for left_out in (expand_one, expand_two, expand_three, sum_dims)]
    return torch.einsum(f"{','.join(parts[:3])}->{parts[3]}", one, two, three)


def _scale_frequencies(places, count, step, dtype):
    # The length may be 0, which a number is not divided by.
    scale = torch.scalar_tensor(count * step, dtype=torch.float64, device=places.device).reciprocal()
    return places.to(dtype or torch.get_default_dtype()) * scale


def find_frequencies(n, d=1.0, *, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False):
    """Those of the bins of a Fourier transform."""
    places = torch.arange(n, device=device)
    return _scale_frequencies(torch.where(places < (n + 1) // 2, places, places - n), n, d, dtype)


def find_half_frequencies(n, d=1.0, *, dtype=None, layout=None, device=None, pin_memory=None, requires_grad=False):
    """Those of the bins of a Fourier transform of real numbers."""
    return _scale_frequencies(torch.arange(n // 2 + 1, device=device), n, d, dtype)


def _find_selected(sizes, dim, index, device):
    """Whether each place of a dimension, with those behind it, is the one at an index that is a value: PyTorch's own
    asks whether it is negative."""
    places = torch.arange(sizes[dim], device=device)
    return ((places == index) | (places == index + sizes[dim])).view([-1] + [1] * (len(sizes) - 1 - dim))


def _is_value(index):
    return isinstance(index, torch.SymInt) and bool(free_unbacked_symbols(index))


def _select_backward(grad, sizes, dim, index):
    if not _is_value(index):
        return decompositions.select_backward(grad, sizes, dim, index)
    dim = dim % len(sizes)
    return torch.where(_find_selected(sizes, dim, index, grad.device), grad.unsqueeze(dim), 0)


def _select_scatter(x, row, dim, index):
    if not _is_value(index):
        return torch._refs.select_scatter(x, row, dim, index)
    dim = dim % x.dim()
    return torch.where(_find_selected(x.shape, dim, index, x.device), row.unsqueeze(dim), x)


DECOMPOSITIONS = {
    aten._trilinear.default: _trilinear,
    aten.fft_fftfreq.default: find_frequencies,
    aten.fft_rfftfreq.default: find_half_frequencies,
    aten.select_backward.default: _select_backward,
    aten.select_scatter.default: _select_scatter,
}
