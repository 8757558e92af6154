"""What a program's calls give in eager PyTorch, and how sure that is.

The results of one call are compared with those of runs whose inexact operators
are disturbed by about their rounding error.  Where that moves a result by more
than the usual tolerance, the case allows as much; where it changes an integer
or moves a result far, the call says nothing about a compiler and is left out.
"""

import dataclasses
import warnings

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from recording import record

from . import data, modules
from .families.control_flow import Undefined

# Operators that are exact or correctly rounded in every implementation are
# those that are not named here.
INEXACT = """exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin
acos atan asinh acosh atanh atan2 sigmoid erf erfc pow sum mean mm addmm bmm
baddbmm convolution var std var_mean std_mean _softmax _log_softmax
native_layer_norm native_group_norm native_batch_norm cumsum cumprod logsumexp
prod norm linalg_vector_norm gelu silu mish softplus elu celu rsqrt hypot
logaddexp logaddexp2 lerp addcmul addcdiv dot mv avg_pool1d avg_pool2d
_adaptive_avg_pool2d upsample_linear1d upsample_bilinear2d
_scaled_dot_product_flash_attention_for_cpu logcumsumexp _logcumsumexp
scatter_add index_add scatter_reduce put index_put bincount trace
_cdist_forward _euclidean_dist mse_loss smooth_l1_loss huber_loss
soft_margin_loss nansum nanmean sinc logit log_sigmoid_forward xlogy addmv addr
native_batch_norm_legit _native_batch_norm_legit
_native_batch_norm_legit_no_training linear native_layer_norm _fused_rms_norm
linspace reciprocal rad2deg deg2rad remainder fmod special_entr
special_xlog1py logit glu linalg_cross binary_cross_entropy index_reduce renorm
binary_cross_entropy_with_logits nll_loss_forward poisson_nll_loss angle""".split()

# tally-run's own tolerances, relative and absolute.
TOLERANCE = {torch.bfloat16: 1.6e-2, torch.float16: 1e-3, torch.float32: 1e-5,
             torch.float64: 1e-7}
LARGEST_TOLERANCE = 0.03
HALVES = (torch.float16, torch.bfloat16)


class Disturb(TorchDispatchMode):
    """Disturbs what inexact operators take and give."""

    def __init__(self, seed):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def _move(self, value, units):
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return value
        step = units * torch.finfo(value.dtype).eps
        noise = torch.rand(value.shape, generator=self.generator,
                           dtype=torch.float64) * 2 - 1
        return (value.double() * (1 + step * noise)).to(value.dtype)

    def _widened(self, value):
        """Halves are summed up in float32, and disturbed as such."""
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return value
        return self._move(value.float() if value.dtype in HALVES else value, 4)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        if name.rstrip("_") not in INEXACT and name not in INEXACT:
            return func(*args, **kwargs)
        return self._run(func, name, args, kwargs)

    def _run(self, func, name, args, kwargs):
        if name.endswith("_") and not name.endswith("__"):
            result = func(*args, **kwargs)
            if result.is_floating_point():
                result.copy_(self._move(result, 1))
            return result
        result = func(*args, **kwargs)
        try:
            moved = func(*[self._widened(a) for a in args], **kwargs)
        except RuntimeError:
            moved = result
        pairs = zip(result, moved) if isinstance(result, (tuple, list)) else \
            [(result, moved)]
        made = [self._move(m.to(r.dtype) if isinstance(r, torch.Tensor) else r,
                           1) for r, m in pairs]
        return type(result)(made) if isinstance(result, (tuple, list)) else \
            made[0]


class Widen(Disturb):
    """Computes inexact operators in float64: what PyTorch's vectorized code
    gives for infinities, say, is not always what its other code gives."""

    def __init__(self):
        super().__init__(0)

    def _run(self, func, name, args, kwargs):
        result = func(*args, **kwargs)
        if not isinstance(result, torch.Tensor) or name.endswith("_") or \
                not result.is_floating_point():
            return result
        wide = [a.double() if isinstance(a, torch.Tensor) and
                a.is_floating_point() else a for a in args]
        try:
            return func(*wide, **kwargs).to(result.dtype)
        except RuntimeError:
            return result


@dataclasses.dataclass
class Verdict:
    """A call that can be judged: legal with results, or refused.

    `open` says that the exported program refuses what eager PyTorch accepts:
    a compiler may do either.
    """

    name: str
    inputs: list
    outputs: list | None = None
    after: list | None = None
    error: str = ""
    tolerance: float | None = None
    open: bool = False


