"""The backend of torch.compile."""

from __future__ import annotations

import contextvars
import functools
import logging
import math
import operator
import re
from typing import Any, Callable, Mapping, Sequence

import torch
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import is_traceable_wrapper_subclass
from functorch.compile import min_cut_rematerialization_partition

from .. import _cache, compiler
from . import _attention, _composites, _foreach, _gradients, _grids, _halves, _partitions, _random
from ..errors import DeviceError
from ._call import make_call, progress
from ._devices import find_options
from ._reports import report_fallback, statistics
from ._schema import Number, Program, UnsupportedGraph, value_of
from ._strides import permute_inputs, permute_results, writes
from ._views import Views
from ._whole import keep_whole, whole_resizes

_log = logging.getLogger("tally.torch")


class GraphCompiler:
    """Compiles graphs of AOTAutograd; `kind` is forward, backward or inference."""

    def __init__(self, kind, options):
        self.kind = kind
        self.options = options

    def __call__(self, module, example_inputs):
        if self.kind == "forward":
            _keep_saved_tensors()
        if _partitions.has_ragged_sizes(module):
            self._report("nested tensors, whose sizes differ from row to row", _partitions.find_place(module))
            return _boxed(module.forward)
        module, draw = _random.draw_before(module)
        call = self._compile(module)
        return _drawn_first(draw, call) if draw else call

    def _compile(self, module):
        refusals = _partitions.describe_refusals(module)
        if not refusals:
            return self._compile_whole(module)
        self._report(refusals, _partitions.find_place(module, refused=True))
        whole, names = _partitions.split(module)
        for name in names:
            part = self._compile_whole(getattr(whole, name))
            setattr(whole, name, _Unboxed(part))
        return _boxed(whole.forward)

    def _compile_whole(self, original):
        module, tokens = _copy_graph(original)
        try:
            views = Views(module)
            permutations = permute_results(module)
            device = _partitions.find_graph_device(module)
            permuted = () if _reads_any_order(device) else permute_inputs(module)
            program = Program(module)
            library, was_cached = _cache.compile_library(
                program.describe(), program.read, find_options(device))
        except (compiler.CompileError, DeviceError, UnsupportedGraph) as error:
            self._report(f"a graph that does not compile: {str(error).splitlines()[0]}",
                         _partitions.find_place(original))
            return _boxed(original.forward)
        statistics.append((self.kind, "cached" if was_cached else "compiled"))
        _log.info("%s graph of %d nodes %s", self.kind, len(module.graph.nodes),
                  statistics[-1][1])
        call = make_call(
            library.main, program, permutations, _find_results_on_cpu(module, device), views, permuted)
        return _boxed_list(_without(tokens, call))

    def _report(self, what, place):
        report_fallback(self.kind, what, self.options["fallback"], place)


def _reads_any_order(device):
    """Whether inputs are as well copied to lie row by row, which is a launch on a GPU."""
    return device.type == "cpu"


def _find_results_on_cpu(module, device):
    """Which results of a graph that runs on a GPU are on the CPU."""
    output = module.graph.output_node().args[0]
    results = output if isinstance(output, (list, tuple)) else [output]
    values = [value_of(each) if isinstance(each, torch.fx.Node) else None for each in results]
    return [
        i for i, each in enumerate(values)
        if isinstance(each, torch.Tensor) and each.device != device
    ]


#: What the program that is compiled calls the inputs of Dynamo's graph.
_input_names = contextvars.ContextVar("input_names", default=())


def _find_input_names(module):
    """`table` for `L['table']`, `layer_weight` for `L['self']._modules['layer']._parameters['weight']`,
    `table_size_0` for its size, for each input of Dynamo's graph; empty where it has none."""
    names = []
    for node in module.graph.find_nodes(op="placeholder"):
        argument = node.meta.get("grapharg")
        source = argument.source.name if argument and argument.source else ""
        parts = re.findall(r"\w+", source)[1:]
        skipped = ("self", "_modules", "_parameters", "_buffers")
        names.append("_".join(part for part in parts if part not in skipped))
    return tuple(names)


