#!/usr/bin/env python3
"""What a call with tiny tensors costs through the C interface.

    ./dev bench calls/tiny.py [NAME...]

Exports operations of ../cpu/bench.py, compiles each, and calls it from C on zeros of its smallest sizes. Prints the
nanoseconds of a call, with the results given back. Needs torch.
"""

import pathlib
import subprocess
import sys
import tempfile

import torch

import calls

sys.path.insert(0, str(calls.HERE.parent / "cpu"))
import bench
import workloads

NAMES = ("add", "gelu", "softmax", "layernorm", "row_sum", "linear", "sdpa", "sort", "topk", "cat")
LARGEST = 1 << 16


def main():
    names = sys.argv[1:] or NAMES
    with tempfile.TemporaryDirectory() as name, torch.no_grad():
        folder = pathlib.Path(name)
        for workload in workloads.make_operations():
            if workload.name not in names:
                continue
            program = folder / "program.pt2"
            torch.export.save(bench.export(workload), program)
            arguments = workload.arguments(*workload.sizes[-1])
            if any(argument.nbytes > LARGEST for argument in arguments):
                sys.exit(f"{workload.name}: an argument is too large")
            caller = calls.build(folder, program, "all")
            sizes = [str(size) for argument in arguments for size in argument.shape]
            text = subprocess.run([caller, "20000", *sizes], check=True, stdout=subprocess.PIPE, text=True).stdout
            shapes = ", ".join("x".join(map(str, argument.shape)) for argument in arguments)
            print(f"{workload.name:12} {shapes:40} {float(text):8.0f} ns", flush=True)


if __name__ == "__main__":
    main()
