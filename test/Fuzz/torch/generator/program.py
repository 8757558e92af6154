"""What a generated program is: inputs, statements and results.

Nothing here needs torch, so programs can be printed, cut and tested without.
"""

import dataclasses
import re

_VARIABLE = re.compile(r"\b[axv]\d+\b")


def variables(code):
    """The program's variables that a piece of code mentions."""
    return set(_VARIABLE.findall(code))


@dataclasses.dataclass(frozen=True)
class Body:
    """A subgraph: a function that a statement defines before its own line."""

    name: str
    parameters: tuple
    statements: tuple
    result: str
    decorator: str = ""

    def lines(self):
        if self.decorator:
            yield f"@{self.decorator}"
        yield f"def {self.name}({', '.join(self.parameters)}):"
        for statement in self.statements:
            for line in statement.lines():
                yield f"    {line}"
        yield f"    return {self.result}"

    def uses(self):
        """All variables that the body reads."""
        return variables(self.result).union(
            *[statement.uses() for statement in self.statements])

    def free(self):
        """Those of them that belong to the program around it."""
        defined = set(self.parameters)
        for statement in self.statements:
            defined |= set(statement.defines)
        return self.uses() - defined


@dataclasses.dataclass(frozen=True)
class Statement:
    """A line of code, the variables it defines, and those it writes to."""

    code: str
    defines: tuple = ()
    writes: tuple = ()
    bodies: tuple = ()
    # A statement that is there for what it checks, not for what it defines.
    checks: bool = False

    def lines(self):
        for body in self.bodies:
            yield from body.lines()
        yield from self.code.split("\n")

    def uses(self):
        """The variables that the statement reads or writes."""
        used = variables(self.code) - set(self.defines)
        for body in self.bodies:
            used |= body.free()
        return used


@dataclasses.dataclass(frozen=True)
class Input:
    """An argument of a program.

    `dims` are sizes or names of sizes, `fill` says what its elements are (see
    data.py), and `layout` how it lies in memory.  An input that a cut made has
    `given`, the tensors of each call by the call's name.
    """

    name: str
    dtype: str
    dims: tuple = ()
    fill: str = "normal"
    layout: str = "contiguous"
    given: tuple = ()


@dataclasses.dataclass(frozen=True)
class Size:
    """A dynamic size: its declared range, None where nothing is declared."""

    name: str
    minimum: int = 0
    maximum: int | None = None


@dataclasses.dataclass(frozen=True)
class Program:
    """A program; `calls` are its cases, each (name, sizes by name)."""

    name: str
    inputs: tuple
    statements: tuple
    results: tuple
    sizes: tuple = ()
    calls: tuple = ()
    parameters: tuple = ()  # (name, dtype, shape) of the module's tensors
    declared: str = "auto"  # how dims are declared: auto, range or named
    oblivious: bool = False
    deferred: bool = False
    strict: bool = False

    def replace(self, **changes):
        return dataclasses.replace(self, **changes)

    def source(self):
        """The code of the program's forward function."""
        names = ", ".join(["self"] + [i.name for i in self.inputs])
        lines = [f"def forward({names}):"]
        for statement in self.statements:
            lines += [f"    {line}" for line in statement.lines()]
        lines.append(f"    return ({', '.join(self.results)},)")
        return "\n".join(lines) + "\n"


def without_dead_code_of(body):
    """Leaves out the statements of a subgraph that its result does not need."""
    needed, kept = variables(body.result), []
    for statement in reversed(body.statements):
        if needed & set(statement.defines):
            kept.append(statement)
            needed |= statement.uses()
    return dataclasses.replace(body, statements=tuple(reversed(kept)))


def without_dead_code(program):
    """Leaves out statements, inputs and sizes that no result needs.

    Writes to something that is needed stay, and checks of it.
    """
    arguments = {i.name for i in program.inputs}
    needed = set().union(*[variables(r) for r in program.results])
    kept = []
    for statement in reversed(program.statements):
        if (needed & set(statement.defines) or needed & set(statement.writes)
                or arguments & set(statement.writes)
                or statement.checks and statement.uses() <= needed | arguments):
            statement = dataclasses.replace(statement, bodies=tuple(
                without_dead_code_of(body) for body in statement.bodies))
            kept.append(statement)
            needed |= statement.uses()
    inputs = tuple(i for i in program.inputs if i.name in needed)
    used = {d for i in inputs for d in i.dims if isinstance(d, str)}
    return program.replace(
        statements=tuple(reversed(kept)), inputs=inputs,
        sizes=tuple(s for s in program.sizes if s.name in used))
