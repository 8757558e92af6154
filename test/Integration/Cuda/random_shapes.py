#!/usr/bin/env python3
"""Runs small programs at random sizes and compares with numpy in float64.

    random_shapes.py                                 200 shapes of each, on the GPU
    random_shapes.py --device=cpu --filter softmax
    random_shapes.py --sanitizer racecheck --count 20

Sizes are log-uniform; 0, 1, powers of two, their adjacent ones and odd sizes come more
often. Each program is compiled once. Needs numpy. Ends with status 1 where a result
is wrong.
"""

import argparse
import functools
import json
import math
import pathlib
import re
import sys
import tempfile

import numpy as np

import running
from references import PROGRAMS, Refused


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--count", type=int, default=200, help="shapes of each program")
    parser.add_argument("--filter", default="", metavar="REGEX")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--elements", type=int, default=1 << 18,
                        help="about as many elements a tensor has at most")
    parser.add_argument("--keep", metavar="DIR", help="leave inputs and cases in DIR")
    running.add_arguments(parser)
    return parser.parse_args()


def draw_size(rng, limit):
    kind = rng.choice(["none", "one", "power", "neighbor", "odd", "any"],
                      p=[0.08, 0.1, 0.2, 0.2, 0.2, 0.22])
    if kind in ("none", "one"):
        return int(kind == "one")
    size = math.exp(rng.uniform(0, math.log(limit)))
    if kind in ("power", "neighbor"):
        size = 2.0 ** round(math.log2(size)) + (rng.choice([-1, 1]) if kind == "neighbor" else 0)
    return int(size) | 1 if kind == "odd" else int(size)


def draw_sizes(rng, program, options):
    """Sizes whose product is not far above what is allowed."""
    limit = min(options.elements, program.elements)
    sizes = [draw_size(rng, limit) for _ in range(program.sizes)]
    while math.prod(size or 1 for size in sizes) > limit:
        largest = sizes.index(max(sizes))
        sizes[largest] = draw_size(rng, max(2, sizes[largest] // 2))
    return sizes


def tolerances(program, sizes, expected):
    """Relative to an element, and absolute: relative to the root mean square of all."""
    squares = [np.square(a[np.isfinite(a)].astype(float)).mean() for a in expected
               if a.dtype.kind == "f" and np.isfinite(a).any()]
    relative, absolute = program.rounding(*sizes)
    relative += program.tolerance
    return relative, absolute + relative * math.sqrt(max(squares, default=0.0))


class Folder:
    """Where the arrays of a program's cases are written; one that comes again is
    written once."""

    def __init__(self, path):
        self.path = path
        self.saved = {}

    def save(self, array):
        if id(array) in self.saved:
            return self.saved[id(array)][0]
        name = f"{len(self.saved)}.npy"
        # Kept alive, so that no other array gets its id.
        self.saved[id(array)] = name, array
        # Numbers in float64 are compared as what the program returns.
        stored = array.astype(np.float32) if array.dtype == np.float64 else array
        np.save(self.path / name, np.ascontiguousarray(stored).reshape(array.shape))
        return name


def write_case(folder, number, program, rng, options):
    sizes = draw_sizes(rng, program, options)
    inputs, outcome = program.case(rng, *sizes)
    case = {"name": f"{number}: " + " x ".join(map(str, sizes)),
            "inputs": [folder.save(array) for array in inputs]}
    if isinstance(outcome, Refused):
        return case | {"raises": outcome.text}
    outcome = [np.asarray(array) for array in outcome]
    case["expect"] = [folder.save(array) for array in outcome]
    case["rtol"], case["atol"] = tolerances(program, sizes, outcome)
    return case


def check(options, command, programs, name):
    """Why a program fails, or None."""
    program = programs[name]
    # The same numbers whatever else is run.
    rng = np.random.default_rng([options.seed, *name.encode()])
    with tempfile.TemporaryDirectory(prefix="tally-shapes-") as temporary:
        folder = pathlib.Path(options.keep or temporary, name)
        folder.mkdir(parents=True, exist_ok=True)
        arrays = Folder(folder)
        cases = [write_case(arrays, number, program, rng, options)
                 for number in range(options.count)]
        (folder / "cases.json").write_text(json.dumps(cases))
        arguments = [f"--device={options.device}", str(program.path),
                     "--cases", str(folder / "cases.json")]
        status, output, errors = running.run([*command, *arguments], options.timeout)
    reason = running.first_reason(status, output, errors, options.timeout)
    failed = sum(line.startswith("FAIL ") for line in output)
    if reason:
        return f"{failed} of {options.count}: {reason}" if failed else reason
    passed = sum(line.startswith("PASS ") for line in output)
    return None if passed == options.count else f"only {passed} of {options.count} were run"


def main():
    options = parse_arguments()
    if options.seed is None:
        options.seed = int(np.random.SeedSequence().entropy % 2**32)
    programs = {p.name: p for p in PROGRAMS if re.search(options.filter, p.name)}
    if not programs:
        sys.exit(f"no program's name matches '{options.filter}'")
    command = running.find_tools(options)
    print(f"{options.count} shapes of each, --seed {options.seed}", flush=True)
    checker = functools.partial(check, options, command, programs)
    return 1 if running.check_all(list(programs), checker, options.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
