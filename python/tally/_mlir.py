"""libTallyC: its functions, and the context that programs and attributes belong to.

Through ctypes: no call here is made often, and one package serves every version of Python. What
is called often, a compiled program, goes through a module in C (`_call`).
"""

import ctypes
import os
import re

from . import _native


class _String(ctypes.Structure):
    """MlirStringRef."""

    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]

    @classmethod
    def of(cls, text):
        data = os.fspath(text).encode()
        return cls(data, len(data))

    def __str__(self):
        # Its bytes need not end in a zero, as those of `data` would have to.
        address = ctypes.c_void_p.from_buffer(self).value
        return ctypes.string_at(address, self.length).decode() if address else ""


class _Result(ctypes.Structure):
    """MlirLogicalResult."""

    _fields_ = [("value", ctypes.c_int8)]


class _Printed(ctypes.Structure):
    """MlirStringRef in a callback: its bytes need not end in a zero."""

    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]


_Print = ctypes.CFUNCTYPE(None, _Printed, ctypes.c_void_p)
_MlirContext = _native.handle("MlirContext")
_Registry = _native.handle("MlirDialectRegistry")
_Module = _native.handle("MlirModule")
_Operation = _native.handle("MlirOperation")
_PassManager = _native.handle("MlirPassManager")
_OpPassManager = _native.handle("MlirOpPassManager")
_Diagnostic = _native.handle("MlirDiagnostic")
_Location = _native.handle("MlirLocation")
_OnDiagnostic = ctypes.CFUNCTYPE(ctypes.c_int8, _Diagnostic, ctypes.c_void_p)
_Attribute = _native.handle("MlirAttribute")
_Dialect = _native.handle("MlirDialect")
_SymbolTable = _native.handle("MlirSymbolTable")
_OPTIONS = ("checks", "target", "cpu", "chip", "prefix", "data_directory", "runtime", "data")


class _CompileOptions(ctypes.Structure):
    """TallyCompileOptions."""

    _fields_ = [(name, _String) for name in _OPTIONS]


class _SymbolDeclaration(ctypes.Structure):
    """TallySymbolDeclaration."""

    _fields_ = [
        ("name", _String),
        ("type", ctypes.c_int),
        ("unbacked", ctypes.c_bool),
        ("assumed", ctypes.c_bool),
        ("has_lower", ctypes.c_bool),
        ("has_upper", ctypes.c_bool),
        ("has_hint", ctypes.c_bool),
        ("lower", ctypes.c_int64),
        ("upper", ctypes.c_int64),
        ("hint", ctypes.c_int64),
        ("divisor", ctypes.c_int64),
        ("source", _String),
    ]


class _SymbolBinding(ctypes.Structure):
    """TallySymbolBinding."""

    _fields_ = [
        ("symbol", _String),
        ("result", ctypes.c_uint),
        ("kind", ctypes.c_int),
        ("dim", ctypes.c_uint),
        ("divisor", ctypes.c_int64),
    ]


