"""NumPy arrays as DLPack tensors, and back."""

import ctypes
import functools
import operator
from array import array as Words

import numpy

from . import abi

_KINDS = {"i": abi.INT, "u": abi.UINT, "f": abi.FLOAT, "c": abi.COMPLEX, "b": abi.BOOL}


def dtype_of(declared):
    """The NumPy type of a DLDataType. NumPy has no bf16: its bits are uint16."""
    if declared.code == abi.BOOL:
        return numpy.dtype(bool)
    kind = {abi.INT: "i", abi.UINT: "u", abi.FLOAT: "f", abi.BFLOAT: "u", abi.COMPLEX: "c"}[declared.code]
    return numpy.dtype(f"{kind}{declared.bits // 8}")


def print_type(declared):
    """`f32`, `i1`, `bf16`, `c64`."""
    if declared.code == abi.BOOL:
        return "i1"
    letter = {abi.INT: "i", abi.UINT: "u", abi.FLOAT: "f", abi.BFLOAT: "bf", abi.COMPLEX: "c"}
    return f"{letter[declared.code]}{declared.bits}"


def _is_array(value):
    protocols = ("__dlpack__", "__array_interface__", "__array__")
    return any(hasattr(value, name) for name in protocols)


def _number(value, declared):
    """A number as an array of rank 0; never rounds to an integer."""
    if declared.code == abi.BOOL:
        if not isinstance(value, (bool, numpy.bool_)):
            raise TypeError(f"expected a boolean, not {value!r}")
    elif declared.code in (abi.INT, abi.UINT):
        value = operator.index(value)
        limits = numpy.iinfo(dtype_of(declared))
        # NumPy before version 2 takes the lowest bits.
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{value} does not fit {limits.dtype}")
    elif declared.code == abi.FLOAT:
        value = float(value)
    return numpy.array(value, dtype_of(declared))


def as_array(value, declared):
    """An argument as a NumPy array; without a copy where it is one, whatever its
    data type is."""
    if isinstance(value, (bool, int, float)) and declared.rank == 0:
        return _number(value, declared.dtype)
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return numpy.asarray(value)
    if hasattr(value, "__dlpack__"):
        # DLPack does not tell that PyTorch negates elements when it reads them.
        if hasattr(value, "is_neg") and value.is_neg():
            raise TypeError("is a view that negates: pass tensor.resolve_neg()")
        if hasattr(value, "is_conj") and value.is_conj():
            raise TypeError("is a view that conjugates: pass tensor.resolve_conj()")
        return numpy.from_dlpack(value)
    if _is_array(value):
        return numpy.asarray(value)
    # A list, say.
    array = numpy.asarray(value)
    if array.dtype.kind not in _KINDS:
        raise TypeError(
            f"expected an array of {print_type(declared.dtype)}, not a value of type {type(value).__name__}")
    dtype = dtype_of(declared.dtype)
    return array.astype(dtype, casting="same_kind" if array.size else "unsafe")


def _storage(array, value, address):
    """Where the memory starts that an array is a view of."""
    start = address
    if array is not value and callable(getattr(value, "storage_offset", None)):
        start = address - value.storage_offset() * array.itemsize
    root = array
    while isinstance(root.base, numpy.ndarray):
        root = root.base
    if root is not array:
        start = root.__array_interface__["data"][0]
    fits = start <= address and (address - start) % array.itemsize == 0
    return start if fits else address


@functools.cache
def _type_word(dtype, rank, is_bfloat):
    """The word of a DLTensor that says its type and rank."""
    code = abi.BFLOAT if is_bfloat else _KINDS.get(dtype.kind, 255)
    return abi.pack_type(rank, code, dtype.itemsize * 8 % 256)


class Parameter:
    """How an entry point takes one of its arguments."""

    def __init__(self, declared, is_written, tells_storage):
        self.declared = declared
        self.is_written = is_written
        self.tells_storage = tells_storage
        self.is_bfloat = declared.dtype.code == abi.BFLOAT

    def describe(self, value):
        """An array for a value, and its tensor: the words of a DLTensor but for the
        addresses of its shape and strides, then these."""
        array = value if type(value) is numpy.ndarray else as_array(value, self.declared)
        dtype, itemsize = array.dtype, array.itemsize
        strides = array.strides
        native = dtype.isnative
        if not array.flags.c_contiguous:
            native = native and all(stride % itemsize == 0 for stride in strides)
        if self.is_written and not (native and array.flags.writeable and _is_array(value)):
            raise ValueError("is written to: it must be an array that can be")
        if not native:
            array = array.astype(dtype.newbyteorder("="))
            dtype, strides = array.dtype, array.strides
        address = array.__array_interface__["data"][0]
        start = _storage(array, value, address) if self.tells_storage else address
        is_bfloat = self.is_bfloat and dtype == numpy.uint16
        return array, (
            start,
            _type_word(dtype, array.ndim, is_bfloat),
            address - start,
            array.shape,
            [stride // itemsize for stride in strides],
        )


def pack(tensors, num_results):
    """Memory with the arguments of a call: words for the addresses of tensors, words for
    its results, then the tensors. Returns it, and its address."""
    count = len(tensors)
    header = count + num_results
    words = Words("q", bytes(8 * (header + sum(
        abi.TENSOR_WORDS + 2 * len(tensor[3]) for tensor in tensors))))
    base = words.buffer_info()[0]
    pointers, rest = [], []
    at = base + 8 * header
    for start, type_word, offset, shape, strides in tensors:
        pointers.append(at)
        sizes = at + 8 * abi.TENSOR_WORDS
        after = sizes + 8 * len(shape)
        rest += (start, abi.CPU, type_word, sizes, after, offset, *shape, *strides)
        at = after + 8 * len(shape)
    words[:count] = Words("q", pointers)
    words[header:] = Words("q", rest)
    return words, base


@functools.cache
def _deleter(address):
    """The function at an address that deletes managed tensors."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)


@functools.cache
def _typestr(code, bits):
    return dtype_of(abi.DLDataType(code, bits, 1)).str


class Result:
    """A returned tensor, which an array over it keeps."""

    __slots__ = ("address", "deleter", "__array_interface__")

    def __init__(self, address):
        (data, _, _, rank, code, bits, _, shape, _, offset, _, deleter) = (
            abi.MANAGED_TENSOR.unpack(ctypes.string_at(address, abi.MANAGED_TENSOR.size)))
        self.address = address
        self.deleter = _deleter(deleter)
        sizes = Words("q", ctypes.string_at(shape, 8 * rank)) if rank else ()
        self.__array_interface__ = {
            "version": 3,
            "shape": tuple(sizes),
            "typestr": _typestr(code, bits),
            "data": (data + offset, False),
        }

    def __del__(self):
        self.deleter(self.address)


def take(address, is_scalar):
    """What a call returned: an array without a copy, or a number."""
    result = numpy.asarray(Result(address))
    return result.item() if is_scalar else result
