"""The compiler: programs in MLIR to compiled libraries; needs no PyTorch.

    from tally import compiler

    module = compiler.Module(open("model.mlir").read())
    module.run("tally-check-pipeline")
    print(module)                         # the checked form
    module.write("libmodel.so")
    tally.load("libmodel.so").main(...)

What is wrong with a program is a `CompileError` with the compiler's diagnostics. It is
libTallyC, found beside the package, in a build folder, or where TALLY_LIBRARY says.
"""

import ctypes
import os
import pathlib
import re

from . import _native



class _String(ctypes.Structure):
    """MlirStringRef."""

    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]

    @classmethod
    def of(cls, text):
        data = os.fspath(text).encode()
        return cls(data, len(data))


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
_OPTIONS = ("checks", "target", "cpu", "chip", "prefix", "data_directory", "runtime")


class _CompileOptions(ctypes.Structure):
    """TallyCompileOptions."""

    _fields_ = [(name, _String) for name in _OPTIONS]


_lib = _native.load(
    "libTallyC.so",
    "TALLY_LIBRARY",
    {
        "mlirDialectRegistryCreate": (_Registry,),
        "mlirDialectRegistryDestroy": (None, _Registry),
        "mlirContextCreateWithRegistry": (_MlirContext, _Registry, ctypes.c_bool),
        "mlirContextDestroy": (None, _MlirContext),
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
        "tallyRegisterAllDialects": (None, _Registry),
        "tallyRegisterAllPasses": (None,),
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


def _find_runtime():
    """The archive of the runtime, beside the library of the compiler."""
    place = pathlib.Path(_lib._name).resolve().parent / "libtally_runtime.a"
    return place if place.exists() else ""


class Module:
    """A program."""

    def __init__(self, text):
        self._module = _Module()
        self._lowered = None
        registry = _lib.mlirDialectRegistryCreate()
        _lib.tallyRegisterAllDialects(registry)
        self._context = _lib.mlirContextCreateWithRegistry(registry, False)
        _lib.mlirDialectRegistryDestroy(registry)
        self._messages = []
        self._handler = _OnDiagnostic(self._note)
        _lib.mlirContextAttachDiagnosticHandler(self._context, self._handler, None, None)
        self._module = _lib.mlirModuleCreateParse(self._context, _String.of(text))
        self._require(self._module.ptr)

    def __del__(self):
        if self._module.ptr:
            _lib.mlirModuleDestroy(self._module)
        if getattr(self, "_context", None):
            _lib.mlirContextDestroy(self._context)

    def _note(self, diagnostic, _):
        severity = ("error", "warning", "note", "remark")[_lib.mlirDiagnosticGetSeverity(diagnostic)]
        place = _collect(_lib.mlirLocationPrint, _lib.mlirDiagnosticGetLocation(diagnostic))[0]
        text = _collect(_lib.mlirDiagnosticPrint, diagnostic)[0]
        self._messages.append(f"{place}: {severity}: {text}")
        return 1

    def _require(self, holds, message=""):
        messages, self._messages = self._messages, []
        if not holds:
            raise CompileError("\n".join(messages + [message] * bool(message)))

    def __str__(self):
        return _collect(_lib.mlirOperationPrint, _lib.mlirModuleGetOperation(self._module))[0]

    def run(self, pipeline):
        """Runs passes or pipelines: `tally-check-pipeline{verify=true}`."""
        manager = _lib.mlirPassManagerCreate(self._context)
        try:
            message, added = _collect(
                _lib.mlirOpPassManagerAddPipeline,
                _lib.mlirPassManagerGetAsOpPassManager(manager),
                _String.of(pipeline),
            )
            self._require(added.value, message)
            operation = _lib.mlirModuleGetOperation(self._module)
            self._require(_lib.mlirPassManagerRunOnOp(manager, operation).value)
        finally:
            _lib.mlirPassManagerDestroy(manager)

    def write(self, path, **options):
        """Compiles the program, which it changes, and writes a shared library, an archive
        (`.a`) or an object file (`.o`). Options are those of tally-compile: checks, target,
        cpu, chip, prefix, data_directory, and runtime, the archive of the runtime."""
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
        self._require(_lib.tallyLowerModule(self._module, ctypes.byref(native)).value)
        message, written = _collect(
            _lib.tallyWriteModule, self._module, ctypes.byref(native), _String.of(path))
        self._require(written.value, message)
