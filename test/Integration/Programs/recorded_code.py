#!/usr/bin/env python3
"""Says of recorded programs how much code they become, so that it does not grow unseen.

    ../../../dev exec ./recorded_code.py            prints what recorded-code.txt should be
    ../../../dev exec ./recorded_code.py TABLE      compares with a table

A line has a program and, for the CPU, how many operations, calls of the runtime, loads, stores
and branches it becomes; for a GPU how many kernels, operations, allocations, loads, stores,
loops and barriers. It takes a few of the programs, so that a test can do so.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import zlib

RECORDED = pathlib.Path(__file__).parent / "recorded"
GPU = "tally-gpu-pipeline{chip=sm_90 format=isa stop-after=schedule}"


def lower(named, pipeline):
    command = ["tally-opt", f"--pass-pipeline=builtin.module(tally-check-pipeline,{pipeline})"]
    return subprocess.run(command, input=named, capture_output=True, text=True).stdout


CPU_PARTS = {"operations": r'^ +(?:%\S+ = )?"?\w+\.\w', "calls": r"call @tally_rt_", "loads": r"llvm\.load",
             "stores": r"llvm\.store", "branches": r"llvm\.cond_br"}  # fmt: skip
GPU_PARTS = {"kernels": r"gpu\.func ", "operations": CPU_PARTS["operations"], "allocations": r"memref\.alloc",
             "loads": r"memref\.load|vector\.load", "stores": r"memref\.store|vector\.store",
             "loops": r"scf\.(for|while)", "barriers": r"gpu\.barrier"}  # fmt: skip


def count(parts, text):
    return ", ".join(f"{len(re.findall(pattern, text, re.MULTILINE))} {name}" for name, pattern in parts.items())


def describe(model):
    named = subprocess.run(["tally-translate", "--import-pt2", model], capture_output=True, text=True).stdout
    cpu, gpu = lower(named, "tally-cpu-pipeline"), lower(named, GPU)
    return f"{model.parent.name}: cpu {count(CPU_PARTS, cpu)}; gpu {count(GPU_PARTS, gpu)}"


def main():
    # New programs change nothing of the others.
    models = [model for model in sorted(RECORDED.glob("*/model.pt2")) if zlib.crc32(model.parent.name.encode()) % 6 == 1]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = list(pool.map(describe, models))
    if len(sys.argv) == 1:
        print("\n".join(lines))
        return 0
    known = pathlib.Path(sys.argv[1]).read_text().splitlines()
    changed = [(old, new) for old, new in zip(known, lines) if old != new]
    for old, new in changed:
        print(f"was {old}\nis  {new}")
    print(f"{len(known)} programs in the table, {len(lines)} here, {len(changed)} changed")
    return 1 if changed or len(known) != len(lines) else 0


if __name__ == "__main__":
    sys.exit(main())
