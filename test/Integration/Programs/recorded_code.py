#!/usr/bin/env python3
"""Says of recorded programs how much code they become, so that it does not grow unseen.

    ../../../dev exec ./recorded_code.py            prints what recorded-code.txt should be
    ../../../dev exec ./recorded_code.py TABLE      compares with a table

A line has a program and, for the CPU, how many operations, calls of the runtime, loads, stores
and branches it becomes; for a GPU how many kernels, operations, allocations, loads, stores,
loops and barriers. It takes a few of the programs, so that a test can do so.
"""

import re
import subprocess
import sys

from recorded_table import compare_table, import_named

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
    named = import_named(model)
    cpu, gpu = lower(named, "tally-cpu-pipeline"), lower(named, GPU)
    return f"cpu {count(CPU_PARTS, cpu)}; gpu {count(GPU_PARTS, gpu)}"


if __name__ == "__main__":
    sys.exit(compare_table(describe, 12, 1))
