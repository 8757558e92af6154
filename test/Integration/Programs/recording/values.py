"""Descriptions of input values, and their written forms.

A description becomes a tensor only when a program and a case name are known:
they seed the numbers, so that adding a case changes no other case.
"""

import dataclasses
import zlib
from typing import Any

import numpy as np
import torch

DTYPES = {
    torch.bool: "i1", torch.int8: "i8", torch.uint8: "u8", torch.int16: "i16",
    torch.int32: "i32", torch.int64: "i64", torch.float16: "f16",
    torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
}

# Up to this many elements an array is written into cases.json itself.
INLINE_LIMIT = 32


@dataclasses.dataclass
class Value:
    """A tensor still to be made: `make(generator)` gives it."""

    make: Any


def _tensor(numbers, dtype):
    """A copy with torch's own strides; numpy's differ in empty arrays."""
    result = torch.empty(numbers.shape, dtype=dtype)
    return result.copy_(torch.from_numpy(np.asarray(numbers)))


def f32(*shape, lo=-2.0, hi=2.0, dtype=torch.float32):
    """Uniform floats with three decimals."""
    def make(rng):
        return _tensor(np.round(rng.uniform(lo, hi, shape), 3), dtype)
    return Value(make)


def floats(dtype, *shape, lo=-2.0, hi=2.0):
    """Uniform floats of another floating type."""
    return f32(*shape, lo=lo, hi=hi, dtype=dtype)


def complexes(dtype, *shape, lo=-2.0, hi=2.0):
    """Complex numbers, of which both parts are in a range."""
    def make(rng):
        parts = np.round(rng.uniform(lo, hi, (*shape, 2)), 3)
        return torch.view_as_complex(_tensor(parts, torch.float64)).to(dtype)
    return Value(make)


def i64(*shape, lo=-9, hi=9, dtype=torch.int64):
    """Uniform integers in [lo, hi]."""
    def make(rng):
        return _tensor(rng.integers(lo, hi, shape, endpoint=True), dtype)
    return Value(make)


def ints(dtype, *shape, lo=-9, hi=9):
    """Uniform integers of another integer type."""
    return i64(*shape, lo=lo, hi=hi, dtype=dtype)


def b1(*shape):
    """Fair booleans."""
    return Value(lambda rng: _tensor(rng.integers(0, 2, shape), torch.bool))


def chosen(n, k, dtype=torch.bool):
    """A vector of n booleans of which k are true."""
    def make(rng):
        mask = np.zeros(n, dtype=bool)
        mask[rng.permutation(n)[:k]] = True
        return torch.tensor(mask).to(dtype)
    return Value(make)


def permutation(n):
    """The numbers 0 to n - 1 in some order."""
    return Value(lambda rng: torch.tensor(rng.permutation(n)))


def lit(data, dtype=None):
    """A tensor written out."""
    return Value(lambda rng: torch.tensor(data, dtype=dtype))


def realize(inputs, key):
    """Makes the tensors of one call; `key` seeds them."""
    def one(value, position):
        if isinstance(value, Value):
            seed = zlib.crc32(f"{key}/{position}".encode())
            return value.make(np.random.Generator(np.random.PCG64(seed)))
        if isinstance(value, (list, tuple)):
            return type(value)(
                one(v, f"{position}.{i}") for i, v in enumerate(value))
        if isinstance(value, dict):
            return {k: one(v, f"{position}.{k}") for k, v in value.items()}
        return value
    return tuple(one(v, i) for i, v in enumerate(inputs))


def is_passed(leaf):
    """Whether a leaf is there when a program runs; None and strings are not."""
    return leaf is not None and not isinstance(leaf, str)


def to_numpy(value):
    """The numpy form of a tensor or scalar; bf16 is its raw 16 bits, dtype V2."""
    if isinstance(value, bool):
        return np.array(value, dtype=np.bool_)
    if isinstance(value, int):
        return np.array(value, dtype=np.int64)
    if isinstance(value, float):
        return np.array(value, dtype=np.float64)
    value = value.detach().resolve_conj().resolve_neg().contiguous()
    if value.dtype == torch.bfloat16:
        return value.view(torch.int16).numpy().view(np.dtype("V2"))
    return value.numpy()


def from_numpy(array):
    """The tensor of a recorded array."""
    if array.dtype == np.dtype("V2"):
        bits = torch.from_numpy(array.view(np.int16).copy())
        return bits.view(torch.bfloat16)
    dtype = torch.from_numpy(np.empty(0, array.dtype)).dtype
    return _tensor(array, dtype)


def _element(number):
    """The shortest text of a numpy number that reads back the same."""
    if isinstance(number, np.bool_):
        return str(number).lower()
    return str(float(number)) if number.dtype.itemsize == 2 and \
        number.dtype.kind == "f" else str(number)


def inline_spec(value, any_numbers=False):
    """The text of a small array or scalar for cases.json, or None if it needs
    a file.

    Empty arrays, and others where any numbers will do, are written as random.
    """
    if isinstance(value, float):
        value = torch.tensor(value, dtype=torch.float64)
    elif not isinstance(value, torch.Tensor):
        value = torch.tensor(value)
    if value.is_complex():
        return None
    count, name = value.numel(), DTYPES[value.dtype]
    if value.dim():
        name += "[" + ",".join(str(d) for d in value.shape) + "]"
    if count == 0 or (any_numbers and value.dtype == torch.float32):
        return f"{name}=random"
    if count > INLINE_LIMIT or not bool(torch.isfinite(value).all()):
        return None
    if value.dtype == torch.bfloat16:
        value = value.float()
    numbers = value.detach().contiguous().numpy().reshape(-1)
    return f"{name}={','.join(_element(n) for n in numbers)}"


def parse_spec(spec, folder):
    """The array that a SPEC of cases.json stands for."""
    if spec.endswith(".npy"):
        return from_numpy(np.load(folder / spec))
    kind, text = spec.split("=", 1)
    name, _, sizes = kind.rstrip("]").partition("[")
    dtype = next(d for d, n in DTYPES.items() if n == name)
    shape = [int(d) for d in sizes.split(",")] if sizes else []
    if text == "random":
        return torch.ones(shape, dtype=dtype)
    read = {torch.bool: lambda t: t == "true"}.get(
        dtype, float if dtype.is_floating_point else int)
    numbers = [read(t) for t in text.split(",")]
    return torch.tensor(numbers, dtype=dtype).reshape(shape)


def like(value, example):
    """Turns a 0-d tensor into the Python scalar that a program takes."""
    return value if isinstance(example, torch.Tensor) else value.item()
