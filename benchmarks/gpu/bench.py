#!/usr/bin/env python3
"""Compares Tally with PyTorch on a GPU: eager, and torch.compile(dynamic=True).

    bench.py --compile-only --output DIR    compiles the programs; needs no GPU
    bench.py --libraries DIR                measures what is in DIR
    bench.py                                both
    bench.py --shard 0/2 --json FILE        the first of two halves of the workloads

Each program is compiled once, for all sizes. Results are compared with float64
before anything is measured. benchmarks/gpu/README.md says what the columns mean.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import torch

import measure
import table
from indexed_workloads import INDEXED_WORKLOADS
from report import describe_run, write_json
from tally_library import Program, TallyError
from workloads import SIZES, WORKLOADS, error, nbytes

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
ALL_WORKLOADS = [*WORKLOADS, *INDEXED_WORKLOADS]


def parse_shard(text):
    """`0/2`: the first of two."""
    place, slash, count = text.partition("/")
    if not (slash and place.isdecimal() and count.isdecimal() and int(place) < int(count)):
        raise argparse.ArgumentTypeError(f"'{text}' is not I/N, as 0/2 and 1/2, the halves of the workloads")
    return int(place), int(count)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile-only", action="store_true",
                        help="compile the programs to --output and stop")
    parser.add_argument("--output", metavar="DIR", help="where libraries are written")
    parser.add_argument("--libraries", metavar="DIR", help="where compiled libraries are")
    parser.add_argument("--json", metavar="FILE", help="write all figures to FILE, as often as there is a new row")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda",
                        help="cpu only serves to try the benchmark out")
    parser.add_argument("--chip", default="sm_90a", help="GPU to compile for")
    parser.add_argument("--tally-compile", default="tally-compile", metavar="PATH")
    parser.add_argument("--only", metavar="TEXT", nargs="+", default=[""],
                        help="workloads whose name contains one of these")
    parser.add_argument("--shard", type=parse_shard, default=(0, 1), metavar="I/N",
                        help="of these, those at I, I + N and so on")
    parser.add_argument("--list", action="store_true", help="print the workloads and stop")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="programs that are compiled at a time")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=SIZES)
    parser.add_argument("--deterministic", action="store_true",
                        help="use no algorithms that add up in another order each time, PyTorch neither")
    parser.add_argument("--peers-only", action="store_true", help="PyTorch alone")
    parser.add_argument("--no-torch-compile", action="store_true")
    parser.add_argument("--profile", action="store_true",
                        help="count the launches and waits of PyTorch, too")
    parser.add_argument("--batches", type=int, default=15,
                        help="measurements of which the median is taken")
    parser.add_argument("--count", type=int, default=50, help="calls a measurement, at most")
    parser.add_argument("--seconds", type=float, default=0.3, help="for the measurements of a row and contestant")
    parser.add_argument("--commit", help="what was measured, where git does not tell it")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def compile_program(name, folder, tool, target):
    """Compiles a program to folder/NAME.so; returns how long it took, or what went wrong."""
    library = folder / f"{name}.so"
    start = time.perf_counter()
    run = subprocess.run([tool, str(PROGRAMS / f"{name}.mlir"), "-o", str(library), *target],
                         stderr=subprocess.PIPE, text=True)
    if run.returncode:
        library.unlink(missing_ok=True)
        return {"fail": (run.stderr.strip().splitlines() or [f"tally-compile gave {run.returncode}"])[0]}
    return {"seconds": time.perf_counter() - start, "bytes": library.stat().st_size, "target": " ".join(target) or "cpu"}


def compile_programs(options, workloads, folder):
    """Compiles the programs of workloads, some at a time, and notes how long each took."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tool = shutil.which(options.tally_compile)
    if not tool:
        sys.exit(f"bench.py: '{options.tally_compile}' is not there; set --tally-compile or PATH")
    target = ["--target=cuda", f"--chip={options.chip}"] if options.device == "cuda" else []
    names = sorted({workload.program for workload in workloads})
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        notes = dict(zip(names, pool.map(lambda name: compile_program(name, folder, tool, target), names)))
    for name, note in notes.items():
        print(f"{name}: FAIL: {note['fail']}" if "fail" in note else
              f"{name}: compiled in {note['seconds']:.2f} s, {note['bytes']} bytes, for all sizes")
    (folder / "compile.json").write_text(json.dumps(notes, indent=1) + "\n")
    return notes


