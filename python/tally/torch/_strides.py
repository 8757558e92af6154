"""Results with eager's strides, and inputs with any.

A compiled graph returns tensors whose elements lie row by row. Where eager's lie in another order
of the dimensions, the graph returns the tensor with its dimensions in that order, and the caller
permutes them back, which moves nothing. So it is with inputs, which would be copied otherwise.
"""

import sympy
import torch

from ._schema import value_of


def _hints(tensor):
    """The strides of a fake tensor as they were when it was traced; None where one depends on
    data."""
    strides = []
    for stride in tensor.stride():
        if isinstance(stride, torch.SymInt):
            stride = stride.node.hint  # Asking the number itself would become a guard.
            if stride is None:
                return None
        strides.append(int(stride))
    return strides


def _expression(number):
    return number.node.expr if isinstance(number, torch.SymInt) else sympy.Integer(number)


def _same(left, right):
    """Whether two numbers are equal where no size is 0: the stride of a size is at least 1."""
    maxima = {}
    for each in sympy.preorder_traversal(left):
        # PyTorch has a class of its own beside SymPy's.
        if type(each).__name__ == "Max" and len(each.args) == 2 and each.args[0] == 1:
            maxima[each] = each.args[1]
    return sympy.expand(left.xreplace(maxima) - right) == 0


def _find_memory_order(tensor):
    """The dimensions of a fake tensor from the outermost in memory to the innermost; None where
    that depends on data."""
    strides = _hints(tensor)
    if strides is None:
        return None
    return sorted(range(tensor.dim()), key=lambda dim: -strides[dim])


def _is_compact(tensor, order):
    """Whether the elements of a tensor lie one behind the other, its dimensions in an order."""
    expected = sympy.Integer(1)
    for dim in reversed(order):
        if not _same(_expression(tensor.stride(dim)), expected):
            return False
        expected = expected * _expression(tensor.shape[dim])
    return True


def has_gaps(tensor):
    """Whether a fake tensor has gaps between its elements, or one element at several places."""
    order = _find_memory_order(tensor)
    return order is not None and not _is_compact(tensor, order)


def find_order(tensor):
    """The dimensions of a fake tensor from the outermost in memory to the innermost, where that is
    not their own order and the tensor has no gaps; else None."""
    order = _find_memory_order(tensor)
    if order is None or order == list(range(tensor.dim())):
        return None
    return order if _is_compact(tensor, order) else None


def permute_results(module):
    """Has a graph return its results in the order of their memory. Returns the dimensions that
    each result is to be permuted by, None where it stays."""
    output = module.graph.output_node()
    results = list(output.args[0]) if isinstance(output.args[0], (list, tuple)) else [output.args[0]]
    backs = [None] * len(results)
    for i, node in enumerate(results):
        value = value_of(node) if isinstance(node, torch.fx.Node) else None
        order = find_order(value) if isinstance(value, torch.Tensor) else None
        if order is None:
            continue
        with module.graph.inserting_before(output):
            results[i] = module.graph.call_function(torch.ops.aten.permute.default, (node, order))
        results[i].meta["val"] = value.permute(order)
        backs[i] = [order.index(dim) for dim in range(len(order))]
    if any(backs):
        output.args = (tuple(results),)
    return backs


def permute_inputs(module):
    """Has a graph take its inputs in the order of their memory. Returns the dimensions that each input is to
    be permuted by, None where it stays."""
    forth = []
    for node in module.graph.find_nodes(op="placeholder"):
        value, users = value_of(node), list(node.users)
        order = find_order(value) if isinstance(value, torch.Tensor) and users else None
        if order is None or any(map(writes, users)) or node in module.graph.output_node().all_input_nodes:
            forth.append(None)
            continue
        back = [order.index(dim) for dim in range(len(order))]
        with module.graph.inserting_after(node):
            permuted = module.graph.call_function(torch.ops.aten.permute.default, (node, back))
        permuted.meta["val"] = value
        node.meta = {**node.meta, "val": value.permute(order)}
        for user in users:
            user.replace_input_with(node, permuted)
        forth.append(order)
    return forth


def make_compact(node):
    """Has the value of a node lie row by row where its dimensions are in another order."""
    value = value_of(node)
    if isinstance(value, torch.Tensor) and find_order(value):
        with value.fake_mode:
            node.meta = {**node.meta, "val": torch.empty(value.shape, dtype=value.dtype, device=value.device)}


def writes(node):
    """Whether a node is an operator that writes to a tensor."""
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable
