#!/usr/bin/env python3
"""Times programs compiled by Tally beside eager PyTorch, and Inductor, on the CPU.

    bench.py                      every operation, on one core
    bench.py --models             models instead of operations; with --more, both
    bench.py --more               more operations
    bench.py --json FIGURES.json  writes the figures as well; page.py makes a page of such files
    bench.py --inductor softmax   one workload, torch.compile(dynamic=True) as well
    bench.py --memory softmax     a loop in C that moves as many bytes, as well
    bench.py --threads 2          with two threads each

Each workload is exported and compiled once for all sizes. At each size results are compared, then calls of all
candidates are timed in turns, of which the last call counts; with several threads, 10 ms of calls after as many that do
not count. A row reports the median of the ratios: above 1, Tally is faster. Needs torch (for models transformers, timm
and torchvision as well), and tally-compile on the PATH (./dev bench cpu/bench.py). The calls go through Python: `tally`
takes about 1 us of each, 10 us where the build had no headers of CPython.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

import torch

import layers
import memory
import models
import operations
import workloads

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import tally


def export(workload):
    """The exported program, with the dimensions of the workload dynamic."""
    dims = {}

    def spec(argument):
        return {dim: dims.setdefault(name, torch.export.Dim.AUTO) for dim, name in argument.items()}

    shapes = tuple(spec(argument) for argument in workload.dynamic)
    arguments = workload.arguments(*workload.sizes[0])
    if isinstance(workload.module, workloads.Function):
        shapes = (shapes,)
    return torch.export.export(workload.module, arguments, dynamic_shapes=shapes)


# Runs a command and prints its seconds of the processor and its kilobytes at most. A process that has much memory, as
# one that imported torch, would count as its own child's.
OBSERVER = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(status)
"""


@dataclasses.dataclass
class Compilation:
    """What it took to compile a program: seconds that passed and that the processor worked, and bytes."""
    name: str
    seconds: float
    processor_seconds: float
    peak_bytes: int
    weight_bytes: int


