"""Questions about symbolic sizes; needs neither MLIR nor NumPy.

    from tally import symbolic

    ctx = symbolic.Context()
    n = ctx.symbol("n", lower=0)
    answer = ctx.prove("2*(n//2) <= n")
    assert answer            # yes
    print(answer)            # yes: ranges, from n >= 0 (n)

Expressions are texts in the grammar of docs/Symbolic.md, or what a context made of
them, on which Python's operators work. The engine is libTallySymbolicC, found beside
the package, in a build folder, or where TALLY_SYMBOLIC_LIBRARY says.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import TYPE_CHECKING, Any, Iterator, Union

from . import _native

_VERDICTS = ("yes", "no", "unknown", "contradiction")
_TYPES = {int: 0, bool: 1, float: 2}
_NumberType = Union[type[int], type[bool], type[float]]


_Context = _native.handle("_Context")
_Expr = _native.handle("_Expr")
_Proof = _native.handle("_Proof")

_Callback = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t, ctypes.c_void_p)

# The functions of tally-c/Symbolic.h: result, then arguments.
_PRINTS = (_Callback, ctypes.c_void_p)
_SIGNATURES = {
    "tallySymbolicContextCreate": (_Context,),
    "tallySymbolicContextDestroy": (None, _Context),
    "tallySymbolicDeclare": (_Expr, _Context, ctypes.c_char_p, ctypes.c_int),
    "tallySymbolicParse": (_Expr, _Context, ctypes.c_char_p, *_PRINTS),
    "tallyExprGetType": (ctypes.c_int, _Expr),
    "tallyExprPrint": (None, _Expr, *_PRINTS),
    "tallySymbolicPush": (None, _Context),
    "tallySymbolicPop": (ctypes.c_bool, _Context),
    "tallySymbolicAssume": (ctypes.c_bool, _Context, _Expr, ctypes.c_char_p),
    "tallySymbolicAssumeMultiple": (ctypes.c_bool, _Context, _Expr, ctypes.c_int64, ctypes.c_char_p),
    "tallySymbolicProve": (_Proof, _Context, _Expr),
    "tallyProofDestroy": (None, _Proof),
    "tallyProofGetVerdict": (ctypes.c_int, _Proof),
    "tallyProofGetReason": (ctypes.c_char_p, _Proof),
    "tallyProofGetNumFacts": (ctypes.c_ssize_t, _Proof),
    "tallyProofGetFact": (_Expr, _Proof, ctypes.c_ssize_t),
    "tallyProofGetFactSource": (ctypes.c_char_p, _Proof, ctypes.c_ssize_t),
    "tallySymbolicSimplify": (_Expr, _Context, _Expr),
    "tallySymbolicGetLower": (ctypes.c_bool, _Context, _Expr, *_PRINTS),
    "tallySymbolicGetUpper": (ctypes.c_bool, _Context, _Expr, *_PRINTS),
}


_lib = _native.load("libTallySymbolicC.so", "TALLY_SYMBOLIC_LIBRARY", _SIGNATURES)


def _collect(function, *arguments):
    """What a function prints, and what it returns."""
    parts = []
    callback = _Callback(lambda data, length, _: parts.append(ctypes.string_at(data, length)))
    returned = function(*arguments, callback, None)
    return b"".join(parts).decode(), returned


class Expr:
    """An expression of a context, in canonical form: equal ones are equal in Python."""

    def __init__(self, context: Context, handle: Any) -> None:
        self._context = context
        self._handle = handle

    def __str__(self) -> str:
        return _collect(_lib.tallyExprPrint, self._handle)[0]

    def __repr__(self) -> str:
        return f"<tally.symbolic.Expr {self}>"

    @property
    def type(self) -> _NumberType:
        """int, bool or float."""
        return list(_TYPES)[_lib.tallyExprGetType(self._handle)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expr) and self._handle.ptr == other._handle.ptr

    def __hash__(self) -> int:
        return hash(self._handle.ptr)

    def __bool__(self) -> bool:
        raise TypeError(f"{self} has no value; ask the context, with ctx.prove(...)")

    if TYPE_CHECKING:  # The loops below make them.

        def __add__(self, other: Expr | float) -> Expr: ...
        def __radd__(self, other: float) -> Expr: ...
        def __sub__(self, other: Expr | float) -> Expr: ...
        def __rsub__(self, other: float) -> Expr: ...
        def __mul__(self, other: Expr | float) -> Expr: ...
        def __rmul__(self, other: float) -> Expr: ...
        def __floordiv__(self, other: Expr | float) -> Expr: ...
        def __rfloordiv__(self, other: float) -> Expr: ...
        def __mod__(self, other: Expr | float) -> Expr: ...
        def __rmod__(self, other: float) -> Expr: ...
        def __truediv__(self, other: Expr | float) -> Expr: ...
        def __rtruediv__(self, other: float) -> Expr: ...
        def __pow__(self, exponent: Expr | int) -> Expr: ...
        def __rpow__(self, base: int) -> Expr: ...
        def __neg__(self) -> Expr: ...
        def __le__(self, other: Expr | float) -> Expr: ...
        def __lt__(self, other: Expr | float) -> Expr: ...
        def __ge__(self, other: Expr | float) -> Expr: ...
        def __gt__(self, other: Expr | float) -> Expr: ...
        def equals(self, other: Expr | float) -> Expr: ...


def _operator(symbol, swapped=False):
    def build(self, other):
        if isinstance(other, (int, float)):
            other = repr(other)
        elif isinstance(other, Expr):
            other = self._context.expr(other)
        else:
            return NotImplemented
        left, right = (other, self) if swapped else (self, other)
        return self._context.expr(f"({left}) {symbol} ({right})")

    return build


def _power(self, base, exponent):
    if not all(isinstance(part, (int, Expr)) for part in (base, exponent)):
        return NotImplemented
    # The exponent of `**` is a literal; pow takes any.
    base, exponent = (self._context.expr(str(part) if isinstance(part, int) else part) for part in (base, exponent))
    return self._context.expr(f"pow({base}, {exponent})")


for _name, _symbol in {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/"}.items():
    setattr(Expr, f"__{_name}__", _operator(_symbol))
    setattr(Expr, f"__r{_name}__", _operator(_symbol, swapped=True))
for _name, _symbol in {"le": "<=", "lt": "<", "ge": ">=", "gt": ">"}.items():
    setattr(Expr, f"__{_name}__", _operator(_symbol))
for _name, _function in {
        "equals": _operator("=="),
        "__pow__": lambda self, exponent: _power(self, self, exponent),
        "__rpow__": lambda self, base: _power(self, base, self),
        "__neg__": lambda self: self._context.expr(f"-({self})")}.items():
    setattr(Expr, _name, _function)


class Answer:
    """What became of a question. True only where it is proven."""

    def __init__(self, verdict: str, reason: str, facts: list[tuple[str, str]]) -> None:
        self.verdict = verdict
        self.reason = reason
        self.facts = facts

    def __bool__(self) -> bool:
        return self.verdict == "yes"

    def __str__(self) -> str:
        facts = ", ".join(f"{text} ({source})" if source else text for text, source in self.facts)
        return f"{self.verdict}: {self.reason}" + (f", from {facts}" if facts else "")

    def __repr__(self) -> str:
        return f"<tally.symbolic.Answer {self}>"


class Context:
    """Symbols and what is known of them. For one thread at a time."""

    def __init__(self) -> None:
        self._handle = _lib.tallySymbolicContextCreate()

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None:
            _lib.tallySymbolicContextDestroy(handle)

    def symbol(
        self,
        name: str,
        lower: Expr | int | None = None,
        upper: Expr | int | None = None,
        divisor: int = 1,
        type: _NumberType = int,
    ) -> Expr:
        """Declares a symbol, and states what is known of it."""
        handle = _lib.tallySymbolicDeclare(self._handle, name.encode(), _TYPES[type])
        if not handle.ptr:
            raise ValueError(f"{name!r} is no name of a symbol, or is declared already")
        symbol = Expr(self, handle)
        if lower is not None:
            self.assume(symbol >= lower, name)
        if upper is not None:
            self.assume(symbol <= upper, name)
        if divisor != 1 and not _lib.tallySymbolicAssumeMultiple(self._handle, handle, divisor, name.encode()):
            raise ValueError(f"{name!r} cannot be a multiple of {divisor}")
        return symbol

    def expr(self, text: str | Expr) -> Expr:
        """The expression that a text says; its names must be declared."""
        if isinstance(text, Expr):
            if text._context is not self:
                raise ValueError(f"{text} is of another context")
            return text
        message, handle = _collect(_lib.tallySymbolicParse, self._handle, text.encode())
        if not handle.ptr:
            raise ValueError(f"{text!r}, {message}")
        return Expr(self, handle)

    def assume(self, fact: str | Expr, source: str = "") -> None:
        """States that a boolean holds, until the scope ends."""
        fact = self.expr(fact)
        if not _lib.tallySymbolicAssume(self._handle, fact._handle, source.encode()):
            raise TypeError(f"{fact} is no boolean")

    def push(self) -> None:
        """Opens a scope."""
        _lib.tallySymbolicPush(self._handle)

    def pop(self) -> None:
        """Forgets what was assumed since the last scope was opened that is still open."""
        if not _lib.tallySymbolicPop(self._handle):
            raise ValueError("there is no scope to close")

    @contextlib.contextmanager
    def scope(self) -> Iterator[Context]:
        """What is assumed in a `with` block is forgotten behind it."""
        self.push()
        try:
            yield self
        finally:
            self.pop()

    def prove(self, question: str | Expr) -> Answer:
        """Decides whether a boolean always holds under what is known."""
        question = self.expr(question)
        proof = _lib.tallySymbolicProve(self._handle, question._handle)
        if not proof.ptr:
            raise TypeError(f"{question} is no boolean")
        try:
            facts = [
                (
                    str(Expr(self, _lib.tallyProofGetFact(proof, i))),
                    _lib.tallyProofGetFactSource(proof, i).decode(),
                )
                for i in range(_lib.tallyProofGetNumFacts(proof))
            ]
            verdict = _VERDICTS[_lib.tallyProofGetVerdict(proof)]
            return Answer(verdict, _lib.tallyProofGetReason(proof).decode(), facts)
        finally:
            _lib.tallyProofDestroy(proof)

    def simplify(self, expr: str | Expr) -> Expr:
        """What an expression is under what is known."""
        return Expr(self, _lib.tallySymbolicSimplify(self._handle, self.expr(expr)._handle))

    def range(self, expr: str | Expr) -> tuple[int | None, int | None]:
        """(least, greatest) value of an integer; None where there is no bound."""
        expr = self.expr(expr)
        if expr.type is not int:
            raise TypeError(f"{expr} is no integer")
        bounds = []
        for function in (_lib.tallySymbolicGetLower, _lib.tallySymbolicGetUpper):
            text, found = _collect(function, self._handle, expr._handle)
            bounds.append(int(text) if found else None)
        return bounds[0], bounds[1]
