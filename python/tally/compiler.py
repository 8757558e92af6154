"""The compiler: programs in MLIR to compiled libraries; needs no PyTorch.

    from tally import compiler

    module = compiler.Module(open("model.mlir").read())
    module.run("tally-check-pipeline")
    print(module)                         # the checked form
    module.function("main")["tally.symbols"]
    module.write("libmodel.so")
    tally.load("libmodel.so").main(...)

Passes and pipelines have the names and the options that they have in tally-opt. Attributes
are in `tally.attributes`. What is wrong with a program is a `CompileError` with the compiler's
diagnostics. The compiler is libTallyC, found beside the package, in a build folder, or where
TALLY_LIBRARY says.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
from typing import Any

from . import attributes
from ._mlir import _OPTIONS, CompileError, Context, _collect, _CompileOptions, _lib, _Module, _String

__all__ = ["CompileError", "Context", "Function", "Module"]


def _find_runtime():
    """The archive of the runtime, beside the library of the compiler."""
    place = pathlib.Path(_lib._name).resolve().parent / "libtally_runtime.a"
    return place if place.exists() else ""


class Function:
    """A function of a program, and its attributes. Each is one of `tally.attributes` where it
    has a class there, any other an `Attribute` that prints itself; None where there is none."""

    def __init__(self, module: Module, operation: Any) -> None:
        self._module = module
        self._operation = operation

    def __getitem__(self, name: str) -> attributes.Attribute | None:
        found = _lib.mlirOperationGetAttributeByName(self._operation, _String.of(name))
        return attributes.wrap(self._module.context, found)

    def __setitem__(self, name: str, attribute: attributes.Attribute) -> None:
        handle = attribute._of(self._module.context)
        _lib.mlirOperationSetAttributeByName(self._operation, _String.of(name), handle)

    def argument(self, index: int, name: str) -> attributes.Attribute | None:
        """The attribute `name` of an argument: `argument(0, "tally.shape")`."""
        return self._of_value("arg_attrs", index, name)

    def result(self, index: int, name: str) -> attributes.Attribute | None:
        """The attribute `name` of a result."""
        return self._of_value("res_attrs", index, name)

    def _of_value(self, values, index, name):
        array = _lib.mlirOperationGetAttributeByName(self._operation, _String.of(values))
        if not array.ptr:
            return None
        if not 0 <= index < _lib.mlirArrayAttrGetNumElements(array):
            raise IndexError(f"there is no {values[:3]} {index}")
        found = _lib.mlirDictionaryAttrGetElementByName(
            _lib.mlirArrayAttrGetElement(array, index), _String.of(name))
        return attributes.wrap(self._module.context, found)


class Module:
    """A program, in a context of its own or in that of attributes that it is to have."""

    context: Context

    def __init__(self, text: str, context: Context | None = None) -> None:
        self._take(_lib.mlirModuleCreateParse, text, context)

    @classmethod
    def read(cls, path: str | os.PathLike[str], context: Context | None = None) -> Module:
        """The program in a file: MLIR, in any form, or one that PyTorch exported (.pt2)."""
        module = cls.__new__(cls)
        module._take(_lib.tallyReadProgram, path, context)
        return module

    def _take(self, read, source, context):
        self._module = _Module()
        self._lowered = None
        self.context = context or Context()
        self._module = read(self.context._handle, _String.of(source))
        self.context._require(self._module.ptr)

    def __del__(self) -> None:
        if self._module.ptr:
            _lib.mlirModuleDestroy(self._module)

    def function(self, name: str) -> Function:
        """The function of this name; to be asked for again when passes have run."""
        table = _lib.mlirSymbolTableCreate(_lib.mlirModuleGetOperation(self._module))
        found = _lib.mlirSymbolTableLookup(table, _String.of(name))
        _lib.mlirSymbolTableDestroy(table)
        if not found.ptr:
            raise KeyError(name)
        return Function(self, found)

    def __str__(self) -> str:
        return _collect(_lib.mlirOperationPrint, _lib.mlirModuleGetOperation(self._module))[0]

    def run(self, pipeline: str) -> list[str]:
        """Runs passes or pipelines: `tally-check-pipeline{verify=true}`. Returns the warnings and
        remarks that they have emitted, as lines of text."""
        manager = _lib.mlirPassManagerCreate(self.context._handle)
        try:
            message, added = _collect(
                _lib.mlirOpPassManagerAddPipeline,
                _lib.mlirPassManagerGetAsOpPassManager(manager),
                _String.of(pipeline),
            )
            self.context._require(added.value, message)
            operation = _lib.mlirModuleGetOperation(self._module)
            return self.context._require(_lib.mlirPassManagerRunOnOp(manager, operation).value)
        finally:
            _lib.mlirPassManagerDestroy(manager)

    def explain(self) -> list[str]:
        """Runs the check pipeline; returns what became of each check, as lines of text."""
        return self.run("tally-check-pipeline{explain=true}")

    def write(self, path: str | os.PathLike[str], **options: str | os.PathLike[str]) -> None:
        """Compiles the program, which it changes, and writes a shared library, an archive
        (`.a`) or an object file (`.o`). Options are those of tally-compile: checks, target,
        cpu, chip, prefix, data (a file for large constants), data_directory, and runtime, the archive of
        the runtime."""
        if self._lowered:
            raise ValueError(f"the program has become '{self._lowered}' already")
        stem = pathlib.Path(path).stem.removeprefix("lib")
        if not re.fullmatch(r"[A-Za-z_]\w*", stem):
            stem = "tally_" + re.sub(r"\W", "_", stem)
        options = {"prefix": stem, "runtime": _find_runtime(), **options}
        unknown = set(options) - set(_OPTIONS)
        if unknown:
            raise TypeError(f"there is no option {sorted(unknown)[0]!r}")
        native = _CompileOptions(*(_String.of(options.get(name, "")) for name in _OPTIONS))
        self._lowered = os.fspath(path)
        self.context._require(_lib.tallyLowerModule(self._module, ctypes.byref(native)).value)
        message, written = _collect(
            _lib.tallyWriteModule, self._module, ctypes.byref(native), _String.of(path))
        self.context._require(written.value, message)
