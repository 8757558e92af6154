"""Exports one program, runs its cases in PyTorch and writes its folder."""

import copy
import json
import logging
import re
import shutil
import zlib

import numpy as np
import sympy
import torch
from torch._dynamo import config as dynamo_config
from torch.fx.experimental import _config as shape_config
from torch.utils import _pytree as pytree

from . import archive, plain, values


def build(program):
    """The program's module with its seeded parameters, in eval mode."""
    torch.manual_seed(zlib.crc32(program.name.encode()))
    return program.module().eval()


def export(program):
    """The exported program, not decomposed."""
    inputs = values.realize(program.example, f"{program.name}/example")
    logging.disable(logging.CRITICAL)
    try:
        with shape_config.patch(backed_size_oblivious=program.oblivious), \
                dynamo_config.patch(inline_single_use_invoke_subgraph=False):
            return torch.export.export(
                build(program), inputs, dynamic_shapes=program.dynamic,
                strict=program.strict,
                prefer_deferred_runtime_asserts_over_guards=program.deferred)
    finally:
        logging.disable(logging.NOTSET)


def _leaves(tree):
    return [leaf for leaf in pytree.tree_leaves(tree) if values.is_passed(leaf)]


def call(module, inputs):
    """Runs a module on copies of the inputs.

    Returns (outputs, inputs after the call, error text); outputs is None where
    the call raised.
    """
    inputs = copy.deepcopy(inputs)
    with torch.no_grad():
        try:
            outputs = module(*inputs)
        except Exception as error:  # Any refusal counts, whatever its class.
            return None, None, f"{type(error).__name__}: {error}"
    return _leaves(outputs), _leaves(inputs), ""


def _declared_sizes(exported, inputs):
    """Triples (name, declared size, size in this call) over all sizes of the
    inputs."""
    users = set(exported.graph_signature.user_inputs)
    metas = [(n.name, n.meta["val"]) for n in exported.graph.nodes
             if n.op == "placeholder" and n.name in users]
    for (name, meta), value in zip(metas, pytree.tree_leaves(inputs)):
        if isinstance(value, torch.Tensor):
            for dim, sizes in enumerate(zip(meta.shape, value.shape)):
                yield f"{name}.size({dim})", *sizes
        elif isinstance(meta, torch.SymInt):
            yield name, meta, value


def _solve(triples):
    """Finds the symbols' values; returns them and the first contradiction, as
    part of the error message that it should give."""
    sizes = {}
    compound = []
    for name, declared, size in triples:
        contradiction = f"; declared by {name.split('.')[0]}"
        if isinstance(declared, int):
            if declared != size:
                return sizes, (f"{name} == {declared} does not hold: "
                               f"{name} = {size}{contradiction}")
            continue
        expression = declared.node.expr
        if expression.is_Symbol:
            if sizes.setdefault(expression, size) != size:
                return sizes, contradiction
        else:
            compound.append((expression, size, contradiction))
    for expression, size, contradiction in compound:
        left = expression.subs(sizes)
        if len(left.free_symbols) == 1:  # A derived size such as 2*s0.
            (symbol,) = left.free_symbols
            plain = sympy.Symbol("n", integer=True)
            values_ = sympy.solve(left.subs(symbol, plain) - size, plain)
            if len(values_) != 1 or not values_[0].is_integer:
                return sizes, contradiction
            sizes[symbol] = int(values_[0])
        elif left != size:
            return sizes, contradiction
    return sizes, ""


def range_violation(exported, inputs):
    """Which declared size or range a call violates, as part of the error
    message that it should give ("" if none)."""
    sizes, contradiction = _solve(_declared_sizes(exported, inputs))
    if contradiction:
        return contradiction
    ranges = exported.range_constraints
    for expression, limits in ranges.items():
        if expression.free_symbols <= sizes.keys():
            size = int(expression.subs(sizes))
            # torch writes a lower bound of 2 where 0 and 1 are legal as well,
            # and one of 4 for twice such a size.
            least = expression.subs({
                symbol: ranges[symbol].lower
                for symbol in expression.free_symbols & ranges.keys()})
            lower = 0 if limits.lower == 2 else limits.lower
            if not expression.is_Symbol and least == limits.lower:
                lower = min(lower, size)
            violated = (f"{lower} <= {expression}" if size < lower else
                        f"{expression} <= {limits.upper}")
            if not lower <= size <= limits.upper:
                return (f"{violated if expression.is_Symbol else ''}"
                        " does not hold")
    return ""


