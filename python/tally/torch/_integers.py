"""Sizes where PyTorch's operators take integers.

Some operators of PyTorch take an integer that a size is no replacement for: a graph has the number itself, and
there is a graph for each. Here such operators are written in others, which take sizes."""

import inspect
import math

import torch
from torch._dynamo.variables import (
    BaseListVariable, ConstantVariable, SliceVariable, SymNodeVariable, TensorVariable, TupleVariable,
    UserFunctionVariable)
from torch._higher_order_ops.associative_scan import associative_scan
from torch.fx.experimental.symbolic_shapes import statically_known_true

from . import _composites
from ._scans import scan_in_order


def _count_dimensions(kernel_size):
    return len(kernel_size) if isinstance(kernel_size, (tuple, list)) else 1


def _max_of_last(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Pooling with one window, which is all of the last dimensions."""
    count = _count_dimensions(kernel_size)
    largest = input.flatten(-count).max(-1).values
    return largest.reshape(*largest.shape, *([1] * count))


def _find_last(kernel_size):
    return [-1 - each for each in range(_count_dimensions(kernel_size))]


def _mean_of_last(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                  divisor_override=None):
    return input.mean(_find_last(kernel_size), keepdim=True)


def _norm_of_last(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    total = input.pow(norm_type).sum(_find_last(kernel_size), keepdim=True)
    return (total.sign() * total.abs()).pow(1.0 / norm_type)


def _one_hot(tensor, num_classes):
    torch._check(tensor.dtype == torch.int64, lambda: "one_hot is only applicable to index tensor of type LongTensor.")
    # A scatter checks the classes.
    zeros = torch.zeros(*tensor.shape, num_classes, dtype=torch.int64, device=tensor.device)
    return zeros.scatter(-1, tensor.unsqueeze(-1), 1)


def _linspace(start, end, steps, *, dtype=None, layout=None, device=None, requires_grad=False):
    places = torch.arange(steps, dtype=dtype or torch.get_default_dtype(), device=device)
    parts = torch.sym_max(steps - 1, 1)
    from_start = start + places * (end - start) / parts
    from_end = end - (steps - 1 - places) * (end - start) / parts
    return torch.where(places < torch.sym_max(steps // 2, 1), from_start, from_end)


def _find_diagonals(row, col, device):
    """The number of the diagonal that each element of a matrix is in."""
    return torch.arange(col, device=device) - torch.arange(row, device=device).unsqueeze(1)


def _find_indices(mask, dtype):
    return mask.nonzero().T.contiguous().to(dtype)


def _tril_indices(row, col, offset=0, *, dtype=torch.int64, layout=None, device=None):
    return _find_indices(_find_diagonals(row, col, device) <= offset, dtype)


def _triu_indices(row, col, offset=0, *, dtype=torch.int64, layout=None, device=None):
    return _find_indices(_find_diagonals(row, col, device) >= offset, dtype)


def _sum_of_cosines(length, periodic, weights, dtype, device):
    """A window: the sum of the weighted cosines of multiples of an angle; 1 where it has one element."""
    places = torch.arange(length, dtype=dtype or torch.get_default_dtype(), device=device)
    parts = length if periodic else length - 1
    angles = places * (2 * math.pi) / torch.sym_max(parts, 1)
    window = sum(weight * torch.cos(angles * each) for each, weight in enumerate(weights))
    return torch.where(places < 2 - length, 1.0, window)


def _hann_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, requires_grad=False):
    return _sum_of_cosines(window_length, periodic, (0.5, -0.5), dtype, device)


def _hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=None, device=None,
                    requires_grad=False):
    return _sum_of_cosines(window_length, periodic, (alpha, -beta), dtype, device)


def _blackman_window(window_length, periodic=True, *, dtype=None, layout=None, device=None, requires_grad=False):
    return _sum_of_cosines(window_length, periodic, (0.42, -0.5, 0.08), dtype, device)


def _unfold(input, dimension, size, step):
    dim = dimension % input.dim()
    torch._check(size <= input.shape[dim], lambda: "unfold wants as many elements as a window has")
    count = (input.shape[dim] - size) // step + 1
    places = torch.arange(count, device=input.device).unsqueeze(1) * step + torch.arange(size, device=input.device)
    return input.index_select(dim, places.flatten()).unflatten(dim, (count, size)).movedim(dim + 1, -1)


_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64)


def _split_index(input, index):
    """Several indices with slices in the place of tensors without dimensions, and the dimensions of these, which are
    that of the result, with the tensors."""
    others, places, dim = [], [], 0
    for each in index if isinstance(index, tuple) else (index,):
        if isinstance(each, torch.Tensor):
            places.append((dim, each))
            each = slice(None)
        others.append(each)
        if each is Ellipsis:
            dim += input.dim() - len([other for other in index if other is not None and other is not Ellipsis])
        elif not isinstance(each, int):
            dim += 1
    return tuple(others), places


def _get_item(input, index):
    """PyTorch's own takes each tensor without dimensions for the number in it, which it has to know."""
    others, places = _split_index(input, index)
    result = input[others]
    for dim, place in reversed(places):
        result = result.select(dim, place.item())
    return result


def _set_item(input, index, value):
    others, places = _split_index(input, index)
    target = input[others]
    indices = [None] * target.dim()
    for dim, place in places:
        indices[dim] = place.long()
    value = torch.as_tensor(value, dtype=target.dtype, device=target.device)
    torch.ops.aten.index_put_(target, indices, value)


def _istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
           length=None, return_complex=False):
    """PyTorch's own has, in a graph, operators for each element of a window."""
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    torch._check(input.shape[-2] == n_fft // 2 + 1, lambda: "istft wants n_fft // 2 + 1 frequencies")
    torch._check(0 < hop <= width <= n_fft, lambda: "istft wants 0 < hop_length <= win_length <= n_fft")
    torch._check(input.shape[-1] > 0, lambda: "istft wants one frame at least")
    window = input.real.new_ones(width) if window is None else window
    torch._check(window.shape[0] == width, lambda: "istft wants a window of win_length elements")
    left = (n_fft - width) // 2
    window = torch.nn.functional.pad(window, (left, n_fft - width - left))
    frames = torch.fft.irfft(input.transpose(-1, -2), n=n_fft, norm="ortho" if normalized else "backward") * window
    count = input.shape[-1]
    places = torch.arange(count, device=input.device).unsqueeze(1) * hop + torch.arange(n_fft, device=input.device)
    places, total = places.flatten(), n_fft + hop * (count - 1)
    signal = frames.new_zeros(*input.shape[:-2], total).index_add(-1, places, frames.flatten(-2))
    weights = (window * window).expand(count, n_fft).flatten()
    weights = weights.new_zeros(total).index_add(0, places, weights)
    start = n_fft // 2 if center else 0
    if length is None:
        end, missing = total - start, 0
    else:
        end = torch.sym_min(start + length, total)
        missing = torch.sym_max(start + length - total, 0)
    signal, weights = signal[..., start:end], weights[start:end]
    torch._assert_async((weights.abs() >= 1e-11).all(), "window overlap add min: 1")
    return torch.nn.functional.pad(signal / weights, (0, missing))


def _log(x, base=math.e):
    """PyTorch has no logarithm of a size but that to the base 2."""
    torch._check(x > 0, lambda: "the logarithm of a number that is not positive")
    return math.log2(x) / math.log2(base)


def _log10(x):
    return _log(x, 10)


def _log1p(x):
    return _log(1 + x)


def _exp(x):
    return math.e ** x


def _pow(x, y):
    return float(x) ** y


def _affine_grid(theta, size, align_corners=None):
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return torch.affine_grid_generator(theta, size, False)


def _constant(variable, default):
    """The value of an argument that is a constant of the trace; None where it is none."""
    if variable is None:
        return default
    return variable.as_python_constant() if variable.is_python_constant() else None


def _leaves(variable):
    return variable.items if isinstance(variable, BaseListVariable) else [variable]


def _has_size(arguments, names):
    return any(isinstance(leaf, SymNodeVariable) and isinstance(leaf.sym_num, torch.SymInt)
               for name in names if name in arguments for leaf in _leaves(arguments[name]))


def _value(variable):
    return variable.as_proxy().node.meta.get("example_value") if isinstance(variable, TensorVariable) else None


def _is_one_window(arguments):
    """Whether the window of pooling is all that it goes along."""
    x, kernel = _value(arguments["input"]), _leaves(arguments["kernel_size"])
    numbers = [each.sym_num if isinstance(each, SymNodeVariable) else _constant(each, None) for each in kernel]
    usual = {"padding": 0, "dilation": 1, "divisor_override": None, "return_indices": False}
    plain = all(_constant(leaf, None) == usual[name]
                for name in usual if name in arguments for leaf in _leaves(arguments[name]))
    return (x is not None and x.is_floating_point() and plain and x.dim() >= len(numbers)
            and all(statically_known_true(size == number)
                    for size, number in zip(x.shape[x.dim() - len(numbers):], numbers)))


def _has_float_numbers(arguments):
    ends = [arguments["start"], arguments["end"]]
    dtype = _constant(arguments.get("dtype"), torch.float32)
    return not any(isinstance(each, TensorVariable) for each in ends) and bool(dtype) and dtype.is_floating_point


def _is_of_real_signal(arguments):
    x, window = _value(arguments["input"]), arguments.get("window")
    window_is_real = not isinstance(window, TensorVariable) or not _value(window).is_complex()
    return (x is not None and x.is_complex() and x.dim() in (2, 3) and window_is_real
            and isinstance(_constant(arguments["n_fft"], None), int)
            and _constant(arguments.get("onesided"), None) is not False
            and not _constant(arguments.get("return_complex"), False))


def _is_place(variable):
    value = _value(variable)
    return value is not None and value.dim() == 0 and value.dtype in _INTEGERS


def _is_plain_index(variable):
    constant = _constant(variable, "") if isinstance(variable, ConstantVariable) else ""
    return (isinstance(variable, SliceVariable) or constant is None or constant is Ellipsis
            or isinstance(constant, int) and not isinstance(constant, bool))


def _is_at_a_value(arguments):
    """Whether an index is a tensor without dimensions, or several indices have one beside slices and numbers."""
    index = arguments["index"]
    if not isinstance(index, TupleVariable):
        return _is_place(index)
    return any(map(_is_place, index.items)) and all(_is_place(each) or _is_plain_index(each) for each in index.items)


def _is_set_at_a_value(arguments):
    """Whether what is written there is a number, or a tensor of no more dimensions."""
    if not _is_at_a_value(arguments):
        return False
    input, value = _value(arguments["input"]), _value(arguments["value"])
    if value is None:
        return isinstance(_constant(arguments["value"], None), (int, float))
    indices = _leaves(arguments["index"])
    added = len([each for each in indices if isinstance(each, ConstantVariable) and each.as_python_constant() is None])
    taken = len([each for each in indices if _is_place(each) or isinstance(_constant(each, None), int)])
    return input is not None and value.dim() <= input.dim() - taken + added


def _is_grid_of_matrices(arguments):
    """Whether PyTorch's own of an affine grid neither warns nor refuses the shapes. It compares all sizes with each other."""
    theta, count = _value(arguments["theta"]), len(_leaves(arguments["size"]))
    sizes = {4: (2, 3), 5: (3, 4)}.get(count)
    return (theta is not None and theta.is_floating_point() and theta.dim() == 3 and tuple(theta.shape[1:]) == sizes
            and _constant(arguments.get("align_corners"), None) is False)


def _fill_diagonal(self, fill_value, wrap=False):
    return self.masked_fill_(_find_diagonals(*self.shape, self.device) == 0, fill_value)


def _is_of_matrix(arguments):
    value = _value(arguments["self"])
    return value is not None and value.dim() == 2 and _constant(arguments.get("wrap"), False) is False


def _has_symbol(arguments):
    return any(isinstance(each, SymNodeVariable) for each in arguments.values())


def _is_size(arguments):
    return _has_size(arguments, ("x",))


def _always(arguments):
    return True


_functional = torch.nn.functional

#: For each operator, the function that is traced in its place, the arguments of which one is a size then, none where
#: it is always, and what else has to be true of the arguments.
_FUNCTIONS = {
    torch.max_pool1d: (_max_of_last, ("kernel_size",), _is_one_window),
    torch.max_pool2d: (_max_of_last, ("kernel_size",), _is_one_window),
    torch.max_pool3d: (_max_of_last, ("kernel_size",), _is_one_window),
    torch.avg_pool1d: (_mean_of_last, ("kernel_size",), _is_one_window),
    _functional.max_pool1d: (_max_of_last, ("kernel_size",), _is_one_window),
    _functional.max_pool2d: (_max_of_last, ("kernel_size",), _is_one_window),
    _functional.max_pool3d: (_max_of_last, ("kernel_size",), _is_one_window),
    _functional.lp_pool1d: (_norm_of_last, ("kernel_size",), _is_one_window),
    _functional.lp_pool2d: (_norm_of_last, ("kernel_size",), _is_one_window),
    _functional.avg_pool2d: (_mean_of_last, ("kernel_size",), _is_one_window),
    _functional.avg_pool3d: (_mean_of_last, ("kernel_size",), _is_one_window),
    _functional.one_hot: (_one_hot, ("num_classes",), _always),
    torch.linspace: (_linspace, ("steps",), _has_float_numbers),
    torch.tril_indices: (_tril_indices, ("row", "col", "offset"), _always),
    torch.triu_indices: (_triu_indices, ("row", "col", "offset"), _always),
    torch.hann_window: (_hann_window, ("window_length",), _always),
    torch.hamming_window: (_hamming_window, ("window_length",), _always),
    torch.blackman_window: (_blackman_window, ("window_length",), _always),
    torch.istft: (_istft, (), _is_of_real_signal),
    torch.fft.fftfreq: (_composites.find_frequencies, ("n",), _always),
    torch.fft.rfftfreq: (_composites.find_half_frequencies, ("n",), _always),
    _functional.affine_grid: (_affine_grid, ("size",), _is_grid_of_matrices),
    associative_scan: (scan_in_order, (), _always),
    math.log: (_log, (), _has_symbol),
    math.log10: (_log10, (), _has_symbol),
    math.log1p: (_log1p, (), _is_size),
    math.exp: (_exp, (), _has_symbol),
    math.pow: (_pow, (), _has_symbol),
}

_METHODS = {
    "__getitem__": (_get_item, (), _is_at_a_value),
    "__setitem__": (_set_item, (), _is_set_at_a_value),
    "fill_diagonal_": (_fill_diagonal, (), _is_of_matrix),
    "unfold": (_unfold, ("size", "step"), _always),
    "istft": (_istft, (), _is_of_real_signal),
}


def _substitute(found, tx, args, kwargs):
    """What the function in the place of an operator gives for arguments of a trace; None where the operator is
    traced."""
    function, names, suits = found
    try:
        arguments = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:  # Arguments that we do not know, or an error that PyTorch tells in its words.
        return None
    is_leaf = _constant(arguments.get("requires_grad"), False) is not False
    if is_leaf or names and not _has_size(arguments, names) or not suits(arguments):
        return None
    return UserFunctionVariable(function).call_function(tx, list(args), kwargs)


def substitute_function(function, tx, args, kwargs):
    """What is traced in the place of a function of PyTorch; None where that is."""
    try:
        found = _FUNCTIONS.get(function)
    except TypeError:  # Not a function that has a hash.
        return None
    return _substitute(found, tx, args, kwargs) if found else None


def substitute_method(name, tx, args, kwargs):
    """What is traced in the place of a method of a tensor, the first of `args`; None where that is."""
    return _substitute(_METHODS[name], tx, args, kwargs) if name in _METHODS else None
