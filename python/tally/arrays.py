"""NumPy arrays as DLPack tensors, and back."""

import ctypes
import operator

import numpy

from . import abi

_KINDS = {"i": abi.INT, "u": abi.UINT, "f": abi.FLOAT, "b": abi.BOOL}


def dtype_of(declared):
    """The NumPy type of a DLDataType. NumPy has no bf16: its bits are uint16."""
    if declared.code == abi.BOOL:
        return numpy.dtype(bool)
    kind = {abi.INT: "i", abi.UINT: "u", abi.FLOAT: "f", abi.BFLOAT: "u"}[declared.code]
    return numpy.dtype(f"{kind}{declared.bits // 8}")


def print_type(declared):
    """`f32`, `i1`, `bf16`."""
    if declared.code == abi.BOOL:
        return "i1"
    letter = {abi.INT: "i", abi.UINT: "u", abi.FLOAT: "f", abi.BFLOAT: "bf"}
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
        return numpy.from_dlpack(value)
    if _is_array(value):
        return numpy.asarray(value)
    # A list, say.
    array = numpy.asarray(value)
    dtype = dtype_of(declared.dtype)
    return array.astype(dtype, casting="same_kind" if array.size else "unsafe")


def _storage(array, value):
    """Where the memory starts that an array is a view of."""
    address = array.__array_interface__["data"][0]
    start = address
    if array is not value and callable(getattr(value, "storage_offset", None)):
        start = address - value.storage_offset() * array.itemsize
    root = array
    while isinstance(root.base, numpy.ndarray):
        root = root.base
    if root is not array:
        start = root.__array_interface__["data"][0]
    fits = start <= address and (address - start) % array.itemsize == 0
    return (start if fits else address), address


class Argument:
    """A tensor that points into an array, which it keeps."""

    def __init__(self, value, declared, is_written):
        array = as_array(value, declared)
        native = array.dtype.isnative and all(
            stride % array.itemsize == 0 for stride in array.strides
        )
        if is_written and not (
            native and array.flags.writeable and _is_array(value)
        ):
            raise ValueError("is written to: it must be an array that can be")
        if not native:
            array = array.astype(array.dtype.newbyteorder("="))
        self.array = array
        start, address = _storage(array, value)
        sizes = ctypes.c_int64 * array.ndim
        self.shape = sizes(*array.shape)
        self.strides = sizes(*(s // array.itemsize for s in array.strides))
        code = _KINDS.get(array.dtype.kind, 255)
        is_bfloat = declared.dtype.code == abi.BFLOAT and array.dtype == numpy.uint16
        self.tensor = abi.DLTensor(
            start,
            abi.DLDevice(abi.CPU, 0),
            array.ndim,
            abi.DLDataType(
                abi.BFLOAT if is_bfloat else code, array.itemsize * 8 % 256, 1
            ),
            self.shape,
            self.strides,
            address - start,
        )


class Result:
    """A returned tensor, which an array over it keeps."""

    def __init__(self, managed):
        self.managed = managed
        tensor = managed.contents.dl_tensor
        self.__array_interface__ = {
            "version": 3,
            "shape": tuple(tensor.shape[i] for i in range(tensor.ndim)),
            "typestr": dtype_of(tensor.dtype).str,
            "data": ((tensor.data or 0) + tensor.byte_offset, False),
        }

    def __del__(self):
        self.managed.contents.deleter(self.managed)


def take(managed, declared):
    """What a call returned: an array without a copy, or a number."""
    array = numpy.asarray(Result(managed))
    return array.item() if declared.is_scalar else array
