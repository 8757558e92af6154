#!/usr/bin/env python3
"""Judges random PyTorch programs by eager PyTorch (see README.md).

  fuzz.py --minutes 10 [--seed S]     runs for some time
  fuzz.py --programs 40 --seed 1      runs some programs, with --jobs 32 in
                                      so many processes
  fuzz.py --seeds 3,17,40             runs the programs of some seeds
  fuzz.py --show SEED                 prints the program of a seed
  fuzz.py --self-test                 shows the judge wrong results
"""

import argparse
import collections
import gc
import importlib.util
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "test" / "Integration" / "Programs")]
sys.dont_write_bytecode = True

# Programs a process judges: torch.export keeps what it has seen.
CHUNK = 60
# Seconds that torch may take for a program, with its smaller ones; and that
# processes have to end when the time is over.
STALL, GRACE = 900, 90


def default_tool():
    """The tool that was built here, or the first on PATH."""
    built = ROOT / "build/bin/tally-run"
    return str(built) if built.exists() else shutil.which("tally-run")


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--programs", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", type=lambda text: [
        int(seed) for seed in text.split(",")])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tool", default=default_tool())
    parser.add_argument("--optimize", type=int, choices=range(4),
                        help="how hard tally-run optimizes (default: 3 for "
                             "one program in four, 0 for the others)")
    parser.add_argument("--out", default=str(ROOT / "build/fuzz/torch"))
    parser.add_argument("--seconds", type=int, default=60,
                        help="processor time that one program may take")
    parser.add_argument("--targets", action="store_true",
                        help="print how many programs used each operator")
    parser.add_argument("--show", type=int, metavar="SEED")
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args()


def optimization(options, seed):
    """LLVM takes as long as everything else that tally-run does."""
    if options.optimize is not None:
        return options.optimize
    return 0 if seed % 4 else 3


def prepare():
    """Loads torch, and what it loads when it exports, once for all processes:
    those of a run are forks of this one."""
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    import torch
    torch.set_num_threads(1)
    from generator import worker
    worker.warm_up()
    gc.collect()
    gc.freeze()


def work(options, seeds, minutes, state_file):
    """Judges the programs of a chunk, for the process that started this.

    It reads the state that is written here, also where torch ends the process.
    """
    from generator.worker import Worker
    # Nearly all that is made lives as long as a program.
    gc.set_threshold(100000, 50, 100)
    worker = Worker(options.tool, options.out, options.seconds)
    state = {"counts": worker.counts, "targets": worker.targets, "findings": 0}
    deadline = time.time() + (minutes or 1e9) * 60
    for seed in seeds:
        if time.time() > deadline:
            break
        state["at"] = seed
        state_file.write_text(json.dumps(state))
        outcome = worker.run(seed, optimization(options, seed))
        if outcome is not None and outcome.is_finding:
            state["findings"] += 1
            print(f"seed {seed}: {outcome.signature}", flush=True)
    del state["at"]
    state_file.write_text(json.dumps(state))


class Chunk:
    """A process that judges some seeds."""

    def __init__(self, options, seeds, minutes):
        self.seeds = seeds
        self.folder = tempfile.TemporaryDirectory()
        self.state = pathlib.Path(self.folder.name) / "state.json"
        self.errors = pathlib.Path(self.folder.name) / "errors"
        self.started = time.time()
        self.killed = ""
        self.process = multiprocessing.get_context("fork").Process(
            target=self._run, args=(options, minutes))
        self.process.start()

    def _run(self, options, minutes):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        with self.errors.open("w") as errors:
            os.dup2(errors.fileno(), 2)
        work(options, self.seeds, minutes, self.state)

    def read(self):
        """The state that the process wrote last."""
        try:
            return json.loads(self.state.read_text())
        except (OSError, ValueError):  # Not there yet, or half written.
            return {"at": None}

    def is_done(self):
        """Says whether the process has ended, and ends it where it hangs."""
        if not self.process.is_alive():
            return True
        last = self.state.stat().st_mtime if self.state.exists() \
            else self.started
        if time.time() - last > STALL:
            self.kill("it takes too long")
        return False

    def kill(self, why):
        self.killed = why
        self.process.kill()

    def finish(self, counts, targets):
        """Adds what was counted; returns the number of findings, and the
        seeds that are left where the process ended early."""
        self.process.join()
        status = self.process.exitcode
        state = self.read()
        counts.update(state.get("counts", {}))
        targets.update(state.get("targets", {}))
        left = []
        if status or "at" in state:
            at = state.get("at")
            counts["PyTorch's process ended"] += 1
            print(f"PyTorch's process ended with {self.killed or status} at "
                  f"seed {at}: {self.errors.read_text()[-600:]}", flush=True)
            if at in self.seeds:
                left = self.seeds[self.seeds.index(at) + 1:]
        self.folder.cleanup()
        return state.get("findings", 0), left


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


class Run:
    """The processes, and what they have counted."""

    def __init__(self, options):
        self.options = options
        self.counts = collections.Counter()
        self.targets = collections.Counter()
        self.findings = 0
        self.running = []
        self.chunks = chosen_seeds(options)
        self.left = []  # Seeds of processes that ended early.
        self.end = time.time() + (options.minutes or 1e9) * 60

    def stop(self, *_):
        self.end = min(self.end, time.time())

    def _start(self):
        """Starts a process, if there is anything to do."""
        if time.time() > self.end:
            return False
        seeds = self.left.pop() if self.left else next(self.chunks, None)
        if seeds is None:
            return False
        minutes = (self.end - time.time()) / 60 if self.options.minutes \
            else None
        self.running.append(Chunk(self.options, seeds, minutes))
        return True

    def _finish(self):
        for chunk in list(self.running):
            if time.time() > self.end + GRACE:
                chunk.kill("the time is over")
            if chunk.is_done():
                self.running.remove(chunk)
                findings, left = chunk.finish(self.counts, self.targets)
                self.findings += findings
                if left:
                    self.left.append(left)

    def show_progress(self):
        counts = collections.Counter(self.counts)
        for chunk in self.running:
            counts.update(chunk.read().get("counts", {}))
        print(json.dumps(counts), flush=True)

    def run(self):
        last = time.time()
        while True:
            while len(self.running) < self.options.jobs and self._start():
                pass
            if not self.running:
                break
            time.sleep(0.1)
            self._finish()
            if time.time() - last > 60:
                last = time.time()
                self.show_progress()
        report(self.counts, self.targets, self.options)
        ended = self.counts["PyTorch's process ended"]
        return 1 if self.findings or ended else 0


def run(options):
    if not options.tool or not shutil.which(options.tool):
        sys.exit(f"fuzz.py: {options.tool or 'tally-run'} is not built or on PATH; name it: --tool")
    prepare()
    all_of_it = Run(options)
    signal.signal(signal.SIGTERM, all_of_it.stop)
    signal.signal(signal.SIGINT, all_of_it.stop)
    return all_of_it.run()


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
    # A GPU that torch has seen cannot be used behind a fork, and gradients would;
    # so each way to start hides it before torch is loaded.
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    for module in ("torch", "numpy"):
        if importlib.util.find_spec(module) is None:
            sys.exit(f"fuzz.py: this Python ({sys.executable}) has no {module};"
                     " run it with one that has PyTorch (2.13, CPU)")
    if options.show is not None:
        return show(options.show)
    if options.self_test:
        from generator import selftest
        faults = selftest.run([options.tool])
        print("\n".join(faults))
        return 1 if faults else 0
    if not (options.programs or options.minutes or options.seeds):
        sys.exit("fuzz.py: say --minutes, --programs or --seeds")
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
