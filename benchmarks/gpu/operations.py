#!/usr/bin/env python3
"""Times the operations of benchmarks/cpu on a GPU, beside eager PyTorch: a look where bench.py has no row.

    operations.py                         all of them
    operations.py softmax sort            some
    operations.py --json FILE --worst 40  figures go to FILE; the 40 worst rows are printed again at the end
    operations.py --compile-only DIR      compiles on a machine without a GPU ...
    operations.py --libraries DIR         ... and measures on one without Tally

Each operation is exported and compiled once for all of its sizes, as many at a time as --jobs says. Results are compared
with eager PyTorch's at each size before it is timed, which has no TF32. Sizes are those of the CPU's benchmark: most tensors stay in the
second cache of a large GPU, for both. A row above 1 says that Tally is faster. Needs torch and, to compile, tally-compile on the PATH.
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import measure  # noqa: E402
from tally_library import Program  # noqa: E402

# The benchmarks of the CPU have modules with names that this folder has, too.
sys.path.insert(0, str(HERE.parent / "cpu"))
import bench as cpu_bench  # noqa: E402
import layers  # noqa: E402
import operations as cpu_operations  # noqa: E402
import workloads  # noqa: E402

MAKERS = (workloads.make_operations, cpu_operations.make_more, layers.make_layers)


def make_workloads(names):
    return {workload.name: workload for maker in MAKERS for workload in maker()
            if not names or workload.name in names}


def compile_for_gpu(name, folder, chip):
    """Writes the library of a workload; returns what went wrong, if anything did. Runs in a process of its own."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    program, library = folder / f"{name}.pt2", folder / f"{name}.so"
    try:
        torch.export.save(cpu_bench.export(make_workloads([name])[name]), program)
        run = subprocess.run(["tally-compile", str(program), "-o", str(library), "--target=cuda", f"--chip={chip}"],
                             stderr=subprocess.PIPE, text=True, timeout=120)
    except Exception as error:  # Whatever it is, it is told, and the others go on.
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    finally:
        program.unlink(missing_ok=True)
    return run.stderr.strip().splitlines()[0] if run.returncode else None


def on_device(value, device):
    return value.to(device) if isinstance(value, torch.Tensor) else value


def time_call(call, device, seconds):
    """Seconds of a call, on the GPU, where calls follow each other."""
    calls = [call]
    of_call = measure.warm_up(calls, device, seconds / 4)
    count = measure.limit(50, 5, seconds, of_call)
    return measure.device_time(calls, device, count, 5, min(0.02, 2 * of_call * count))


def compile_all(names, folder, options):
    """Compiles workloads, several at a time; returns what went wrong, or None, by the name."""
    start = time.perf_counter()
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        problems = dict(zip(names, pool.map(compile_for_gpu, names, [folder] * len(names), [options.chip] * len(names))))
    print(f"# {len(problems)} operations were compiled in {time.perf_counter() - start:.0f} s", flush=True)
    return problems


def measure_workload(workload, program, device, options):
    """Rows of a workload: a label, microseconds, and eager PyTorch's time divided by that."""
    rows = []
    module = workload.module.to(device)
    # As PyTorch does: sums come in any order, and nobody waits for the answer whether indices are in range.
    program.set_deterministic(False)
    program.defer_checks(True)
    for sizes in workload.sizes:
        label = f"{workload.name} {'x'.join(map(str, sizes))}"
        arguments = tuple(on_device(each, device) for each in workload.arguments(*sizes))
        expected, found = module(*arguments), program(*arguments)
        cpu_bench.check(expected if isinstance(expected, tuple) else (expected,), found, label)
        contestants = program.prepare(*arguments).enqueue, lambda: module(*arguments)
        times = [[time_call(call, device, options.seconds) for call in contestants] for _ in range(3)]
        ours = statistics.median(time[0] for time in times)
        rows.append((label, ours * 1e6, statistics.median(theirs / own for own, theirs in times)))
        print(f"{rows[-1][0]:40} {rows[-1][1]:12.1f} {rows[-1][2]:8.2f}", flush=True)
    return rows


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count(), metavar="N",
                        help="programs that are compiled at a time")
    parser.add_argument("--chip", default="sm_90a", help="GPU to compile for")
    parser.add_argument("--seconds", type=float, default=0.01, help="for a measurement of a row")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="measure no more after so many")
    parser.add_argument("--compile-only", type=pathlib.Path, metavar="DIR", help="write libraries to DIR, and measure nothing")
    parser.add_argument("--libraries", type=pathlib.Path, metavar="DIR", help="measure what --compile-only wrote to DIR")
    parser.add_argument("--worst", type=int, default=40, metavar="N", help="rows to print again at the end")
    return parser.parse_args()


def measure_all(chosen, folder, problems, options):
    """Rows of all workloads, and the names of those that failed."""
    start = time.perf_counter()
    device = torch.device("cuda")
    torch.backends.cudnn.allow_tf32 = False
    rows, failed = [], []
    for name, workload in chosen.items():
        if options.limit and time.perf_counter() - start > options.limit:
            print(f"# out of time at {name}", flush=True)
            break
        try:
            if problems.get(name):
                raise RuntimeError(problems[name])
            rows += measure_workload(workload, Program(str(folder / f"{name}.so")), device, options)
        except (RuntimeError, AssertionError, TypeError, ValueError, OSError) as error:
            print(f"# {name}: {' '.join(str(error).split())[:300]}", flush=True)
            failed.append(name)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows))
    return rows, failed


def main():
    options = parse_options()
    torch.manual_seed(0)
    chosen = make_workloads(options.names)
    if options.compile_only:
        options.compile_only.mkdir(parents=True, exist_ok=True)
        problems = compile_all(list(chosen), options.compile_only, options)
        failed = [f"{name}: {problem}" for name, problem in problems.items() if problem]
        sys.exit("\n".join(failed) or None)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        folder = options.libraries or pathlib.Path(folder)
        problems = {} if options.libraries else compile_all(list(chosen), folder, options)
        rows, failed = measure_all(chosen, folder, problems, options)
    if rows:
        print(f"# geometric mean of {len(rows)} ratios to eager: {statistics.geometric_mean(row[2] for row in rows):.3f}")
        for label, ours, ratio in sorted(rows, key=lambda row: row[2])[:options.worst]:
            print(f"{label:40} {ours:12.1f} {ratio:8.2f}")
    if failed:
        sys.exit(f"without figures: {', '.join(failed)}")


if __name__ == "__main__":
    main()
