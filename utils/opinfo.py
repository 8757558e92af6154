#!/usr/bin/env python3
"""Compares compiled operators with eager PyTorch, on the sample inputs of PyTorch's own tests.

    opinfo.py run RESULTS [--device cuda] [--only REGEX] [--dtypes float32,int64] [--samples N] [--seconds S]
                          [--part 3/16]
    opinfo.py table RESULTS... > docs/OperatorSamples.md
    opinfo.py check [--seed N] [--seconds S]     a random part of what the page claims

RESULTS gets a line of JSON for each entry and element type; a run goes on where the last one ended. On a machine
of 16 processors, each of 16 runs with a file of its own does a part: 0/16 to 15/16.
PYTHONPATH and TALLY_LIBRARY say where Tally is.
"""

import argparse
import collections
import functools
import json
import multiprocessing
import os
import pathlib
import random
import re
import sys
import time
import types
import unittest

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/OperatorSamples.md"
DTYPES = "float32 float64 bfloat16 float16 int64 int32 int8 uint8 bool".split()
# Relative and absolute; those of assert_close, wider where sums are added in another order.
TOLERANCES = {"float32": (2e-5, 2e-5), "float64": (1e-7, 1e-7), "bfloat16": (1.6e-2, 1e-2),
              "float16": (2e-3, 1e-3), "complex64": (2e-5, 2e-5), "complex128": (1e-7, 1e-7)}
# Their results are memory as it was found.
UNDEFINED = re.compile(r"(new_)?empty(_|$)")
BATCH = 8
# Seconds that a process may take to load PyTorch, and to find a GPU.
START = 120
# Verdicts after which a process goes on.
HARMLESS = {"right", "skipped", "refused", "not exported"}
TEXT = """# Operators on PyTorch's samples

`utils/opinfo.py` made this page. It exports each entry of PyTorch {version}'s operator database (`op_db`) on its sample
inputs, compiles it, and compares results, element types and shapes with eager mode. Device: {device}. At most {samples}
samples were taken of each entry and element type, so that a row says nothing about the others. `right` names the element
types for which each of these was right; `samples` counts those that were right among those taken, and then all that there
are. Samples for which eager mode raises an error, or gives another result each time, are not taken. Results that differ
are compared once more as PyTorch's own tests have them, who take away what is free in them, such as the signs of vectors,
and with what eager mode computes of the same numbers in f64. A row names the operators of Core ATen in the programs of an
entry; an entry without a row was not run. Tolerances are in the script; integers and booleans are compared exactly.
Indices are, too: of equal elements, `topk` may take others than eager mode, which counts as wrong here though the values
are the same.

{wrong}

| entry | operators | right | samples | otherwise |
|---|---|---|---|---|
{rows}
"""


@functools.cache
def load_database():
    """PyTorch's entries by name. Its module wants a package that only its own tests use."""
    try:
        import expecttest  # noqa: F401
    except ImportError:
        sys.modules["expecttest"] = types.ModuleType("expecttest")
        sys.modules["expecttest"].TestCase = unittest.TestCase
    import torch
    # Convolutions on a GPU are as exact as the type. The database's module lets nobody set this afterwards.
    torch.backends.cudnn.allow_tf32 = False
    from torch.testing._internal.common_methods_invocations import op_db
    entries = {f"{e.name}.{e.variant_test_name}".rstrip("."): e for e in op_db}
    return dict(sorted(entries.items(), key=lambda item: not is_core(item[1])))


def is_core(entry):
    """Whether an entry has the name of an operator of Core ATen."""
    import torch
    packet = getattr(torch.ops.aten, entry.aten_name or "", None)
    return packet is not None and any(
        torch.Tag.core in getattr(packet, each).tags for each in packet.overloads())


class Calls:
    """A module that calls an operator on several samples, whose tensors are its arguments."""

    def __new__(cls, operator, samples):
        import torch
        from torch.utils import _pytree
        flat = [_pytree.tree_flatten((s.input, s.args, s.kwargs)) for s in samples]

        class Module(torch.nn.Module):
            def forward(self, *tensors):
                rest, results = iter(tensors), []
                for leaves, spec in flat:
                    leaves = [next(rest) if isinstance(x, torch.Tensor) else x for x in leaves]
                    value, args, kwargs = _pytree.tree_unflatten(leaves, spec)
                    found = _pytree.tree_leaves(operator(value, *args, **kwargs))
                    results += [x for x in found if isinstance(x, torch.Tensor)]
                return tuple(results)

        module = Module()
        module.tensors = [x for leaves, _ in flat for x in leaves if isinstance(x, torch.Tensor)]
        module.call = lambda f: f(*[x.detach().clone() for x in module.tensors])
        return module


