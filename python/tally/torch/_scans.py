"""Scans with a function of the program's.

PyTorch takes `associative_scan` apart into the levels of a tree, of which there are more the longer the rows are: each number
of levels, and each remainder of a length, has a graph of its own. Here it is a loop over the rows, which has gradients."""

import functools

import torch
from torch._higher_order_ops.scan import scan_op, wrap_combine_fn_flat
from torch.utils import _pytree


def _copy(tree):
    """A copy of each tensor: PyTorch wants no results of a loop that share memory."""
    return _pytree.tree_map(lambda each: each.clone(memory_format=torch.contiguous_format), tree)


def scan_in_order(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    """What `associative_scan` gives: the first row, then what `combine_fn` makes of the last result and the next row.

    The loop starts at the first row and makes as many steps as there are rows, so that it makes one also where there is one
    row: the step after the last row takes the first again, and nothing reads its result."""
    leaves, spec = _pytree.tree_flatten(xs)
    leaves = [each.movedim(dim, 0) for each in leaves]
    leaves = [each.flip(0) for each in leaves] if reverse else leaves

    def step(last, row):
        new = combine_fn(last, row)
        return _copy(new), _copy(new)

    count = len(leaves)
    flat_step = functools.partial(
        wrap_combine_fn_flat, combine_fn=step, spec_init=spec, spec_xs=spec, num_init_leaves=count, num_inp_leaves=count)
    first = [_copy(each[0]) for each in leaves]
    _, found = scan_op(flat_step, first, [each.roll(-1, 0) for each in leaves], additional_inputs=())
    results = []
    for rows, others in zip(leaves, _pytree.tree_leaves(found)):
        places = torch.arange(rows.shape[0], device=rows.device).reshape([-1] + [1] * (rows.dim() - 1))
        made = torch.where(places == 0, rows, others.roll(1, 0))
        results.append((made.flip(0) if reverse else made).movedim(0, dim))
    return _pytree.tree_unflatten(results, spec)