def make_input_sets(workload, shape, generator, weights):
    """As many inputs as it takes to leave the cache behind."""
    first = workload.inputs(generator, shape) + weights
    rotating = max(1, nbytes(first) - nbytes(weights))
    wanted = 4 * measure.cache_size(generator.device) // rotating + 1
    return [first] + [workload.inputs(generator, shape) + weights
                      for _ in range(min(32, max(2, wanted)) - 1)]


def check(function, inputs, reference):
    """What is wrong with the results of `function`, or None."""
    results = function(*inputs)
    expected, allowed = reference
    if len(results) != len(expected):
        return f"{len(results)} results, expected {len(expected)}"
    for i, arrays in enumerate(zip(results, expected, allowed)):
        problem = error(*arrays)
        if problem:
            return f"result {i} {problem}"
    return None


class Tally:
    """Measures a compiled program."""

    def __init__(self, path, device, deterministic):
        self.program = Program(str(path))
        self.device = device
        if device.type == "cuda":
            self.program.use_current_stream()
            self.program.set_deterministic(deterministic)

    def function(self, *inputs):
        return self.program(*inputs)

    def measure(self, workload, sets, options):
        """What a call takes; where checks are deferred, also what it takes where they are not."""
        if not workload.defers:
            return self.measure_calls(workload.waits, sets, options)
        waiting = self.measure_calls(True, sets, options)
        self.program.defer_checks(True)
        figures = self.measure_calls(False, sets, options)
        self.program.finish_checks()
        self.program.defer_checks(False)
        return {**figures, "waiting_seconds": waiting["seconds"], "waiting_host_waits": waiting.get("host_waits")}

    def measure_calls(self, waits, sets, options):
        prepared = [self.program.prepare(*inputs).enqueue for inputs in sets]
        calls = [lambda inputs=inputs: self.program(*inputs) for inputs in sets]
        arguments = (self.device, options.count, options.batches)
        device_seconds, bare_host = measure.measure(prepared, *arguments, options.seconds, waits)
        measure.warm_up(calls, self.device)
        figures = {"seconds": device_seconds, "bare_host_seconds": bare_host,
                   "host_seconds": measure.host_time(calls, *arguments, options.seconds),
                   "ctypes_seconds": measure.host_time([self.program.ctypes_call], *arguments, options.seconds)}
        self.program.reset_counters()
        prepared[0]()
        counters = self.program.counters()
        if counters:
            figures.update({name: getattr(counters, name) for name, _ in counters._fields_[:6]})
        return figures


class Torch:
    """Measures a PyTorch function."""

    def __init__(self, function, device):
        self.function = function
        self.device = device

    def measure(self, workload, sets, options):
        calls = [lambda inputs=inputs: self.function(*inputs) for inputs in sets]
        device_seconds, host = measure.measure(
            calls, self.device, options.count, options.batches, options.seconds, workload.waits)
        figures = {"seconds": device_seconds, "host_seconds": host}
        if options.profile:
            figures.update(measure.profile_counts(calls[0], self.device) or {})
        return figures


def contestants(workload, device, options):
    """Who is measured, by name, Tally first."""
    result = {}
    library = (pathlib.Path(options.libraries or "") / f"{workload.program}.so").resolve()
    if not options.peers_only and library.exists():
        result["tally"] = Tally(library, device, options.deterministic)
    result["eager"] = Torch(workload.function, device)
    if workload.inductor and not options.no_torch_compile:
        torch._dynamo.reset()
        # Without it, a size that comes from data cuts the function in two.
        torch._dynamo.config.capture_dynamic_output_shape_ops = True
        result["compile"] = Torch(torch.compile(workload.function, dynamic=True), device)
    return result


