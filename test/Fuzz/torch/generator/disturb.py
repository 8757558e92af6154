"""Runs of PyTorch whose inexact operators give something else, within what they
may: results that this moves are decided by rounding, or by nothing."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .families.control_flow import Undefined

# Operators that are exact or correctly rounded in every implementation are
# those that are not named here, and no gradients.
INEXACT = """exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin
acos atan asinh acosh atanh atan2 sigmoid erf erfc pow sum mean mm addmm bmm
baddbmm convolution var std var_mean std_mean _softmax _log_softmax
native_layer_norm native_group_norm native_batch_norm cumsum cumprod logsumexp
prod norm linalg_vector_norm gelu silu mish softplus elu celu rsqrt hypot
logaddexp logaddexp2 lerp addcmul addcdiv dot vdot mv avg_pool1d avg_pool2d
_adaptive_avg_pool2d upsample_linear1d upsample_bilinear2d
_scaled_dot_product_flash_attention_for_cpu logcumsumexp _logcumsumexp
scatter_add index_add scatter_reduce put index_put bincount trace
_cdist_forward _euclidean_dist mse_loss smooth_l1_loss huber_loss
soft_margin_loss nansum nanmean sinc logit log_sigmoid_forward xlogy addmv addr
native_batch_norm_legit _native_batch_norm_legit
_native_batch_norm_legit_no_training linear native_layer_norm _fused_rms_norm
linspace reciprocal rad2deg deg2rad remainder fmod special_entr
special_xlog1py lgamma digamma erfinv mvlgamma special_log_ndtr
upsample_bicubic2d upsample_trilinear3d
_upsample_bilinear2d_aa _upsample_bicubic2d_aa grid_sampler_2d grid_sampler_3d
grid_sampler_2d_cpu _embedding_bag _embedding_bag_forward_only avg_pool3d
_adaptive_avg_pool3d col2im affine_grid_generator mkldnn_rnn_layer lstm gru
logit glu linalg_cross binary_cross_entropy index_reduce renorm
binary_cross_entropy_with_logits nll_loss_forward poisson_nll_loss angle""".split()

HALVES = (torch.float16, torch.bfloat16)


# Operators that choose one of some elements: which of two zeros is left open.
CHOOSING = ("max", "min", "relu", "clamp", "sort", "topk", "median", "quantile")
# Operators that add up products or elements: the sum of the magnitudes says
# whether an order of the additions overflows.
ADDING = """mm addmm bmm baddbmm dot vdot mv addmv sum cumsum mean convolution
_scaled_dot_product_flash_attention_for_cpu""".split()
# Operators for which processors have instructions that multiply bf16.
PRODUCTS = "mm addmm bmm baddbmm dot vdot mv addmv linear convolution".split()
# Those whose result is one sum of their operands' elements.
SUMMING = ("sum", "mean", "cumsum")
MULTIPLYING = ("prod", "cumprod")
# Operators whose results are the operand less a mean, times a scale: with both
# they give the two.
NORMALIZING = ("native_layer_norm", "native_group_norm", "native_batch_norm")
# Their gradients: a sum of terms that may cancel, of products that may overflow.
NORM_GRADIENTS = ("native_layer_norm_backward", "native_group_norm_backward",
                  "native_batch_norm_backward")
# Gradients of functions in pieces, with the place of the operand: of a NaN
# vectors give one piece, and what is left behind them another.
PIECEWISE_GRADIENTS = {"elu_backward": 5, "hardtanh_backward": 1,
                       "hardswish_backward": 1}
# Operators whose weights are differences of rounded places: one of them may be 0,
# or nearly, and infinity times that is NaN, or infinity.
RESIZING = """upsample_linear1d upsample_bilinear2d upsample_trilinear3d
upsample_bicubic2d _upsample_bilinear2d_aa _upsample_bicubic2d_aa""".split()
# Operators that add one element after the other to where an index says.
SCATTERING = {"scatter_add": ("index", "src"), "index_add": ("index", "source")}


def _multiplies_nothing_by_infinity(args):
    """Whether a bf16 is subnormal, and another one is not finite."""
    factors = [a for a in args if isinstance(a, torch.Tensor)
               and a.dtype == torch.bfloat16]
    tiny = torch.finfo(torch.bfloat16).tiny
    return any(((a != 0) & (a.abs() < tiny)).any() for a in factors) and \
        not all(torch.isfinite(a).all() for a in factors)


def _leaves_the_range(dividend, divisor):
    """Whether the quotient of two finite numbers is infinite: what is left by
    a subnormal divisor, say, which vectorized code takes from that quotient."""
    dividend, divisor = map(torch.as_tensor, (dividend, divisor))
    with torch.no_grad():
        quotient = dividend / divisor
    return (torch.isinf(quotient) & torch.isfinite(dividend) &
            (divisor != 0)).any()


def _is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _repeats_elements(value):
    """Says whether elements of a tensor share memory, as those of windows."""
    if not isinstance(value, torch.Tensor) or \
            value.layout != torch.strided or not value.numel():
        return False
    reach = sum(stride * (size - 1)
                for size, stride in zip(value.shape, value.stride()))
    return reach + 1 < value.numel()


def _shares_elements(result, operands):
    """Says whether a tensor that is no view of an operand has elements that
    share memory, as slice_scatter gives for windows: what one of them holds
    depends on the order in which they were written."""
    return _repeats_elements(result) and not any(
        isinstance(value, torch.Tensor) and
        value.untyped_storage().data_ptr() ==
        result.untyped_storage().data_ptr() for value in operands)


def _are_apart(written, read):
    """Says whether no element that is written is one that is read, or each is
    read where it is written. Otherwise what is read depends on the order."""
    if not isinstance(read, torch.Tensor) or not written.numel() or \
            written.untyped_storage().data_ptr() != \
            read.untyped_storage().data_ptr():
        return True
    places = [(value.size(), value.stride(), value.storage_offset())
              for value in (written, read)]
    if places[0] == places[1] or written.dtype != read.dtype:
        return places[0] == places[1]
    numbers = torch.arange(
        written.untyped_storage().nbytes() // written.element_size())
    mine, its = (numbers.as_strided(*place).flatten() for place in places)
    return not torch.isin(mine, its).any()


def _gradient_terms(name, args):
    """The magnitude of the terms of a normalization's gradient, in rows: those
    of scale * grad + x * (mean(grad) * mean - mean(grad * x)) * scale^3 and of
    what both leave in the mean."""
    if name == "native_batch_norm_backward":
        grad, x, weight = args[:3]
        rows = [value.double().abs().transpose(0, 1).flatten(1)
                for value in (grad, x)]
        if not args[7]:  # Running statistics are constants.
            scale = 1 / torch.sqrt(args[4].double() + args[8])
            mean = scale * 0
        else:
            mean, scale = args[5:7]
    else:
        grad, x = args[:2]
        mean, scale = args[3:5] if "layer" in name else args[2:4]
        weight = args[5] if "layer" in name else args[4]
        rows = [value.double().abs().reshape(mean.numel(), -1)
                for value in (grad, x)]
    mean, scale = (value.double().abs().reshape(-1, 1)
                   for value in (mean, scale))
    grad, x = rows
    if isinstance(weight, torch.Tensor):
        grad = grad * weight.double().abs().max()
    average = grad.mean(1, keepdim=True)
    slope = (average * mean + (grad * x).mean(1, keepdim=True)) * scale ** 3
    terms = scale * (grad + average) + (x + mean) * slope
    if name != "native_batch_norm_backward":
        return terms
    return terms.reshape(args[1].shape[1], args[1].shape[0], -1).transpose(0, 1)


def _each(fn, *results):
    """Applies a function to results, or to each tensor of tuples of them."""
    if isinstance(results[0], (tuple, list)):
        return type(results[0])(fn(*values) for values in zip(*results))
    return fn(*results)


class Disturb(TorchDispatchMode):
    """Disturbs what inexact operators take and give, and what no operator
    defines: the bits of a NaN, and which of two zeros a choice gives."""

    def __init__(self, seed):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)
        # That of each NaN, so that no two steps undo one another.
        self.sign = 1.0 if seed % 2 else -1.0
        # Whether sums of halves are rounded after each addition.
        self.steps = seed == 1
        # Whether a difference that may be nothing but rounding is 0.
        self.vanishes = seed % 4 == 2

    def _random(self, value):
        return torch.rand(value.shape, generator=self.generator,
                          dtype=torch.float64)

    def _move(self, value, units):
        """Moves elements by so many units in the last place.  What is that
        small beside the largest element may be nothing but rounding: it
        becomes 0, or what it is with the other sign."""
        if not _is_float(value) or not value.numel():
            return value
        step = units * torch.finfo(value.dtype).eps
        wide = value.double()
        moved = wide * (1 + step * (self._random(value) * 2 - 1))
        largest = wide[torch.isfinite(wide)].abs().amax() \
            if torch.isfinite(wide).any() else 0.0
        chosen = torch.floor(self._random(value) * 3) - 1
        moved = torch.where(wide.abs() <= 4 * step * largest, wide * chosen,
                            moved)
        return moved.to(value.dtype)

    def _widened(self, value):
        """Halves are summed up in float32, and disturbed as such; integers
        that become floats are rounded."""
        if not _is_float(value):
            return value
        return self._move(value.float() if value.dtype in HALVES else value, 4)

    def _move_terms(self, name, args, results):
        """Moves what is a difference by the rounding error of its terms, which
        may be far larger than it."""
        moved = [self._move(value, 1) for value in results]
        value, mean, scale = results[:3]
        if not value.numel() or not mean.numel():
            return tuple(moved)
        operand = args[0].double().abs()
        if name == "native_group_norm":
            rows = operand.reshape(*mean.shape, -1)
            mean, scale = mean.unsqueeze(-1), scale.unsqueeze(-1)
        elif name == "native_batch_norm":
            shape = [1, -1] + [1] * (operand.dim() - 2)
            rows, mean, scale = operand, mean.reshape(shape), \
                scale.reshape(shape)
        else:
            rows = operand
        terms = ((rows + mean.double().abs()) * scale.double().abs()).reshape(
            value.shape)
        if isinstance(args[1], torch.Tensor):  # The weight.
            terms = terms * args[1].double().abs().max()
        moved[0] = self._with_noise(moved[0], terms)
        return tuple(moved)

    def _with_noise(self, value, terms):
        """A sum of terms of these magnitudes, moved by their rounding errors."""
        step = 2 * torch.finfo(value.dtype).eps * terms
        noise = step * (self._random(value) * 2 - 1)
        noise = torch.where(torch.isfinite(noise), noise, 0.0)
        wide = value.double() + noise
        if self.vanishes:
            wide = torch.where(wide.abs() <= 2 * step, 0.0, wide)
        return wide.to(value.dtype)

    def _vanish(self, func, args, kwargs, result):
        """A sum that may be nothing but the rounding errors of its terms is 0:
        another order of them cancels."""
        if not _is_float(result):
            return result
        if kwargs.get("dtype") is not None:
            kwargs = {**kwargs, "dtype": torch.float64}
        terms = func(*[a.double().abs() if _is_float(a) else a for a in args],
                     **kwargs)
        compute = torch.float32 if result.dtype in HALVES else result.dtype
        return torch.where(
            result.double().abs() <= 2 * torch.finfo(compute).eps * terms, 0.0,
            result)

    def _move_gradient(self, name, args, results):
        """Moves the gradient of a normalization by the rounding errors of the
        terms that PyTorch adds up; where one of them leaves its type, another
        order of the same products gives something else."""
        moved = [self._move(value, 1) for value in results]
        if not isinstance(moved[0], torch.Tensor) or not moved[0].numel():
            return tuple(moved)
        terms = _gradient_terms(name, args).reshape(moved[0].shape)
        compute = torch.float32 if moved[0].dtype in HALVES else moved[0].dtype
        moved[0] = torch.where(terms <= torch.finfo(compute).max,
                               self._with_noise(moved[0], terms),
                               Widen._other(results[0]))
        return tuple(moved)

    def _interchange(self, values, places):
        """NaNs are sorted in no order: each may have the place of another."""
        missing = torch.isnan(values).nonzero().flatten()
        if missing.numel() < 2 or not places.numel():
            return places
        order = torch.arange(values.numel())
        order[missing] = missing[torch.randperm(
            missing.numel(), generator=self.generator)]
        return order[places]

    def _choose_among_equals(self, func, args, kwargs):
        """Which of equal elements, or of NaNs, are among the first is left open: what is found
        in another order, with its places in this one."""
        dim = args[2] if len(args) > 2 else kwargs.get("dim", -1)
        if args[0].dim() == 0 or args[0].shape[dim] == 0:
            return func(*args, **kwargs)
        order = torch.randperm(args[0].shape[dim], generator=self.generator)
        values, places = func(args[0].index_select(dim, order), *args[1:], **kwargs)
        return values, order[places]

    def _undefined(self, value, chooses):
        """What no operator defines is something else: a copy."""
        if not _is_float(value):
            return value
        value = torch.where(torch.isnan(value), torch.copysign(
            value, torch.tensor(self.sign, dtype=value.dtype)), value)
        if chooses and (value == 0).any():
            sign = torch.where(self._random(value) < 0.5, -1.0, 1.0)
            value = torch.where(value == 0, value * sign.to(value.dtype), value)
        return value

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        if name == "bincount" and not args[0].numel() and len(args) > 1:
            raise Undefined("counts of nothing have another type")
        if name in ("pixel_shuffle", "pixel_unshuffle") and not args[0].numel():
            raise Undefined("an argument without elements is the result")
        if name == "convolution_backward" and not args[1].numel():
            raise Undefined("a convolution of nothing takes a gradient of any shape")
        if name.endswith("_aa") and args[1][1] == 1:
            raise Undefined("each row is the same: PyTorch's fault")
        if name in RESIZING and not torch.isfinite(args[0]).all():
            raise Undefined("a weight of what is not finite may be 0")
        if name in PRODUCTS and _multiplies_nothing_by_infinity(args):
            raise Undefined("products of bf16 take subnormal numbers for zero")
        if name.rstrip("_") in ("remainder", "fmod") and \
                _leaves_the_range(*args[:2]):
            raise Undefined("a remainder by way of an infinite quotient")
        # Libraries multiply what is padded, or leave it out.
        if name in ("convolution", "convolution_backward") and not all(
                torch.isfinite(value).all()
                for value in args[name == "convolution":3] if _is_float(value)):
            raise Undefined("a factor of what is padded is not finite")
        if name.endswith("_") and not name.endswith("__") and \
                isinstance(args[0], torch.Tensor):
            if not all(_are_apart(args[0], value) for value in args[1:]):
                raise Undefined("an update reads what it writes")
            if _repeats_elements(args[0]):
                raise Undefined("an update writes elements that share memory")
        # A factor beside an operand makes two roundings of one, or one.
        if name.rstrip("_") in INEXACT or name in INEXACT or \
                name.endswith("_backward") or kwargs.get("alpha", 1) != 1:
            result = self._run(func, name, args, kwargs)
        elif name in ("topk", "kthvalue") and func._overloadname == "default" and not self.is_exact:
            result = self._choose_among_equals(func, args, kwargs)
        else:
            result = func(*args, **kwargs)
        if not func.is_view and _shares_elements(result, args):
            raise Undefined("elements that are written share memory")
        if func.is_view or self.is_exact:
            return result
        if name == "_unique2" and _is_float(args[0]):
            result = (result[0], self._interchange(*result[:2]), *result[2:])
        chooses = any(part in name for part in CHOOSING)
        if name.endswith("_") and not name.endswith("__"):
            if _is_float(result):
                result.copy_(self._undefined(result, chooses))
            return result
        return _each(lambda r: self._undefined(r, chooses), result)

    is_exact = False

    def _turned(self, func, name, args, kwargs):
        """The sums in the other order, where operators add in some order."""
        if name not in SCATTERING or len(args) != 4 or \
                not isinstance(args[2], torch.Tensor) or args[2].dim() == 0:
            return None
        into, dim, index, source = args
        if self.steps and into.dtype in HALVES and name == "index_add" and \
                index.dim() == 1 and source.dim() == into.dim():
            return self._step_by_step(into, dim, index, source, kwargs)
        if name == "scatter_add":
            source = source[tuple(slice(0, size) for size in index.shape)]
            return func(into, dim, index.flip(dim), source.flip(dim), **kwargs)
        if source.dim() == 0:
            return None
        return func(into, dim, index.flip(0), source.flip(dim), **kwargs)

    @staticmethod
    def _step_by_step(into, dim, index, source, kwargs):
        """The same sum, rounded after each addition: PyTorch does so, or once
        at the end, as sizes and ranks want it."""
        into = into.clone()
        for place, row in zip(index.tolist(), source.unbind(dim)):
            into.select(dim, place).add_(row, **kwargs)
        return into

    def _run(self, func, name, args, kwargs):
        if name.endswith("_") and not name.endswith("__"):
            result = func(*args, **kwargs)
            if result.is_floating_point():
                result.copy_(self._move(result, 1))
            return result
        result = func(*args, **kwargs)
        moved = self._turned(func, name, args, kwargs)
        try:
            if moved is None:
                moved = func(*[self._widened(a) for a in self._floats(
                    name, args, result)], **kwargs)
        except RuntimeError:
            moved = result
        if name in SUMMING and self.vanishes:
            moved = self._vanish(func, args, kwargs, moved)
        if name in NORMALIZING:
            moved = self._move_terms(name, args, moved)
        elif name in NORM_GRADIENTS:
            moved = self._move_gradient(name, args, moved)
        elif name in PIECEWISE_GRADIENTS:
            missing = torch.isnan(args[PIECEWISE_GRADIENTS[name]])
            moved = torch.where(missing, Widen._other(moved), moved)
        return _each(lambda r, m: self._move(
            m.to(r.dtype) if isinstance(r, torch.Tensor) else r, 1),
                     result, moved)

    @staticmethod
    def _floats(name, args, result):
        """Integers that are added up as floats are floats."""
        if name in ADDING and _is_float(result):
            return [a.to(result.dtype) if isinstance(a, torch.Tensor) else a
                    for a in args]
        return args


class Widen(Disturb):
    """Computes inexact operators in float64, of contiguous operands: what
    PyTorch's vectorized code gives for infinities, say, is not always what its
    other code gives, nor is that for channels_last (_upsample_bilinear2d_aa to
    a width of 1)."""

    is_exact = True

    def __init__(self):
        super().__init__(0)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        # nanmedian reads behind an operand whose elements are one in memory.
        if not func.is_view and not func.overloadpacket.__name__.endswith("_"):
            args = [a.contiguous() if _repeats_elements(a) else a for a in args]
        return super().__torch_dispatch__(func, types, args, kwargs)

    def _run(self, func, name, args, kwargs):
        result = func(*args, **kwargs)
        if name.endswith("_"):
            return result
        wide = [a.double().contiguous() if _is_float(a) else a for a in args]
        try:
            moved = func(*wide, **kwargs)
            if name in ("var_mean", "std_mean"):
                # The mean of what is infinite, which Welford's steps lose.
                moved = (moved[0], torch.where(
                    torch.isfinite(moved[1]), moved[1],
                    self._mean(wide, kwargs, moved[1])))
            return _each(lambda r, m: self._rounded(func, name, r, m, wide,
                                                    kwargs), result, moved)
        except RuntimeError:
            return result

    @staticmethod
    def _mean(args, kwargs, like):
        dims = args[1] if len(args) > 1 and args[1] else \
            list(range(args[0].dim()))
        return args[0].mean(dims, keepdim=True).reshape(like.shape)

    @staticmethod
    def _rounded(func, name, result, moved, wide, kwargs):
        """The result in its type.  A sum that overflows in one order of its
        terms and not in another is as unsure as can be."""
        if not _is_float(result):
            return result
        rounded = moved.to(result.dtype)
        limit = torch.finfo(result.dtype).max
        if name in MULTIPLYING and _is_float(wide[0]):
            return torch.where(Widen._is_ordered(func, result, wide, kwargs),
                               rounded, Widen._other(result))
        if name in ADDING:
            most = func(*[a.abs() if isinstance(a, torch.Tensor) else a
                          for a in wide], **kwargs)
        elif name == "linalg_vector_norm":
            most = moved * moved
        else:
            return rounded
        # Terms of one sign overflow in any order.
        unsure = torch.isfinite(most) & (most > limit) & \
            (most > 1.000001 * moved.abs())
        return torch.where(unsure, Widen._other(result), rounded)

    @staticmethod
    def _other(result):
        """What no result equals: another order may give a NaN, or none."""
        return torch.where(torch.isnan(result), 0.0, torch.nan).to(result.dtype)

    @staticmethod
    def _is_ordered(func, result, wide, kwargs):
        """Says where no order of the factors takes a product out of the range
        of its type and another one does not."""
        def of(factors):
            return func(factors, *wide[1:], **kwargs)

        factors = wide[0].abs()
        finite = torch.where(torch.isfinite(factors), factors, 1.0)
        nonzero = torch.where(finite == 0, 1.0, finite)
        info = torch.finfo(result.dtype)
        largest, least = of(nonzero.clamp(min=1)), of(nonzero.clamp(max=1))
        overflows, vanishes = largest > info.max, least < info.tiny
        shrinks = (least < 1) | (of(finite) == 0)
        grows = (largest > 1) | torch.isinf(of(factors))
        unsure = (overflows & shrinks) | (vanishes & grows)
        return ~unsure | torch.isnan(of(torch.where(
            torch.isnan(wide[0]), torch.nan, 1.0)))
