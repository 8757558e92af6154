"""Graphs in parts: those that Tally compiles, and operators that PyTorch runs."""

import operator
import os
import re

import torch
from torch.fx.experimental.proxy_tensor import py_sym_types
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner, Partition
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.utils import _pytree

from .. import _mlir
from ._devices import goes_along
from ._schema import value_of
from ._strides import has_gaps, make_compact


def _is_complex(value):
    return isinstance(value, torch.Tensor) and value.is_complex()


def _is_known(node):
    """Whether Tally has the operator of a node, for complex numbers where it has to do with them."""
    target = node.target
    name = f"{target.namespace}.{target._schema.name.split('::')[1]}.{target._overloadname}"
    values = [value_of(node)] + [value_of(each) for each in node.all_input_nodes]
    knows = _mlir._lib.tallyIsSupportedOperator
    if any(map(_is_complex, _pytree.tree_leaves(values))):
        knows = _mlir._lib.tallyIsSupportedOnComplex
    return knows(_mlir._String.of(name))


def find_graph_device(module):
    """Where a graph runs: the first GPU of its tensors, or else the CPU. What it has elsewhere is
    refused."""
    values = [value_of(node) for node in module.graph.nodes if node.op != "output"]
    tensors = (each for each in _pytree.tree_leaves(values) if isinstance(each, torch.Tensor))
    return next((each.device for each in tensors if each.device.type == "cuda"), torch.device("cpu"))


def _is_made_in_graph(node):
    """Whether a tensor is made of sizes and numbers alone. One on the CPU is made where the graph runs, as an index is
    or what is copied there."""
    found = node.meta.get("tally_is_made_in_graph")
    if found is None:
        is_scalar = {each: isinstance(value_of(each), py_sym_types) for each in node.all_input_nodes}
        is_call = isinstance(node.target, torch._ops.OpOverload) or node.target is operator.getitem
        found = is_call and all(is_scalar[each] or _is_made_in_graph(each) for each in is_scalar)
        node.meta["tally_is_made_in_graph"] = found
    return found


def _find_refused_value(node, device):
    """What PyTorch has and Tally has not in what a node reads or gives; None where all is known."""
    values = [(owner, value) for owner in (node, *node.all_input_nodes) for value in _pytree.tree_leaves(value_of(owner))]
    for owner, value in values:
        if not isinstance(value, torch.Tensor):
            continue
        if value.dtype == torch.complex32:
            return "complex numbers of two halves"
        if value.layout != torch.strided:
            return f"tensors of layout {value.layout}"
        if value.is_quantized:
            return "quantized tensors"
        if not goes_along(value, device) and not (value.device.type == "cpu" and _is_made_in_graph(owner)):
            beside = "" if device.type == "cpu" else f" beside those on {device}"
            return f"tensors on {value.device}{beside}"
    return None


def find_subgraphs(node):
    """The graphs that an operator is given, say the branches of a condition."""
    owner = node.graph.owning_module
    arguments = (each for each in node.all_input_nodes if each.op == "get_attr")
    found = (getattr(owner, each.target, None) for each in arguments)
    return [each for each in found if isinstance(each, torch.fx.GraphModule)]


def _find_refusal_of_graphs(node):
    """Why Tally does not take an operator that is given graphs; None where it does."""
    name = node.target.name()
    if name.endswith("_rng_state"):
        return "random numbers"
    # Checks, which the graph that is compiled has without this.
    is_known = name == "with_effects" or _mlir._lib.tallyIsSupportedOperator(_mlir._String.of(f"higher_order.{name}"))
    if not is_known:
        return "an operator that is not known"
    for inner in find_subgraphs(node):
        device = find_graph_device(inner)
        reason = next(filter(None, (find_refusal(each, device) for each in inner.graph.nodes)), None)
        if reason:
            return f"a graph of it has {reason}"
    return None


#: Operators that PyTorch has one kernel for on a GPU, where Tally would wait for each size that is in the data.
_KERNELS_OF_PYTORCH = {torch.ops.aten._grouped_mm.default}


def find_refusal(node, device):
    """Why Tally does not take a node of a graph on a device, in words; None where it does."""
    if node.op != "call_function":
        return None
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        reason = _find_refusal_of_graphs(node)
        if reason:
            return reason
    if isinstance(node.target, torch._ops.OpOverload):
        if is_draw(node):
            return "random numbers"
        if not _is_known(node):
            return "an operator that is not known"
        if device.type == "cuda" and node.target in _KERNELS_OF_PYTORCH:
            return "an operator that PyTorch has a kernel for"
    return _find_refused_value(node, device)