def _call(made, inputs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return record.call(made, tuple(inputs))


def _spread(base, moved):
    """How far a disturbed result is away: as a tolerance, None if beyond."""
    if type(base) is not type(moved):
        return None
    if not isinstance(base, torch.Tensor):
        base, moved = torch.as_tensor(base), torch.as_tensor(moved)
    if base.shape != moved.shape or base.dtype != moved.dtype:
        return None
    if not base.is_floating_point():
        return 0.0 if torch.equal(base, moved) else None
    a, b = base.double(), moved.double()
    finite = torch.isfinite(a)
    if not torch.equal(finite, torch.isfinite(b)) or not torch.equal(
            torch.nan_to_num(a[~finite]), torch.nan_to_num(b[~finite])):
        return None
    if not finite.any():
        return 0.0
    a, b = a[finite], b[finite]
    return float(((a - b).abs() / (1 + a.abs())).max())


def _needed_tolerance(results, runs):
    """The tolerance of a case: None for the usual one; raises Undefined."""
    needed, floor = 0.0, 0.0
    raised = False
    for position, base in enumerate(results):
        dtype = base.dtype if isinstance(base, torch.Tensor) else None
        usual = TOLERANCE.get(dtype, 1e-7)
        floor = max(floor, TOLERANCE.get(dtype, 0.0))
        for run in runs:
            spread = _spread(base, run[position])
            if spread is None:
                raise Undefined("the result is not stable")
            needed = max(needed, spread)
            raised |= spread > usual / 6
    if not raised:
        return None
    if needed * 6 > LARGEST_TOLERANCE:
        raise Undefined("the result is not stable")
    return max(needed * 6, floor)


def _has_small_sizes(inputs):
    return any(size < 2 for value in inputs if isinstance(value, torch.Tensor)
               for size in value.shape)


def _unguarded(exported):
    """The exported program without what torch assumed while it traced; None
    where this version of torch cannot leave it out."""
    try:
        made = exported.module(check_guards=False)
    except TypeError:
        return None
    made._forward_pre_hooks.clear()
    return made


def evaluate(name, inputs, exported, eager, traced, unguarded):
    """Evaluates a call of the modules that are given; None where it cannot be
    judged."""
    try:
        outside = bool(record.range_violation(exported, inputs))
    except (KeyError, TypeError, NotImplementedError, ValueError):
        return None  # Derived sizes that cannot be solved for.
    outputs, after, error = _call(eager, inputs)
    if error.startswith("Undefined"):
        return None
    if outside:
        return Verdict(name, inputs, error="outside of the range")
    exported_outputs, _, exported_error = _call(traced, inputs)
    if error:
        # What Python code refuses, and no operator, is not in the program.
        if exported_error and unguarded is not None:
            _, _, exported_error = _call(unguarded, inputs)
        return Verdict(name, inputs, error=error) if exported_error else None
    if exported_error and not _has_small_sizes(inputs):
        return None  # It was specialized by more than torch's 0/1 assumption.
    if exported_error and unguarded is not None:
        traced_outputs, _, traced_error = _call(unguarded, inputs)
        if not traced_error and not record.same(
                outputs, traced_outputs, LARGEST_TOLERANCE, LARGEST_TOLERANCE):
            return None  # It was specialized by what is 0 or 1 here.
    found = Verdict(name, inputs, outputs, after, open=bool(exported_error))
    try:
        runs = []
        for mode in (Disturb(0), Disturb(1), Widen()):
            with mode:
                moved, moved_after, error = _call(eager, inputs)
            if error or len(moved) != len(outputs):
                return None
            runs.append(moved + moved_after)
        found.tolerance = _needed_tolerance(outputs + after, runs)
    except Undefined:
        return None
    if not exported_error and not record.same(
            outputs, exported_outputs, found.tolerance or 1e-5,
            found.tolerance or 1e-5):
        return None  # PyTorch does not agree with itself.
    return found


def evaluate_all(calls, exported, eager):
    """Evaluates calls, pairs of a name and arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced, unguarded = exported.module(), _unguarded(exported)
    found = [evaluate(name, inputs, exported, eager, traced, unguarded)
             for name, inputs in calls]
    found = [v for v in found if v is not None]
    wanted = next((_dtypes(v) for v in found if v.outputs is not None), None)
    # PyTorch gives bincount of nothing, say, another dtype.
    return [v for v in found if v.outputs is None or _dtypes(v) == wanted]


def _dtypes(verdict):
    return [getattr(value, "dtype", type(value)) for value in verdict.outputs]


def verdicts(program, exported):
    """Evaluates all calls of a program."""
    calls = [(name, data.arguments(program, name, dict(sizes)))
             for name, sizes in program.calls]
    return evaluate_all(calls, exported, modules.module(program, eager=True))
