"""Operators of graphs that are trained, whose gradients are no operators of the core, in operators that are."""

import math

import torch

aten = torch.ops.aten


def _find_bags(indices, offsets, include_last):
    """The bag of each index, and how many bags there are."""
    count = offsets.shape[0] - 1 if include_last else offsets.shape[0]
    starts = torch.zeros(indices.shape[0] + 1, dtype=indices.dtype, device=indices.device)
    ones = torch.ones_like(offsets, dtype=indices.dtype)
    bags = starts.index_add(0, offsets, ones)[:indices.shape[0]].cumsum(0) - 1
    return bags.to(indices.dtype), count


def _embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False,
                   per_sample_weights=None, include_last_offset=False, padding_idx=-1):
    if mode == 2 or sparse or scale_grad_by_freq or indices.dtype != offsets.dtype:
        return NotImplemented
    result = aten._embedding_bag_forward_only(
        weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
        include_last_offset, padding_idx)[0]
    bags, count = _find_bags(indices, offsets, include_last_offset)
    counted = (indices != padding_idx).to(indices.dtype)
    sizes = torch.zeros(count, dtype=indices.dtype, device=indices.device).index_add(0, bags, counted)
    return result, bags, sizes, torch.zeros_like(sizes)


def _embedding_bag_backward(grad, indices, offsets, bags, sizes, largest, num_weights, scale_grad_by_freq,
                            mode, sparse, per_sample_weights, padding_idx=-1):
    if mode == 2 or sparse or scale_grad_by_freq:
        return NotImplemented
    rows = grad[bags]
    if mode == 1:
        rows = rows / sizes[bags].clamp(min=1).unsqueeze(1).to(grad.dtype)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    rows = torch.where((indices != padding_idx).unsqueeze(1), rows, 0.0)
    return grad.new_zeros(num_weights, grad.shape[1]).index_add(0, indices, rows)


def _bag_weights_backward(grad, weight, indices, offsets, bags, mode, padding_idx=-1):
    """The gradients of the weights that a sum has for each element of a bag."""
    if mode != 0:
        return NotImplemented
    products = (grad[bags] * weight[indices]).sum(1)
    return torch.where(indices != padding_idx, products, 0.0)


def _cdist_backward(grad, x1, x2, p, cdist):
    """Gradients of the first rows by their distances from the others. Where a distance is 0, they are 0."""
    if p == 0:
        batch = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        return x1.new_zeros(*batch, *x1.shape[-2:])
    away = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    grad, cdist = grad.unsqueeze(-1), cdist.unsqueeze(-1)
    if p == 1:
        parts = grad * away.sign()
    elif p == float("inf"):
        parts = torch.where(away.abs() == cdist, grad * away.sign(), 0.0)
    elif p == 2:
        parts = torch.where(cdist == 0, 0.0, grad * away / cdist)
    else:
        parts = torch.where((cdist == 0) | (away == 0), 0.0, grad * away.sign() * (away.abs() / cdist) ** (p - 1))
    return parts.sum(-2)


def _weight_norm_backward(grad, v, g, norms, dim):
    """Of `v * (g / norms)`, where a norm is over all dimensions but one."""
    others = [each for each in range(v.dim()) if each != dim]
    through = (grad * v).sum(others, keepdim=True)
    return g / norms * (grad - v * through / (norms * norms)), through / norms


def _masked_scatter_backward(grad, mask, sizes):
    """Of the elements that are scattered: as many as the mask has places have a gradient."""
    mask, grad = (each.flatten() for each in torch.broadcast_tensors(mask, grad))
    count = math.prod(sizes)
    places = torch.where(mask, mask.to(torch.int64).cumsum(0) - 1, count)
    return grad.new_zeros(count + 1).scatter(0, places, torch.where(mask, grad, 0.0))[:count].view(sizes)


DECOMPOSITIONS = {
    aten._cdist_backward.default: _cdist_backward,
    aten._embedding_bag.default: _embedding_bag,
    aten._embedding_bag_backward.default: _embedding_bag_backward,
    aten._embedding_bag_per_sample_weights_backward.default: _bag_weights_backward,
    aten._weight_norm_interface_backward.default: _weight_norm_backward,
    aten.masked_scatter_backward.default: _masked_scatter_backward,
}