def is_draw(node):
    """Whether a node draws random numbers; what Tally knows, say a recurrent layer without dropout, does not."""
    is_seeded = isinstance(node.target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in node.target.tags
    return is_seeded and not _is_known(node)


def may_draw(node, device):
    """Whether random numbers may be drawn in a node: there, in a graph of it, or in what is not PyTorch's own."""
    if is_draw(node) or any(may_draw(each, device) for inner in find_subgraphs(node) for each in inner.graph.nodes):
        return True
    is_known = isinstance(node.target, torch._ops.OpOverload) and node.target.namespace in ("aten", "prims")
    return not is_known and find_refusal(node, device) is not None


def has_ragged_sizes(module):
    """Whether a graph is of nested tensors: some of its numbers stand for sizes that differ from row to row."""
    values = (value_of(node) for node in module.graph.find_nodes(op="placeholder"))
    return any(isinstance(each, torch.SymInt) and each.node.is_nested_int() for each in values)


def _find_place(node):
    """The file and the line of the program that a node comes from, not one of a layer of PyTorch's if it is
    known who calls that; None if it is not known."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    folder = os.path.dirname(torch.__file__) + os.sep
    frames = [each for each in frames if not each[0].startswith(folder)] or frames
    return (frames[-1][0], int(frames[-1][1])) if frames else None


def _describe_place(node):
    """` at model.py:6`; empty if it is not known."""
    place = _find_place(node)
    return f" at {place[0]}:{place[1]}" if place else ""


def find_place(module, refused=False):
    """The line of the program that the first node of a graph comes from, or the first that Tally does not
    take: file and line, None if no node's is known."""
    device = find_graph_device(module) if refused else None
    nodes = (node for node in module.graph.nodes if not refused or find_refusal(node, device))
    return next(filter(None, map(_find_place, nodes)), None)


def describe_refusals(module):
    """What of a graph Tally does not take: each reason with its operators, and with the line of the
    first of them. Empty where it takes all."""
    nodes = {}
    device = find_graph_device(module)
    for node in module.graph.nodes:
        reason = find_refusal(node, device)
        # The number of a size is nobody's operation.
        gives_tensors = isinstance(value_of(node), (torch.Tensor, tuple, list))
        if reason and (gives_tensors or isinstance(node.target, torch._ops.HigherOrderOperator)):
            nodes.setdefault(reason, {}).setdefault(str(node.target), node)
    return "; ".join(
        f"{', '.join(found)} ({reason}{_describe_place(next(iter(found.values())))})"
        for reason, found in nodes.items())


class _Supported(OperatorSupportBase):
    def __init__(self, device):
        super().__init__()
        self._device = device

    def is_node_supported(self, submodules, node):
        return node.op == "call_function" and find_refusal(node, self._device) is None


def _free_symbols(value):
    """The symbols in the sizes of a value, or in a number."""
    symbols = set()
    for each in _pytree.tree_leaves(value):
        numbers = (*each.shape, *each.stride(), each.storage_offset()) if isinstance(each, torch.Tensor) else (each,)
        for number in numbers:
            if isinstance(number, (torch.SymInt, torch.SymFloat, torch.SymBool)):
                symbols |= number.node.expr.free_symbols
    return symbols


def _add_symbols(graph, part):
    """Hands a part each symbol that occurs in it only inside of expressions: `s0` for a tensor
    of `s0 // 2 + 1` rows."""
    inner = part.graph
    there = {
        str(value.node.expr) for value in map(value_of, inner.find_nodes(op="placeholder"))
        if isinstance(value, torch.SymInt)
    }
    wanted = set()
    for node in inner.nodes:
        wanted |= {str(symbol) for symbol in _free_symbols(value_of(node))}
    added = []
    for node in graph.find_nodes(op="placeholder"):
        value = value_of(node)
        if isinstance(value, torch.SymInt) and str(value.node.expr) in wanted - there:
            last = list(inner.find_nodes(op="placeholder"))[-1]
            with inner.inserting_after(last):
                placeholder = inner.placeholder(f"size_{node.name}")
            placeholder.meta["val"] = value
            added.append(node)
    part.recompile()
    return added


def _keep_tuples_whole(graph, parts):
    """Puts what is taken of an operator's tuple to the operator: a part has tensors for results."""
    owners = {node: part for part in parts for node in part.nodes}
    for node in graph.find_nodes(op="call_function", target=operator.getitem):
        owner, wanted = owners.get(node), owners.get(node.args[0])
        if owner is wanted:
            continue
        if owner:
            owner.remove_node(node)
        if wanted:
            wanted.add_node(node)
            owners[node] = wanted


def _split_at_draws(graph, parts, device):
    """Parts that end where random numbers are drawn that are not the last: a part lies where the last of its nodes is, and
    what waits for it would draw after what comes later in the program."""
    draws, places = 0, {}
    for node in graph.nodes:
        draws += may_draw(node, device)
        places[node] = draws
    if draws < 2:
        return parts
    made = {}
    for part in parts:
        for node in part.nodes:
            made.setdefault((part.id, places[node]), []).append(node)
    return [Partition(i, nodes) for i, nodes in enumerate(made.values())]


def _is_view_with_gaps(node):
    if not isinstance(node.target, torch._ops.OpOverload):
        return False
    returns = node.target._schema.returns
    is_view = len(returns) == 1 and returns[0].alias_info is not None
    value = value_of(node)
    return is_view and isinstance(value, torch.Tensor) and has_gaps(value)


def _leave_views_out(parts):
    """Has PyTorch make the views that leave a part and have gaps in memory: a part returns compact
    tensors, and an operator may want the strides that it was traced with. Attention on a GPU takes
    a mask whose rows are padded to a multiple of 16 bytes."""
    for part in parts:
        inside = set(part.nodes)
        for node in reversed(list(part.nodes)):
            if not _is_view_with_gaps(node):
                continue
            users = [user for user in node.users if user not in inside]
            if users and len(users) == len(node.users):
                part.remove_node(node)
                inside.remove(node)
            elif users:
                with node.graph.inserting_after(node):
                    copy = node.graph.node_copy(node)
                node.replace_all_uses_with(copy, lambda user: user in users)


def _add_subgraphs(whole, node):
    """Gives a part the graphs of its operators, which are arguments of it otherwise."""
    part = getattr(whole, node.target)
    kept = []
    for given, placeholder in zip(node.args, list(part.graph.find_nodes(op="placeholder"))):
        value = getattr(whole, given.target, None) if given.op == "get_attr" else None
        if not isinstance(value, torch.fx.GraphModule):
            kept.append(given)
            continue
        part.add_submodule(given.target, value)
        with part.graph.inserting_before(placeholder):
            placeholder.replace_all_uses_with(part.graph.get_attr(given.target))
        part.graph.erase_node(placeholder)
    node.args = tuple(kept)
    part.recompile()


def _agree_on_strides(whole, names):
    """Has parts give to each other tensors that lie row by row: what eager mode would have in another order
    only parts read."""
    calls = [node for node in whole.graph.find_nodes(op="call_module") if node.target in names]
    for call in calls:
        results = getattr(whole, call.target).graph.output_node().args[0]
        if isinstance(results, (tuple, list)):
            given = [(user, results[user.args[1]]) for user in call.users if user.target is operator.getitem]
        else:
            given = [(call, results)]
        for outer, inner in given:
            if not all(user in calls for user in outer.users):
                continue
            for node in (outer, inner):
                make_compact(node)
            for user in outer.users:
                placeholders = list(getattr(whole, user.target).graph.find_nodes(op="placeholder"))
                for argument, placeholder in zip(user.args, placeholders):
                    if argument is outer:
                        make_compact(placeholder)


def split(module):
    """Makes a submodule of each part of a graph that Tally takes, and returns their names. The
    module then calls them, and runs what lies between them itself."""
    device = find_graph_device(module)
    partitioner = CapabilityBasedPartitioner(
        module, _Supported(device), allows_single_node_partition=True,
        non_compute_ops=["_operator.getitem", "aten.sym_size.int"])
    parts = partitioner.propose_partitions()
    partitioner.remove_bookend_non_compute_ops(parts)
    parts = _split_at_draws(module.graph, parts, device)
    _keep_tuples_whole(module.graph, parts)
    _leave_views_out(parts)
    # A call costs more than an operator.
    parts = [part for part in parts if sum(_computes(node) for node in part.nodes) > 1]
    whole = partitioner.fuse_partitions(parts, prefix="tally_part_")
    names = []
    for node in whole.graph.find_nodes(op="call_module"):
        if not node.target.startswith("tally_part_"):
            continue
        _add_subgraphs(whole, node)
        added = _add_symbols(whole.graph, getattr(whole, node.target))
        node.args = (*node.args, *added)
        names.append(node.target)
    _agree_on_strides(whole, names)
    whole.recompile()
    return whole, names


def _computes(node):
    return node.target is not operator.getitem and isinstance(value_of(node), (torch.Tensor, tuple, list))
