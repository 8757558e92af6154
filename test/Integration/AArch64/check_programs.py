#!/usr/bin/env python3
"""Runs recorded PyTorch programs on a 64-bit Arm processor, under qemu, and compares with what
PyTorch gave.

    check_programs.py --runtime DIR/lib/libtally_runtime.a NAME...    these programs
    check_programs.py --runtime DIR/lib/libtally_runtime.a            all of them

The runtime is one that cmake/toolchains/aarch64-linux-gnu.cmake builds. Needs tally-compile on the
PATH, aarch64-linux-gnu-gcc, qemu-aarch64-static, and numpy. Programs with bf16, which numpy does
not have, are left out. Ends with status 1 where a result is wrong.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RECORDED = ROOT / "test" / "Integration" / "Programs" / "recorded"
# Codes of DLPack and types of numpy for the names of element types.
DTYPES = {"f16": (2, np.float16), "f32": (2, np.float32), "f64": (2, np.float64), "i1": (6, np.bool_),
          "u8": (1, np.uint8), "i8": (0, np.int8), "i16": (0, np.int16), "i32": (0, np.int32),
          "i64": (0, np.int64)}
CODES = {np.dtype(dtype): code for code, dtype in DTYPES.values()}
TYPES = {(code, np.dtype(dtype).itemsize * 8): np.dtype(dtype) for code, dtype in DTYPES.values()}
TOLERANCES = {np.dtype(np.float16): 5e-3, np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-7}


class Unsupported(Exception):
    """A value that numpy does not have."""


def read_value(spec, folder):
    """The array of `x.npy` or `f32[2,3]=1,2,3,4,5,6` or `i64=3`."""
    if spec.endswith(".npy"):
        value = np.load(folder / spec)
        if value.dtype not in CODES:
            raise Unsupported(spec)
        return value
    match = re.fullmatch(r"(\w+)(\[[\d,]*\])?=(.*)", spec)
    if not match or match[1] not in DTYPES:
        raise Unsupported(spec)
    dtype = DTYPES[match[1]][1]
    shape = tuple(int(size) for size in (match[2] or "[]")[1:-1].split(",") if size)
    if match[3] == "random":
        return np.random.default_rng(0).random(shape).astype(dtype)
    words = [word for word in match[3].split(",") if word]
    numbers = [word == "true" if word in ("true", "false") else
               int(word) if re.fullmatch(r"-?\d+", word) else float(word) for word in words]
    if len(numbers) == 1:
        return np.full(shape, numbers[0], dtype)
    return np.array(numbers, dtype).reshape(shape)


def write_message(values):
    message = b""
    for value in values:
        line = [CODES[value.dtype], value.dtype.itemsize * 8, value.ndim, *value.shape]
        message += (" ".join(map(str, line)) + "\n").encode() + value.tobytes()
    return message


def read_message(message):
    values = []
    while message:
        line, message = message.split(b"\n", 1)
        code, bits, _, *shape = map(int, line.split())
        dtype = TYPES.get((code, bits), np.dtype(f"u{bits // 8}"))
        count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        values.append(np.frombuffer(message[:count], dtype).reshape(shape))
        message = message[count:]
    return values


def compare(found, expected):
    """What is wrong with a result; empty if nothing is."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"{found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    tolerance = TOLERANCES.get(found.dtype)
    if tolerance is None:
        return "" if np.array_equal(found, expected) else "elements differ"
    with np.errstate(invalid="ignore"):
        right = np.allclose(found.astype(np.float64), expected.astype(np.float64), rtol=tolerance,
                            atol=tolerance, equal_nan=True)
    return "" if right else "elements differ by more than the tolerance"


def run_case(case, program, folder):
    """What is wrong with a call; empty if nothing is."""
    inputs = [read_value(spec, folder) for spec in case["inputs"]]
    # What is written to arguments comes behind the results, and is not told where it is empty.
    written = [spec for _, spec in sorted(case.get("mutated", {}).items())]
    expected = [read_value(spec, folder) for spec in [*case.get("expect", []), *written]]
    run = subprocess.run(["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", program],
                         input=write_message(inputs), capture_output=True)
    errors = run.stderr.decode(errors="replace").strip()
    if "raises" in case:
        right = run.returncode == 3 and case["raises"] in errors
        return "" if right else f"status {run.returncode}, expected an error: {errors}"
    if run.returncode:
        return f"status {run.returncode}: {errors}"
    found = read_message(run.stdout)
    if len(found) < len(expected):
        return f"{len(found)} results, expected {len(expected)}"
    wrong = [f"result {i}: {why}" for i, (a, b) in enumerate(zip(found, expected))
             if (why := compare(a, b))]
    return "; ".join(wrong)


def build(name, runtime, work):
    """An executable that calls a program once; a text where it cannot be built."""
    archive, program = work / "libprogram.a", work / name
    commands = [
        ["tally-compile", RECORDED / name / "model.pt2", "-o", archive, "-O1",
         "--triple=aarch64-linux-gnu", f"--runtime={runtime}"],
        ["aarch64-linux-gnu-gcc", HERE / "Inputs" / "call.c", f"-I{ROOT / 'include'}", archive, "-lstdc++",
         "-lm", "-lpthread", "-ldl", "-o", program]]
    for command in commands:
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            return None, run.stderr.strip()
    return program, ""


def check(name, options, work):
    """Prints a line for a program, and returns whether it is right."""
    program, why = build(name, options.runtime, work)
    if not program:
        print(f"FAIL {name}: {why}")
        return False
    calls = skipped = 0
    for case in json.loads((RECORDED / name / "cases.json").read_text()):
        try:
            wrong = run_case(case, program, RECORDED / name)
        except Unsupported:
            skipped += 1
            continue
        calls += 1
        if wrong:
            print(f"FAIL {name}, {case['name']}: {wrong}")
            return False
    program.unlink()
    print(f"PASS {name}: {calls} calls" + (f", {skipped} left out" if skipped else ""), flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="names of programs; all if there is none")
    parser.add_argument("--runtime", required=True, help="the archive of the runtime")
    options = parser.parse_args()
    refused = (RECORDED.parent / "refused.txt").read_text()
    names = options.programs or [path.name for path in sorted(RECORDED.iterdir())
                                 if (path / "model.pt2").exists() and f"\n{path.name}: " not in refused]
    with tempfile.TemporaryDirectory() as folder:
        right = sum([check(name, options, pathlib.Path(folder)) for name in names])
    print(f"{right} passed, {len(names) - right} failed")
    sys.exit(right != len(names))


if __name__ == "__main__":
    main()