def run_size(workload, size, contestant_by_name, weights, generator, options):
    shape = workload.shapes[size]
    sets = make_input_sets(workload, shape, generator, weights)
    reference = workload.reference(sets[0])
    row = {"workload": workload.name, "size": size, "shape": list(shape),
           "dtype": str(workload.dtype).removeprefix("torch."),
           "bytes": workload.moved(sets[0], workload.function(*sets[0])),
           "bandwidth_bound": workload.bandwidth_bound, "aim": workload.aim, "input_sets": len(sets)}
    for name, contestant in contestant_by_name.items():
        try:
            start = time.perf_counter()
            problem = check(contestant.function, sets[0], reference)
            first_call = time.perf_counter() - start
            row[name] = ({"fail": problem} if problem else
                         contestant.measure(workload, sets, options))
            row[name]["first_call_seconds"] = first_call
        except Exception as failure:  # Whatever Inductor raises must not end the run.
            row[name] = {"fail": f"{type(failure).__name__}: {failure}".split("\n")[0]}
    if "tally" not in contestant_by_name and not options.peers_only:
        row["tally"] = {"fail": "it did not compile"}
    return row


def run_all(options, workloads, device, report):
    """Adds rows to the report, and writes it each time."""
    generator = torch.Generator(device).manual_seed(options.seed)
    rows = report["rows"]
    for workload in workloads:
        weights = workload.weights(generator)
        contestant_by_name = contestants(workload, device, options)
        for size in (each for each in options.sizes if each in workload.shapes):
            rows.append(run_size(workload, size, contestant_by_name, weights, generator, options))
            print(table.progress(rows[-1]), file=sys.stderr, flush=True)
            write_json(options.json, report)
        if "compile" in contestant_by_name and rows and rows[-1]["workload"] == workload.name:
            graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
            rows[-1]["compiled_graphs"] = graphs
            torch._dynamo.utils.counters.clear()


def select_workloads(options):
    """The workloads that options name, and of these the shard."""
    named = [w for w in ALL_WORKLOADS if any(text in w.name for text in options.only)]
    if not named:
        sys.exit(f"bench.py: no workload's name contains '{' or '.join(options.only)}'; --list prints them")
    place, count = options.shard
    return named[place::count]


def find_libraries(options, workloads, temporary):
    """Compiles the programs if nobody has, without --output to a temporary folder; returns the notes of that."""
    if options.peers_only:
        return {}
    if not options.libraries:
        options.libraries = options.output or temporary
        return compile_programs(options, workloads, options.libraries)
    notes = pathlib.Path(options.libraries) / "compile.json"
    return json.loads(notes.read_text()) if notes.exists() else {}


def main():
    options = parse_arguments()
    workloads = select_workloads(options)
    if options.list:
        print("\n".join(workload.name for workload in workloads))
        return 0
    if options.compile_only:
        if not options.output:
            sys.exit("bench.py: --compile-only needs --output")
        notes = compile_programs(options, workloads, options.output)
        return 1 if any("fail" in note for note in notes.values()) else 0
    device = torch.device(options.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        sys.exit("bench.py: no GPU is here; --compile-only needs none")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    if options.deterministic:
        torch.backends.cudnn.deterministic = True
        torch.use_deterministic_algorithms(True, warn_only=True)
    temporary = tempfile.TemporaryDirectory()
    compiled = find_libraries(options, workloads, temporary.name)
    bandwidth = measure.copy_bandwidth(device, 1 << (30 if device.type == "cuda" else 26))
    report = {**describe_run(device, options.commit), "deterministic": options.deterministic,
              "copy_bytes_per_second": bandwidth, "compile": compiled, "rows": []}
    run_all(options, workloads, device, report)
    print(table.render(report))
    failed = sum("fail" in row.get("tally", {}) for row in report["rows"])
    if failed:
        print(f"{failed} rows FAIL")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
