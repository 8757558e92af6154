"""Runs the operations whose results depend on data, and compares with NumPy.

    compare.py NAME FOLDER      writes, compiles and runs the program NAME

Each program is run three times, as it is written (named), bound and checked;
`tally-opt` verifies each form. Prints a line for each failure and the number of
cases.
"""

import itertools
import json
import pathlib
import subprocess
import sys

import numpy as np

RANDOM = np.random.default_rng(7)


class Program:
    """A function and the cases to run it on."""

    def __init__(self, text):
        self.text, self.cases = text, []

    def case(self, inputs, expect=None, raises=None):
        self.cases.append((inputs, expect, raises))


def numbers(shape, dtype):
    """Few different values, so that some are equal, and all special ones."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return RANDOM.integers(0, 2, shape).astype(bool)
    if dtype.kind == "f":
        values = np.array([0.0, -0.0, 1.5, -2.0, np.nan, np.inf, -np.inf, 3.0], dtype)
        return RANDOM.choice(values, shape)
    limits = np.iinfo(dtype)
    values = np.array([0, 1, 2, -1, -5, limits.min, limits.max], dtype)
    return RANDOM.choice(values, shape)


def masked_select():
    program = Program("""
        func.func @main(%x: tensor<?x3xf32>, %xm: tensor<?x3xi1>, %y: tensor<?xi1>, %ym: tensor<?xi1>,
                        %z: tensor<i64>, %zm: tensor<i1>) -> (tensor<?xf32>, tensor<?xi1>, tensor<?xi64>)
            attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked [0, 4]>} {
          %a = tally.masked_select %x, %xm : tensor<?x3xf32>, tensor<?x3xi1> bind #tally.bindings<u0 = result(0).size(0)>
          %b = tally.masked_select %y, %ym : tensor<?xi1>, tensor<?xi1> bind #tally.bindings<u1 = result(0).size(0)>
          %c = tally.masked_select %z, %zm : tensor<i64>, tensor<i1>
          return %a, %b, %c : tensor<?xf32>, tensor<?xi1>, tensor<?xi64>
        }""")
    for rows, n in itertools.product((0, 1, 4), (0, 1, 4)):
        x, xm = numbers((rows, 3), np.float32), numbers((rows, 3), bool)
        y, ym = numbers(n, bool), numbers(n, bool)
        z, zm = numbers((), np.int64), np.array(rows > n)
        program.case([x, xm, y, ym, z, zm], [x[xm], y[ym], z[zm]])
    x, xm, y = numbers((2, 3), np.float32), numbers((2, 3), bool), np.ones(5, bool)
    z, zm = np.array(5), np.array(True)
    program.case([x, xm[:1], y, y, z, zm], raises="== s")
    program.case([x, xm, y[:3], y[:4], z, zm], raises="== s")
    program.case([x, xm, y, y, z, zm], raises="u1 <= 4")
    return program


def unique_of(x):
    """As torch.unique: NaN equals nothing, and of equals the first is kept."""
    flat = x.ravel()
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    is_new = np.ones(flat.shape, bool)
    is_new[1:] = ordered[1:] != ordered[:-1]
    runs = np.cumsum(is_new) - 1
    inverse = np.empty(flat.shape, np.int64)
    inverse[order] = runs
    counts = np.bincount(runs, minlength=0).astype(np.int64)
    return [ordered[is_new], inverse.reshape(x.shape), counts]


def unique(kind):
    """For each type a vector, a matrix and a tensor without dimensions."""
    program = Program(f"""
        func.func @main(%x: tensor<?x{kind}>, %y: tensor<?x3x{kind}>, %z: tensor<{kind}>, %w: tensor<2x2x{kind}>)
            -> (tensor<?x{kind}>, tensor<?xi64>, tensor<?xi64>, tensor<?x{kind}>, tensor<?x3xi64>, tensor<?xi64>,
                tensor<?x{kind}>, tensor<i64>, tensor<?xi64>, tensor<?x{kind}>, tensor<2x2xi64>, tensor<?xi64>)
            attributes {{tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked>}} {{
          %xs, %xi, %xc = tally.unique %x : tensor<?x{kind}> bind #tally.bindings<u0 = result(0).size(0)>
          %ys, %yi, %yc = tally.unique %y : tensor<?x3x{kind}> bind #tally.bindings<u1 = result(2).size(0)>
          %zs, %zi, %zc = tally.unique %z : tensor<{kind}>
          %ws, %wi, %wc = tally.unique %w : tensor<2x2x{kind}>
          return %xs, %xi, %xc, %ys, %yi, %yc, %zs, %zi, %zc, %ws, %wi, %wc
            : tensor<?x{kind}>, tensor<?xi64>, tensor<?xi64>, tensor<?x{kind}>, tensor<?x3xi64>, tensor<?xi64>,
              tensor<?x{kind}>, tensor<i64>, tensor<?xi64>, tensor<?x{kind}>, tensor<2x2xi64>, tensor<?xi64>
        }}""")
    dtype = {"i1": bool, "i8": np.int8, "i64": np.int64, "f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]
    sizes = [(n, (n * 5) % 7) for n in (0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 100, 1025)] + [(5, 0)]
    for n, rows in sizes:
        inputs = [numbers(shape, dtype) for shape in (n, (rows, 3), (), (2, 2))]
        program.case(inputs, [part for x in inputs for part in unique_of(x)])
    if kind == "i64":
        x = RANDOM.permutation(5000).astype(dtype)
        inputs = [x] + inputs[1:]
        program.case(inputs, [part for x in inputs for part in unique_of(x)])
    return program


def repeat_interleave():
    program = Program("""
        func.func @main(%n: tensor<?xi64>, %m: tensor<3xi64>, %i: i64, %j: i64) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
            attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked, u2 : unbacked>} {
          %a = tally.repeat_interleave %n : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
          %b = tally.repeat_interleave %m : tensor<3xi64> bind #tally.bindings<u1 = result(0).size(0)>
          %ij = tensor.from_elements %i, %j : tensor<2xi64>
          %c = tally.repeat_interleave %ij : tensor<2xi64> bind #tally.bindings<u2 = result(0).size(0)>
          return %a, %b, %c : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
        }""")

    def repeat(counts):
        return np.repeat(np.arange(len(counts)), counts).astype(np.int64)

    for counts in ([], [0], [3], [2, 0, 1], [0, 0], [5, 1, 4, 0, 2]):
        n, m = np.array(counts, np.int64), RANDOM.integers(0, 3, 3)
        for i, j in ((0, 0), (1, 2), (4, 0)):
            program.case([n, m, i, j], [repeat(n), repeat(m), repeat([i, j])])
    n, m = np.array([1, 2]), np.array([1, 0, 1])
    program.case([np.array([1, -1, 3]), m, 1, 1], raises="a negative number of repetitions")
    program.case([n, np.array([1, 3, -4]), 1, 1], raises="a negative number of repetitions")
    program.case([n, m, -1, 1], raises="a negative number of repetitions")
    program.case([n, m, 2, -2], raises="a negative number of repetitions")
    program.case([np.array([2**62, 2**62, 5]), m, 1, 1], raises="")
    return program


def bincount():
    program = Program("""
        func.func @main(%v: tensor<?xi64>, %w: tensor<?xf32>, %k: tensor<?xi32>, %n: i64)
            -> (tensor<?xi64>, tensor<?xf32>, tensor<?xi32>)
            attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked, u2 : unbacked>} {
          %length = arith.index_cast %n : i64 to index
          %c0 = arith.constant 0 : index
          %a = tally.bincount %v minlength %length : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
          %b = tally.bincount %v minlength %c0 weights %w : tensor<?xi64>, tensor<?xf32> bind #tally.bindings<u1 = result(0).size(0)>
          %c = tally.bincount %v minlength %length weights %k : tensor<?xi64>, tensor<?xi32> bind #tally.bindings<u2 = result(0).size(0)>
          return %a, %b, %c : tensor<?xi64>, tensor<?xf32>, tensor<?xi32>
        }""")
    for size, least in itertools.product((0, 1, 2, 7), (0, 1, 5)):
        v = RANDOM.integers(0, 6, size)
        w, k = v.astype(np.float32) / 4, RANDOM.integers(-3, 3, size).astype(np.int32)
        program.case(
            [v, w, k, least],
            [
                np.bincount(v, minlength=least).astype(np.int64),
                np.bincount(v, w).astype(np.float32),
                np.bincount(v, k, minlength=least).astype(np.int32),
            ],
        )
    v, w, k = np.array([0, 2]), np.ones(2, np.float32), np.ones(2, np.int32)
    program.case([np.array([0, -1]), w, k, 0], raises="a value is negative")
    program.case([v, w, k, -1], raises="minlength is negative")
    program.case([v, w[:1], k, 0], raises="== s")
    program.case([v, w, k[:1], 0], raises="== s")
    program.case([np.array([0, 2**63 - 1]), w, k, 0], raises="")
    return program


def slices():
    program = Program("""
        func.func @main(%x: tensor<?x2xf32>, %i: i64, %j: i64) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x?xf32>, tensor<?x2xf32>)
            attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked>} {
          %start = arith.index_cast %i : i64 to index
          %end = arith.index_cast %j : i64 to index
          %c1 = arith.constant 1 : index
          %m1 = arith.constant -1 : index
          %a = tally.slice %x[%start to %end] dim 0 : tensor<?x2xf32> bind #tally.bindings<u0 = result(0).size(0)>
          %b = tally.slice %x[%start to %end step 3] dim 0 : tensor<?x2xf32> bind #tally.bindings<u1 = result(0).size(0)>
          %c = tally.slice %x[%start to %end step 2] dim 1 : tensor<?x2xf32>
          %d = tally.slice %x[%c1 to %m1] dim 0 : tensor<?x2xf32>
          return %a, %b, %c, %d : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x?xf32>, tensor<?x2xf32>
        }""")
    bounds = (-(2**63), -4, -3, -1, 0, 1, 2, 3, 5, 2**63 - 1)
    for rows, i, j in itertools.product((0, 1, 3, 8), bounds, bounds):
        x = numbers((rows, 2), np.float32)
        program.case([x, i, j], [x[i:j], x[i:j:3], x[:, i:j:2], x[1:-1]])
    return program


def select():
    program = Program("""
        func.func @main(%x: tensor<?x2xf32>, %i: i64, %j: i64) -> (tensor<2xf32>, tensor<?xf32>, tensor<f32>) {
          %row = arith.index_cast %i : i64 to index
          %column = arith.index_cast %j : i64 to index
          %a = tally.select %x[%row] dim 0 : tensor<?x2xf32>
          %b = tally.select %x[%column] dim 1 : tensor<?x2xf32>
          %c = tally.select %a[%column] dim 0 : tensor<2xf32>
          return %a, %b, %c : tensor<2xf32>, tensor<?xf32>, tensor<f32>
        }""")
    indices = (-(2**63), -4, -3, -2, -1, 0, 1, 2, 3, 2**63 - 1)
    for rows, i, j in itertools.product((0, 1, 3), indices, indices):
        x = numbers((rows, 2), np.float32)
        if -rows <= i < rows and -2 <= j < 2:
            program.case([x, i, j], [x[i], x[:, j], x[i, j]])
        else:
            program.case([x, i, j], raises="the index is out of range")
    return program


def split():
    program = Program("""
        func.func @main(%x: tensor<?x2xf32>, %i: i64, %j: i64, %k: i64) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<2x?xf32>)
            attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked, u2 : unbacked>} {
          %a = arith.index_cast %i : i64 to index
          %b = arith.index_cast %j : i64 to index
          %c = arith.index_cast %k : i64 to index
          %parts:3 = tally.split %x[%a, %b, %c] dim 0 : tensor<?x2xf32>
              bind #tally.bindings<u0 = result(0).size(0), u1 = result(1).size(0), u2 = result(2).size(0)>
          %t = tensor.empty(%a) : tensor<2x?xf32>
          %f = arith.constant 1.0 : f32
          %ones = linalg.fill ins(%f : f32) outs(%t : tensor<2x?xf32>) -> tensor<2x?xf32>
          %whole = tally.split %ones[%a] dim 1 : tensor<2x?xf32>
          return %parts#0, %parts#1, %parts#2, %whole : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<2x?xf32>
        }""")
    sizes = (-2, -1, 0, 1, 2, 3, 2**63 - 1)
    for rows, i, j, k in itertools.product((0, 1, 4), sizes, sizes, sizes):
        x = numbers((rows, 2), np.float32)
        if min(i, j, k) < 0:
            program.case([x, i, j, k], raises="a part has a negative size")
        elif i + j + k == rows:
            program.case([x, i, j, k], [x[:i], x[i : i + j], x[i + j :], np.ones((2, i), np.float32)])
        else:
            program.case([x, i, j, k], raises="needed by tally.split")
    return program


PROGRAMS = {
    "masked_select": masked_select,
    "repeat_interleave": repeat_interleave,
    "bincount": bincount,
    "slice": slices,
    "select": select,
    "split": split,
} | {f"unique_{kind}": (lambda kind=kind: unique(kind)) for kind in ("i1", "i8", "i64", "f16", "f32", "f64")}

FORMS = {
    "named": ("propagate-shapes", "verify-form{form=named}"),
    "bound": ("propagate-shapes", "bind-symbols", "lift-free-symbols", "verify-form{form=bound}"),
    "checked": (
        "propagate-shapes", "bind-symbols", "lift-free-symbols", "insert-runtime-asserts", "unify-sizes",
        "verify-form{form=checked}",
    ),
}


def write_cases(program, folder):
    """Inputs and expected results as files, and the file that lists them."""
    cases = []
    for number, (inputs, expect, raises) in enumerate(program.cases):
        def save(kind, index, array):
            path = folder / f"{number}-{kind}{index}.npy"
            np.save(path, array)
            return str(path)

        case = {"name": str(number), "inputs": [
            f"i64={value}" if isinstance(value, int) else save("in", index, value)
            for index, value in enumerate(inputs)
        ]}
        if raises is None:
            case["expect"] = [save("out", index, value) for index, value in enumerate(expect)]
        else:
            case["raises"] = raises
        cases.append(case)
    path = folder / "cases.json"
    path.write_text(json.dumps(cases))
    return path


def main(name, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    program = PROGRAMS[name]()
    cases = write_cases(program, folder)
    source = folder / "program.mlir"
    source.write_text(program.text)
    failures = 0
    for form, passes in FORMS.items():
        file = folder / f"{form}.mlir"
        pipeline = ",".join("tally-" + each for each in passes)
        subprocess.run(["tally-opt", source, f"--pass-pipeline=builtin.module({pipeline})", "-o", file], check=True)
        done = subprocess.run(["tally-run", file, "--compare", "--cases", cases], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        passed = sum(line.startswith("PASS") for line in lines)
        if passed != len(program.cases) or done.returncode != 0:
            failures += 1
            wrong = [line for line in lines if not line.startswith("PASS")]
            print(form, f"status {done.returncode}", *wrong[:10], done.stderr[:3000], sep="\n")
    print(f"{name}: {len(program.cases)} cases, {failures} failures")


main(*sys.argv[1:])