def describe(error):
    """The line of an error that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    line = next((x for x in lines if "error:" in x), lines[0])
    return f"{line.split('error:')[-1].strip()}"[:160]


def differ(found, expected):
    """How the results differ; None where they do not."""
    import torch
    if len(found) != len(expected):
        return f"{len(found)} results instead of {len(expected)}"
    for one, other in zip(found, expected):
        rtol, atol = TOLERANCES.get(str(other.dtype).split(".")[1], (0, 0))
        try:
            torch.testing.assert_close(one, other, rtol=rtol, atol=atol, equal_nan=True)
        except AssertionError as error:
            return " ".join(str(error).split())[:160]
    return None


def call_again(operator, sample, change):
    """Eager mode's results, as a tree, of a sample whose tensors are changed."""
    import torch
    from torch.utils import _pytree
    value, args, kwargs = _pytree.tree_map_only(torch.Tensor, lambda x: change(x.detach().clone()),
                                                (sample.input, sample.args, sample.kwargs))
    return operator(value, *args, **kwargs)


def process(operator, sample, results):
    """What PyTorch's tests make of a sample's results where these are not unique, such as signs of vectors."""
    import torch
    from torch.utils import _pytree
    _, spec = _pytree.tree_flatten(call_again(operator, sample, lambda x: x))
    if spec.num_leaves != len(results):
        return results
    made = sample.output_process_fn_grad(_pytree.tree_unflatten(results, spec))
    return [x for x in _pytree.tree_leaves(made) if isinstance(x, torch.Tensor)]


def compute_exactly(operator, sample, wanted):
    """What eager mode computes of a sample's numbers in f64, rounded to the types of its results."""
    import torch
    from torch.utils import _pytree

    def widen(x):
        return x.to(torch.complex128) if x.is_complex() else x.double() if x.is_floating_point() else x
    try:
        leaves = _pytree.tree_leaves(call_again(operator, sample, widen))
    except RuntimeError:
        return wanted
    exact = [x for x in leaves if isinstance(x, torch.Tensor)]
    if [x.shape for x in exact] != [x.shape for x in wanted]:
        return wanted
    return [x.to(y.dtype) for x, y in zip(exact, wanted)]


def differ_at_all(operator, samples, found, expected):
    """How results differ that are no others as PyTorch's tests have them, nor more exact ones."""
    found = iter(found)
    for sample, wanted in zip(samples, expected):
        mine = [next(found) for _ in wanted]
        fault = differ(mine, wanted)
        if fault and differ(process(operator, sample, mine), process(operator, sample, wanted)) and \
                differ(mine, compute_exactly(operator, sample, wanted)):
            return fault
    return None


def compute_eagerly(operator, sample):
    """What eager mode computes; None where it refuses, or computes something else each time."""
    import torch
    module = Calls(operator, [sample])
    try:
        first, second = module.call(module), module.call(module)
    except Exception:  # noqa: BLE001 - whatever an operator raises.
        return None
    same = all(torch.equal(torch.nan_to_num(a), torch.nan_to_num(b)) if not a.is_complex() else True
               for a, b in zip(first, second))
    return first if same and first else None


def compare(operator, samples, expected):
    """The verdict on samples in one program, and the operators of that program."""
    import tally
    import torch
    module = Calls(operator, samples)
    sizes = tuple({i: torch.export.Dim.AUTO for i, n in enumerate(x.shape) if n > 1}
                  for x in module.tensors)
    try:
        exported = torch.export.export(module, tuple(module.tensors), strict=False,
                                       dynamic_shapes=(sizes,) if sizes else None)
    except Exception as error:  # noqa: BLE001 - PyTorch raises many kinds.
        return ["not exported", describe(error)], []
    names = sorted({str(n.target) for n in exported.graph.nodes
                    if torch.Tag.core in getattr(n.target, "tags", ())})
    try:
        program = tally.compile(exported)
    except Exception as error:  # noqa: BLE001 - a refusal is an error of any kind.
        return ["refused", describe(error)], names
    try:
        # Entries that draw random numbers do so with this seed in eager mode.
        torch.manual_seed(42)
        found = module.call(program)
    except Exception as error:  # noqa: BLE001 - a call of a sample must not fail.
        return ["WRONG", f"{type(error).__name__}: {describe(error)}"], names
    found = list(found) if isinstance(found, (tuple, list)) else [found]
    fault = differ(found, [x for each in expected for x in each])
    if fault and len(found) == sum(map(len, expected)):
        fault = differ_at_all(operator, samples, found, expected)
    return (["WRONG", fault] if fault else ["right", ""]), names


