"""Writes a finding: the program as Python, as .pt2, and its cases."""

import math

import numpy as np
import torch

from recording.values import INLINE_LIMIT, to_numpy

from . import data, judge


def _number(value):
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    return repr(value)


def _list(value):
    if isinstance(value, list):
        return "[" + ", ".join(_list(v) for v in value) + "]"
    return _number(value)


def tensor_code(tensor, file=None):
    """Code that makes a tensor; large ones are read from their file."""
    if file and tensor.numel() > INLINE_LIMIT:
        if tensor.dtype == torch.bfloat16:
            return (f"torch.from_numpy(np.load({file!r}).view('i2'))"
                    ".view(torch.bfloat16)")
        return f"torch.from_numpy(np.load({file!r}))"
    code = f"torch.tensor({_list(tensor.tolist())}, dtype={tensor.dtype})"
    if tensor.numel() == 0:
        code = f"torch.zeros({tuple(tensor.shape)}, dtype={tensor.dtype})"
    if not tensor.is_contiguous():
        code += f"  # strides {tuple(tensor.stride())}"
    return code


def script(program, seed, outcome):
    """A script that exports the program and runs the first call eagerly."""
    call, sizes = program.calls[0]
    inputs = data.arguments(program, call, dict(sizes))
    lines = [f'"""Seed {seed}: {outcome.kind}, case {outcome.case!r}.', "",
             outcome.text.replace("\\", "\\\\"), '"""', "",
             "import numpy as np", "import torch",
             "from torch import cond, vmap", "from torch._higher_order_ops.map "
             "import map as map_rows",
             "from torch._higher_order_ops.scan import scan",
             "from torch._higher_order_ops.while_loop import while_loop",
             "from torch.export import Dim", "",
             "region = torch.compiler.nested_compile_region", "", "",
             "class Program(torch.nn.Module):", "    def __init__(self):",
             "        super().__init__()"]
    for name, dtype, shape in program.parameters:
        if f"self.{name}" in program.source():
            value = data.parameter(program, name, dtype, shape)
            lines.append(f"        self.register_buffer('{name}', "
                         f"{tensor_code(value)})")
    lines.append("")
    lines += [f"    {line}" for line in program.source().splitlines()]
    lines += ["", "", "inputs = ("]
    for position, x in enumerate(inputs):
        code, _, strides = tensor_code(
            x, f"input{position}.npy").partition("  #")
        lines.append(f"    {code}," + (f"  #{strides}" if strides else ""))
    lines += [")", f"# sizes {program.sizes}, declared {program.declared}, "
              f"strict {program.strict}", f"# dims {_dims(program)}",
              f"# oblivious {program.oblivious}, deferred {program.deferred}"]
    shapes = ", ".join(_dim_code(i) for i in program.inputs)
    lines += ["", "print(Program()(*inputs))",
              "print(torch.export.export(Program(), inputs, "
              f"dynamic_shapes=({shapes},)))"]
    return "\n".join(lines) + "\n"


def _dims(program):
    return {i.name: i.dims for i in program.inputs if not i.given}


def _dim_code(argument):
    dims = range(len(argument.dims)) if argument.given else [
        i for i, d in enumerate(argument.dims) if isinstance(d, str)]
    return "{" + ", ".join(f"{i}: Dim.AUTO" for i in dims) + "}"


def signature(path):
    """The signature of a finding that was written."""
    kind, case, text = path.read_text().split("\n", 2)
    return judge.Outcome(kind, text, case).signature


def write(folder, seed, judged):
    """Writes the folder of a finding."""
    judge.write(folder, judged.exported, judged.verdicts)
    call, sizes = judged.program.calls[0]
    for position, x in enumerate(data.arguments(judged.program, call, dict(sizes))):
        if x.numel() > INLINE_LIMIT:
            np.save(folder / f"input{position}.npy", to_numpy(x))
    (folder / "program.py").write_text(
        script(judged.program, seed, judged.outcome))
    (folder / "finding.txt").write_text(
        f"{judged.outcome.kind}\n{judged.outcome.case}\n"
        f"{judged.outcome.text}\n")