def compile_workload(workload, folder, options):
    """Returns the entry of the compiled library, and what it took to compile it."""
    program, library = folder / f"{workload.name}.pt2", folder / f"{workload.name}.so"
    exported = export(workload)
    torch.export.save(exported, program)
    start = time.perf_counter()
    run = subprocess.run([sys.executable, "-c", OBSERVER, "tally-compile", str(program), "-o", str(library),
                          *options.compiler], check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    processor_seconds, peak_kilobytes = run.stdout.split()[-2:]
    weights = sum(tensor.nbytes for tensor in {**exported.state_dict, **exported.constants}.values()
                  if isinstance(tensor, torch.Tensor))
    return tally.load(str(library)).main, Compilation(workload.name, seconds, float(processor_seconds),
                                                      1024 * int(peak_kilobytes), weights)


def check(expected, found, name):
    """Raises AssertionError where results differ by more than rounding explains. NaN equals NaN alone."""
    if isinstance(expected, tuple):
        for theirs, ours in zip(expected, found, strict=True):
            check(theirs, ours, name)
        return
    torch.testing.assert_close(torch.as_tensor(found), expected.detach(), rtol=2e-3, atol=2e-3, equal_nan=True,
                               msg=lambda text: f"{name}: {text}")


# A turn of one thread is so many calls, or fewer that take so many seconds; the last of them counts. The caches hold then
# what a call leaves in them itself: eager and Inductor take memory from one allocator, so that either would find its
# result in a cache after a call of the other.
TURN_CALLS, TURN_SECONDS = 8, 0.004
# With several threads, seconds of calls that begin a turn and do not count, and of those that do. PyTorch's threads wait
# for more work on their cores for some milliseconds, where they would be in the way of the next candidate's.
SETTLING, TURN = 0.012, 0.01


def time_turn(call, own, clock, threads):
    """Seconds of a call at the end of a turn; with several threads, their median."""
    start = time.perf_counter()
    if threads == 1:
        for _ in range(TURN_CALLS - 1):
            call(*own)
            if time.perf_counter() >= start + TURN_SECONDS:
                break
        begin = clock()
        call(*own)
        return clock() - begin
    times = []
    while time.perf_counter() < start + SETTLING:
        call(*own)
    while time.perf_counter() < start + SETTLING + TURN or not times:
        begin = clock()
        call(*own)
        times.append(clock() - begin)
    return statistics.median(times)


def time_calls(candidates, options):
    """Seconds of each turn, all candidates in turns of any order, for `--seconds` and 5 turns at least."""
    times = {name: [] for name in candidates}
    # Where others use the core, too, the scheduler ends what a round begins after the same time each: in one order, the same
    # candidate would find caches that somebody else has filled.
    order, draw = list(candidates.items()), random.Random(0)
    # What a thread alone computes takes it the same time on a machine that others use too.
    clock = time.thread_time if options.threads == 1 else time.perf_counter
    end = time.perf_counter() + options.seconds
    while time.perf_counter() < end or len(times["tally"]) < 5:
        draw.shuffle(order)
        for name, (call, own) in order:
            times[name].append(time_turn(call, own, clock, options.threads))
        if len(times["tally"]) >= 2000:
            break
    return times


def compile_by_inductor(workload):
    """The module as Inductor compiles it; None where it cannot, with dynamic sizes."""
    compiled = torch.compile(workload.module, dynamic=True)
    try:
        for sizes in workload.sizes:
            compiled(*workload.arguments(*sizes))
    except Exception as error:
        print(f"# {workload.name}: Inductor ends with {type(error).__name__}", flush=True)
        return None
    return compiled


def measure(workload, entry, options):
    """Prints a row for each size; returns rows: the label, microseconds, and the ratio to each peer; and of each label the
    bytes that a call reads and writes, and the time of a loop that moves as many, divided by that of the call."""
    rows, moved = [], {}
    # Functions share the code of their module: what was compiled for another is forgotten.
    torch.compiler.reset()
    compiled = compile_by_inductor(workload) if options.inductor else None
    for sizes in workload.sizes:
        arguments = workload.arguments(*sizes)
        arrays = tuple(argument.numpy() for argument in arguments)
        label = f"{workload.name} {'x'.join(map(str, sizes))}"
        try:
            expected = workload.module(*arguments)
        except RuntimeError as error:
            print(f"# {label}: eager PyTorch ends with {str(error).splitlines()[0]}", flush=True)
            continue
        check(expected, entry(*arrays), label)
        candidates = {"tally": (entry, arrays), "eager": (workload.module, arguments)}
        if compiled is not None:
            candidates["inductor"] = (compiled, arguments)
        if options.move:
            results = expected if isinstance(expected, (tuple, list)) else (expected,)
            plain, count = memory.make_plain(options.move, workload.read(*arguments), results)
            candidates["plain"] = (plain, ())
        times = time_calls(candidates, options)
        ratios = [statistics.median(theirs / ours for theirs, ours in zip(times[peer], times["tally"]))
                  for peer in list(candidates)[1:]]
        if options.move:
            moved[label] = count, ratios.pop()
        if options.inductor and compiled is None:
            ratios.append(float("inf"))
        rows.append((label, statistics.median(times["tally"]) * 1e6, *ratios))
        print(f"{label:32} {rows[-1][1]:12.1f}" + "".join(f" {ratio:10.3f}" for ratio in ratios)
              + (" {:10.1f} {:10.3f}".format(moved[label][0] / 1e6, moved[label][1]) if options.move else ""), flush=True)
    return rows, moved


def find_processor():
    """The name of the processor, and what of it matters here."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    family = f" (family {found['cpu family']}, model {found['model']})" if "cpu family" in found else ""
    vectors = "AVX-512" if "avx512f" in found.get("flags", "") else "AVX2" if "avx2" in found.get("flags", "") else ""
    return f"{found.get('model name', platform.machine())}{family}" + (f", {vectors}" if vectors else "")


def write_figures(path, sections, compilations, moved, options):
    """Writes what page.py reads: of each section its rows, what it took to compile their programs, and what they move."""
    peers = ["eager"] + (["Inductor"] if options.inductor else [])
    figures = [{"title": title, "threads": options.threads, "cores": options.cores, "peers": peers, "rows": rows,
                "moved": {row[0]: moved[row[0]] for row in rows if row[0] in moved},
                "compilations": [dataclasses.asdict(each) for each in compilations[title]]}
               for title, rows in sections.items()]
    versions = f"PyTorch {torch.__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    commit = subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout.strip() or "an unknown commit"
    pathlib.Path(path).write_text(json.dumps({"processor": find_processor(), "versions": versions, "commit": commit,
                                              "date": time.strftime("%Y-%m-%d"), "sections": figures}))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="workloads to run (default: all)")
    parser.add_argument("--models", action="store_true", help="run the models, and operations with --more only")
    parser.add_argument("--more", action="store_true", help="run more operations as well")
    parser.add_argument("--json", metavar="FILE", help="write the figures for page.py")
    parser.add_argument("--inductor", action="store_true", help="time torch.compile(dynamic=True) as well")
    parser.add_argument("--memory", action="store_true", help="time a loop that moves as many bytes as well, on one thread")
    parser.add_argument("--threads", type=int, default=1, help="threads, and cores to run on (default: 1)")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each row (default: 1)")
    parser.add_argument("--compiler", action="append", default=[], metavar="OPTION",
                        help="an option for tally-compile, such as --compiler=--cpu=native")
    return parser.parse_args()


def main():
    options = parse_options()
    if options.memory and options.threads != 1:
        sys.exit("--memory: a loop on one thread is no measure of what several threads take; leave --threads out")
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    # Also the threads of Tally's runtime: it asks for the cores that it may run on.
    cores = sorted(os.sched_getaffinity(0))
    options.cores = len(cores)
    makers = {workloads.make_operations: "Operations", operations.make_more: "Operations",
              layers.make_layers: "Operations", models.make_models: "Models"}
    if not options.names:
        makers = {maker: title for maker, title in makers.items()
                  if (options.models if title == "Models" else
                      options.more or (not options.models and maker is workloads.make_operations))}
    print(f"{'workload':32} {'us':>12} {'eager':>10}" + (f" {'inductor':>10}" if options.inductor else "")
          + (f" {'MB':>10} {'plain':>10}" if options.memory else ""))
    sections, compilations, moved, failed, unknown = {}, {}, {}, [], set(options.names)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        options.move = memory.load_mover(pathlib.Path(folder)) if options.memory else None
        for maker, title in makers.items():
            for workload in maker():
                if options.names and workload.name not in options.names:
                    continue
                unknown.discard(workload.name)
                os.sched_setaffinity(0, cores)
                try:
                    entry, compilation = compile_workload(workload, pathlib.Path(folder), options)
                except subprocess.CalledProcessError:
                    print(f"{workload.name:32} not compiled", flush=True)
                    continue
                compilations.setdefault(title, []).append(compilation)
                print(f"# {workload.name}: compiled in {compilation.seconds:.2f} s", flush=True)
                os.sched_setaffinity(0, cores[:options.threads])
                try:
                    rows, bytes_of_rows = measure(workload, entry, options)
                    sections.setdefault(title, []).extend(rows)
                    moved.update(bytes_of_rows)
                except (AssertionError, tally.CheckError) as error:
                    # What has been measured is not lost by it, be it that a result differs, or that PyTorch has exported
                    # a size as a number.
                    print(error, flush=True)
                    failed.append(workload.name)
    sections = {title: rows for title, rows in sections.items() if rows}
    rows = [row for section in sections.values() for row in section]
    if rows:
        mean = statistics.geometric_mean(row[2] for row in rows)
        print(f"# geometric mean of {len(rows)} ratios to eager: {mean:.3f}")
        if options.json:
            write_figures(options.json, sections, compilations, moved, options)
    problems = [f"results differ, or a check failed: {', '.join(failed)}"] if failed else []
    problems += [f"there is no workload {', '.join(sorted(unknown))}"] if unknown else []
    sys.exit("; ".join(problems) or None)


if __name__ == "__main__":
    main()
