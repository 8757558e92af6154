#!/usr/bin/env python3
"""Runs test programs of PyTorch through Tally (see docs/TorchModels.md).

  suites.py FILE...                 what became of each test of files of PyTorch's folder test/
  suites.py --only REGEX FILE...    of some of them
  suites.py --out FILE FILE...      one line of JSON a test, too
  suites.py --page FILE...          the table of such lines

Whatever backend a test asks for, PyTorch's "eager" takes its place first, then Tally. Tests that fail with
eager, which ask for another version of PyTorch or for a GPU, say nothing of Tally. Each test has two
processes of its own.
"""

import argparse
import collections
import functools
import importlib.util
import io
import json
import logging
import multiprocessing
import os
import pathlib
import re
import sys
import time
import unittest
import warnings

sys.dont_write_bytecode = True

import torch  # noqa: E402
import torch._dynamo.testing  # noqa: E402
import torch._inductor.utils  # noqa: E402,F401
from torch._dynamo.backends import registry  # noqa: E402

import tally.torch  # noqa: E402

import zoo  # noqa: E402

#: What may become of a test. "Apart" are those that PyTorch runs, some operator at least.
OUTCOMES = ("right", "in parts", "PyTorch runs it", "no graph", "fails", "wrong")
#: Backends by name that another one takes the place of.
_NAMES = ("eager", "aot_eager", "aot_eager_decomp_partition", "inductor")
#: What assertions say of values.
_WRONG = re.compile(r"Tensor-likes are not|Scalars are not|Booleans mismatch|mismatched elements")


def _eager(module, example_inputs, **_):
    return module.forward


def _tally(module, example_inputs, **_):
    return tally.torch.backend(module, example_inputs, options={"fallback": "silent"})


def _replace(kind, backend):
    """Has a class of backends that count or record graphs go on with another backend."""
    call = kind.__call__

    @functools.wraps(call)
    def call_other(self, module, example_inputs, **options):
        call(self, module, example_inputs)
        return backend(module, example_inputs)

    kind.__call__ = call_other


def use_backend(backend):
    """Puts a backend in the place of all others, in this process."""
    for name in _NAMES:
        registry.lookup_backend(name)  # Else it is registered later.
        registry._COMPILER_FNS[name] = backend
    torch._TorchCompileInductorWrapper.__call__ = (
        lambda self, module, example_inputs: backend(module, example_inputs))
    for name in ("CompileCounter", "EagerAndRecordGraphs", "AotEagerAndRecordGraphs", "InductorAndRecordGraphs"):
        _replace(getattr(torch._dynamo.testing, name), backend)


def _load(path):
    """A file of tests as a module. Those that ask for a GPU beside the CPU are tried too."""
    zoo.model_zoo.prepare_torchvision()
    from torch.testing._internal import inductor_utils, triton_utils
    inductor_utils.requires_gpu = lambda *_: lambda test: test
    triton_utils.requires_gpu = lambda test: test
    path = pathlib.Path(path).resolve()
    for folder in (path.parent, path.parent.parent):
        sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _flatten(suite):
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from _flatten(each)
        else:
            yield each


def _run(test, backend, pipe):
    """Runs a test; sends what is wrong with it, None where nothing is, and what Tally compiled."""
    os.setsid()
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    use_backend(backend)
    tally.torch.statistics.clear()
    result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(unittest.TestSuite([test]))
    found = [text for _, text in (*result.failures, *result.errors)]
    if result.skipped or result.expectedFailures or result.unexpectedSuccesses:
        found.append("skipped")
    pipe.send((found[0] if found else None, list(tally.torch.statistics)))


def _run_apart(test, backend, seconds):
    context = multiprocessing.get_context("fork")
    pipe, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(test, backend, theirs))
    process.start()
    theirs.close()
    try:
        found = pipe.recv() if pipe.poll(seconds) else ("no end", [])
    except EOFError:
        found = "the process ended", []
    process.kill()
    process.join()
    return found


def _name_outcome(error, statistics):
    if error is not None:
        return "wrong" if _WRONG.search(error) else "fails"
    compiled = [what in ("compiled", "cached") for _, what in statistics]
    if not compiled:
        return "no graph"
    if all(compiled):
        return "right"
    return "in parts" if any(compiled) else "PyTorch runs it"


def check_file(path, only=None, seconds=100):
    """Yields what became of each test of a file that passes with eager: its name, the outcome, and the
    error or what PyTorch runs."""
    module = _load(path)
    for test in _flatten(unittest.defaultTestLoader.loadTestsFromModule(module)):
        name = ".".join(test.id().split(".")[-2:])
        if only and not re.search(only, name):
            continue
        error, _ = _run_apart(test, _eager, seconds)
        if error is not None:
            yield {"file": pathlib.Path(path).name, "test": name, "outcome": None, "what": error}
            continue
        error, statistics = _run_apart(test, _tally, seconds)
        outcome = _name_outcome(error, statistics)
        reasons = sorted({what for _, what in statistics if what not in ("compiled", "cached")})
        yield {"file": pathlib.Path(path).name, "test": name, "outcome": outcome, "what": error or reasons}


def print_page(paths):
    """How many tests of each file had which outcome."""
    counts, last = collections.defaultdict(collections.Counter), {}
    for path in paths:
        with open(path) as file:
            for facts in map(json.loads, file):
                last[facts["file"], facts["test"]] = facts["outcome"]
    for (name, _), outcome in last.items():
        if outcome:
            counts[name][outcome] += 1
    print("| File | Tests |", " | ".join(OUTCOMES), "|")
    print("| --- |", " | ".join("---" for _ in range(1 + len(OUTCOMES))), "|")
    for name, found in counts.items():
        numbers = [sum(found.values()), *(found[each] for each in OUTCOMES)]
        print(f"| `{name}` |", " | ".join(map(str, numbers)), "|")


def _shorten(what):
    """The line of an error that names it."""
    lines = [each for each in what.splitlines() if each.strip()] if isinstance(what, str) else [str(what)]
    named = [each for each in lines if re.match(r"\w[\w.]*(Error|Exception|Failed|Unsupported)\b", each)]
    return (named or lines)[-1][:300]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--only")
    parser.add_argument("--out")
    parser.add_argument("--page", nargs="+")
    options = parser.parse_args()
    if options.page:
        return print_page(options.page)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    start = time.time()
    for path in options.files:
        for facts in check_file(path, options.only):
            if options.out:
                with open(options.out, "a") as file:
                    print(json.dumps(facts), file=file)
            print(f"{time.time() - start:.0f}s", facts["outcome"] or "-", facts["test"],
                  _shorten(facts["what"]), flush=True)


if __name__ == "__main__":
    main()
