"""Results that are views.

AOTAutograd makes a result that is a view of an input, or of another result, anew from that tensor, and takes the strides
and the offset of the tensor that the graph returned for it. PyTorch makes such views here, which copies
nothing, and the compiled graph returns only what they are views of.
"""

import operator

import torch
from torch.utils import _pytree

from ._schema import value_of

#: Operators that read numbers of a tensor which do not depend on its elements.
_READERS = {getattr(torch.ops.aten, name) for name in ("sym_size", "sym_stride", "sym_numel", "sym_storage_offset")}


def _is_view(node):
    """Whether a node is a view of its first argument, or one of several such views."""
    if node.target is operator.getitem:
        return isinstance(node.args[0], torch.fx.Node) and _is_view(node.args[0])
    if not isinstance(node.target, torch._ops.OpOverload):
        return False
    aliases = [each.alias_info for each in node.target._schema.returns]
    return bool(aliases) and all(each is not None and not each.is_write for each in aliases)


def _find_bases(node):
    """The tensors that a node is a view of: views themselves, but the last one."""
    while _is_view(node):
        node = node.args[0]
        yield node


def _is_number_of_inputs(node):
    """Whether a node is a number that the inputs' numbers and sizes tell."""
    if node.op == "placeholder":
        return not isinstance(value_of(node), torch.Tensor)
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target.overloadpacket in _READERS and _is_view_of_inputs(node.args[0])
    return node.op == "call_function" and all(map(_is_number_of_inputs, node.all_input_nodes))


def _is_view_of_inputs(node):
    while _is_view(node):
        if not all(map(_is_number_of_inputs, node.all_input_nodes[1:])):
            return False
        node = node.args[0]
    return node.op == "placeholder"


def _find_leaves(node, kept):
    """What the inputs and the results of a graph, of which some are kept, have to tell, so that PyTorch can make a node
    again."""
    if node.op == "placeholder" or node in kept or not (_is_view(node) or _is_number_of_inputs(node)):
        yield node
        return
    for each in node.all_input_nodes:
        yield from _find_leaves(each, kept)


def _find_written(graph):
    """The tensors that a graph writes."""
    return {each for node in graph.nodes
            if isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable
            for each in _pytree.tree_leaves(node.args[:1])}


class Views:
    """The results of a graph that PyTorch makes.

    Its construction changes the graph of `module` so that it returns the other results, and then the numbers that
    the views take and the inputs do not tell. `inputs` are the indices of the graph's inputs that `make` takes."""

    def __init__(self, module):
        output = module.graph.output_node()
        results = output.args[0] if isinstance(output.args[0], (list, tuple)) else [output.args[0]]
        placeholders = list(module.graph.find_nodes(op="placeholder"))
        bases = {*placeholders, *(each for each in results if isinstance(each, torch.fx.Node))}
        bases -= _find_written(module.graph)

        def is_made(result):
            return (isinstance(result, torch.fx.Node) and isinstance(value_of(result), torch.Tensor)
                    and not bases.isdisjoint(_find_bases(result)))

        made = [each for each in dict.fromkeys(results) if is_made(each)]
        self._is_empty = not made
        if not made:
            return
        kept = [each for each in results if each not in made]
        others = iter(range(len(kept)))
        leaves = dict.fromkeys(leaf for each in made for leaf in _find_leaves(each, kept))
        kept += [each for each in leaves if each.op != "placeholder" and each not in kept]
        self._write(made, leaves, placeholders, kept)
        places = {each: len(kept) + i for i, each in enumerate(made)}
        self._order = [places[each] if each in places else next(others) for each in results]
        output.args = (tuple(kept),)
        for node in reversed(module.graph.nodes):
            if _is_view(node) and not node.users:
                module.graph.erase_node(node)

    def _write(self, made, leaves, placeholders, kept):
        """Makes the function of inputs and results that returns the views."""
        self.inputs = [i for i, node in enumerate(placeholders) if node in leaves]
        self._results = [kept.index(node) for node in leaves if node.op != "placeholder"]
        graph = torch.fx.Graph()
        read = [placeholders[i] for i in self.inputs] + [kept[i] for i in self._results]
        copies = {node: graph.placeholder(f"{node.name}_read") for node in read}

        def copy(node):
            if node not in copies:
                for each in node.all_input_nodes:
                    copy(each)
                copies[node] = graph.node_copy(node, copies.__getitem__)
            return copies[node]

        graph.output([copy(node) for node in made])
        self._make = torch.fx.GraphModule({}, graph).forward

    def __bool__(self):
        return not self._is_empty

    def make(self, inputs, results):
        """All results, from some of the inputs and from the results of the changed graph."""
        every = results + self._make(*inputs, *(results[i] for i in self._results))
        return [every[i] for i in self._order]