_lib = _native.load(
    "libTallyC.so",
    "TALLY_LIBRARY",
    {
        "mlirDialectRegistryCreate": (_Registry,),
        "mlirDialectRegistryDestroy": (None, _Registry),
        "mlirContextCreateWithRegistry": (_MlirContext, _Registry, ctypes.c_bool),
        "mlirContextDestroy": (None, _MlirContext),
        "mlirContextGetOrLoadDialect": (_Dialect, _MlirContext, _String),
        "mlirContextAttachDiagnosticHandler": (
            ctypes.c_uint64, _MlirContext, _OnDiagnostic, ctypes.c_void_p, ctypes.c_void_p),
        "mlirDiagnosticPrint": (None, _Diagnostic, _Print, ctypes.c_void_p),
        "mlirDiagnosticGetLocation": (_Location, _Diagnostic),
        "mlirDiagnosticGetSeverity": (ctypes.c_int, _Diagnostic),
        "mlirLocationPrint": (None, _Location, _Print, ctypes.c_void_p),
        "mlirModuleCreateParse": (_Module, _MlirContext, _String),
        "mlirModuleDestroy": (None, _Module),
        "mlirModuleGetOperation": (_Operation, _Module),
        "mlirOperationPrint": (None, _Operation, _Print, ctypes.c_void_p),
        "mlirPassManagerCreate": (_PassManager, _MlirContext),
        "mlirPassManagerDestroy": (None, _PassManager),
        "mlirPassManagerGetAsOpPassManager": (_OpPassManager, _PassManager),
        "mlirOpPassManagerAddPipeline": (_Result, _OpPassManager, _String, _Print, ctypes.c_void_p),
        "mlirPassManagerRunOnOp": (_Result, _PassManager, _Operation),
        "mlirAttributeParseGet": (_Attribute, _MlirContext, _String),
        "mlirAttributePrint": (None, _Attribute, _Print, ctypes.c_void_p),
        "mlirAttributeEqual": (ctypes.c_bool, _Attribute, _Attribute),
        "mlirArrayAttrGetElement": (_Attribute, _Attribute, ctypes.c_ssize_t),
        "mlirArrayAttrGetNumElements": (ctypes.c_ssize_t, _Attribute),
        "mlirDictionaryAttrGetElementByName": (_Attribute, _Attribute, _String),
        "mlirOperationGetAttributeByName": (_Attribute, _Operation, _String),
        "mlirOperationSetAttributeByName": (None, _Operation, _String, _Attribute),
        "mlirSymbolTableCreate": (_SymbolTable, _Operation),
        "mlirSymbolTableDestroy": (None, _SymbolTable),
        "mlirSymbolTableLookup": (_Operation, _SymbolTable, _String),
        "tallyAttributeIsAExpr": (ctypes.c_bool, _Attribute),
        "tallyExprAttrGet": (_Attribute, _MlirContext, _String),
        "tallyExprAttrGetText": (_String, _Attribute),
        "tallyAttributeIsAShape": (ctypes.c_bool, _Attribute),
        "tallyShapeAttrGet": (
            _Attribute, _MlirContext, ctypes.c_ssize_t, ctypes.POINTER(_Attribute)),
        "tallyShapeAttrGetRank": (ctypes.c_ssize_t, _Attribute),
        "tallyShapeAttrGetSize": (_Attribute, _Attribute, ctypes.c_ssize_t),
        "tallyAttributeIsASymbols": (ctypes.c_bool, _Attribute),
        "tallySymbolsAttrGet": (
            _Attribute, _MlirContext, ctypes.c_ssize_t, ctypes.POINTER(_SymbolDeclaration)),
        "tallySymbolsAttrGetNumSymbols": (ctypes.c_ssize_t, _Attribute),
        "tallySymbolsAttrGetSymbol": (_SymbolDeclaration, _Attribute, ctypes.c_ssize_t),
        "tallyAttributeIsABindings": (ctypes.c_bool, _Attribute),
        "tallyBindingsAttrGet": (
            _Attribute, _MlirContext, ctypes.c_ssize_t, ctypes.POINTER(_SymbolBinding)),
        "tallyBindingsAttrGetNumBindings": (ctypes.c_ssize_t, _Attribute),
        "tallyBindingsAttrGetBinding": (_SymbolBinding, _Attribute, ctypes.c_ssize_t),
        "tallyAttributeIsAPath": (ctypes.c_bool, _Attribute),
        "tallyPathAttrGet": (
            _Attribute, _MlirContext, ctypes.c_uint, ctypes.c_int, ctypes.c_uint),
        "tallyPathAttrGetArgument": (ctypes.c_uint, _Attribute),
        "tallyPathAttrGetKind": (ctypes.c_int, _Attribute),
        "tallyPathAttrGetDim": (ctypes.c_uint, _Attribute),
        "tallyRegisterAllDialects": (None, _Registry),
        "tallyRegisterAllPasses": (None,),
        "tallyReadProgram": (_Module, _MlirContext, _String),
        "tallyIsSupportedOperator": (ctypes.c_bool, _String),
        "tallyIsSupportedOnComplex": (ctypes.c_bool, _String),
        "tallyLowerModule": (_Result, _Module, ctypes.POINTER(_CompileOptions)),
        "tallyWriteModule": (
            _Result, _Module, ctypes.POINTER(_CompileOptions), _String, _Print, ctypes.c_void_p),
    },
)
_lib.tallyRegisterAllPasses()


class CompileError(Exception):
    """A program that cannot be compiled; its text is the compiler's diagnostics."""


def _collect(function, *arguments):
    """What a function prints, and what it returns."""
    parts = []
    callback = _Print(lambda text, _: parts.append(ctypes.string_at(text.data, text.length)))
    returned = function(*arguments, callback, None)
    return b"".join(parts).decode(), returned


class Context:
    """What programs and attributes belong to, with Tally's dialect and upstream's."""

    def __init__(self) -> None:
        registry = _lib.mlirDialectRegistryCreate()
        _lib.tallyRegisterAllDialects(registry)
        self._handle = _lib.mlirContextCreateWithRegistry(registry, False)
        _lib.mlirDialectRegistryDestroy(registry)
        # An attribute may be made before a program has brought the dialect.
        _lib.mlirContextGetOrLoadDialect(self._handle, _String.of("tally"))
        self._messages: list[str] = []
        # The context must not keep what keeps the context.
        messages = self._messages
        self._handler = _OnDiagnostic(lambda diagnostic, _: _note(messages, diagnostic))
        _lib.mlirContextAttachDiagnosticHandler(self._handle, self._handler, None, None)

    def __del__(self):
        if getattr(self, "_handle", None):
            _lib.mlirContextDestroy(self._handle)

    def _require(self, holds, message=""):
        """Raises what has been reported since the last call if something failed; else returns
        it."""
        messages = list(self._messages)
        self._messages.clear()
        if not holds:
            raise CompileError("\n".join(messages + [message] * bool(message)))
        return messages


def _print_place(location):
    """`model.py:6: ` for a location in a file, which may have the name of an operator with it; empty
    where it is unknown."""
    text = _collect(_lib.mlirLocationPrint, location)[0]
    in_file = re.search(r'"([^"]+)":(\d+):\d+', text)
    if in_file:
        return "{}:{}: ".format(*in_file.groups())
    return "" if text == "loc(unknown)" else f"{text}: "


def _note(messages, diagnostic):
    severity = ("error", "warning", "note", "remark")[_lib.mlirDiagnosticGetSeverity(diagnostic)]
    place = _print_place(_lib.mlirDiagnosticGetLocation(diagnostic))
    text = _collect(_lib.mlirDiagnosticPrint, diagnostic)[0]
    messages.append(f"{place}{severity}: {text}")
    return 1
