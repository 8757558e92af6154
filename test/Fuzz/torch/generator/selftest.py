"""Tests of the judge: results that are wrong must not pass it."""

import math
import pathlib
import tempfile

import sympy
import torch

from . import judge, modules, oracle
from .program import Input, Program, Size, Statement


def _program():
    """Floats, integers, a write to an argument, and a call that is refused."""
    return Program(
        "selftest",
        (Input("x0", "f32", ("n", 3)), Input("x1", "i64", ("n",)),
         Input("x2", "f16", ("n",))),
        (Statement("v3 = torch.tanh(x0) @ x0.t()", ("v3",)),
         Statement("v4 = x1.cumsum(0) > 2", ("v4",)),
         Statement("x2.add_(1)", writes=("x2",)),
         Statement("v5 = x1 * x1.shape[0]", ("v5",)),
         Statement("v6 = torch.tanh(x0) / 0 * x0.sign()", ("v6",)),
         Statement("v7 = v6 - v6", ("v7",))),
        ("v3", "v4", "v5", "v6", "v7"), (Size("n", 0, 8),),
        (("five", (("n", 5),)), ("none", (("n", 0),)), ("nine", (("n", 9),))),
        declared="range")


# What the oracle must leave alone: rounding decides the result, or the order of
# a sum, or it is the bits of what has several.
_UNSTABLE = (
    "(x0.exp().sum() * 1e7).to(torch.int64)",
    "(x0 * torch.nan).view(torch.int32)",
    "torch.where(x0 == 5, x0, (x0 * torch.nan).sum().item()).view(torch.int32)",
    "((x0 * torch.nan) - (x0 * torch.nan).sum()).view(torch.int32)",
    "torch.layer_norm(x0 * 0, (x0.shape[0],)).view(torch.int32)",
    "(x0 * 0).amax().view(torch.int32)",
    "torch.layer_norm(x0 * 0 + 0.1, (x0.shape[0],)) == 0",
    "(x0 * 0 + 3e38).outer(x0.sign()) @ x0.exp()",
    "torch.std_mean(torch.stack([x0.sum(), x0[0] / 0, x0[1]]))[1]",
    "torch.cat([x0.sign() * 9e18, x0.sign() * -9e18, x0 * 4])"
    ".to(torch.int64).sum(dtype=torch.float64)",
    "torch.unique(x0 * torch.nan, return_inverse=True)[1]",
    "torch.group_norm((x0 * 0 + 5.3).view(-1, 1, 1), 1).argwhere()",
    "torch.unique_consecutive(torch.group_norm(x0.view(-1, 1), 1, "
    "x0.new_tensor([0.967])), return_counts=True)[1]",
    "torch.ops.aten.gelu_backward(x0, x0).view(torch.int32)",
    "torch.cat([x0 * 0 + 1e30, x0 * 0 + 1e-30]).prod()",
    "torch.cat([x0 * 0 + 1e-30, x0 * 0 + 1e30]).cumprod(0)",
    "torch.cat([x0 * 0 + 1e30, x0 * 0]).prod()",
    "torch.cat([x0 * 0 + 3e38, x0 * 0 - 3e38]).sum()",
    "x0.bfloat16().expand(2, -1).index_add(0, torch.zeros(64, dtype=torch.int64),"
    " torch.ones(64, 1).bfloat16().expand(-1, x0.shape[0]) * 5.03).int()",
    "(lambda y: y.sub_(y[:, :1]))(x0.outer(x0))",
    "torch.nn.functional.interpolate((x0 / 0).view(1, 1, -1), 3, mode='linear')",
    "torch.ops.aten.convolution_backward((x0 / 0).view(1, 1, -1), "
    "x0.view(1, 1, -1), x0.new_ones(1, 1, 3), None, [1], [1], [1], False, [0], "
    "1, [True, True, False])[1]",
    "torch.slice_scatter(x0.unfold(0, 3, 1), x0.new_ones(1, 3), 0, 1, 2)",
    "torch.nn.functional.interpolate(x0.sin().view(-1, 1, 1, 1).expand(-1, 3, 4, 5)"
    ".mul(torch.arange(60.).sin().view(3, 4, 5)).contiguous("
    "memory_format=torch.channels_last), size=(3, 1), mode='bilinear', "
    "antialias=True)",
    "torch.nn.functional.interpolate(x0.sin().double().outer(x0.sin().double())"
    "[None, None], size=(3, 1), mode='bilinear', antialias=True)",
    "(lambda g, y: torch.ops.aten.native_layer_norm_backward(g, y, [1], "
    "*torch.ops.aten.native_layer_norm(y, [1], None, None, 1e-5)[1:], None, "
    "None, [True, False, False])[0])(x0.double().view(-1, 1) * -2e150, "
    "x0.double().view(-1, 1) * -2e150)",
    "(lambda y: torch.ops.aten.native_layer_norm_backward(y, y, [y.shape[0]], "
    "*torch.ops.aten.native_layer_norm(y, [y.shape[0]], None, None, 1e-5)[1:], "
    "None, None, [True, False, False])[0].argmax())(x0 * 0 + 0.1)",
    "torch.ops.aten.elu_backward(x0, 1.5, 2.0, 0.5, False, x0 * torch.nan)",
    "(lambda y: y.index_put_((torch.tensor([0]),), y.new_ones(()), "
    "accumulate=True))((x0 * 1).unsqueeze(-1).expand(-1, 3))",
    "(lambda s: s / s)(torch.cat([x0 * 0.1, x0 * -0.3, x0 * 0.2]).sum())",
    "(lambda s: s / s)(torch.cat([x0 * 0.1, x0 * -0.3, x0 * 0.2])"
    ".sum(dtype=torch.float32))",
    "(torch.vdot(x0.exp(), x0.exp()) * 1e7).to(torch.int64)",
    "torch.remainder(x0.double().exp(), x0.double() * 0 + 5e-324)",
    "(x0 * 0 + 1e-40).bfloat16().view(-1, 1) @ (x0 / 0).bfloat16().view(1, -1)",
)
# And what it must judge.
_STABLE = ("x0 * torch.nan", "x0.amax()", "x0.view(torch.int32)",
           "(x0 * 0 + 3e38).sum()", "(lambda s: s / s)(x0.exp().sum())",
           "(x0 * 0).sum() / x0.exp().sum()", "torch.std_mean(x0)[1]", "x0 / 0",
           "torch.remainder(x0, 0.3)", "torch.fmod(x0 / 0, 2.5)",
           "x0.half() * 65504", "torch.unique(x0, return_inverse=True)[1]",
           "(x0 * 0 + 1e30).prod()", "(x0 * 0 + 1e-30).cumprod(0)",
           "torch.cat([x0 * 0 + 1e9, x0 * torch.nan, x0 * 0 + 1e9]).prod()",
           "torch.layer_norm(x0, (x0.shape[0],)) > 0",
           "(lambda y: torch.ops.aten.native_layer_norm_backward(y.cos(), y, "
           "[y.shape[0]], *torch.ops.aten.native_layer_norm(y, [y.shape[0]], "
           "None, None, 1e-5)[1:], None, None, [True, False, False])[0])(x0)",
           "torch.ops.aten.elu_backward(x0, 1.5, 2.0, 0.5, False, x0)",
           "(lambda y: y[1:].add_(y[0]))(x0 * 1)",
           "(lambda y: y.mul_(y))(x0 * 1)", "x0.unfold(0, 3, 1)",
           "torch.slice_scatter(x0.view(-1, 1), x0.new_ones(1, 1), 0, 1, 2)",
           "torch.conv1d((x0 / 0).view(1, 1, -1), x0.new_ones(1, 1, 3))")
