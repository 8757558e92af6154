"""The attributes that programs state sizes with; see docs/Sizes.md.

    from tally import attributes, compiler

    ctx = compiler.Context()
    n = attributes.Expr(ctx, "2 * s0")
    attributes.Shape(ctx, [n, 4])                           # #tally.shape<s0 * 2, 4>
    attributes.Symbols(ctx, [attributes.Symbol("s0", upper=64)])
    attributes.Bindings(ctx, [attributes.Binding("u0", 0, "size", 1)])
    attributes.Path(ctx, 0, "stride", 1)                    # #tally.path<argument(0).stride(1)>
    attributes.parse(ctx, "#tally.expr<s0 + 1>").text       # 's0 + 1'

Two attributes of a context are equal if they say the same. Those of different contexts are never
equal, and one that would become part of the other is a ValueError.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Generic, Iterable, Iterator, TypeVar

from ._mlir import (
    _Attribute,
    _collect,
    _lib,
    _String,
    _SymbolBinding,
    _SymbolDeclaration,
    Context,
)

__all__ = ["Attribute", "Binding", "Bindings", "Expr", "Path", "Shape", "Symbol", "Symbols", "parse"]

_TYPES = (int, bool, float)
T = TypeVar("T")
_KINDS = ("value", "size", "stride", "storage_offset")


def _find_kind(name):
    """The number of a step of a key path."""
    if name not in _KINDS:
        raise ValueError(f"{name!r} is none of {', '.join(_KINDS)}")
    return _KINDS.index(name)


A = TypeVar("A", bound="Attribute")


class Attribute:
    """Any attribute of MLIR."""

    context: Context

    def __init__(self, context: Context, handle: Any) -> None:
        self.context = context
        self._handle = handle

    def __str__(self) -> str:
        return _collect(_lib.mlirAttributePrint, self._handle)[0]

    def __repr__(self) -> str:
        return f"<{self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Attribute):
            return NotImplemented
        return _lib.mlirAttributeEqual(self._handle, other._handle)

    def __hash__(self) -> int:
        return hash(self._handle.ptr)

    def _of(self, context):
        """The handle, for something that belongs to `context`."""
        if self.context is not context:
            raise ValueError(f"{self} belongs to another context; make it in that of the program")
        return self._handle


class _Built(Attribute):
    """One that a function of the compiler makes, which reports what is wrong with it."""

    def __init__(self, context: Context, function: Any, *arguments: Any) -> None:
        super().__init__(context, function(context._handle, *arguments))
        context._require(self._handle.ptr)


class Expr(_Built):
    """`#tally.expr<s0 * s1>`: an expression over names."""

    def __init__(self, context: Context, text: str) -> None:
        super().__init__(context, _lib.tallyExprAttrGet, _String.of(text))

    @property
    def text(self) -> str:
        return str(_lib.tallyExprAttrGetText(self._handle))


class _Sequence(_Built, Generic[T]):
    """One that holds others."""

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> T:
        raise NotImplementedError

    def __iter__(self) -> Iterator[T]:
        return (self[index] for index in range(len(self)))

    def _index(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return index % len(self)


class Shape(_Sequence[Expr]):
    """`#tally.shape<s0, 4>`: a sequence of `Expr`, made of these, of texts and of integers."""

    def __init__(self, context: Context, sizes: Iterable[Expr | str | int]) -> None:
        exprs = [size if isinstance(size, Expr) else Expr(context, str(size)) for size in sizes]
        handles = (_Attribute * len(exprs))(*(expr._of(context) for expr in exprs))
        super().__init__(context, _lib.tallyShapeAttrGet, len(exprs), handles)

    def __len__(self) -> int:
        return _lib.tallyShapeAttrGetRank(self._handle)

    def __getitem__(self, dim: int) -> Expr:
        return _wrap_as(Expr, self.context, _lib.tallyShapeAttrGetSize(self._handle, self._index(dim)))


@dataclasses.dataclass(frozen=True)
class Symbol:
    """What is declared of a symbol. A bound that is None is not there."""

    name: str
    lower: int | None = 0
    upper: int | None = None
    divisor: int = 1
    type: type = int
    unbacked: bool = False
    assumed: bool = False
    hint: int | None = None
    source: str = ""

    def _to_c(self):
        bounds = (self.lower, self.upper, self.hint)
        return _SymbolDeclaration(
            _String.of(self.name),
            _TYPES.index(self.type),
            self.unbacked,
            self.assumed,
            *(bound is not None for bound in bounds),
            *(bound or 0 for bound in bounds),
            self.divisor,
            _String.of(self.source),
        )

    @classmethod
    def _from_c(cls, native):
        return cls(
            name=str(native.name),
            lower=native.lower if native.has_lower else None,
            upper=native.upper if native.has_upper else None,
            divisor=native.divisor,
            type=_TYPES[native.type],
            unbacked=native.unbacked,
            assumed=native.assumed,
            hint=native.hint if native.has_hint else None,
            source=str(native.source),
        )


class Symbols(_Sequence[Symbol]):
    """`#tally.symbols<s0 : [0, 64], u0 : unbacked>`: a sequence of `Symbol`."""

    def __init__(self, context: Context, symbols: Iterable[Symbol]) -> None:
        natives = [symbol._to_c() for symbol in symbols]
        array = (_SymbolDeclaration * len(natives))(*natives)
        super().__init__(context, _lib.tallySymbolsAttrGet, len(natives), array)

    def __len__(self) -> int:
        return _lib.tallySymbolsAttrGetNumSymbols(self._handle)

    def __getitem__(self, index: int) -> Symbol:
        return Symbol._from_c(_lib.tallySymbolsAttrGetSymbol(self._handle, self._index(index)))


@dataclasses.dataclass(frozen=True)
class Binding:
    """Where a symbol is read: `kind` is value, size, stride or storage_offset; the value is
    `divisor` times the symbol."""

    symbol: str
    result: int
    kind: str = "value"
    dim: int = 0
    divisor: int = 1


class Bindings(_Sequence[Binding]):
    """`#tally.bindings<u0 = result(0).size(1)>`: a sequence of `Binding`."""

    def __init__(self, context: Context, bindings: Iterable[Binding]) -> None:
        natives = []
        for one in bindings:
            kind = _find_kind(one.kind)
            natives.append(
                _SymbolBinding(_String.of(one.symbol), one.result, kind, one.dim, one.divisor))
        array = (_SymbolBinding * len(natives))(*natives)
        super().__init__(context, _lib.tallyBindingsAttrGet, len(natives), array)

    def __len__(self) -> int:
        return _lib.tallyBindingsAttrGetNumBindings(self._handle)

    def __getitem__(self, index: int) -> Binding:
        native = _lib.tallyBindingsAttrGetBinding(self._handle, self._index(index))
        return Binding(
            str(native.symbol), native.result, _KINDS[native.kind], native.dim, native.divisor)


class Path(_Built):
    """`#tally.path<argument(0).stride(1)>`: what of a tensor argument a hidden argument is."""

    def __init__(self, context: Context, argument: int, kind: str, dim: int = 0) -> None:
        super().__init__(context, _lib.tallyPathAttrGet, argument, _find_kind(kind), dim)

    @property
    def argument(self) -> int:
        return _lib.tallyPathAttrGetArgument(self._handle)

    @property
    def kind(self) -> str:
        return _KINDS[_lib.tallyPathAttrGetKind(self._handle)]

    @property
    def dim(self) -> int:
        return _lib.tallyPathAttrGetDim(self._handle)


def _wrap_as(kind: type[A], context: Context, handle: Any) -> A:
    """The attribute of a handle of MLIR's, whose class is known."""
    attribute = kind.__new__(kind)
    Attribute.__init__(attribute, context, handle)
    return attribute


def wrap(context: Context, handle: Any) -> Attribute | None:
    """The attribute of a handle of MLIR's, in its class; None for a null handle."""
    if not handle.ptr:
        return None
    found: type[Attribute] = Attribute
    for kind in (Expr, Shape, Symbols, Bindings, Path):
        if getattr(_lib, "tallyAttributeIsA" + kind.__name__)(handle):
            found = kind
    return _wrap_as(found, context, handle)


def parse(context: Context, text: str) -> Attribute | None:
    """The attribute that a text of MLIR's spells."""
    handle = _lib.mlirAttributeParseGet(context._handle, _String.of(text))
    context._require(handle.ptr)
    return wrap(context, handle)