def _copy_graph(module):
    """A module with a graph of its own, whose inputs have the names that the program gives them, and
    with the same attributes."""
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    names = _input_names.get()
    for node in graph.find_nodes(op="placeholder"):
        place = node.meta.get("desc")
        index = place.idx if type(place).__name__ == "PlainAOTInput" else None
        if index is not None and index < len(names):
            node._rename(names[index] or node.name)
    _make_number_tensors(graph)
    _name_squeezed(graph)
    _divide_gradients(graph)
    _take_numbers(graph, _partitions.find_graph_device(module))
    tokens = _drop_effects(graph)
    return torch.fx.GraphModule(module, graph), tokens


def _make_number_tensors(graph):
    """Names the operator that makes a tensor of a number, where PyTorch's trace has a copy of the number:
    of `x + 0.5` under vmap, say."""
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten._to_copy.default):
        if not isinstance(node.args[0], torch.fx.Node):
            node.target = torch.ops.aten.scalar_tensor.default
            node.kwargs = {name: value for name, value in node.kwargs.items() if name in ("dtype", "layout", "device")}


def _name_squeezed(graph):
    """Has each squeeze name the dimensions that it leaves out: those whose size is 1, which the graph was traced for."""
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.squeeze.dims):
        operand, dims = node.args
        sizes = value_of(operand).shape
        hints = [size.node.hint if isinstance(size, torch.SymInt) else size for size in sizes]
        ones = [dim for dim in dims if hints[dim] == 1]
        if len(sizes) - len(ones) == value_of(node).dim():
            node.args = (operand, ones)


def _divide_gradients(graph):
    """Has a number that a gradient divides by 0 become infinite, or NaN, as in C++, where Python has an error: the
    deviation of one element, say, divides by its number less 1."""
    for node in graph.find_nodes(op="call_function", target=operator.truediv):
        if not node.meta.get("autograd_backward") or not isinstance(node.args[1], torch.fx.Node):
            continue
        dividend, divisor = node.args
        with graph.inserting_after(node):
            chosen = graph.call_function(torch.sym_ite)
        with graph.inserting_before(chosen):
            is_zero = graph.call_function(operator.eq, (divisor, 0.0))
            infinite = graph.call_function(operator.mul, (dividend, math.inf))
        chosen.meta = dict(node.meta)
        is_zero.meta, infinite.meta = {**node.meta, "val": value_of(divisor) == 0}, dict(node.meta)
        node.replace_all_uses_with(chosen)
        chosen.args = (is_zero, infinite, node)


def _take_numbers(graph, device):
    """Has a program for a GPU take each tensor without dimensions that is on the CPU as the number it is: in a
    launch, not by a copy that the host waits for. PyTorch makes such tensors of a model's floats."""
    if device.type != "cuda":
        return
    returned = graph.output_node().all_input_nodes
    for node in graph.find_nodes(op="placeholder"):
        value, users = value_of(node), list(node.users)
        is_scalar = (isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.dim() == 0
                     and value.dtype in Number.KINDS)
        if not is_scalar or not users or node in returned or any(map(writes, users)):
            continue
        with graph.inserting_after(node):
            made = graph.call_function(
                torch.ops.aten.scalar_tensor.default, (node,), {"dtype": value.dtype, "device": device})
        made.meta = {"val": value.to(device)}
        node.meta = {**node.meta, "val": Number(value.dtype)}
        for user in users:
            user.replace_input_with(node, made)


def _drop_effects(graph):
    """Calls by itself what PyTorch wraps so that it keeps its order, if it has no result: checks keep
    theirs in Tally. The inputs of the graph that stood for the order are left out, and the result
    for each is None; returns which inputs these are."""
    inputs = list(graph.find_nodes(op="placeholder"))
    dropped = []
    for node in graph.find_nodes(op="call_function", target=torch.ops.higher_order.with_effects):
        token, target, *args = node.args
        if not isinstance(target, torch._ops.OpOverload) or target._schema.returns:
            return []
        with graph.inserting_before(node):
            made = graph.call_function(target, tuple(args), node.kwargs)
        made.meta = {**node.meta, "val": None}
        for user in list(node.users):
            user.replace_all_uses_with(token)
            graph.erase_node(user)
        graph.erase_node(node)
        if token in inputs and token not in dropped:
            dropped.append(token)
    for token in dropped:
        for user in list(token.users):
            user.args = torch.fx.node.map_arg(user.args, lambda each: None if each in dropped else each)
        graph.erase_node(token)
    return [inputs.index(token) for token in dropped]


