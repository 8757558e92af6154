"""What is told of graphs."""

import functools
import warnings

#: What happened to each graph of this process: its kind, and "compiled", "cached" or what PyTorch
#: runs, and why.
statistics: list[tuple[str, str]] = []


class FallbackWarning(UserWarning):
    """A part of a program that PyTorch runs itself; the text tells which and why."""


class UnsupportedProgram(RuntimeError):
    """A program that is not compiled as a whole, where the option `fallback` is "error". PyTorch
    raises it as the cause of a `torch._dynamo.exc.BackendCompilerFailed`."""


@functools.lru_cache(maxsize=None)
def _warn(message):
    warnings.warn(message, FallbackWarning, stacklevel=4)


def report_fallback(kind, what, how):
    """Tells what PyTorch runs of a graph, as the option `fallback` says."""
    statistics.append((kind, f"PyTorch runs {what}"))
    if how == "error":
        raise UnsupportedProgram(f"Tally does not take {what}")
    if how == "warn":
        _warn(f"PyTorch runs {what}")