def expected_error(case, exported, inputs):
    """Part of the error message that a refused call should give.

    Where the table says nothing, it is the declaration that is violated, or the
    message of the exported program's own assert.
    """
    if case.raises:
        return case.raises
    outside = range_violation(exported, inputs)
    _, _, error = call(exported.module(), inputs)
    message = re.search(
        r"Runtime assertion failed for expression .* on node '\w+'", error)
    return outside or (message.group(0) if message else "")


def same(left, right, rtol, atol):
    """Whether two lists of results agree."""
    if len(left) != len(right):
        return False
    for a, b in zip(left, right):
        a, b = values.to_numpy(a), values.to_numpy(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype == np.dtype("V2"):
            a, b = (values.from_numpy(v).float().numpy() for v in (a, b))
            rtol = max(rtol, 1e-2)
        if not np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            return False
    return True


def judge(program, case, exported, inputs):
    """Evaluates one case; returns (outputs or None, inputs after the call).

    Raises ValueError where the table and PyTorch disagree.
    """
    where = f"{program.name}, case '{case.name}'"
    with plain.control_flow():
        outputs, after, error = call(build(program), inputs)
    exported_outputs, _, exported_error = call(exported.module(), inputs)
    outside = range_violation(exported, inputs)
    if case.raises is not None:
        if not (error or exported_error or outside):
            raise ValueError(f"{where}: nothing refuses this call")
        return None, None
    if error or outside:
        raise ValueError(f"{where}: refused: {error or outside}")
    if exported_error and not case.quirk:
        raise ValueError(f"{where}: the exported program: {exported_error}")
    if not exported_error and not same(outputs, exported_outputs,
                                       program.rtol, program.atol):
        raise ValueError(f"{where}: eager and exported results differ")
    return outputs, after


class Folder:
    """Writes arrays into a program's folder, equal arrays once."""

    def __init__(self, path):
        self.path = path
        self.seen = {}
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)

    def array(self, value, name):
        array = values.to_numpy(value)
        key = (str(array.dtype), array.shape, array.tobytes())
        if key not in self.seen:
            self.seen[key] = name
            np.save(self.path / name, array, allow_pickle=False)
        return self.seen[key]

    def spec(self, value, name, any_numbers=False):
        return (values.inline_spec(value, any_numbers)
                or self.array(value, name))


def changed(before, after):
    """Positions of the tensors that a call wrote to."""
    return [i for i, (b, a) in enumerate(zip(before, after))
            if isinstance(b, torch.Tensor)
            and not torch.equal(torch.nan_to_num(b), torch.nan_to_num(a))]


def _mutated_inputs(exported):
    """Flat positions of the user inputs that the program writes to."""
    signature = exported.graph_signature
    users = list(signature.user_inputs)
    return {users.index(n) for n in signature.user_inputs_to_mutate.values()}


def record(program, root):
    """Writes root/NAME and returns the program's row of index.json."""
    exported = export(program)
    folder = Folder(root / program.name)
    model = archive.save(exported, folder.path / "model.pt2")
    rows = []
    for number, case in enumerate(program.cases):
        inputs = values.realize(case.inputs, f"{program.name}/{case.name}")
        outputs, after = judge(program, case, exported, inputs)
        flat = _leaves(inputs)
        # Where sizes alone are refused, the numbers do not matter.
        any_numbers = bool(range_violation(exported, inputs))
        row = {"name": case.name,
               "inputs": [folder.spec(v, f"c{number}_in{i}.npy", any_numbers)
                          for i, v in enumerate(flat)]}
        if case.raises is not None:
            row["raises"] = expected_error(case, exported, inputs)
        else:
            row["expect"] = [folder.spec(v, f"c{number}_out{i}.npy")
                             for i, v in enumerate(outputs)]
            written = changed(flat, after)
            if written:
                row["mutated"] = {
                    str(i): folder.spec(after[i], f"c{number}_after{i}.npy")
                    for i in written}
        rows.append(row)
    lines = ",\n".join(" " + json.dumps(row) for row in rows)
    (folder.path / "cases.json").write_text(f"[\n{lines}\n]\n")
    return index_row(program, model)


def index_row(program, model):
    """What index.json says about a program."""
    version = model["schema_version"]
    return {
        "family": program.family,
        "tags": list(program.tags),
        "strict": program.strict,
        "schema": f"{version['major']}.{version['minor']}",
        "torch": model["torch_version"],
        "rtol": program.rtol,
        "atol": program.atol,
        "targets": archive.targets(model),
    }
