"""Finds the shared libraries of Tally, and calls functions that print."""

import ctypes
import importlib.machinery
import importlib.util
import os
import pathlib
import re


def find(name):
    """The place of a library beside the package, or in a build folder; or else None."""
    places = []
    for folder in pathlib.Path(__file__).resolve().parents:
        places += [folder / "lib" / name, folder / "build" / "lib" / name]
    return next((str(place) for place in places if os.path.exists(place)), None)


def load_module(name):
    """A module for CPython that the build has made; None where it has not, or where it is
    not for this Python."""
    place = find(f"{name}.abi3.so")
    if not place:
        return None
    loader = importlib.machinery.ExtensionFileLoader(name, place)
    try:
        return importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    except ImportError:
        return None


def _advise(error, variable):
    """What to do where a library cannot be loaded."""
    if re.match(r"lib(MLIR|LLVM)", str(error)):
        return "MLIR 22 is missing: sudo apt-get install libmlir-22"
    in_sources = not os.environ.get(variable) and (pathlib.Path(__file__).resolve().parents[2] / "dev").exists()
    return "build it (./dev build), or " * in_sources + f"set {variable} to its place"


def load(name, variable, signatures):
    """The library `name`, found where an environment variable says, beside the package, or
    in a build folder. `signatures` gives each function its result and its arguments."""
    try:
        library = ctypes.CDLL(os.environ.get(variable) or find(name) or name)
    except OSError as error:
        raise ImportError(f"cannot load {name}: {_advise(error, variable)} ({error})") from error
    for function, (result, *arguments) in signatures.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


def handle(name):
    """A struct of one pointer, as C interfaces hand objects out."""
    return type(name, (ctypes.Structure,), {"_fields_": [("ptr", ctypes.c_void_p)]})
