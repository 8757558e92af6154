#!/usr/bin/env python3
"""Compares real models with eager PyTorch (see README.md).

  models.py [NAME...]      exports models, runs them, and says what happened
  models.py --list         the models
Exported models stay in --out, and are exported once; --tool says what runs
them, so that two versions can be compared. With --jobs each model has a
process of its own. --decompose imports what run_decompositions() leaves.
"""

import argparse
import collections
import concurrent.futures
import json
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import time
import warnings
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "test" / "Integration" / "Programs")]
sys.dont_write_bytecode = True

import torch  # noqa: E402
from torch.export import Dim  # noqa: E402

import model_zoo  # noqa: E402
import model_zoo_images  # noqa: E402,F401
import model_zoo_sound  # noqa: E402,F401
import model_zoo_text  # noqa: E402,F401
from fuzz import default_tool  # noqa: E402
from generator import judge, oracle  # noqa: E402


def arguments(model, sizes, seed):
    generator = torch.Generator().manual_seed(seed)
    made = []
    for dtype, dims in model.arguments:
        shape = [sizes.get(d, d) for d in dims]
        made.append(torch.randint(3, 90, shape, generator=generator)
                    if dtype == "ids" else
                    torch.rand(shape, generator=generator))
    return made


def export(model, folder, decompose):
    """Writes the folder of a model: the program, and its cases."""
    torch.manual_seed(zlib.crc32(model.name.encode()))
    module = model.make().eval()
    calls = [(", ".join(f"{k} {v}" for k, v in sizes.items()),
              arguments(model, sizes, number))
             for number, sizes in enumerate(model.calls)]
    shapes = tuple({i: Dim.AUTO for i, d in enumerate(dims)
                    if isinstance(d, str)} for _, dims in model.arguments)
    logging.disable(logging.CRITICAL)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.export.export(
            module, tuple(calls[0][1]),
            dynamic_shapes=(shapes,) if isinstance(module, model_zoo.First)
            else shapes)
        if decompose:
            exported = exported.run_decompositions()
        verdicts = oracle.evaluate_all(calls, exported, module)
    open_cases = judge.write(folder, exported, verdicts)
    refused = {v.name: v.error for v in verdicts if v.outputs is None}
    (folder / "facts.json").write_text(json.dumps(
        {"open": sorted(open_cases), "calls": len(verdicts),
         "refused": refused}))


def run(model, options):
    name = model.name + ("-core" if options.decompose else "")
    folder = (options.out / name).absolute()
    if not (folder / "facts.json").exists():
        try:
            export(model, folder, options.decompose)
        except Exception as error:
            return judge.Outcome("not exported",
                                 f"{type(error).__name__}: {error}"[:300])
    facts = json.loads((folder / "facts.json").read_text())
    if not facts["calls"]:
        return judge.Outcome("not judged", "no call is stable")
    start = time.time()
    outcome = judge.judge([options.tool], folder, facts["open"],
                          seconds=options.seconds)
    outcome.case += f" ({facts['calls']} calls, {len(facts['refused'])} must " \
        f"be refused, {time.time() - start:.1f} s)"
    return outcome


def apart(name, options):
    """Runs a model in a process of its own; prints and returns its kind."""
    command = [sys.executable, __file__, "--tool", options.tool, "--out",
               str(options.out), "--seconds", str(options.seconds), name,
               *(["--decompose"] if options.decompose else [])]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=env,
                              timeout=10 * options.seconds, check=False)
    except subprocess.TimeoutExpired:
        print(f"{name}: no end", flush=True)
        return "no end"
    line = next((line for line in done.stdout.splitlines()
                 if line.startswith(f"{name}: ")), "")
    print(line or f"{name}: ended with {done.returncode}: "
          f"{done.stderr[-300:]}", flush=True)
    kinds = (judge.RIGHT, judge.UNSUPPORTED, "not exported", "not judged",
             *judge.FINDINGS)
    return next((kind for kind in kinds
                 if line.startswith(f"{name}: {kind}")), "ended")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--tool", default=default_tool())
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path,
                        default=ROOT / "build/fuzz/models")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--decompose", action="store_true",
                        help="into core ATen operators, before the import")
    options = parser.parse_args()
    if options.list:
        print("\n".join(model_zoo.MODELS))
        return 0
    if not options.tool or not shutil.which(options.tool):
        sys.exit(f"models.py: {options.tool or 'tally-run'} is not built or on PATH; name it: --tool")
    torch.set_num_threads(1)
    names = options.names or list(model_zoo.MODELS)
    if options.jobs > 1:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            counts = collections.Counter(
                pool.map(lambda name: apart(name, options), names))
    else:
        counts = collections.Counter()
        for name in names:
            outcome = run(model_zoo.MODELS[name], options)
            counts[outcome.kind] += 1
            print(f"{name}: {outcome.kind}{outcome.case} "
                  f"{outcome.text[:400]}".strip(), flush=True)
    print(dict(counts))
    return 1 if set(counts) & {*judge.FINDINGS, "ended", "no end"} else 0


if __name__ == "__main__":
    sys.exit(main())
