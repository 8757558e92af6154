"""The table of programs: what a program is and what its cases are."""

import dataclasses
import types
from typing import Any, Callable, Optional

from torch import nn


@dataclasses.dataclass
class Case:
    """One call of a program.

    `inputs` are value descriptions (see values.py) or plain Python scalars.
    `raises` is None for a legal call; otherwise a text that the error message
    must contain ("" accepts any failed check).  `quirk` explains why the
    exported program's own module refuses a call that is legal by its ranges
    and by eager PyTorch; such a case is legal here.
    """

    name: str
    inputs: tuple
    raises: Optional[str] = None
    quirk: str = ""


@dataclasses.dataclass
class Program:
    """One exported program: a module, its dynamic shapes and its cases."""

    name: str
    module: Callable[[], nn.Module]
    family: str
    example: tuple
    cases: list
    dynamic: Any = None
    tags: tuple = ()
    strict: bool = False
    deferred: bool = False
    oblivious: bool = False
    rtol: float = 1e-5
    atol: float = 1e-5


PROGRAMS: dict = {}


def case(name, *inputs, raises=None, quirk=""):
    """A row of a program's case list."""
    return Case(name, inputs, raises, quirk)


def program(name, module, family, *, example, cases, dynamic=None, tags=(),
            strict=False, deferred=False, oblivious=False, rtol=1e-5,
            atol=1e-5):
    """Adds a program to the table.

    `module` makes the nn.Module (a class or a function of no arguments);
    `deferred` keeps guards on input sizes as run-time asserts
    (prefer_deferred_runtime_asserts_over_guards); `oblivious` keeps torch from
    assuming that sizes are at least 2 (backed_size_oblivious).
    """
    if name in PROGRAMS:
        raise ValueError(f"program {name} is there twice")
    names = [c.name for c in cases]
    if len(set(names)) != len(names):
        raise ValueError(f"{name}: two cases of the same name")
    PROGRAMS[name] = Program(name, module, family, tuple(example), list(cases),
                             dynamic, tuple(tags), strict, deferred, oblivious,
                             rtol, atol)


def function(body):
    """Makes a module class from a function, for programs without parameters."""
    # torch records the source lines of frames named "forward" only.
    forward = types.FunctionType(
        body.__code__.replace(co_name="forward"), body.__globals__, "forward",
        body.__defaults__, body.__closure__)
    return type(body.__name__, (nn.Module,),
                {"forward": staticmethod(forward),
                 "__module__": body.__module__})
