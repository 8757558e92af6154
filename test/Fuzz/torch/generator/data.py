"""The elements of a program's inputs, seeded by program, call and input."""

import zlib

import numpy as np
import torch

from recording.values import DTYPES

BY_NAME = {name: dtype for dtype, name in DTYPES.items()}

FLOATS = ("f16", "bf16", "f32", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
INTS = SIGNED + ("u8",)
ALL = FLOATS + INTS + ("i1",)

# A subnormal and a huge number. Sums of squares of huge ones are finite in
# float32: PyTorch's kernels differ in whether they accumulate in float64.
_SPECIAL = {
    "f16": (6e-8, 65504.0), "bf16": (1e-40, 1e18), "f32": (1e-42, 1e18),
    "f64": (5e-324, 1e150),
}


def _rng(*key):
    seed = zlib.crc32("/".join(map(str, key)).encode())
    return np.random.Generator(np.random.PCG64(seed))


def _floats(rng, shape, dtype, fill):
    if fill == "positive":
        numbers = rng.uniform(0.125, 2.0, shape)
    elif fill == "ties":
        numbers = rng.integers(-2, 3, shape) * 0.5
        numbers = np.where((numbers == 0) & (rng.random(shape) < 0.5), -0.0,
                           numbers)
    elif fill == "halves":  # Many are halfway between two integers.
        numbers = rng.integers(-9, 10, shape) * 0.5
    else:
        numbers = np.round(rng.uniform(-2.0, 2.0, shape), 3)
    if fill == "special":
        tiny, huge = _SPECIAL[dtype]
        specials = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, tiny, -tiny,
                             huge, -huge, 1.0, -1.0])
        numbers = np.where(rng.random(shape) < 0.4,
                           rng.choice(specials, shape), numbers)
    return numbers


def _ints(rng, shape, dtype, fill):
    info = torch.iinfo(BY_NAME[dtype])
    low, high = (0, 20) if dtype == "u8" else (-9, 9)
    if fill == "positive":
        low = 1
    if fill == "ties":
        low, high = max(low, -1), 2
    numbers = rng.integers(low, high, shape, endpoint=True)
    if fill == "special":
        extremes = np.array([info.min, info.max, info.min + 1, info.max - 1,
                             0, 1], dtype=object)
        numbers = np.where(rng.random(shape) < 0.3,
                           rng.choice(extremes, shape), numbers)
    return numbers.astype(np.int64) if shape else np.int64(numbers)


def _indices(rng, shape, size, both_signs):
    """Indices into `size` elements; 0 where there are none."""
    numbers = rng.integers(0, max(size, 1), shape)
    if both_signs and size:
        numbers = np.where(rng.random(shape) < 0.4, numbers - size, numbers)
    return numbers


def elements(rng, shape, dtype, fill, sizes):
    """A numpy array by a fill's name."""
    kind, _, argument = fill.partition(":")
    size = sizes.get(argument, int(argument) if argument.isdigit() else 0)
    if kind in ("index", "wrapped"):
        return _indices(rng, shape, size, kind == "wrapped")
    if kind == "sorted_index":
        return np.sort(_indices(rng, shape, size, False))
    if kind == "permutation":
        return rng.permutation(size)
    if kind == "count":
        return rng.integers(0, size, shape, endpoint=True)
    if dtype == "i1":
        return rng.integers(0, 2, shape)
    if dtype in FLOATS:
        return _floats(rng, shape, dtype, fill)
    return _ints(rng, shape, dtype, fill)


def _lay_out(tensor, layout):
    """The same elements, otherwise in memory."""
    if layout == "transposed" and tensor.dim() >= 2:
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    if layout == "stepped" and tensor.dim() >= 1:
        wide = torch.zeros(*tensor.shape[:-1], tensor.shape[-1] * 2,
                           dtype=tensor.dtype)
        wide[..., ::2] = tensor
        return wide[..., ::2]
    if layout == "offset" and tensor.dim() >= 1:
        longer = torch.zeros(tensor.shape[0] + 1, *tensor.shape[1:],
                             dtype=tensor.dtype)
        longer[1:] = tensor
        return longer[1:]
    return tensor


def tensor(program, argument, call, sizes):
    """The tensor of an input in a call."""
    for name, value in argument.given:
        if name == call:
            return value.clone() if isinstance(value, torch.Tensor) else value
    shape = tuple(sizes[d] if isinstance(d, str) else d for d in argument.dims)
    rng = _rng(program.name, call, argument.name)
    numbers = np.asarray(elements(rng, shape, argument.dtype, argument.fill,
                                  sizes))
    with np.errstate(over="ignore"):
        # numpy's own strides differ from torch's in empty arrays.
        result = torch.empty(numbers.shape, dtype=BY_NAME[argument.dtype])
        result.copy_(torch.from_numpy(np.array(numbers)))
    return _lay_out(result, argument.layout)


def arguments(program, call, sizes):
    """The tensors of a call, in order."""
    return [tensor(program, argument, call, sizes)
            for argument in program.inputs]


def parameter(program, name, dtype, shape):
    """A tensor that belongs to the module."""
    rng = _rng(program.name, name)
    if dtype == "i64":
        return torch.from_numpy(rng.integers(0, 3, shape))
    if dtype == "i8":
        return torch.from_numpy(rng.integers(-9, 10, shape, dtype=np.int8))
    numbers = np.round(rng.uniform(-1.0, 1.0, shape), 3)
    return torch.from_numpy(np.asarray(numbers)).to(BY_NAME[dtype])
