"""The programs of the brute-force test: NAME.mlir, and beside it what NumPy says.

    @program(x="f32[a, b]", n="i64 in -2..11")
    def split_rows(x, n):
        require(n > 0)
        return x.reshape(n, -1)

declares the program split_rows.mlir, whose @main takes x and n, and what it has to
return, or to refuse by raising Refused, ValueError, IndexError or ZeroDivisionError.
A name of a size (`a`) takes every value of 0..9, in every combination, and so does
what is written after `in`:

    f32[a, b]           a tensor of small whole numbers
    i64[k] in -2..11    a tensor of such numbers
    i64[] in -2..11     a tensor of no dimension: takes each of these values in turn
    i64 in -2..11       a number: takes each of these values in turn
    f64 in -1.5 0 2     the same, the values one by one
    i1                  false and true
    f32[a, b] strided   a tensor whose memory is not compact, in a few ways
"""

import importlib
import itertools
import os
import pkgutil
import random
import re

import numpy

DTYPES = {"f32": numpy.float32, "f64": numpy.float64, "i64": numpy.int64, "i32": numpy.int32,
          "i1": numpy.bool_}
SIZES = range(10)
# So many cases a program, where there are more combinations (chosen at random, the
# smallest and the largest among them) and where random contents make more of few.
MOST_CASES = 1000
FEWEST_CASES = 200

_programs = {}


class Refused(Exception):
    """Raised by a reference: these inputs have to be refused. With a text, the message
    of the program's error has to contain it."""


def require(condition, text=""):
    """Refuses the inputs where `condition` does not hold."""
    if not condition:
        raise Refused(text)


def log(number):
    """The effect of the custom function log_number."""
    logged.append(int(number))


# What the reference has logged since somebody cleared it.
logged = []

REFUSALS = (Refused, ValueError, IndexError, ZeroDivisionError)


class Argument:
    """One argument, parsed from its description."""

    SYNTAX = re.compile(r"(?P<dtype>\w+)(?:\[(?P<sizes>.*)\])?(?: in (?P<values>[^s]+))?"
                        r"(?P<strided> strided)?$")

    def __init__(self, name, text):
        match = self.SYNTAX.match(text)
        if not match:
            raise ValueError(f"argument {name}: cannot read '{text}'")
        self.name = name
        self.dtype = numpy.dtype(DTYPES[match["dtype"]])
        self.is_scalar = match["sizes"] is None
        self.sizes = [size.strip() for size in (match["sizes"] or "").split(",") if size.strip()]
        self.strided = bool(match["strided"])
        self.values = self._parse_values(match["values"])
        # What takes several values by itself, and is no size.
        self.is_swept = not self.sizes

    def _parse_values(self, text):
        if text is None:
            return [False, True] if self.dtype == bool else list(range(-4, 5))
        span = re.match(r"(-?\d+)\.\.(-?\d+)$", text.strip())
        if span:
            return list(range(int(span[1]), int(span[2]) + 1))
        return [float(value) if self.dtype.kind == "f" else int(value) for value in text.split()]

    def make(self, assignment, generator):
        """The argument for an assignment of values to names."""
        if self.is_swept:
            return numpy.array(assignment[self.name], self.dtype)
        shape = tuple(int(size) if size.isdigit() else assignment[size] for size in self.sizes)
        values = numpy.array(self.values, self.dtype)
        array = generator.choice(values, shape)
        return make_strided(array, generator) if self.strided else array


def make_strided(array, generator):
    """The same elements in memory that is compact, transposed, or has gaps."""
    kind = generator.integers(4)
    if kind == 0 or array.ndim == 0:
        return array
    if kind == 1:
        return numpy.ascontiguousarray(array.T).T
    step, start = (2, 1) if kind == 2 else (1, 2)
    wide = numpy.zeros([size * step + start for size in array.shape], array.dtype)
    view = wide[tuple(slice(start, start + size * step, step) for size in array.shape)]
    view[...] = array
    return view


def storage_offset(array):
    """How many elements of its memory lie before the first one of an argument."""
    if array.base is None or not array.size:
        return 0
    start = array.__array_interface__["data"][0] - array.base.__array_interface__["data"][0]
    return start // array.itemsize


class Program:
    """A program with its reference and its inputs."""

    def __init__(self, name, arguments, reference, sizes, always_runs, path):
        self.name = name
        self.arguments = [Argument(*item) for item in arguments.items()]
        self.reference = reference
        # No input of the sweep is refused.
        self.always_runs = always_runs
        self.path = path
        self.names = {}
        for argument in self.arguments:
            for size in argument.sizes:
                if not size.isdigit():
                    self.names[size] = list(sizes.get(size, SIZES))
            if argument.is_swept:
                if argument.name in self.names:
                    raise ValueError(f"{name}: '{argument.name}' is a size and an argument")
                self.names[argument.name] = argument.values

    def cases(self):
        """Lists of input arrays, the same ones in every run."""
        choices = random.Random(self.name)
        total = 1
        for values in self.names.values():
            total *= len(values)
        if total <= MOST_CASES:
            assignments = list(itertools.product(*self.names.values()))
            if any(not argument.is_swept for argument in self.arguments):
                assignments *= -(-FEWEST_CASES // len(assignments))
        else:
            corners = list(itertools.product(*({v[0], v[-1]} for v in self.names.values())))
            assignments = corners[:MOST_CASES // 2]
            while len(assignments) < MOST_CASES:
                assignments.append(tuple(map(choices.choice, self.names.values())))
        generator = numpy.random.default_rng(len(assignments))
        for values in assignments:
            assignment = dict(zip(self.names, values))
            yield [argument.make(assignment, generator) for argument in self.arguments]


def program(_sizes=None, _always_runs=False, **arguments):
    """Declares the program that the decorated function is the reference of. `_sizes`
    gives other values for names of sizes."""
    def declare(reference):
        name = reference.__name__
        if name in _programs:
            raise ValueError(f"there are two programs '{name}'")
        path = os.path.join(os.path.dirname(__file__), name + ".mlir")
        _programs[name] = Program(name, arguments, reference, _sizes or {}, _always_runs, path)
        return reference
    return declare


def all_programs():
    """The programs by name."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return _programs
