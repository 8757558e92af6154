#!/usr/bin/env python3
"""Compiles programs with other addresses and compares what comes out.

Each recorded program of test/Integration/Programs is imported and compiled for
the CPU and for a GPU, once as usual and once for each seed with an allocator
that scatters what it hands out (ScatteredMalloc.c). The printed IR must be the
same: an order that depends on pointers shows as a difference or an error.

Example, with the tools on PATH:
  check_determinism.py --scatter build/lib/tally-scattered-malloc.so --seeds 3 while_newton
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import random
import subprocess
import sys

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "Integration" / "Programs" / "recorded"
PIPELINES = {
    "cpu": ["--tally-check-pipeline", "--tally-cpu-pipeline"],
    "gpu": ["--tally-check-pipeline", "--tally-gpu-pipeline"],
}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="names of recorded programs")
    parser.add_argument("--count", type=int, default=0, metavar="N",
                        help="as many programs more, chosen by --seed (-1: all)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="seeds a program")
    parser.add_argument("--pipelines", nargs="+", choices=PIPELINES, default=list(PIPELINES))
    parser.add_argument("--scatter", required=True, metavar="LIBRARY",
                        help="the library that is preloaded")
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args()


def choose(options):
    """The names that were asked for and the ones that the seed adds."""
    rest = sorted(entry.name for entry in PROGRAMS.iterdir()
                  if (entry / "model.pt2").is_file() and entry.name not in options.programs)
    if options.count >= 0:
        random.Random(options.seed).shuffle(rest)
        rest = rest[:options.count]
    return options.programs + rest


def run(command, text, environment):
    """The status, what was printed, and the last line of the errors."""
    done = subprocess.run(command, input=text, env=environment, capture_output=True)
    # A message may print an operation, whose text is long: the first line says what is wrong.
    errors = done.stderr.decode(errors="replace").strip().splitlines()
    return done.returncode, done.stdout, errors[0] if errors else ""


def compile_program(name, pipeline, environment):
    """What the compiler makes of a program: a digest of its IR, or its error."""
    model = str(PROGRAMS / name / "model.pt2")
    status, text, error = run(["tally-translate", "--import-pt2", model], None, environment)
    if status == 0:
        command = ["tally-opt", *PIPELINES[pipeline], "-"]
        status, text, error = run(command, text, environment)
    if status:
        return f"status {status}: {error}"
    return "IR with SHA-256 " + hashlib.sha256(text).hexdigest()


def check(options, name, pipeline):
    """The differences between the seeds, as lines."""
    usual = compile_program(name, pipeline, os.environ)
    lines = []
    for seed in range(options.seed, options.seed + options.seeds):
        environment = dict(os.environ, LD_PRELOAD=options.scatter,
                           TALLY_SCATTER_SEED=str(seed))
        other = compile_program(name, pipeline, environment)
        if other != usual:
            lines.append(f"{name}, {pipeline}, seed {seed}: {other}; without: {usual}")
    return lines


def main():
    options = parse_arguments()
    work = [(name, pipeline) for name in choose(options) for pipeline in options.pipelines]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines in pool.map(lambda item: check(options, *item), work):
            failed += bool(lines)
            for line in lines:
                print(line, flush=True)
    print(f"first seed {options.seed}, {options.seeds} seeds: "
          f"{len(work) - failed} passed, {failed} failed")
    return 1 if failed or not work else 0


if __name__ == "__main__":
    sys.exit(main())
