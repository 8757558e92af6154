#!/usr/bin/env python3
"""What versions for several processors cost: time to compile, and size of the code.

    levels.py [NAME...]      workloads of bench.py (default: some of each kind)

Each is compiled once for each processor and once for any (`--cpu=generic`, three versions of each loop). The time is
that of the processor; the code is what `size` counts as text of the object file, without the runtime and the weights.
Needs what bench.py needs, and `size`.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import torch

import bench
import models
import operations
import workloads

DEFAULT = ("softmax", "gpt2", "resnet18")
PROCESSORS = ("x86-64", "x86-64-v3", "x86-64-v4", "generic")


def compile_for(program, processor, folder):
    """Seconds of the processor, and bytes of code."""
    target = folder / "code.o"
    run = subprocess.run([sys.executable, "-c", bench.OBSERVER, "tally-compile", str(program), "-o", str(target),
                          f"--cpu={processor}"], check=True, stdout=subprocess.PIPE, text=True)
    sections = subprocess.run(["size", "-A", str(target)], check=True, stdout=subprocess.PIPE, text=True).stdout
    code = sum(int(line.split()[1]) for line in sections.splitlines() if line.startswith(".text"))
    return float(run.stdout.split()[0]), code


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=DEFAULT)
    names = parser.parse_args().names
    print("| program | " + " | ".join(f"{name}: s, kB" for name in PROCESSORS) + " |")
    print("|---|" + "--:|" * len(PROCESSORS), flush=True)
    with tempfile.TemporaryDirectory() as name, torch.no_grad():
        folder = pathlib.Path(name)
        for maker in (workloads.make_operations, operations.make_more, models.make_models):
            for workload in maker():
                if workload.name not in names:
                    continue
                program = folder / "program.pt2"
                torch.export.save(bench.export(workload), program)
                figures = [compile_for(program, processor, folder) for processor in PROCESSORS]
                print(f"| {workload.name} | " + " | ".join(f"{seconds:.2f}, {code / 1e3:.0f}" for seconds, code in figures) +
                      " |", flush=True)


if __name__ == "__main__":
    main()
