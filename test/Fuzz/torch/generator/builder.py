"""Builds a program statement by statement, each tried in eager PyTorch.

A builder holds what every variable is worth in a few trial calls, whose sizes
differ.  So it needs no rules of its own for dtypes and sizes: two dimensions
are the same where they agree in every trial.
"""

import dataclasses
import types
import warnings

import torch

from recording.values import DTYPES

from . import data
from .program import Body, Statement

LIMIT = 3000  # elements of a tensor in a trial


class NoMatch(Exception):
    """A template finds nothing in the program that it fits."""


class Rejected(Exception):
    """PyTorch refuses a statement."""


class Broken(Exception):
    """A statement failed after it may have written to a variable."""


@dataclasses.dataclass(frozen=True)
class Info:
    """What a variable is: its dtype and the sizes of each dimension in every
    trial."""

    dtype: str
    dims: tuple

    @property
    def rank(self):
        return len(self.dims)

    @property
    def is_float(self):
        return self.dtype in data.FLOATS

    def is_constant(self, dim):
        return -self.rank <= dim < self.rank and \
            len(set(self.dims[dim])) == 1

    def constant(self, dim):
        return self.dims[dim][0] if self.is_constant(dim) else None


class Builder:
    """Statements in scope of a program or of a subgraph."""

    def __init__(self, rng, environments, counter, shared):
        self.rng = rng
        self.environments = environments
        self.counter = counter  # a list of one number, shared with subgraphs
        self.shared = shared  # the program's parameters and facts
        self.statements = []
        self.names = []

    @property
    def inside(self):
        """Whether this is a subgraph."""
        return self.shared.top is not self

    # -- names and values --

    def fresh(self, letter="v"):
        self.counter[0] += 1
        return f"{letter}{self.counter[0]}"

    def values(self, name):
        return [env[name] for env in self.environments]

    def info(self, name):
        values = self.values(name)
        if not all(isinstance(v, torch.Tensor) for v in values):
            raise Rejected(f"{name} is not a tensor")
        if len({(v.dtype, v.dim()) for v in values}) != 1:
            raise Rejected(f"{name} is not one type")
        if values[0].dtype not in DTYPES:
            raise Rejected(f"{name} has another dtype")
        if any(v.numel() > LIMIT for v in values):
            raise Rejected(f"{name} is too large")
        return Info(DTYPES[values[0].dtype],
                    tuple(zip(*[tuple(v.shape) for v in values])))

    def declare(self, name, values):
        """Puts a variable in scope whose values are known."""
        for env, value in zip(self.environments, values):
            env[name] = value
        self.names.append(name)

    # -- statements --

    def _execute(self, statement):
        code = "\n".join(statement.lines())
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for env in self.environments:
                try:
                    exec(code, env)  # pylint: disable=exec-used
                except Exception as error:
                    if statement.writes:
                        raise Broken(str(error)) from error
                    raise Rejected(f"{code}: {error}") from error

    def emit(self, expression, count=1, bodies=(), then=""):
        """Adds `v = expression`; `then` are lines after it, with {v} for v."""
        names = [self.fresh() for _ in range(count)]
        code = f"{', '.join(names)} = {expression}"
        if then:
            code += "\n" + then.format(v=names[0])
        statement = Statement(code, tuple(names), bodies=tuple(bodies))
        self._execute(statement)
        for name in names:
            self.info(name)
        self.statements.append(statement)
        self.names += names
        return names[0] if count == 1 else names

    def emit_number(self, expression, then=""):
        """Adds a Python number, which is no value that templates may pick."""
        name = self.fresh()
        code = f"{name} = {expression}"
        if then:
            code += "\n" + then.format(v=name)
        statement = Statement(code, (name,))
        self._execute(statement)
        self.statements.append(statement)
        return name

    def emit_write(self, code, target):
        """Adds a statement that writes to a variable and its aliases."""
        self._execute(Statement(code))
        statement = Statement(code, writes=tuple(self.aliases(target)))
        self.info(target)
        self.statements.append(statement)

    def emit_check(self, code):
        statement = Statement(code, checks=True)
        self._execute(statement)
        self.statements.append(statement)

    def aliases(self, name):
        """The variables that share memory with one."""
        env = self.environments[0]
        storage = env[name].untyped_storage().data_ptr()
        return [n for n in self.names if isinstance(env[n], torch.Tensor)
                and env[n].untyped_storage().data_ptr() == storage]

    # -- choosing --

    def maybe(self, probability):
        return self.rng.random() < probability

    def choice(self, items):
        items = list(items)
        if not items:
            raise NoMatch
        return self.rng.choice(items)

    def tensor(self, dtypes=data.ALL, rank=None, low=0, high=4, where=None):
        """A variable in scope of some dtypes and ranks; late ones are likelier,
        or arguments in a program that is wide."""
        found = []
        for position, name in enumerate(self.names):
            info = self.info(name)
            if (info.dtype in dtypes and low <= info.rank <= high
                    and rank in (None, info.rank)
                    and (where is None or where(info))):
                found += [name] * (
                    (12 if name[0] == "x" else 1) if self.shared.wide
                    else 1 + 2 * position // len(self.names))
        return self.choice(found)

    def dim(self, name, where=None):
        """A dimension of a variable."""
        info = self.info(name)
        return self.choice(d for d in range(info.rank)
                           if where is None or where(d))

    def signed(self, name, dim):
        """A dimension as a number, counted from the end at times."""
        return dim - self.info(name).rank if self.maybe(0.3) else dim

    def size(self, name, dim):
        """Code for a size; a literal where the size never changes."""
        constant = self.info(name).constant(dim)
        return f"{name}.shape[{dim}]" if constant is None else str(constant)

    def broadcastable(self, name, dtypes=data.ALL):
        """Another variable that broadcasts with this one."""
        dims = self.info(name).dims

        def fits(info):
            ones = (1,) * len(self.environments)
            return all(a == b or ones in (a, b) for a, b in
                       zip(reversed(dims), reversed(info.dims)))
        return self.tensor(dtypes, where=fits)

    def same_dims(self, name, dtypes=data.ALL):
        dims = self.info(name).dims
        return self.tensor(dtypes, where=lambda info: info.dims == dims)

    def literal(self, dtype):
        """A Python number that fits a dtype."""
        if dtype == "i1":
            return self.choice(("True", "False"))
        if dtype in data.INTS:
            return str(self.choice((0, 1, 2, 3, 5) if dtype == "u8"
                                   else (-3, -1, 0, 1, 2, 5)))
        return self.choice(("0.5", "2.0", "-1.25", "0.0", "3", "1e-3", "-0.0"))

    def as_dtype(self, name, dtype):
        """The variable, converted where it is of another dtype.

        What PyTorch leaves undefined is kept out: floats become integers only
        inside of their range.
        """
        info = self.info(name)
        if info.dtype == dtype:
            return name
        code = name
        if info.is_float and dtype in data.INTS:
            bounds = (0, 200) if dtype == "u8" else (-100, 100)
            code += ".nan_to_num(0.0).clamp({}, {})".format(*bounds)
        return self.emit(f"{code}.to({DTYPES_TEXT[dtype]})")

    def parameter(self, dtype, *shape):
        """Code for a tensor that belongs to the module."""
        name = f"p{len(self.shared.parameters)}"
        self.shared.parameters.append((name, dtype, tuple(shape)))
        value = data.parameter(self.shared, name, dtype, shape)
        setattr(self.shared.module, name, value)
        return f"self.{name}"

    # -- subgraphs --

    def body(self, bindings, make, decorator=""):
        """A subgraph; `bindings` are the values of each parameter in every
        trial, `make(sub, parameters)` adds its statements and gives the text of
        its result."""
        environments = [dict(env) for env in self.environments]
        sub = Builder(self.rng, environments, self.counter, self.shared)
        parameters = [self.fresh("a") for _ in bindings]
        for parameter, values in zip(parameters, bindings):
            sub.declare(parameter, values)
        if self.names and self.maybe(0.3):  # The body closes over a value.
            sub.names.insert(0, self.tensor())
        result = make(sub, parameters)
        self.counter[0] += 1
        body = Body(f"f{self.counter[0]}", tuple(parameters),
                    tuple(sub.statements), result, decorator)
        return body, sub


DTYPES_TEXT = {name: str(dtype) for dtype, name in DTYPES.items()}


def start(rng, program, trials, globals_):
    """A builder at the beginning of a program, its inputs in scope."""
    module = types.SimpleNamespace()
    shared = types.SimpleNamespace(name=program.name, parameters=[],
                                   module=module, top=None, wide=False)
    environments = []
    for _ in trials:
        environments.append({**globals_, "self": module})
    builder = Builder(rng, environments, [len(program.inputs)], shared)
    shared.top = builder
    for argument in program.inputs:
        builder.declare(argument.name, [
            data.tensor(program, argument, call, sizes)
            for call, sizes in trials])
    return builder
