"""Compiles programs, and calls them on NumPy arrays.

    import numpy, tally

    model = tally.compile("model.mlir")         # or an exported program of PyTorch, .pt2
    y = model(numpy.ones((3, 4), numpy.float32), n=2)
    model.save("libmodel.so")
    model = tally.load("libmodel.so")           # as tally-compile writes it; needs no compiler

What a call can end with is in `tally.errors`; a failed check is a
`tally.CheckError` that tells the expression and the values in it. Questions about
symbolic sizes are answered by `tally.symbolic`, which needs no NumPy.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import (
        BusyError as BusyError,
        CheckError as CheckError,
        CustomCallError as CustomCallError,
        DataError as DataError,
        DeviceError as DeviceError,
        Error as Error,
        InvalidArgument as InvalidArgument,
        NamedValue as NamedValue,
        OutOfMemory as OutOfMemory,
    )
    from .library import Entry as Entry, Library as Library, load as load
    from .program import CompileError as CompileError, Program as Program, compile as compile

#: That of CMakeLists.txt and pyproject.toml.
__version__ = "0.1.0"

# Where each name is; what needs NumPy is loaded when it is asked for.
_MODULES = {
    "BusyError": "errors",
    "CheckError": "errors",
    "CompileError": "program",
    "CustomCallError": "errors",
    "DataError": "errors",
    "DeviceError": "errors",
    "Entry": "library",
    "Error": "errors",
    "InvalidArgument": "errors",
    "Library": "library",
    "NamedValue": "errors",
    "OutOfMemory": "errors",
    "Program": "program",
    "compile": "program",
    "load": "library",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("." + _MODULES[name], __name__), name)
