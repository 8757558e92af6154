"""Calls compiled libraries through the C interface of tally_runtime.h.

Every input ends at an inaccessible page, and so does every buffer that the library
allocates: an access behind one ends the process.
"""

import ctypes
import mmap

import numpy

from programs import storage_offset

CHECK_FAILED = 1

DLPACK_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
PAGE = mmap.PAGESIZE


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("manager", ctypes.c_void_p),
                ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


class Error(ctypes.Structure):
    """tally_rt_error."""
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char_p),
                ("expression", ctypes.c_char_p), ("user_message", ctypes.c_char_p),
                ("required_by", ctypes.c_char_p), ("declared_by", ctypes.c_char_p),
                ("file", ctypes.c_char_p), ("line", ctypes.c_int32), ("column", ctypes.c_int32)]


class Config(ctypes.Structure):
    """tally_rt_config."""
    _fields_ = [("size", ctypes.c_size_t), ("allocator", ctypes.c_void_p), ("parallel_for", ctypes.c_void_p),
                ("user", ctypes.c_void_p)]


class Failure:
    """What a failed call says. Two failures are the same if everything is."""

    def __init__(self, error):
        self.status = error.status
        self.message = error.message.decode()
        self.expression = error.expression.decode()
        # Which check of the program it is.
        self.place = (error.status, error.user_message, error.required_by, error.declared_by,
                      error.file, error.line, error.column)

    def __eq__(self, other):
        return (isinstance(other, Failure) and self.place == other.place
                and self.message == other.message and self.expression == other.expression)

    def __str__(self):
        status = "refused" if self.status == CHECK_FAILED else f"failed with status {self.status}"
        return f"{status}: {self.message}"


class GuardedPages:
    """Memory in front of an inaccessible page. Arrays are put at its end."""

    def __init__(self, size):
        self.usable = -(-size // PAGE) * PAGE
        self.memory = mmap.mmap(-1, self.usable + PAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        libc = ctypes.CDLL(None, use_errno=True)
        guard = ctypes.c_void_p(self.address + self.usable)
        if libc.mprotect(guard, ctypes.c_size_t(PAGE), 0):
            raise OSError(ctypes.get_errno(), "mprotect")

    def put(self, array):
        """Copies the array, strides and all; returns the copy and its address."""
        span = 0
        if array.size:
            span = array.itemsize + sum(
                (size - 1) * stride for size, stride in zip(array.shape, array.strides))
        start = self.usable - span
        if not array.size:
            return array, self.address + start
        copy = numpy.ndarray(array.shape, array.dtype, self.memory, start, array.strides)
        copy[...] = array
        return copy, self.address + start


class Library:
    """The entry point @main of a compiled library."""

    def __init__(self, path, num_arguments):
        self.code = ctypes.CDLL(path)
        for name in ("tally_library", "tally_rt_find_entry", "tally_rt_context_create",
                     "tally_rt_last_error", "tally_rt_guard_page_allocator"):
            getattr(self.code, name).restype = ctypes.c_void_p
        description = ctypes.c_void_p(self.code.tally_library())
        entry = ctypes.c_void_p(self.code.tally_rt_find_entry(description, b"main"))
        config = Config(ctypes.sizeof(Config), self.code.tally_rt_guard_page_allocator(0), None, None)
        self.context = ctypes.c_void_p(self.code.tally_rt_context_create(ctypes.byref(config)))
        self.tensors = [DLTensor(device_type=1, lanes=1) for _ in range(num_arguments)]
        self.extents = [(ctypes.c_int64 * 16)() for _ in range(num_arguments)]
        self.pages = [GuardedPages(PAGE) for _ in range(num_arguments)]
        # The arguments of the last call, as the call left them.
        self.inputs = [None] * num_arguments
        self.num_results = self.code.tally_rt_num_returned(entry)
        self.results = (ctypes.c_void_p * self.num_results)()
        pointers = (ctypes.c_void_p * num_arguments)(*map(ctypes.addressof, self.tensors))
        self.values = (description, entry, self.context, pointers, num_arguments, self.results,
                       self.num_results)

    def __call__(self, arrays):
        """The results of a call, or a Failure."""
        for index, array in enumerate(arrays):
            self._fill(index, array)
        if self.code.tally_rt_invoke(*self.values):
            address = self.code.tally_rt_last_error(self.context)
            return Failure(Error.from_address(address))
        return tuple(map(take_result, self.results))

    def live_allocations(self):
        self.code.tally_rt_live_allocations.restype = ctypes.c_int64
        return self.code.tally_rt_live_allocations(self.context)

    def _fill(self, index, array):
        tensor, extents = self.tensors[index], self.extents[index]
        rank = array.ndim
        extents[:rank] = array.shape
        extents[8:8 + rank] = [stride // array.itemsize for stride in array.strides]
        if array.nbytes * 64 > self.pages[index].usable:
            self.pages[index] = GuardedPages(array.nbytes * 64)
        self.inputs[index], address = self.pages[index].put(array)
        tensor.byte_offset = storage_offset(array) * array.itemsize
        tensor.data = address - tensor.byte_offset
        tensor.ndim = rank
        tensor.code = DLPACK_CODES[array.dtype.kind]
        tensor.bits = array.itemsize * 8
        tensor.shape = ctypes.addressof(extents)
        tensor.strides = ctypes.addressof(extents) + 64


class CustomFunctions:
    """The compiled custom_functions.c: its functions are there for all libraries that are loaded
    after it."""

    def __init__(self, path):
        code = ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        self.logged = (ctypes.c_int64 * 64).in_dll(code, "logged")
        self.count = ctypes.c_int64.in_dll(code, "num_logged")

    def take_log(self):
        """What has been logged since the last time."""
        numbers = self.logged[:self.count.value]
        self.count.value = 0
        return numbers


DTYPES = {(DLPACK_CODES[dtype.kind], dtype.itemsize * 8): dtype
          for dtype in map(numpy.dtype, ("i1", "i2", "i4", "i8", "u1", "f2", "f4", "f8", "?"))}


def take_result(address):
    """A copy of a result, which is released."""
    managed = DLManagedTensor.from_address(address)
    tensor = managed.tensor
    shape = (ctypes.c_int64 * tensor.ndim).from_address(tensor.shape) if tensor.ndim else ()
    dtype = DTYPES[tensor.code, tensor.bits]
    count = 1
    for size in shape:
        count *= size
    data = ctypes.string_at(tensor.data, count * dtype.itemsize) if count else b""
    array = numpy.frombuffer(data, dtype).reshape(tuple(shape))
    managed.deleter(address)
    return array
