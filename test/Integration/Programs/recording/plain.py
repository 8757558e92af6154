"""Control flow in plain Python, for evaluating programs eagerly.

Called outside of export, torch's control-flow ops trace their branches and
bodies first; what tracing refuses or assumes is then no statement about the
program.  Python's own `if` and `for` are the meaning that these ops document.
"""

import contextlib
import sys
from unittest import mock

import torch
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.utils import _pytree as pytree


def _cond(predicate, true_fn, false_fn, operands=()):
    return true_fn(*operands) if bool(predicate) else false_fn(*operands)


def _while_loop(cond_fn, body_fn, carried):
    carried = tuple(carried)
    while bool(cond_fn(*carried)):
        carried = tuple(body_fn(*carried))
    return carried


def _stack(rows, dim):
    """Stacks trees of tensors leaf by leaf, along `dim` where there is one."""
    leaves = [pytree.tree_leaves(row) for row in rows]
    stacked = [torch.stack(column, dim if dim <= column[0].dim() else 0)
               for column in zip(*leaves)]
    return pytree.tree_unflatten(stacked, pytree.tree_structure(rows[0]))


def _scan(combine_fn, init, xs, *, dim=0, reverse=False):
    length = pytree.tree_leaves(xs)[0].shape[dim]
    order = range(length)
    carry, rows = init, []
    for i in reversed(order) if reverse else order:
        carry, row = combine_fn(
            carry, pytree.tree_map(lambda x: x.select(dim, i), xs))
        rows.append(row)
    return carry, _stack(rows[::-1] if reverse else rows, dim)


def _associative_scan(combine_fn, xs, dim, reverse=False,
                      combine_mode="pointwise"):
    order = range(pytree.tree_leaves(xs)[0].shape[dim])
    rows = [pytree.tree_map(lambda x: x.select(dim, i), xs)
            for i in (reversed(order) if reverse else order)]
    for i in range(1, len(rows)):
        rows[i] = combine_fn(rows[i - 1], rows[i])
    return _stack(rows[::-1] if reverse else rows, dim)


def _map(body, xs, *args):
    count = pytree.tree_leaves(xs)[0].shape[0]
    return _stack([body(pytree.tree_map(lambda x: x[i], xs), *args)
                   for i in range(count)], 0)


_PLAIN = [(while_loop, _while_loop), (scan, _scan), (map_rows, _map),
          (associative_scan, _associative_scan)]


@contextlib.contextmanager
def control_flow():
    """Replaces the ops wherever a program's module has imported them."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(torch, "cond", _cond))
        for name, module in list(sys.modules.items()):
            if not name.startswith("programs."):
                continue
            for key, value in list(vars(module).items()):
                for original, plain in _PLAIN:
                    if value is original:
                        stack.enter_context(
                            mock.patch.object(module, key, plain))
        yield
