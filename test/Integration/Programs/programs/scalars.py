"""Tensors without dimensions, for which operators take dimension 0 or -1 all the same."""

import torch
import torch.nn.functional as F

from recording.table import case, function, program
from recording.values import f32, lit

FAMILY = "scalars"


def calls(name, fn, **more):
    """A program that is called with two numbers, also with one that has no order."""
    program(name, function(fn), FAMILY, dynamic=None, example=(f32(),),
            cases=[case("one", f32()), case("nan", lit(float("nan")))], **more)


def first():
    return torch.tensor(0)


calls("scalar_orders", lambda x: (
    *torch.kthvalue(x, 1), *torch.kthvalue(x, 1, keepdim=True), *torch.topk(x, 1), *torch.topk(x, 1, largest=False),
    *torch.sort(x), *torch.sort(x, descending=True, stable=True), x.argsort(), torch.msort(x),
    *torch.median(x, 0), *torch.nanmedian(x, -1, keepdim=True), *torch.aminmax(x, dim=0),
    torch.quantile(x, 0.5), torch.quantile(x, 0.5, dim=0), torch.quantile(x, 0.25, dim=-1, keepdim=True),
    torch.quantile(x, torch.tensor([0.0, 1.0]), dim=0, keepdim=True), torch.nanquantile(x, 0.5, dim=0)))

calls("scalar_reductions", lambda x: (
    x.sum(0), x.mean(-1, keepdim=True), x.prod(0), x.amax(0), x.amin(-1), x.argmax(0), x.argmin(0, keepdim=True),
    x.any(0), (x > 0).all(-1), torch.count_nonzero(x, 0), x.logsumexp(0), torch.linalg.vector_norm(x, 2, 0),
    torch.nansum(x, 0), *torch.var_mean(x, 0, correction=0), *torch.std_mean(x, -1, correction=0),
    F.cosine_similarity(x, x + 1, dim=0), F.cosine_similarity(x, x[None], dim=0)))

calls("scalar_scans", lambda x: (
    x.cumsum(0), x.cumprod(-1), torch.logcumsumexp(x, 0), *torch.cummax(x, 0), *torch.cummin(x, -1), x.softmax(0),
    x.log_softmax(-1), F.softmin(x, 0), F.normalize(x, dim=0), x.flip(0), x.roll(1), x.squeeze(0), x.unsqueeze(-1),
    x.flatten(), x.expand(2), x.repeat(2), x.tile((2,)), torch.repeat_interleave(x, 2), torch.stack([x, x], -1)))

calls("scalar_indices", lambda x: (
    x.gather(0, first()), x.index_select(0, first()), x.take(first()), torch.take_along_dim(x, first()),
    *x.nonzero(as_tuple=True),
    x.scatter(0, first(), torch.tensor(1.5)), x.scatter_add(0, first(), x),
    *(x.scatter_reduce(0, first(), torch.tensor(0.5), mode, include_self=own)
      for mode in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)),
    x.index_fill(0, first(), 2.0), x.index_copy(0, first(), torch.tensor(1.5)), x.index_add(0, first(), x),
    x.masked_fill(x > 0, 1.5), torch.where(x > 0, x, 0.5)))
