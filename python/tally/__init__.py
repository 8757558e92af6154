"""Calls programs that tally-compile compiled, on NumPy arrays.

    import numpy, tally

    model = tally.load("libmodel.so")
    y = model.main(numpy.ones((3, 4), numpy.float32), n=2)

What a call can end with is in `tally.errors`; a failed check is a
`tally.CheckError` that tells the expression and the values in it.
"""

from .errors import (
    BusyError,
    CheckError,
    CustomCallError,
    DeviceError,
    Error,
    InvalidArgument,
    NamedValue,
    OutOfMemory,
)
from .library import Entry, Library, load

__all__ = [
    "BusyError",
    "CheckError",
    "CustomCallError",
    "DeviceError",
    "Entry",
    "Error",
    "InvalidArgument",
    "Library",
    "NamedValue",
    "OutOfMemory",
    "load",
]
