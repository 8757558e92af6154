"""What a program's calls give in eager PyTorch, and how sure that is.

The results of one call are compared with those of runs whose inexact operators
are disturbed by about their rounding error.  Where that moves a result by more
than the usual tolerance, the case allows as much; where it changes an integer
or moves a result far, the call says nothing about a compiler and is left out.
"""

import dataclasses
import re
import warnings

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from recording import record

from . import data, modules
from .disturb import Disturb, Widen
from .families.control_flow import Undefined

# tally-run's own tolerances, relative and absolute.
TOLERANCE = {torch.bfloat16: 1.6e-2, torch.float16: 1e-3, torch.float32: 1e-5,
             torch.float64: 1e-7}
LARGEST_TOLERANCE = 0.03
# How often a call is disturbed, and how often where a compiler was found to give
# something else: a size of the bits of a rounded number is the same by chance.
RUNS, RUNS_OF_FINDINGS = 4, 48


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


# What an exported program checks of its arguments and sizes.
CHECKS = ("_assert_scalar", "_assert_tensor_metadata", "sym_constrain_range",
          "sym_constrain_range_for_size")


def recorded_size(expression, sizes):
    """What a recorded size is worth; None where some of it is not known, NaN
    where it is a quotient by a size of 0."""
    try:
        value = expression.subs(sizes)
        return None if value.free_symbols else int(value)
    except (ZeroDivisionError, TypeError):
        return float("nan")


class _Recorded(torch.fx.Interpreter):
    """Runs an exported program without its checks, and compares its tensors
    with what is recorded of them: sizes, and what no call may change, ranks
    and element types."""

    def __init__(self, made, sizes):
        super().__init__(made)
        self.sizes = sizes
        self.contradicts = self.is_another = False

    def _compare(self, meta, value):
        if isinstance(meta, (tuple, list)) and isinstance(value, (tuple, list)):
            for one, other in zip(meta, value):
                self._compare(one, other)
        if not isinstance(meta, torch.Tensor) or \
                not isinstance(value, torch.Tensor):
            return
        if meta.dim() != value.dim() or meta.dtype != value.dtype:
            self.is_another = True
            return
        for recorded, size in zip(meta.shape, value.shape):
            if isinstance(recorded, torch.SymInt):
                recorded = recorded_size(recorded.node.expr, self.sizes)
            self.contradicts |= recorded not in (None, size)

    def run_node(self, n):
        result = super().run_node(n)
        self._compare(n.meta.get("val"), result)
        return result

    def call_module(self, target, args, kwargs):
        if target == "_guards_fn":
            return None
        return super().call_module(target, args, kwargs)

    def call_function(self, target, args, kwargs):
        packet = getattr(target, "overloadpacket", None)
        if getattr(packet, "__name__", "") in CHECKS:
            return None
        if target is torch.ops.higher_order.invoke_subgraph:
            inputs = [node for node in args[0].graph.nodes
                      if node.op == "placeholder"]
            for node, value in zip(inputs, args[2:]):
                self._compare(node.meta.get("val"), value)
        return super().call_function(target, args, kwargs)


def _compare_with_recorded(exported, made, inputs, results):
    """Says whether tensors have other sizes than the exported program records
    of them, as torch takes for granted that no size is 0 or 1; and whether it
    records another program: a squeeze of a size that is 1 in this call makes
    another rank, an older torch records the type of `bincount` of the example,
    and one region may be recorded where another one was called."""
    sizes, _ = record._solve(record._declared_sizes(exported, inputs))
    recorded = _Recorded(made, sizes)
    outputs, after, error = _call(lambda *args: recorded.run(*args), inputs)
    is_another = recorded.is_another or any(text in error for text in NO_CODE)
    if not error:
        is_another |= not record.same(results, outputs + after,
                                      LARGEST_TOLERANCE, LARGEST_TOLERANCE)
    return recorded.contradicts or bool(error), is_another


class _Raising(TorchDispatchMode):
    """Notes the operator that raises an error, and its operands."""

    name, operands = "", ()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        try:
            return func(*args, **(kwargs or {}))
        except RuntimeError:
            if not self.name:
                self.name, self.operands = func.overloadpacket.__name__, args
            raise


# What eager PyTorch, or oneDNN, says of element types for which it has no code,
# or none that fits the type of the result: torch.export accepts them.
NO_CODE = ("INTERNAL ASSERT", "not implemented for '",
           "itensor_view_from_dense expects",
           "can't be cast to the desired output type")


def _is_fault(made, inputs, error):
    """Says whether an error is a fault of PyTorch's: an internal assertion, a
    type for which there is no code, that an operator which takes any strides
    views its operand in a way that these do not allow, or that a transposed
    convolution gives nothing, which only some of the libraries for it
    refuse."""
    if any(text in error for text in NO_CODE):
        return True
    if "view size is not compatible" not in error and \
            "Output size is too small" not in error:
        return False
    with _Raising() as raising:
        _call(made, inputs)
    if raising.name == "convolution":
        return raising.operands[6]
    return "view" not in raising.name