def take_samples(entry, dtype, options):
    import numpy
    import torch
    for seed in (random.seed, numpy.random.seed, torch.manual_seed):
        seed(0)
    samples = list(entry.sample_inputs(options.device, getattr(torch, dtype), requires_grad=False))
    count = min(len(samples), options.samples)
    places = sorted(random.Random(f"{entry.name}/{dtype}").sample(range(len(samples)), count))
    return [(place, samples[place]) for place in places], len(samples)


def work(entry, dtype, done, one_by_one, options, emit):
    """Emits a verdict for each sample that is not done; before, which samples are tried next."""
    samples, total = take_samples(entry, dtype, options)
    emit({"total": total})
    todo = []
    for place, sample in samples:
        if place in done:
            continue
        emit({"try": [place]})
        expected = compute_eagerly(entry.op, sample)
        if expected is None:
            emit({"sample": place, "verdict": ["skipped", ""], "operators": []})
        else:
            todo.append((place, sample, expected))
    size = 1 if one_by_one else BATCH
    for batch in (todo[i:i + size] for i in range(0, len(todo), size)):
        emit({"try": [place for place, _, _ in batch]})
        verdict, names = compare(entry.op, [s for _, s, _ in batch], [e for _, _, e in batch])
        for place, sample, expected in batch:
            if len(batch) > 1 and verdict[0] != "right":
                emit({"try": [place]})
                mine = compare(entry.op, [sample], [expected])
            else:
                mine = verdict, names
            emit({"sample": place, "verdict": mine[0], "operators": mine[1]})


def serve(pipe, options):
    """What a process of its own does: it takes jobs from a pipe, and sends there what they emit."""
    import torch
    torch.set_num_threads(1)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    while (job := pipe.recv()) is not None:
        name, dtype, done, one_by_one = job
        try:
            work(load_database()[name], dtype, done, one_by_one, options, pipe.send)
        except BaseException as error:  # noqa: BLE001 - the parent gets to know.
            pipe.send({"error": describe(error)})
        pipe.send({"end": True})


class Worker:
    """Runs entries in another process, so that this one outlives them.

    The process runs all entries, until one of them breaks it: its first program takes a second more than others.
    A process that is forked cannot use CUDA after this one did. There it is a fresh one, which takes long to start."""

    def __init__(self, options):
        self.options, self.process = options, None
        self.is_forked = options.device == "cpu"
        self.context = multiprocessing.get_context("fork" if self.is_forked else "spawn")

    def start(self):
        self.pipe, theirs = self.context.Pipe()
        self.process = self.context.Process(target=serve, args=(theirs, self.options), daemon=True)
        self.process.start()
        # Otherwise nobody notices that the process has ended.
        theirs.close()

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.join()
            self.pipe.close()
        self.process = None

    def run(self, name, dtype, done, one_by_one):
        """What a job emits, until it ends or is too slow; and how the process ended, if it did."""
        end = time.monotonic() + self.options.limit
        if not self.process:
            self.start()
            end += 0 if self.is_forked else START
        lines, death = [], None
        try:
            self.pipe.send((name, dtype, done, one_by_one))
            while death is None:
                if not self.pipe.poll(max(0, end - time.monotonic())):
                    death = "too slow"
                elif "end" in (line := self.pipe.recv()):
                    death = ""
                else:
                    lines.append(line)
        except (EOFError, OSError):
            self.process.join()
            death = f"exit code {self.process.exitcode}"
        # An error may be one that CUDA then raises again and again.
        kinds = {line["verdict"][0] for line in lines if "verdict" in line}
        is_sound = not death and kinds <= HARMLESS and not any("error" in line for line in lines)
        if not is_sound:
            self.stop()
        return lines, death


def run_entry(worker, name, dtype):
    """The record of an entry and an element type."""
    verdicts, operators, total, error, alone = {}, set(), 0, "", False
    while True:
        lines, death = worker.run(name, dtype, verdicts, alone)
        trying = []
        for line in lines:
            total, trying = line.get("total", total), line.get("try", trying)
            error = line.get("error", error)
            if "sample" in line:
                verdicts[line["sample"]] = line["verdict"]
                operators |= set(line["operators"])
        if not death or (not trying and not total):
            error = error or death
            break
        trying = [place for place in trying if place not in verdicts]
        if len(trying) == 1 or death == "too slow":
            verdicts.update({p: ["slow" if death == "too slow" else "crash", death] for p in trying})
        elif not trying:
            error = death
            break
        alone = True
    counts = collections.Counter(v[0] for v in verdicts.values())
    reasons = {v[0] + ": " + v[1]: p for p, v in verdicts.items() if v[0] not in ("right", "skipped")}
    options = worker.options
    return {"entry": name, "dtype": dtype, "device": options.device, "cap": options.samples, "total": total,
            "counts": counts, "reasons": reasons, "operators": sorted(operators), "error": error}


