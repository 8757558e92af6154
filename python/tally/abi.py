"""The structs of tally_runtime.h, field by field."""

import ctypes
import struct
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_uint8, c_void_p

ABI_VERSION = 11

OK, CHECK_FAILED, OUT_OF_MEMORY, INVALID_ARGUMENT = range(4)
KIND_INT, KIND_BOOL, KIND_FLOAT = range(3)
CPU = 1
CUDA = 2
INT, UINT, FLOAT, BFLOAT, COMPLEX, BOOL = 0, 1, 2, 4, 5, 6


def _struct(_name, /, **fields):
    return type(_name, (ctypes.Structure,), {"_fields_": list(fields.items())})


DLDataType = _struct("DLDataType", code=c_uint8, bits=c_uint8, lanes=ctypes.c_uint16)

# A DLTensor in words of 64 bits: data; device type and number; rank, code, bits and lanes
# of the type; shape; strides; byte offset. A DLManagedTensor goes on with its manager and
# the function that deletes it.
TENSOR_WORDS = 6
MANAGED_TENSOR = struct.Struct("=Qii iBBH QQQ Q Q")


def pack_type(rank, code, bits):
    """The word with the rank and the type of a DLTensor."""
    return rank | code << 32 | bits << 40 | 1 << 48


ErrorValue = _struct(
    "ErrorValue",
    name=c_char_p,
    source=c_char_p,
    kind=c_int32,
    value=c_int64,
    float_value=c_double,
)
Error = _struct(
    "Error",
    status=c_int32,
    message=c_char_p,
    expression=c_char_p,
    user_message=c_char_p,
    required_by=c_char_p,
    declared_by=c_char_p,
    file=c_char_p,
    line=c_int32,
    column=c_int32,
    num_values=c_int32,
    values=POINTER(ErrorValue),
)
Symbol = _struct(
    "Symbol",
    name=c_char_p,
    source=c_char_p,
    kind=c_int32,
    unbacked=c_int32,
    has_lower=c_int32,
    has_upper=c_int32,
    lower=c_int64,
    upper=c_int64,
    divisor=c_int64,
    assumed=c_int32,
    reserved=c_int32,
)
Value = _struct(
    "Value",
    name=c_char_p,
    dtype=DLDataType,
    rank=c_int32,
    is_scalar=c_int32,
    mutates=c_int32,
    sizes=POINTER(c_int64),
    shape=POINTER(c_char_p),
    value=c_char_p,
)
Hidden = _struct("Hidden", argument=c_int32, dimension=c_int32)
Entry = _struct(
    "Entry",
    name=c_char_p,
    num_arguments=c_int32,
    num_results=c_int32,
    num_symbols=c_int32,
    num_hidden=c_int32,
    arguments=POINTER(Value),
    results=POINTER(Value),
    symbols=POINTER(Symbol),
    thunk=c_void_p,
    hidden=POINTER(Hidden),
    num_states=c_int32,
    initial_state=c_int32,
)
Library = _struct(
    "Library",
    abi_version=ctypes.c_uint32,
    num_entries=c_int32,
    entries=POINTER(Entry),
    device_type=c_int32,
    reserved=c_int32,
    data=c_void_p,
)


def declare(library):
    """Gives the functions of a loaded library their types."""
    library.tally_rt_abi_version.restype = ctypes.c_uint32
    library.tally_library.restype = POINTER(Library)
    library.tally_rt_context_create.restype = c_void_p
    library.tally_rt_context_create.argtypes = [c_void_p]
    library.tally_rt_context_destroy.restype = None
    library.tally_rt_context_destroy.argtypes = [c_void_p]
    library.tally_rt_live_allocations.restype = c_int64
    library.tally_rt_live_allocations.argtypes = [c_void_p]
    library.tally_rt_last_error.restype = POINTER(Error)
    library.tally_rt_last_error.argtypes = [c_void_p]
    for function in (library.tally_rt_get_state, library.tally_rt_set_state):
        function.restype = c_int32
        function.argtypes = [c_void_p, c_void_p, c_void_p, c_int32, c_void_p]
    library.tally_rt_reset_state.restype = c_int32
    library.tally_rt_reset_state.argtypes = [c_void_p]
    library.tally_rt_set_deterministic.restype = None
    library.tally_rt_set_deterministic.argtypes = [c_void_p, c_int32]
    library.tally_rt_invoke.restype = c_int32
    # Addresses: a call has no time to convert pointers.
    library.tally_rt_invoke.argtypes = [
        c_void_p,
        c_void_p,
        c_void_p,
        c_void_p,
        c_int32,
        c_void_p,
        c_int32,
    ]
