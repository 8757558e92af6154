"""tally.torch.compile: a model for all sizes."""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping, ParamSpec, TypeVar, overload

import torch
from torch._dynamo.eval_frame import OptimizedModule
from torch._dynamo.exc import BackendCompilerFailed, TorchDynamoException

from ._backend import backend, check_options
from ._call import progress
from ._reports import report_fallback
from ._tracing import Tracer, check_copies_are_read, note_graph

P = ParamSpec("P")
R = TypeVar("R")


class _Backend:
    """The backend with options."""

    def __init__(self, options):
        self.__name__ = "tally"
        self._options = options

    def __call__(self, module, example_inputs):
        check_copies_are_read()
        note_graph(module)
        return backend(module, example_inputs, options=self._options)

    def optimize(self, model, fullgraph):
        """The model as Dynamo runs it."""
        context = torch._dynamo.optimize(self, nopython=fullgraph, dynamic=True)
        context.callback = Tracer(context.callback, None if self._options["fallback"] == "error" else model)
        return context(model)


class _CompiledModule(OptimizedModule):
    """A compiled module whose copies, and what is read of its pickles, are compiled as it was."""

    def __reduce__(self):
        return _compile_again, (self._orig_mod, *self._tally_arguments)


def _compile_again(model, fullgraph, options):
    return compile(model, fullgraph=fullgraph, options=options)


def _describe_sizes(args, kwargs):
    leaves = torch.utils._pytree.tree_leaves((args, kwargs))
    return ", ".join(str(list(each.shape)) for each in leaves if isinstance(each, torch.Tensor))


def _is_of_tracing(error):
    """Whether PyTorch raised an error while it traced a graph that the backend was given: it ended outside
    of this package."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return bool(trace) and not trace.tb_frame.f_globals.get("__name__", "").startswith("tally.")


def _or_the_model(model, compiled, fallback):
    """A function that calls what Dynamo makes of a model; where it cannot trace that, the model
    itself, which tells in its own words what is wrong with the call, if something is."""

    def call(*args, **kwargs):
        before = progress.count
        try:
            return compiled(*args, **kwargs)
        except TorchDynamoException as error:
            # What the backend says is no failure to trace; a part that has run must not run again.
            said = isinstance(error, BackendCompilerFailed) and not _is_of_tracing(error.inner_exception)
            if said or progress.count != before or fallback == "error":
                raise
            cause = getattr(error, "inner_exception", error)
        result = model(*args, **kwargs)
        name = getattr(model, "__name__", type(model).__name__)
        sizes = _describe_sizes(args, kwargs)
        report_fallback(
            "call", f"{name} with the sizes {sizes}, which it cannot trace: "
            f"{str(cause).splitlines()[0]}", fallback)
        return result

    return call


@overload
def compile(
    model: torch.nn.Module, *, fullgraph: bool = False, options: Mapping[str, str] | None = None
) -> torch.nn.Module:
    ...


@overload
def compile(
    model: Callable[P, R], *, fullgraph: bool = False, options: Mapping[str, str] | None = None
) -> Callable[P, R]:
    ...


def compile(
    model: Any, *, fullgraph: bool = False, options: Mapping[str, str] | None = None
) -> Any:
    """A model, or a function, whose graphs Tally compiles, each once for all sizes. `fullgraph`
    makes it an error that Dynamo breaks a graph or that Tally does not take an operator. `options`
    are those of `backend`."""
    checked = check_options(None, options)
    if fullgraph:
        checked["fallback"] = "error"
    compiled = _Backend(checked).optimize(model, fullgraph)
    if isinstance(model, torch.nn.Module):
        compiled.forward = _or_the_model(model, compiled.forward, checked["fallback"])
        compiled.__class__ = _CompiledModule
        compiled.__dict__["_tally_arguments"] = (fullgraph, dict(options or {}))
        return compiled
    return functools.wraps(model)(_or_the_model(model, compiled, checked["fallback"]))
