#!/usr/bin/env python3
"""Judges random PyTorch programs by eager PyTorch (see README.md).

  fuzz.py --minutes 10 [--seed S]     runs for some time
  fuzz.py --programs 40 --seed 1      runs some programs
  fuzz.py --seeds 3,17,40             runs the programs of some seeds
  fuzz.py --show SEED                 prints the program of a seed
  fuzz.py --self-test                 shows the judge wrong results
"""

import argparse
import collections
import importlib.util
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "test" / "Integration" / "Programs")]
sys.dont_write_bytecode = True

# Programs a process judges: torch.export keeps what it has seen.
CHUNK = 60


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--programs", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", type=lambda text: [
        int(seed) for seed in text.split(",")])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tool", default=str(ROOT / "build/bin/tally-run"))
    parser.add_argument("--out", default=str(ROOT / "build/fuzz/torch"))
    parser.add_argument("--seconds", type=int, default=60,
                        help="processor time that one program may take")
    parser.add_argument("--targets", action="store_true",
                        help="print how many programs used each operator")
    parser.add_argument("--show", type=int, metavar="SEED")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--worker", action="store_true",
                        help=argparse.SUPPRESS)
    parser.add_argument("--state", type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def work(options):
    """Judges the programs of a chunk, for the process that started this.

    It reads the state that is written here, also where torch ends the process.
    """
    import torch
    torch.set_num_threads(1)
    from generator.worker import Worker
    worker = Worker(options.tool, options.out, options.seconds)
    state = {"counts": worker.counts, "targets": worker.targets, "findings": 0}
    deadline = time.time() + (options.minutes or 1e9) * 60
    for seed in options.seeds:
        if time.time() > deadline:
            break
        state["at"] = seed
        options.state.write_text(json.dumps(state))
        outcome = worker.run(seed)
        if outcome is not None and outcome.is_finding:
            state["findings"] += 1
            print(f"seed {seed}: {outcome.signature}", flush=True)
    del state["at"]
    options.state.write_text(json.dumps(state))


class Chunk:
    """A process that judges some seeds."""

    def __init__(self, options, seeds, minutes):
        self.folder = tempfile.TemporaryDirectory()
        self.state = pathlib.Path(self.folder.name) / "state.json"
        self.errors = pathlib.Path(self.folder.name) / "errors"
        command = [sys.executable, __file__, "--tool", options.tool, "--out",
                   options.out, "--seconds", str(options.seconds), "--state",
                   str(self.state), "--worker", "--seeds",
                   ",".join(map(str, seeds))]
        if minutes:
            command += ["--minutes", str(minutes)]
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(command, stderr=errors)

    def finish(self, counts, targets):
        """Waits, and adds what was counted; returns the number of findings."""
        status = self.process.wait()
        state = json.loads(self.state.read_text()) \
            if self.state.exists() else {"at": "start"}
        counts.update(state.get("counts", {}))
        targets.update(state.get("targets", {}))
        if status or "at" in state:
            counts["PyTorch's process ended"] += 1
            print(f"PyTorch's process ended with {status} at seed "
                  f"{state.get('at')}: {self.errors.read_text()[-600:]}",
                  flush=True)
        self.folder.cleanup()
        return state.get("findings", 0)


def report(counts, targets, options):
    for name, count in counts.items():
        print(f"{count:8} {name}")
    print(f"{len(targets):8} operators in programs that were judged")
    if options.targets:
        for name, count in sorted(targets.items(), key=lambda t: -t[1]):
            print(f"{count:8}   {name}")


def chosen_seeds(options):
    """The seeds to run, those of a chunk at a time."""
    if options.seeds:
        seeds, seed = iter(options.seeds), options.seeds[0]
    else:
        seed = options.seed if options.seed is not None else \
            random.randrange(1, 1 << 20)
        seeds = itertools.islice(itertools.count(seed * 1000000),
                                 options.programs)
    print(f"programs from seed {seed}, findings in {options.out}", flush=True)
    share = CHUNK
    if options.programs:
        share = min(CHUNK, -(-options.programs // options.jobs))
    return iter(lambda: list(itertools.islice(seeds, share)), [])


def run(options):
    counts, targets = collections.Counter(), collections.Counter()
    findings, running = 0, []
    chunks = chosen_seeds(options)
    end = time.time() + (options.minutes or 1e9) * 60
    last = time.time()
    while True:
        while len(running) < options.jobs and time.time() < end:
            seeds = next(chunks, None)
            if seeds is None:
                break
            minutes = (end - time.time()) / 60 if options.minutes else None
            running.append(Chunk(options, seeds, minutes))
        if not running:
            break
        findings += running.pop(0).finish(counts, targets)
        if time.time() - last > 60:
            last = time.time()
            print(json.dumps(counts), flush=True)
    report(counts, targets, options)
    return 1 if findings or counts["PyTorch's process ended"] else 0


def show(seed):
    from generator import generate
    program = generate.generate(seed)
    print(program and program.source())
    for argument in program.inputs if program else ():
        print(argument)
    if program:
        print(program.declared, program.sizes, "oblivious", program.oblivious,
              "deferred", program.deferred, "strict", program.strict)


def main():
    options = parse()
    for module in ("torch", "numpy"):
        if importlib.util.find_spec(module) is None:
            sys.exit(f"fuzz.py: this Python ({sys.executable}) has no {module};"
                     " run it with one that has PyTorch (2.13, CPU)")
    if options.show is not None:
        return show(options.show)
    if options.self_test:
        from generator import selftest
        faults = selftest.run(options.tool)
        print("\n".join(faults))
        return 1 if faults else 0
    if options.worker:
        return work(options)
    if not (options.programs or options.minutes or options.seeds):
        sys.exit("fuzz.py: say --minutes, --programs or --seeds")
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
