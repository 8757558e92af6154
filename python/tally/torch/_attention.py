"""Attention of graphs that are trained, forward and backward, in operators of the core.

The two have to be replaced together: PyTorch's own decomposition of the forward operator
returns the probabilities where the backward operator expects the logarithms of the sums.
"""

import torch

aten = torch.ops.aten


def _scores(query, key, is_causal, mask, scale):
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = (query @ key.transpose(-1, -2)) * scale
    if mask is not None:
        scores = scores + mask
    if is_causal:
        rows = torch.arange(query.shape[-2], device=query.device).unsqueeze(-1)
        columns = torch.arange(key.shape[-2], device=key.device)
        scores = torch.where(columns <= rows, scores, float("-inf"))
    return scores


def _forward(query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    if dropout_p:
        return NotImplemented
    scores = _scores(query, key, is_causal, attn_mask, scale)
    sums = torch.logsumexp(scores, -1)
    result = (scores - sums.unsqueeze(-1)).exp() @ value
    # Eager's lies in memory as batch, row, head, column.
    return result.transpose(1, 2).clone(memory_format=torch.contiguous_format).transpose(1, 2), sums


def _backward(grad, query, key, value, result, sums, dropout_p, is_causal, *, attn_mask=None, scale=None):
    if dropout_p:
        return NotImplemented
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    weights = (_scores(query, key, is_causal, attn_mask, scale) - sums.unsqueeze(-1)).exp()
    through = grad @ value.transpose(-1, -2) - (grad * result).sum(-1, keepdim=True)
    through = weights * through * factor
    return (through @ key, through.transpose(-1, -2) @ query, weights.transpose(-1, -2) @ grad)


DECOMPOSITIONS = {
    aten._scaled_dot_product_flash_attention_for_cpu.default: _forward,
    aten._scaled_dot_product_flash_attention_for_cpu_backward.default: _backward,
}
