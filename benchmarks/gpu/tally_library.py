"""Calls libraries that tally-compile made, with torch tensors.

    program = Program("libsoftmax.so")
    (y,) = program(x)

Arguments and results are DLPack structures that share memory with torch's tensors:
a call costs a few microseconds of Python. Who calls again and again with the same
tensors prepares the call once:

    call = program.prepare(x)
    call.enqueue()          # runs, and releases the results
"""

import ctypes

import torch

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


# What torch.utils.dlpack offers, without what it does in Python: it would order
# streams, and programs here work on torch's own.
_to_dlpack = torch._C._to_dlpack
_from_dlpack = torch._C._from_dlpack
# A capsule holds a DLManagedTensor, which begins with its DLTensor.
_CAPSULE = b"dltensor"
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Call:
    """A call with fixed tensors, which is as cheap as ctypes can make it."""

    def __init__(self, program, tensors):
        self.program = program
        self.capsules = [_to_dlpack(tensor) for tensor in tensors]
        self.arguments = (ctypes.c_void_p * len(tensors))(
            *(_get_pointer(capsule, _CAPSULE) for capsule in self.capsules))
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
        self.arguments = (ctypes.c_void_p * self.num_arguments)()
        self.results = (ctypes.c_void_p * self.num_results)()
        self.values = self.invoke_values(self.arguments, self.results)

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
                ctypes.cast(arguments, ctypes.c_void_p),
                ctypes.c_int32(len(arguments)),
                ctypes.cast(results, ctypes.c_void_p),
                ctypes.c_int32(len(results)))

    def use_current_stream(self):
        """Works on torch's current stream from now on."""
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.library.tally_rt_set_stream(self.context, stream)

    def set_deterministic(self, deterministic):
        """Whether later calls give the same bits each time; they do where the library's
        runtime has no other way."""
        if hasattr(self.library, "tally_rt_set_deterministic"):
            self.library.tally_rt_set_deterministic(self.context, int(deterministic))

    def defer_checks(self, deferred):
        """Whether calls leave the wait for checks of data to `finish_checks`; they never do where
        the library's runtime cannot."""
        if hasattr(self.library, "tally_rt_defer_checks"):
            self.library.tally_rt_defer_checks(self.context, int(deferred))

    def finish_checks(self):
        """Waits for the checks that calls have left; raises TallyError if one failed."""
        if hasattr(self.library, "tally_rt_finish_checks") and self.library.tally_rt_finish_checks(self.context):
            self.raise_last_error()

    def prepare(self, *tensors):
        """A call with these tensors, to be made many times."""
        return Call(self, tensors)

    def __call__(self, *tensors):
        """Runs the program; returns a tuple of new tensors."""
        if len(tensors) != self.num_arguments:
            raise TypeError(f"{len(tensors)} arguments, expected {self.num_arguments}")
        capsules = [_to_dlpack(tensor) for tensor in tensors]
        self.arguments[:] = [_get_pointer(capsule, _CAPSULE) for capsule in capsules]
        if self.invoke(*self.values):
            self.raise_last_error()
        return tuple([_from_dlpack(_new_capsule(result, _CAPSULE, None))
                      for result in self.results])

    def ctypes_call(self):
        """A call that does nothing: what ctypes itself takes."""
        self.library.tally_rt_abi_version(*self.values)

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