# What is refused where there is one row, which may not be judged, and may.
_REFUSED_BY_CHANCE = "torch.conv_transpose2d(" \
    "x0.view(-1, 1, 1, 1).expand(-1, 1, 2, 1), torch.ones(1, 1, 2, 2), padding=1)"
_REFUSED = "torch.conv2d(x0.view(1, 1, 1, -1), torch.ones(1, 1, 1, 2))"
# What has another rank where there is one row, and the same result.
_SQUEEZED_BY_CHANCE = "x0.view(-1, 1).expand(-1, 3).squeeze(0).cumsum(0).flatten()"
_COUNTS = "torch.bincount((x0 * 4).abs().long()) * 2"


# What strides of an argument decide.
_UPDATES_A_COPY = "(x0.ravel().tanh_(), x0 * 1)[1]"


def _of(code, *more, layout="contiguous"):
    return Program(
        "sure", (Input("x0", "f32", ("n",), layout=layout),),
        (Statement(f"v1 = {code}", ("v1",)),),
        ("v1",), (Size("n"),), (("five", (("n", 5),)), *more))


def _changed(tensor):
    """Tensors that differ from one by little, in an element or in their type."""
    if tensor.numel():
        other = tensor.clone()
        if tensor.dtype == torch.bool:
            other.view(-1)[-1] = ~other.view(-1)[-1]
        else:
            last = other.view(-1)[-1]
            if tensor.is_floating_point():
                last.copy_(last + 0.02 * (1 + last.abs())
                           if last.isfinite() else last.new_tensor(1.0))
            else:
                last.add_(1)
        yield other
        if tensor.is_floating_point():
            for number in (torch.nan, torch.inf, 0.0):
                other = tensor.clone()
                if not torch.equal(other.view(-1)[-1:].isnan(),
                                   torch.tensor([number != number])):
                    other.view(-1)[-1] = number
                    yield other
    yield torch.cat([tensor, tensor[:1]]) if tensor.shape[0] else \
        tensor.new_zeros((1, *tensor.shape[1:]))
    yield tensor.to(torch.int32)


