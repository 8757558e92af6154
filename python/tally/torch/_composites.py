"""Operators that are not of the core, and that PyTorch takes apart for no backend, in operators that are."""

import string

import torch

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


DECOMPOSITIONS = {
    aten._trilinear.default: _trilinear,
    aten.fft_fftfreq.default: find_frequencies,
    aten.fft_rfftfreq.default: find_half_frequencies,
}
