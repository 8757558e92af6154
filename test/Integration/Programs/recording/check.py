"""Checks recorded folders against the installed PyTorch."""

import json

import torch

from . import archive, record, values


def check(program, root):
    """Compares a recorded folder with eager PyTorch; returns the faults."""
    folder = root / program.name
    faults = []
    if not (folder / "cases.json").exists():
        return [f"{program.name}: not recorded"]
    rows = json.loads((folder / "cases.json").read_text())
    if [r["name"] for r in rows] != [c.name for c in program.cases]:
        return [f"{program.name}: the recorded cases are not those of the table"]
    exported = torch.export.load(folder / "model.pt2")
    used = {"model.pt2", "cases.json", "run.test"}
    for row, case in zip(rows, program.cases):
        faults += _check_case(program, exported, folder, row, case, used)
    for extra in sorted({p.name for p in folder.iterdir()} - used):
        faults.append(f"{program.name}: {extra} belongs to no case")
    return faults


def _load(folder, spec, used):
    if spec.endswith(".npy"):
        used.add(spec)
    return values.parse_spec(spec, folder)


def _same_inputs(specs, recorded, wanted):
    """Compares inputs; random ones only by type and sizes."""
    pairs = [(torch.ones_like(a), torch.ones_like(b))
             if spec.endswith("=random") else (a, b)
             for spec, a, b in zip(specs, recorded, wanted)]
    return len(specs) == len(wanted) and record.same(
        [a for a, _ in pairs], [b for _, b in pairs], 0, 0)


def _check_case(program, exported, folder, row, case, used):
    where = f"{program.name}, case '{case.name}'"
    used.update(s for s in row["inputs"] if s.endswith(".npy"))
    wanted = values.realize(case.inputs, f"{program.name}/{case.name}")
    leaves, spec = torch.utils._pytree.tree_flatten(wanted)
    specs = iter(row["inputs"])
    flat = [values.like(values.parse_spec(next(specs), folder), leaf)
            if values.is_passed(leaf) else leaf for leaf in leaves]
    if not _same_inputs(row["inputs"], *(
            [v for v in side if values.is_passed(v)]
            for side in (flat, leaves))):
        return [f"{where}: the recorded inputs are not those of the table"]
    inputs = torch.utils._pytree.tree_unflatten(flat, spec)
    try:
        outputs, after = record.judge(program, case, exported, inputs)
    except ValueError as error:
        return [str(error)]
    if outputs is None:
        wanted_text = record.expected_error(case, exported, inputs)
        return [] if row.get("raises") == wanted_text else [
            f"{where}: raises '{wanted_text}', which is not what is recorded"]
    expected = [_load(folder, n, used) for n in row["expect"]]
    faults = []
    if not record.same(outputs, expected, program.rtol, program.atol):
        faults.append(f"{where}: other results than recorded")
    for position, name in row.get("mutated", {}).items():
        if not record.same([after[int(position)]], [_load(folder, name, used)],
                           program.rtol, program.atol):
            faults.append(f"{where}: input {position} ends other than recorded")
    return faults


def histogram(root):
    """Counts op targets over all recorded programs: (uses, programs)."""
    total = {}
    for path in sorted(root.glob("*/model.pt2")):
        for name, count in archive.targets(archive.read_model(path)).items():
            uses, programs = total.get(name, (0, 0))
            total[name] = (uses + count, programs + 1)
    return total