def _mutants(verdicts):
    """Pairs of what is wrong now and the outcome that it must have."""
    for verdict in verdicts:
        if verdict.outputs is None:
            verdict.outputs, verdict.after = verdicts[0].outputs, verdict.inputs
            yield f"{verdict.name}: results of a refused call", judge.REJECTED
            verdict.outputs = None
            continue
        for values in (verdict.outputs, verdict.after):
            for position, value in enumerate(values):
                if values is verdict.after and (position != 2
                                                or not value.numel()):
                    continue  # Only that argument is written to.
                for number, other in enumerate(_changed(value)):
                    values[position] = other
                    yield (f"{verdict.name}: value {position}, mutant "
                           f"{number}"), judge.WRONG
                values[position] = value
        outputs, verdict.outputs = verdict.outputs, None
        yield f"{verdict.name}: must be refused", judge.MISSED
        verdict.outputs = outputs


def _judges_other_types():
    """What is wrong with the judge of programs in which another element type is
    recorded than the operator gives."""
    faults = []
    program = _of(_COUNTS)
    for dtype in torch.int64, torch.float64:
        exported = modules.export(program)
        for node in exported.graph.nodes:
            if "bincount" in node.name:
                node.meta["val"] = node.meta["val"].to(dtype)
        judges = bool(oracle.verdicts(program, exported))
        if judges != (dtype == torch.int64):
            faults.append(f"counts of {dtype}: {'' if judges else 'not '}judged")
    return faults


def run(tool):
    """Returns what is wrong with the judge, as texts."""
    faults = []

    def judged(exported, verdicts):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "program"
            return judge.judge(tool, folder,
                               judge.write(folder, exported, verdicts)).kind
    program = _program()
    exported = modules.export(program)
    verdicts = oracle.verdicts(program, exported)
    if len(verdicts) != len(program.calls):
        faults.append("a call was left out")
    kind = judged(exported, verdicts)
    if kind != judge.RIGHT:
        faults.append(f"the program as it is: {kind}")
    mutants = 0
    for what, wanted in _mutants(verdicts):
        mutants += 1
        kind = judged(exported, verdicts)
        if kind != wanted:
            faults.append(f"{what}: {kind}, expected {wanted}")
    for code in _UNSTABLE + _STABLE:
        program = _of(code)
        judges = bool(oracle.verdicts(program, modules.export(program)))
        if judges != (code in _STABLE):
            faults.append(f"{code}: {'' if judges else 'not '}judged")
    for code, wanted in (_REFUSED_BY_CHANCE, 1), (_REFUSED, 2), \
            (_SQUEEZED_BY_CHANCE, 1):
        program = _of(code, ("one", (("n", 1),)))
        found = oracle.verdicts(program, modules.export(program))
        if len(found) != wanted:
            faults.append(f"{code}: {len(found)} calls judged, not {wanted}")
    for layout, wanted in ("contiguous", 1), ("offset", 1), ("stepped", 0):
        program = _of(_UPDATES_A_COPY, layout=layout)
        found = oracle.verdicts(program, modules.export(program))
        if len(found) != wanted:
            faults.append(f"{layout}: {len(found)} calls judged, not {wanted}")
    faults += _judges_other_types()
    n = sympy.Symbol("n")
    if not math.isnan(oracle.recorded_size(n + 1 / n, {n: 0})) or \
            oracle.recorded_size(n + 1, {n: 0}) != 1:
        faults.append("a recorded size is not what it is worth")
    text = "IndexError: select(): index 0 out of range for tensor of size "
    for size in ("[0, 0]", "[0, 3, 0]"):
        if oracle.is_another_error(text + "[0, 0]", text + size) != \
                (size != "[0, 0]"):
            faults.append(f"refused for {size}: another error or not")
    print(f"{mutants} mutants")
    return faults