def is_another_error(error, exported_error):
    """Says whether an exported program is refused for another reason than the
    Python code: the same operator, of other sizes. Torch leaves out what is not
    used, and its own loop over nothing selects a row."""
    start = re.split(r"\d", error)[0]
    return error != exported_error and start.endswith(
        "select(): index ") and exported_error.startswith(start)


def _is_refused_always(eager, inputs, disturbed):
    """Says whether a call is refused however inexact operators round, and
    whichever of equal elements are found."""
    for mode in map(Disturb, range(disturbed)):
        with mode:
            _, _, error = _call(eager, inputs)
        if not error or error.startswith("Undefined"):
            return False
    return True


def _is_same_when_compact(eager, inputs, found):
    """Whether strides of arguments, which are not handed over, do not matter:
    where a reshape is a view or a copy by them, an update reaches the other."""
    if all(not isinstance(value, torch.Tensor) or value.is_contiguous()
           for value in inputs):
        return True
    outputs, after, error = _call(eager, [
        value.contiguous() if isinstance(value, torch.Tensor) else value
        for value in inputs])
    tolerance = found.tolerance or 1e-5
    return not error and record.same(
        outputs + after, found.outputs + found.after, tolerance, tolerance)


def evaluate(name, inputs, exported, eager, traced, unguarded, disturbed=RUNS):
    """Evaluates a call of the modules that are given; None where it cannot be
    judged."""
    try:
        outside = bool(record.range_violation(exported, inputs))
    except (KeyError, TypeError, NotImplementedError, ValueError):
        return None  # Derived sizes that cannot be solved for.
    outputs, after, error = _call(eager, inputs)
    if error.startswith("Undefined") or _is_fault(eager, inputs, error):
        return None  # A fault is no refusal.
    if outside:
        return Verdict(name, inputs, error="outside of the range")
    exported_outputs, exported_after, exported_error = _call(traced, inputs)
    if error:
        # What Python code refuses, and no operator, is not in the program.
        if exported_error and unguarded is not None:
            _, _, exported_error = _call(unguarded, inputs)
        if not exported_error or is_another_error(error, exported_error):
            return None
        if disturbed == RUNS_OF_FINDINGS and not _is_refused_always(
                eager, inputs, disturbed):
            return None
        return Verdict(name, inputs, error=error)
    if exported_error and not _has_small_sizes(inputs):
        return None  # It was specialized by more than torch's 0/1 assumption.
    contradicts, is_another = _compare_with_recorded(
        exported, unguarded or traced, inputs, outputs + after)
    if is_another:
        return None  # What is recorded does not give these results.
    found = Verdict(name, inputs, outputs, after,
                    open=bool(exported_error) or contradicts)
    try:
        runs = []
        for mode in (*map(Disturb, range(disturbed)), Widen()):
            with mode:
                moved, moved_after, error = _call(eager, inputs)
            if error or len(moved) != len(outputs):
                return None
            runs.append(moved + moved_after)
        found.tolerance = _needed_tolerance(outputs + after, runs)
    except Undefined:
        return None
    if not _is_same_when_compact(eager, inputs, found):
        return None
    if not exported_error and not record.same(
            outputs + after, exported_outputs + exported_after,
            found.tolerance or 1e-5, found.tolerance or 1e-5):
        return None  # PyTorch does not agree with itself.
    return found


def evaluate_all(calls, exported, eager, disturbed=RUNS):
    """Evaluates calls, pairs of a name and arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced, unguarded = exported.module(), _unguarded(exported)
    found = [evaluate(name, inputs, exported, eager, traced, unguarded,
                      disturbed) for name, inputs in calls]
    # A result of another rank than is recorded, as of a squeeze, cannot be had.
    ranks = _recorded_ranks(exported)
    return [v for v in found if v is not None and
            (v.outputs is None or ranks is None or ranks == [
                getattr(value, "ndim", None) for value in v.outputs])]


def _recorded_ranks(exported):
    """The ranks that an exported program says its results have, if it does."""
    metas = {node.name: node.meta.get("val") for node in exported.graph.nodes}
    found = [metas.get(getattr(spec.arg, "name", None))
             for spec in exported.graph_signature.output_specs
             if spec.kind.name == "USER_OUTPUT"]
    if not all(isinstance(meta, torch.Tensor) for meta in found):
        return None
    return [meta.dim() for meta in found]


def verdicts(program, exported, disturbed=RUNS):
    """Evaluates all calls of a program."""
    calls = [(name, data.arguments(program, name, dict(sizes)))
             for name, sizes in program.calls]
    return evaluate_all(calls, exported, modules.module(program, eager=True),
                        disturbed)