def run_all(pairs, options, report):
    """Runs pairs of an entry and an element type until the time is over."""
    worker, end = Worker(options), time.monotonic() + options.seconds
    try:
        for number, (name, dtype) in enumerate(pairs(load_database())):
            if time.monotonic() > end:
                return number
            report(run_entry(worker, name, dtype))
        return None
    finally:
        worker.stop()


def run(options):
    path = pathlib.Path(options.results[0])
    part, parts = map(int, options.part.split("/"))
    old = read(path) if path.exists() else []
    done = {(r["entry"], r["dtype"]) for r in old}

    def pairs(database):
        for number, pair in enumerate(find_pairs(database)):
            if number % parts == part and pair not in done:
                yield pair

    def find_pairs(database):
        import torch
        for dtype in options.dtypes.split(","):
            for name, entry in database.items():
                known = getattr(torch, dtype) in entry.supported_dtypes(options.device.split(":")[0])
                if known and re.search(options.only, name) and not UNDEFINED.match(name):
                    yield name, dtype

    with path.open("a") as file:
        def report(record):
            file.write(json.dumps(record) + "\n")
            file.flush()
        stopped = run_all(pairs, options, report)
    print("all entries were run" if stopped is None else f"{stopped} were run before the time was over")
    return 0


def read(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def write_row(name, records):
    counts = collections.Counter()
    for record in records:
        counts.update(record["counts"])
    counts.pop("skipped", 0)
    right = [r["dtype"] for r in records if is_right(r)]
    operators = sorted({".".join(o.split(".")[:2]) for r in records for o in r["operators"]})
    reasons = sorted({re.sub(r"[|`<>\s]+", " ", reason)[:110] for r in records
                      for reason in [*r["reasons"], *filter(None, [r["error"]])]})
    return (f"| `{name}` | {', '.join(f'`{o}`' for o in operators)} | {', '.join(right)} | "
            f"{counts['right']}/{counts.total()} of {sum(r['total'] for r in records)} | {'; '.join(reasons[:2])} |")


def is_right(record):
    return record["counts"].get("right", 0) > 0 and not record["error"] and \
        set(record["counts"]) <= {"right", "skipped"}


def make_table(options):
    import torch
    entries = collections.defaultdict(list)
    records = [record for path in options.results for record in read(path)]
    for record in records:
        entries[record["entry"]].append(record)
    rows = [write_row(n, rs) for n, rs in sorted(entries.items())]
    bad = collections.Counter()
    for record in records:
        bad.update(record["counts"])
    wrong = ", ".join(f"{bad[kind]} {text}" for kind, text in (
        ("right", "samples are right"), ("refused", "are refused"), ("not exported", "are not exported by PyTorch"),
        ("slow", "took too long"), ("WRONG", "are wrong"), ("crash", "end the process"))) + "."
    print(TEXT.format(version=torch.__version__.split("+")[0], device=records[0]["device"],
                      samples=max(r["cap"] for r in records), rows="\n".join(rows), wrong=wrong), end="")
    return 0


def check(options):
    """Whether entries that the page claims are right; a random choice."""
    text = PAGE.read_text()
    options.samples = int(re.search(r"At most (\d+)\s", text)[1])
    rows = re.findall(r"^\| `([^`]+)` \| [^|]* \| ([^|]+) \|", text, re.M)
    claims = [(name, dtype) for name, right in rows for dtype in right.split(", ") if dtype.strip() in DTYPES]
    random.Random(options.seed).shuffle(claims)
    faults, passed = [], []
    run_all(lambda _: claims, options, lambda r: (passed if is_right(r) else faults).append(r))
    for record in faults:
        print(f"{record['entry']} of {record['dtype']} is not right: {record['reasons']} {record['error']}")
    print(f"seed {options.seed}: {len(passed)} of {len(claims)} claims were checked, {len(faults)} do not hold")
    return bool(faults) or not passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("action", choices=["run", "table", "check"])
    parser.add_argument("results", nargs="*")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--samples", type=int, default=1 << 30)
    parser.add_argument("--part", default="0/1", help="which of how many parts of the entries to run")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--limit", type=float, default=120, help="seconds for an entry")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 16))
    options = parser.parse_args()
    if options.action != "check" and not options.results:
        parser.error("say where the results are")
    return {"run": run, "table": make_table, "check": check}[options.action](options)


if __name__ == "__main__":
    sys.exit(main())
