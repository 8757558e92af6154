"""What is told of graphs."""

import os
import sys
import warnings

import torch

#: What happened to each graph of this process: its kind, and "compiled", "cached" or what PyTorch
#: runs, and why.
statistics: list[tuple[str, str]] = []


class FallbackWarning(UserWarning):
    """A part of a program that PyTorch runs itself; the text tells which and why."""


class UnsupportedProgram(RuntimeError):
    """A program that is not compiled as a whole, where the option `fallback` is "error". PyTorch
    raises it as the cause of a `torch._dynamo.exc.BackendCompilerFailed`."""


#: The folder of this package.
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _find_caller():
    """The file and the line of the program that runs: the innermost that is neither PyTorch's nor ours."""
    between = (_FOLDER, os.path.dirname(torch.__file__) + os.sep)
    frame = sys._getframe(1)
    while frame.f_back and (frame.f_code.co_filename.startswith((*between, "<eval_with_key>", "<frozen "))
                            or frame.f_globals.get("__name__") in ("contextlib", "functools", "threading")):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


#: The warnings that were given.
_given: set[str] = set()


def _warn_once(message, place):
    if message in _given:
        return
    file, line = place or _find_caller()
    # A warning that is made an error has not been given.
    warnings.warn_explicit(message, FallbackWarning, file, line)
    _given.add(message)


def report_fallback(kind, what, how, place=None):
    """Tells what PyTorch runs of a graph, as the option `fallback` says. `place` is the file and the line of
    the program that the warning stands at; without it, the line that calls."""
    statistics.append((kind, f"PyTorch runs {what}"))
    if how == "error":
        raise UnsupportedProgram(f"Tally does not take {what}")
    if how == "warn":
        _warn_once(f"PyTorch runs {what}", place)
