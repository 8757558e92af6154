"""The backend of torch.compile."""

import contextvars
import functools
import logging
import re
import warnings

import torch
import torch.fx.experimental._config
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd
from functorch.compile import min_cut_rematerialization_partition

from .. import _cache, compiler
from . import _attention, _partitions
from ._call import make_call
from ._schema import Program, UnsupportedGraph, value_of
from ._strides import permute_results

#: What happened to each graph of this process: its kind, and "compiled", "cached" or why PyTorch
#: runs it.
statistics = []

_log = logging.getLogger("tally.torch")


class FallbackWarning(UserWarning):
    """A part of a program that PyTorch runs itself; the text tells which and why."""


class UnsupportedProgram(RuntimeError):
    """A program that is not compiled as a whole, where the option `fallback` is "error"."""


@functools.lru_cache(maxsize=None)
def _warn(message):
    warnings.warn(message, FallbackWarning, stacklevel=2)


class GraphCompiler:
    """Compiles graphs of AOTAutograd; `kind` is forward, backward or inference."""

    def __init__(self, kind, options):
        self.kind = kind
        self.options = options

    def __call__(self, module, example_inputs):
        if self.kind == "forward":
            _keep_saved_tensors()
        refusals = sorted({
            reason for reason in map(_partitions.find_refusal, module.graph.nodes) if reason
        })
        if not refusals:
            return self._compile_whole(module)
        self._report(f"PyTorch runs {', '.join(refusals)}")
        whole, names = _partitions.split(module)
        for name in names:
            part = self._compile_whole(getattr(whole, name))
            setattr(whole, name, _Unboxed(part))
        return _boxed(whole.forward)

    def _compile_whole(self, original):
        module = _copy_graph(original)
        try:
            permutations = permute_results(module)
            program = Program(module)
            library, was_cached = _cache.compile_library(program.describe(), program.read, {})
        except (compiler.CompileError, UnsupportedGraph) as error:
            first = str(error).splitlines()[0]
            self._report(f"PyTorch runs a graph that does not compile: {first}")
            return _boxed(original.forward)
        statistics.append((self.kind, "cached" if was_cached else "compiled"))
        _log.info("%s graph of %d nodes %s", self.kind, len(module.graph.nodes),
                  statistics[-1][1])
        return _boxed_list(make_call(library.main, program, permutations))

    def _report(self, message):
        statistics.append((self.kind, message))
        how = self.options["fallback"]
        if how == "error":
            raise UnsupportedProgram(message.replace("PyTorch runs", "Tally does not take"))
        if how == "warn":
            _warn(message)


#: What the program that is compiled calls the inputs of Dynamo's graph.
_input_names = contextvars.ContextVar("input_names", default=())


def _find_input_names(module):
    """`table` for `L['table']`, `layer_weight` for `L['self']._modules['layer']._parameters['weight']`,
    for each input of Dynamo's graph; empty where it has none."""
    names = []
    for node in module.graph.find_nodes(op="placeholder"):
        argument = node.meta.get("grapharg")
        source = argument.source.name if argument and argument.source else ""
        parts = re.findall(r"\w+", source)[1:]
        skipped = ("self", "_modules", "_parameters", "_buffers", "size", "stride", "storage_offset")
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
        if index is not None and index < len(names) and isinstance(value_of(node), torch.Tensor):
            node._rename(names[index] or node.name)
    return torch.fx.GraphModule(module, graph)


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
        return function(*given)

    return _boxed_list(call)


_OPTIONS = {"fallback": ("warn", "error", "silent")}


def _check_options(mode, options):
    """The options of a backend, with what is not given."""
    if mode not in (None, "default"):
        raise ValueError(f"the backend tally has no mode {mode!r}")
    given = dict(options or {})
    for name, value in given.items():
        if name not in _OPTIONS:
            raise ValueError(f"the backend tally has no option {name!r}: {', '.join(_OPTIONS)}")
        if value not in _OPTIONS[name]:
            raise ValueError(f"option {name!r} is one of {', '.join(_OPTIONS[name])}")
    return {"fallback": "warn", **given}


def _find_decompositions():
    """What graphs are traced in: the core of ATen, and attention as a pair."""
    return {**core_aten_decompositions(), **_attention.DECOMPOSITIONS}


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


def backend(module, example_inputs, *, mode=None, options=None):
    """The backend "tally" of torch.compile. `options={"fallback": ...}` says what is to be done
    with what Tally does not take: "warn" (which is what is done by default) and "silent" have
    PyTorch run it, "error" raises UnsupportedProgram."""
    checked = _check_options(mode, options)
    token = _input_names.set(_find_input_names(module))
    try:
        return _make_aot(checked["fallback"])(module, example_inputs)
    finally:
        _input_names.reset(token)


class _AnySizes:
    """While Dynamo looks at a call, no size is special: not 0, not 1, not one that is equal to
    another. What it then cannot trace, say a size 1 that meets another size, is run by PyTorch.
    Plain writes, as they cost time in each call."""

    def __enter__(self):
        sizes, dynamo = torch.fx.experimental._config, torch._dynamo.config
        self.old = (sizes.backed_size_oblivious, sizes.use_duck_shape, dynamo.suppress_errors)
        sizes.backed_size_oblivious, sizes.use_duck_shape = True, False
        dynamo.suppress_errors = True

    def __exit__(self, *exception):
        sizes, dynamo = torch.fx.experimental._config, torch._dynamo.config
        sizes.backed_size_oblivious, sizes.use_duck_shape, dynamo.suppress_errors = self.old


class _AnySizesWhole(_AnySizes):
    """The same, where what cannot be traced is an error."""

    def __enter__(self):
        super().__enter__()
        torch._dynamo.config.suppress_errors = self.old[-1]


class _Backend:
    """The backend with options, and with its rules for sizes."""

    def __init__(self, options):
        self.__name__ = "tally"
        self._options = options
        # Dynamo takes it from the object, not from its class.
        self.backend_ctx_ctor = _AnySizesWhole if options["fallback"] == "error" else _AnySizes

    def __call__(self, module, example_inputs):
        return backend(module, example_inputs, options=self._options)


def compile(model, *, fullgraph=False, options=None):
    """A model, or a function, whose graphs Tally compiles, each once for all sizes. `fullgraph`
    makes it an error that Dynamo breaks a graph or that Tally does not take an operator."""
    checked = _check_options(None, options)
    if fullgraph:
        checked["fallback"] = "error"
    return torch._dynamo.optimize(_Backend(checked), nopython=fullgraph, dynamic=True)(model)
