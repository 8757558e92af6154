"""Finds the shared libraries of Tally, and calls functions that print."""

import ctypes
import os
import pathlib


def load(name, variable, signatures):
    """The library `name`, found where an environment variable says, beside the package, or
    in a build folder. `signatures` gives each function its result and its arguments."""
    places = []
    for folder in pathlib.Path(__file__).resolve().parents:
        places += [folder / "lib" / name, folder / "build" / "lib" / name]
    found = next((str(place) for place in places if os.path.exists(place)), name)
    try:
        library = ctypes.CDLL(os.environ.get(variable, found))
    except OSError as error:
        raise ImportError(f"cannot load {name}: set {variable} to its place ({error})") from error
    for function, (result, *arguments) in signatures.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


def handle(name):
    """A struct of one pointer, as C interfaces hand objects out."""
    return type(name, (ctypes.Structure,), {"_fields_": [("ptr", ctypes.c_void_p)]})
