#!/usr/bin/env python3
"""Runs recorded programs with ThreadSanitizer: their loops and the pool are instrumented.

    ./run_recorded.py [--runtime build-tsan/lib/libtally_runtime.a] [NAME...]

Without names, all programs of test/Integration/Programs/recorded that have a parallel loop. Loops are
divided as finely as can be. The runtime of the preset `tsan` is instrumented, too. Exit status 1: there was a race, or results changed with the number of threads.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RECORDED = HERE.parent / "Programs" / "recorded"
# f32 is what `random` gives; a bf16 is its 16 bits.
DTYPES = {"i1": "?", "i8": "i1", "u8": "u1", "i16": "i2", "i32": "i4", "i64": "i8", "f16": "f2", "bf16": "u2",
          "f32": "f4", "f64": "f8"}
RACE = 66


def read_literal(text):
    """An input as tally-run takes it; None where that has a form that is not needed here."""
    kind, _, values = text.partition("=")
    dtype, _, sizes = kind.rstrip("]").partition("[")
    shape = [int(size) for size in sizes.split(",") if size]
    if dtype == "bf16" or "(" in text:
        return None
    if values == "random" or not values:
        return numpy.zeros(shape, DTYPES[dtype])
    items = [{"true": 1, "false": 0}.get(item, item) for item in values.split(",")]
    return numpy.array([float(item) if dtype[0] == "f" else int(item) for item in items], DTYPES[dtype]).reshape(shape)


def get_calls(program, folder):
    """The driver's arguments for each case that has no others than it can read."""
    for number, case in enumerate(json.loads((program / "cases.json").read_text())):
        files = []
        for position, text in enumerate(case["inputs"]):
            path = program / text
            if not text.endswith(".npy"):
                array = read_literal(text)
                if array is None:
                    break
                path = folder / f"{number}_{position}.npy"
                numpy.save(path, array)
            files.append(str(path))
        else:
            yield [*files, "--"]


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.driver = folder / "driver.o"
        self.compile("-c", "-g", "-O1", "-std=c++17", f"-I{ROOT}/include", HERE / "Inputs" / "driver.cpp", "-o", self.driver)

    def compile(self, *arguments):
        subprocess.run([self.options.cxx, "-fsanitize=thread", *arguments], check=True)

    def run(self, source, calls):
        """What is wrong with the calls of a program, and whether it has a parallel loop."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        code, binary = folder / "program.o", folder / "program"
        compiled = subprocess.run(
            [self.options.bin / "tally-compile", source, "-O1", "--sanitize=thread", "--work=1", "-o", code],
            capture_output=True, text=True)
        if compiled.returncode:
            return None, False
        if b"tally_rt_parallel_for" not in code.read_bytes():
            return None, False
        self.compile(self.driver, code, self.options.runtime, "-ltbb", "-lm", "-ldl", "-o", binary)
        result = subprocess.run([binary, str(self.options.calls), *calls], capture_output=True, text=True,
                                env={**os.environ, "TSAN_OPTIONS": f"exitcode={RACE}", "TALLY_RT_CPU": "baseline"})
        binary.unlink()
        code.unlink()
        in_parallel = "loops in parallel" in result.stdout
        return (f"status {result.returncode}: {result.stdout}{result.stderr}" if result.returncode else None), in_parallel


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin")
    parser.add_argument("--runtime", type=pathlib.Path, default=ROOT / "build" / "lib" / "libtally_runtime.a")
    parser.add_argument("--cxx", default="clang++-22")
    parser.add_argument("--calls", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    names = options.names or sorted(path.parent.name for path in RECORDED.glob("*/cases.json"))
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, pathlib.Path(folder))

        def run(name):
            program = RECORDED / name
            inputs = pathlib.Path(tempfile.mkdtemp(dir=runner.folder))
            return runner.run(program / "model.pt2", sum(get_calls(program, inputs), []))

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(run, names))
        wrong = {name: text for name, (text, _) in zip(names, results) if text}
        race, _ = runner.run(HERE / "Inputs" / "race.mlir", [write_ones(runner.folder), "--"])
    for name, text in wrong.items():
        print(f"{name}: {text}")
    print(f"{len(names)} programs, {sum(parallel for _, parallel in results)} with loops in parallel, {len(wrong)} wrong")
    found = race is not None and "data race" in race
    print(f"the race that is made on purpose was {'' if found else 'not '}found")
    return bool(wrong) or not found


def write_ones(folder):
    numpy.save(folder / "ones.npy", numpy.ones(64, numpy.float32))
    return str(folder / "ones.npy")


if __name__ == "__main__":
    sys.exit(main())
