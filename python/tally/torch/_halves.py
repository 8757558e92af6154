"""Attention in half precision that PyTorch's trace computes in f32: its own decomposition converts queries, keys and
values before it multiplies them, which keeps tensor cores, and AMX, from doing it. The operator `tally::attention`
stands for the whole instead. Sums are of f32 in it, too."""

import torch
from torch._C import DispatchKey
from torch.nn import functional

from ._sizes import traces

_math = torch.ops.aten._scaled_dot_product_attention_math.default


@torch.library.custom_op("tally::attention", mutates_args=())
def attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None,
           is_causal: bool, scale: float | None) -> torch.Tensor:
    return functional.scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal, scale=scale)


@attend.register_fake
def _(query, key, value, attn_mask, is_causal, scale):
    sizes = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    return query.new_empty((*sizes, query.shape[-2], value.shape[-1]))


def _is_trained(*tensors):
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors if tensor is not None)


@_math.py_impl(DispatchKey.CompositeImplicitAutograd)
def _attend_by_math(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, dropout_mask=None, *,
                    scale=None, enable_gqa=False):
    suits = (traces.get() and query.dtype in (torch.float16, torch.bfloat16) and query.dim() >= 2 and not enable_gqa
             and isinstance(dropout_p, float) and dropout_p == 0 and dropout_mask is None
             and isinstance(is_causal, bool) and isinstance(scale, (float, type(None)))
             and query.dim() == key.dim() == value.dim() and not _is_trained(query, key, value, attn_mask))
    if not suits:
        return _math._op_dk(DispatchKey.CompositeImplicitAutograd, query, key, value, attn_mask, dropout_p, is_causal,
                            dropout_mask, scale=scale, enable_gqa=enable_gqa)
    result = torch.ops.tally.attention(query, key, value, attn_mask, is_causal, scale)
    return result, result
