"""Calls libraries that tally-compile made, with torch tensors.

    program = Program("libsoftmax.so")
    (y,) = program(x)

The tensors of an argument and of a result share memory with DLPack structures,
which are filled in place: a call costs a few microseconds of Python. Who calls
again and again with the same tensors prepares the call once:

    call = program.prepare(x)
    call.enqueue()          # runs, and releases the results
"""

import ctypes

import torch

CPU, CUDA = 1, 2

_DTYPES = {
    torch.bool: (6, 8),
    torch.uint8: (1, 8),
    torch.int8: (0, 8),
    torch.int16: (0, 16),
    torch.int32: (0, 32),
    torch.int64: (0, 64),
    torch.float16: (2, 16),
    torch.bfloat16: (4, 16),
    torch.float32: (2, 32),
    torch.float64: (2, 64),
}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Entry(ctypes.Structure):
    """The start of tally_rt_entry."""
    _fields_ = [("name", ctypes.c_char_p), ("num_arguments", ctypes.c_int32),
                ("num_results", ctypes.c_int32)]


class _Error(ctypes.Structure):
    """The start of tally_rt_error."""
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char_p)]


class Counters(ctypes.Structure):
    """tally_rt_counters."""
    _fields_ = [(name, ctypes.c_int64) for name in (
        "launches", "host_waits", "allocations", "bytes_allocated", "uploads",
        "library_calls")] + [("reserved", ctypes.c_int64 * 2)]


class TallyError(RuntimeError):
    """A call that failed: a check of the program, or a bad argument."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class _Arguments:
    """DLPack structures of the arguments of a call."""

    def __init__(self, tensors):
        self.signature = [(t.dtype, t.dim(), t.device) for t in tensors]
        self.structs = (DLTensor * len(tensors))()
        self.pointers = (ctypes.c_void_p * len(tensors))()
        self.numbers = []
        for i, t in enumerate(tensors):
            struct = self.structs[i]
            if t.dtype not in _DTYPES:
                raise TypeError(f"argument {i} is {t.dtype}, which Tally does not have")
            struct.code, struct.bits = _DTYPES[t.dtype]
            struct.lanes = 1
            struct.ndim = t.dim()
            struct.device_type = CUDA if t.device.type == "cuda" else CPU
            struct.device_id = t.device.index or 0
            numbers = ((ctypes.c_int64 * t.dim())(), (ctypes.c_int64 * t.dim())())
            struct.shape, struct.strides = numbers
            self.numbers.append(numbers)
            self.pointers[i] = ctypes.addressof(struct)

    def fits(self, tensors):
        return len(tensors) == len(self.signature) and all(
            (t.dtype, t.dim(), t.device) == s
            for t, s in zip(tensors, self.signature))

    def fill(self, tensors):
        for t, struct, (shape, strides) in zip(tensors, self.structs, self.numbers):
            struct.data = t.data_ptr()
            shape[:] = t.shape
            strides[:] = t.stride()


class Call:
    """A call with fixed tensors, which is as cheap as ctypes can make it."""

    def __init__(self, program, tensors):
        self.tensors = tensors
        self.program = program
        self.arguments = _Arguments(tensors)
        self.arguments.fill(tensors)
        self.results = (ctypes.c_void_p * program.num_results)()
        # Ready-made C values: ctypes converts nothing when it calls.
        self.invoke = program.invoke
        self.values = program.invoke_values(self.arguments, self.results)
        self.deleters = None

    def enqueue(self):
        """Runs the call and releases its results, stream-ordered on a GPU."""
        if self.invoke(*self.values):
            self.program.raise_last_error()
        if self.deleters is None:
            self.deleters = [
                _Deleter(DLManagedTensor.from_address(result).deleter)
                for result in self.results]
        for deleter, result in zip(self.deleters, self.results):
            deleter(result)


class Program:
    """One entry point of a compiled library, with a call context of its own."""

    def __init__(self, path, entry="main"):
        self.library = ctypes.CDLL(path)
        self._declare()
        self.description = ctypes.c_void_p(self.library.tally_library())
        address = self.library.tally_rt_find_entry(self.description, entry.encode())
        if not address:
            raise ValueError(f"{path} has no entry point '{entry}'")
        self.entry = ctypes.c_void_p(address)
        self.num_arguments = _Entry.from_address(address).num_arguments
        self.num_results = self.library.tally_rt_num_returned(self.entry)
        self.context = ctypes.c_void_p(self.library.tally_rt_context_create(None))
        self.invoke = self.library.tally_rt_invoke
        self.cached = None
        self.results = (ctypes.c_void_p * self.num_results)()

    def _declare(self):
        # Without argtypes: every argument is a C value already.
        pointers = ("tally_library", "tally_rt_find_entry", "tally_rt_context_create",
                    "tally_rt_last_error")
        for name in pointers:
            getattr(self.library, name).restype = ctypes.c_void_p

    def __del__(self):
        if getattr(self, "context", None):
            self.library.tally_rt_context_destroy(self.context)

    def invoke_values(self, arguments, results):
        return (self.description, self.entry, self.context,
                ctypes.cast(arguments.pointers, ctypes.c_void_p),
                ctypes.c_int32(len(arguments.pointers)),
                ctypes.cast(results, ctypes.c_void_p),
                ctypes.c_int32(len(results)))

    def use_current_stream(self):
        """Works on torch's current stream from now on."""
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.library.tally_rt_set_stream(self.context, stream)

    def prepare(self, *tensors):
        """A call with these tensors, to be made many times."""
        return Call(self, tensors)

    def __call__(self, *tensors):
        """Runs the program; returns a tuple of new tensors."""
        if self.cached is None or not self.cached[0].fits(tensors):
            arguments = _Arguments(tensors)
            self.cached = arguments, self.invoke_values(arguments, self.results)
        arguments, values = self.cached
        arguments.fill(tensors)
        if self.invoke(*values):
            self.raise_last_error()
        return tuple(torch._C._from_dlpack(_new_capsule(r, b"dltensor", None))
                     for r in self.results)

    def counters(self):
        """What the calls have cost since reset_counters; None where the library's
        runtime does not count."""
        if not hasattr(self.library, "tally_rt_get_counters"):
            return None
        counters = Counters()
        self.library.tally_rt_get_counters(self.context, ctypes.byref(counters))
        return counters

    def reset_counters(self):
        if hasattr(self.library, "tally_rt_reset_counters"):
            self.library.tally_rt_reset_counters(self.context)

    def live_allocations(self):
        function = self.library.tally_rt_live_allocations
        function.restype = ctypes.c_int64
        return function(self.context)

    def raise_last_error(self):
        address = self.library.tally_rt_last_error(self.context)
        if not address:
            raise TallyError(4, "the context is in use by another call")
        error = _Error.from_address(address)
        raise TallyError(error.status, error.message.decode())
