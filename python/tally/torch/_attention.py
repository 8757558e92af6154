"""Attention in operators of the core: that of graphs that are trained, forward and backward, and what
PyTorch computes in one operator where nothing is trained.

The operators forward and backward have to be replaced together: PyTorch's own decomposition of the first
returns the probabilities where the second expects the logarithms of the sums.
"""

import torch
from torch.nn import functional

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


def _weigh(scores, sums, mask):
    """The weights of scores, from the logarithms of their rows' sums. A row all of whose places are masked has
    weights of 0, as in eager mode."""
    if mask is not None:
        sums = torch.where(sums == float("-inf"), 0.0, sums)
    return (scores - sums.unsqueeze(-1)).exp()


def _forward(query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):
    if dropout_p:
        return NotImplemented
    scores = _scores(query, key, is_causal, attn_mask, scale)
    sums = torch.logsumexp(scores, -1)
    if torch.is_grad_enabled():
        result = _weigh(scores, sums, attn_mask) @ value
    else:
        # The chain of operators that becomes one kernel; nobody reads the sums.
        result = scores.softmax(-1) @ value
        if attn_mask is not None:
            is_masked = (attn_mask == float("-inf")).all(-1, keepdim=True)
            result = torch.where(is_masked, 0.0, result)
    # Eager's lies in memory as batch, row, head, column.
    return result.transpose(1, 2).clone(memory_format=torch.contiguous_format).transpose(1, 2), sums


def _backward(grad, query, key, value, result, sums, dropout_p, is_causal, *, attn_mask=None, scale=None):
    if dropout_p:
        return NotImplemented
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    weights = _weigh(_scores(query, key, is_causal, attn_mask, scale), sums, attn_mask)
    through = grad @ value.transpose(-1, -2) - (grad * result).sum(-1, keepdim=True)
    through = weights * through * factor
    return (through @ key, through.transpose(-1, -2) @ query, weights.transpose(-1, -2) @ grad)


def _forward_efficient(query, key, value, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, *,
                       scale=None):
    """What PyTorch chooses on a GPU. Where nothing is trained, and in halves, the operator stays whole."""
    if dropout_p or not compute_log_sumexp or query.dtype not in (torch.float32, torch.float64):
        return NotImplemented
    result, sums = _forward(query, key, value, 0.0, is_causal, attn_mask=attn_bias, scale=scale)
    # What dropout would have drawn its numbers from.
    state = torch.zeros((), dtype=torch.int64, device=query.device)
    return result, sums, state, state.clone()


def _backward_efficient(grad, query, key, value, attn_bias, result, sums, philox_seed, philox_offset, dropout_p,
                        grad_input_mask, is_causal=False, *, scale=None):
    if dropout_p or query.dtype not in (torch.float32, torch.float64):
        return NotImplemented
    gradients = _backward(grad, query, key, value, result, sums, 0.0, is_causal, attn_mask=attn_bias, scale=scale)
    of_bias = None
    if grad_input_mask[3]:
        weights = _weigh(_scores(query, key, is_causal, attn_bias, scale), sums, attn_bias)
        of_bias = weights * (grad @ value.transpose(-1, -2) - (grad * result).sum(-1, keepdim=True))
    return (*gradients, of_bias)


def _mask_scores(scores, mask, kind):
    """Scores without those of masked places. A mask is for rows and columns (0), for the places of each
    sequence (1), or for scores (2)."""
    if mask is None:
        return scores
    masked = mask.to(torch.bool)
    if kind == 1:
        masked = masked.view(mask.shape[0], 1, 1, mask.shape[1])
    return torch.where(masked, float("-inf"), scores)


def _multi_head(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask=None,
                need_weights=True, average_attn_weights=True, mask_type=None):
    if query.is_nested:
        return NotImplemented
    heads = [
        functional.linear(each, weight, bias).unflatten(-1, (num_head, -1)).transpose(1, 2)
        for each, weight, bias in zip((query, key, value), qkv_weight.chunk(3), qkv_bias.chunk(3))
    ]
    scores = (heads[0] * heads[0].shape[-1] ** -0.5) @ heads[1].transpose(-1, -2)
    weights = _mask_scores(scores, mask, mask_type).softmax(-1)
    result = functional.linear((weights @ heads[2]).transpose(1, 2).flatten(2), proj_weight, proj_bias)
    if not need_weights:
        return result, None
    return result, weights.mean(1) if average_attn_weights else weights


def _encoder_layer(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps,
                   norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2,
                   ffn_bias_2, mask=None, mask_type=None):
    if src.is_nested:
        return NotImplemented

    def attend(x):
        return _multi_head(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask,
                           need_weights=False, mask_type=mask_type)[0]

    def feed(x):
        x = functional.linear(x, ffn_weight_1, ffn_bias_1)
        return functional.linear(functional.gelu(x) if use_gelu else x.relu(), ffn_weight_2, ffn_bias_2)

    for part, weight, bias in ((attend, norm_weight_1, norm_bias_1), (feed, norm_weight_2, norm_bias_2)):
        if norm_first:
            src = src + part(functional.layer_norm(src, (embed_dim,), weight, bias, eps))
        else:
            src = functional.layer_norm(src + part(src), (embed_dim,), weight, bias, eps)
    return src


DECOMPOSITIONS = {
    aten._native_multi_head_attention.default: _multi_head,
    aten._transformer_encoder_layer_fwd.default: _encoder_layer,
    aten._scaled_dot_product_flash_attention_for_cpu.default: _forward,
    aten._scaled_dot_product_flash_attention_for_cpu_backward.default: _backward,
    aten._scaled_dot_product_efficient_attention.default: _forward_efficient,
    aten._scaled_dot_product_efficient_attention_backward.default: _backward_efficient,
}

# PyTorch 2.11 does not know what the last one returns for fake tensors.
if not torch._C._dispatch_has_kernel_for_dispatch_key("aten::_transformer_encoder_layer_fwd", "Meta"):
    aten._transformer_encoder_layer_fwd.default.py_impl(torch._C.DispatchKey.Meta)(_encoder_layer)