def _without(tokens, call):
    """A call that leaves out some of its arguments."""
    if not tokens:
        return call

    def call_others(args):
        for index in sorted(tokens, reverse=True):
            del args[index]
        return call(args)

    return call_others


def _drawn_first(draw, call):
    """A call that adds to its arguments what is drawn for it."""

    def call_with_draws(args):
        args.extend(draw(args))
        return call(args)

    return _boxed_list(call_with_draws)


def _keep_saved_tensors():
    """Lets the graph that is compiled run backward more than once: no result of the backward graph
    takes the memory of a saved tensor, which PyTorch would else allow it."""
    context = torch._guards.TracingContext.try_get()
    if context and context.fw_metadata:
        context.fw_metadata.bw_donated_idxs = []


class _Unboxed(torch.nn.Module):
    """A part of a graph as a module that takes its arguments one by one."""

    def __init__(self, call):
        super().__init__()
        self._call = call

    def forward(self, *args):
        results = self._call(list(args))
        return results[0] if len(results) == 1 else results


def _boxed_list(call):
    call._boxed_call = True
    return call


def _boxed(function):
    def call(args):
        given = list(args)
        args.clear()  # What was saved for the backward graph may die in the call.
        progress.count += 1
        results = function(*given)
        # A part of a graph returns a tensor where it has one result.
        return results if isinstance(results, (tuple, list)) else (results,)

    return _boxed_list(call)


_OPTIONS = {"fallback": ("warn", "error", "silent")}


def check_options(mode, options):
    """The options of a backend, with what is not given."""
    if mode not in (None, "default"):
        raise ValueError(f"the backend tally has no mode {mode!r}")
    given = dict(options or {})
    for name, value in given.items():
        if name not in _OPTIONS:
            raise ValueError(f"the backend tally has no option {name!r}; its options are {', '.join(_OPTIONS)}")
        if value not in _OPTIONS[name]:
            raise ValueError(f"option {name!r} is one of {', '.join(_OPTIONS[name])}")
    return {"fallback": "warn", **given}


def _find_decompositions():
    """What graphs are traced in: the core of ATen, and what we take apart ourselves."""
    core = core_aten_decompositions()
    keep_whole(core)
    return {
        **core,
        **_attention.DECOMPOSITIONS,
        **_composites.DECOMPOSITIONS,
        **_foreach.DECOMPOSITIONS,
        **_gradients.DECOMPOSITIONS,
        **_grids.DECOMPOSITIONS,
        **_random.DECOMPOSITIONS,
    }


@functools.lru_cache(maxsize=None)
def _make_aot(fallback):
    """One object for equal options: frames are compiled again for another."""
    options = {"fallback": fallback}
    return aot_autograd(
        fw_compiler=GraphCompiler("forward", options),
        bw_compiler=GraphCompiler("backward", options),
        inference_compiler=GraphCompiler("inference", options),
        partition_fn=min_cut_rematerialization_partition,
        decompositions=_find_decompositions,
    )


def _find_refused_inputs(inputs):
    """What AOTAutograd does not take of a graph's inputs, in words; None where it takes all."""
    # Tensors inside of torch.vmap, torch.func.grad and their like stand for others.
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return "a function that is compiled inside of a transform of torch.func: compile what calls the transform"
    for each in inputs:
        is_plain = type(each) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer, FakeTensor)
        if isinstance(each, torch.Tensor) and not is_plain and not is_traceable_wrapper_subclass(each):
            return f"tensors of the class {type(each).__name__}"
    return None


def backend(
    module: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Callable[..., Any]:
    """The backend "tally" of torch.compile. `options={"fallback": ...}` says what is to be done
    with what Tally does not take: "warn" (which is what is done by default) and "silent" have
    PyTorch run it, "error" raises UnsupportedProgram."""
    checked = check_options(mode, options)
    refused = _find_refused_inputs(example_inputs)
    if refused:
        report_fallback("graph", refused, checked["fallback"])
        return module.forward
    token = _input_names.set(_find_input_names(module))
    try:
        with whole_resizes():
            return _make_aot(checked["fallback"])(module, example_inputs)
    finally:
        _input_names.reset(token)
