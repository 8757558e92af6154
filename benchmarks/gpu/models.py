#!/usr/bin/env python3
"""Times models on a GPU: Tally, eager PyTorch and torch.compile(dynamic=True), each compiled once for
eight shapes (see networks.py).

    models.py                           all models, and a table
    models.py bert packed --json FILE   some of them; figures go to FILE as well

Models are built, compiled and checked in processes of their own, as many at a time as --jobs says; when
all are ready, one after the other is timed. A contestant that a model is not compiled for in --prepare
seconds is left out. Results of Tally and of torch.compile are compared with eager PyTorch's at every
shape before. A time is that of a call in a row of calls: what the host or the GPU takes, whichever is
longer; contestants take turns.
"""

import argparse
import gc
import json
import multiprocessing
import multiprocessing.connection
import os
import statistics
import sys
import time
import traceback

sys.dont_write_bytecode = True

import torch  # noqa: E402

import networks  # noqa: E402
from report import describe_run, write_json  # noqa: E402

CONTESTANTS = ("eager", "tally", "compile")
RTOL = 2e-3


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=[], help=", ".join(networks.NETWORKS))
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda",
                        help="cpu only serves to try the benchmark out")
    parser.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), default="float32",
                        help="of weights and inputs; PyTorch's TF32 stays off")
    parser.add_argument("--jobs", type=int, default=10, metavar="N", help="models that are prepared at a time")
    parser.add_argument("--prepare", type=float, default=150, metavar="SECONDS",
                        help="time that a model has to be compiled and checked")
    parser.add_argument("--seconds", type=float, default=0.15, help="for one contestant at one shape")
    parser.add_argument("--shapes", type=int, default=8, metavar="N", help="the first N shapes of each model")
    parser.add_argument("--contestants", nargs="+", choices=CONTESTANTS, default=CONTESTANTS)
    parser.add_argument("--json", metavar="FILE", help="write all figures to FILE, as often as there is a new model")
    parser.add_argument("--commit", help="what was measured, where git does not tell it")
    options = parser.parse_args()
    unknown = set(options.names) - set(networks.NETWORKS)
    if unknown:
        parser.error(f"no such model: {', '.join(sorted(unknown))}")
    return options


def synchronize(options):
    if options.device == "cuda":
        torch.cuda.synchronize()


# ------------------------------------------------------------------------------
# One model, in a process of its own
# ------------------------------------------------------------------------------


def _tensors(tree):
    return [each for each in torch.utils._pytree.tree_leaves(tree) if isinstance(each, torch.Tensor)]


def find_difference(actual, expected, tolerance):
    """What is wrong with results, or None: sums that cancel leave the rounding of what they add."""
    one, two = _tensors(actual), _tensors(expected)
    if [(each.shape, each.dtype) for each in one] != [(each.shape, each.dtype) for each in two]:
        return "results have other shapes or types"
    for place, (a, b) in enumerate(zip(one, two)):
        if not b.numel():
            continue
        if not b.is_floating_point():
            if not torch.equal(a, b):
                return f"result {place} differs"
            continue
        a, b = a.double(), b.double()
        apart = ((a - b).abs() / (tolerance * b.abs() + 0.1 * tolerance * b.abs().max() + 1e-30)).nan_to_num(
            nan=float("inf")).max().item()
        if apart > 1:
            return f"result {place} is {apart:.3g} times as far off as it may be"
    return None


class Model:
    """A model as each contestant calls it."""

    def __init__(self, name, options):
        self.network, self.options = networks.NETWORKS[name], options
        self.end = time.monotonic() + options.prepare
        torch.manual_seed(0)
        dtype = getattr(torch, options.dtype)
        self.module = self.network.make().eval().requires_grad_(False).to(options.device, dtype)
        self.arguments = []
        for shape in self.network.shapes[:options.shapes]:
            made = self.network.arguments(*shape)
            self.arguments.append(tuple(
                each.to(options.device, dtype if each.is_floating_point() else each.dtype) for each in made))
        self.facts = {"name": name, "shapes": [list(s) for s in self.network.shapes[:options.shapes]]}
        self.functions = {}

    def _compile(self, name):
        if name == "eager":
            return self.module
        if name == "compile":
            return torch.compile(self.module, dynamic=True)
        import tally.torch
        return tally.torch.compile(self.module, options={"fallback": "silent"})

    def _count(self, name):
        """How many graphs there are so far."""
        if name == "tally":
            import tally.torch
            return sum(what in ("compiled", "cached") for _, what in tally.torch.statistics)
        return torch._dynamo.utils.counters["stats"]["unique_graphs"]

    def prepare(self, name):
        """Compiles for a contestant and checks it at all shapes."""
        facts = self.facts[name] = {}
        try:
            torch._dynamo.utils.counters.clear()
            function = self._compile(name)
            for place, arguments in enumerate(self.arguments):
                if time.monotonic() > self.end:
                    raise TimeoutError(f"was not ready in {self.options.prepare:g} s")
                start = time.perf_counter()
                result = function(*arguments)
                synchronize(self.options)
                if place == 0:
                    facts["first_call_seconds"] = round(time.perf_counter() - start, 2)
                    facts["graphs"] = self._count(name)
                if name != "eager":
                    tolerance = RTOL if self.options.dtype == "float32" else 30 * RTOL
                    problem = find_difference(result, self.module(*arguments), tolerance)
                    if problem:
                        raise AssertionError(f"{self.network.shapes[place]}: {problem}")
            facts["more_graphs"] = self._count(name) - facts["graphs"]
            if name == "tally":
                import tally.torch
                facts["fallbacks"] = sorted({what for _, what in tally.torch.statistics
                                             if what not in ("compiled", "cached")})
            self.functions[name] = function
        except Exception as error:
            if os.environ.get("TRACE"):
                traceback.print_exc()
            facts["fail"] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]

    def _time(self, function, arguments, count):
        """Seconds of a call, in a row of so many."""
        synchronize(self.options)
        start = time.perf_counter()
        for _ in range(count):
            function(*arguments)
        synchronize(self.options)
        return (time.perf_counter() - start) / count

    def measure(self):
        """The median of five measurements for each shape."""
        gc.disable()
        for facts in self.facts.values():
            if isinstance(facts, dict):
                facts["seconds"] = []
        for arguments in self.arguments:
            times = {name: [] for name in self.functions}
            counts = {}
            for name, function in self.functions.items():
                seconds = min(self._time(function, arguments, 1) for _ in range(3))
                counts[name] = max(1, int(self.options.seconds / 5 / seconds))
            for _ in range(5):
                for name, function in self.functions.items():
                    times[name].append(self._time(function, arguments, counts[name]))
            for name, found in times.items():
                self.facts[name]["seconds"].append(statistics.median(found))
        gc.enable()
        return self.facts


def run_model(name, options, pipe):
    """What a process does: gets a model ready, says so, and measures it when it is told to."""
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "2")
    torch.set_num_threads(2)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    # Without it, a size that comes from data cuts a model in two.
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    # Contestants share the code of a model.
    torch._dynamo.config.recompile_limit = 64
    facts = {"name": name}
    try:
        with torch.no_grad():
            model = Model(name, options)
            facts = model.facts
            for each in options.contestants:
                model.prepare(each)
            pipe.send(("ready", facts))
            pipe.recv()
            pipe.send(("done", model.measure()))
    except EOFError:
        pass
    except Exception as error:
        if os.environ.get("TRACE"):
            traceback.print_exc()
        pipe.send(("done", {**facts, "fail": f"{type(error).__name__}: {error}"[:300]}))


# ------------------------------------------------------------------------------
# All models
# ------------------------------------------------------------------------------


class Running:
    """A process with a model."""

    def __init__(self, name, options):
        context = multiprocessing.get_context("spawn")
        self.name, self.facts, self.state = name, {"name": name, "fail": "not ready in time"}, "prepares"
        self.start = time.monotonic()
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=run_model, args=(name, options, theirs), daemon=False)
        self.process.start()
        theirs.close()

    def receive(self):
        try:
            self.state, self.facts = self.pipe.recv()
        except EOFError:
            self.state, self.facts = "done", {**self.facts, "fail": "its process ended early"}

    def measure(self, seconds):
        self.pipe.send("go")
        if self.pipe.poll(seconds):
            self.receive()
        else:
            self.facts = {**self.facts, "fail": f"was not measured in {seconds:g} s"}

    def end(self):
        if self.process.is_alive() and self.state != "done":
            self.process.kill()
        self.process.join()


def prepare_all(names, options):
    """Processes in which a model is ready, or has come to nothing."""
    start, waiting, running = time.monotonic(), list(names), []
    while waiting or any(each.state == "prepares" for each in running):
        busy = [each for each in running if each.state == "prepares"]
        while waiting and len(busy) < options.jobs:
            busy.append(Running(waiting.pop(0), options))
            running.append(busy[-1])
        for pipe in multiprocessing.connection.wait([each.pipe for each in busy], timeout=1):
            each = next(each for each in busy if each.pipe is pipe)
            each.receive()
            print(f"{time.monotonic() - start:.0f}s {each.name} is ready: {each.facts}", file=sys.stderr, flush=True)
        for each in busy:
            # What it compiles would disturb the others.
            if each.state == "prepares" and time.monotonic() > each.start + 1.5 * options.prepare:
                each.state = "done"
                each.process.kill()
    return running


def run_all(names, options, report):
    """Adds the models to the report, and writes it each time."""
    rows = report["models"]
    for each in prepare_all(names, options):
        if each.state == "ready":
            each.measure(60 + 40 * options.seconds * options.shapes)
            print(json.dumps(each.facts), file=sys.stderr, flush=True)
        each.end()
        rows.append(each.facts)
        write_json(options.json, report)
    return rows


def _mean(values):
    return statistics.geometric_mean(values) if values else None


def get_ratios(row, peers):
    """How many times as fast as the fastest of peers Tally is, at each shape."""
    ours = row.get("tally", {}).get("seconds") or []
    theirs = [row[peer]["seconds"] for peer in peers if row.get(peer, {}).get("seconds")]
    return [min(each) / time for time, *each in zip(ours, *theirs)] if theirs else []


def _number(value):
    return "" if value is None else f"{value:.2f}"


def _graphs(facts):
    if "graphs" not in facts:
        return ""
    return f"{facts['graphs']}" + (f" + {facts['more_graphs']}" if facts.get("more_graphs") else "")


def render(rows, options):
    lines = ["| Model | Tally, ms | x eager | x torch.compile | x the faster | lowest, highest of it | graphs: Tally, "
             "torch.compile | first call, s: Tally, torch.compile |", "|---|---|---|---|---|---|---|---|"]
    every = {peers: [] for peers in (("eager",), ("compile",), ("eager", "compile"))}
    failures = []
    for row in rows:
        ours, theirs = row.get("tally", {}), row.get("compile", {})
        ratios = {peers: get_ratios(row, peers) for peers in every}
        for peers, found in ratios.items():
            every[peers] += [_mean(found)] if found else []
        means = [_number(_mean(found)) for found in ratios.values()]
        faster = ratios["eager", "compile"]
        milliseconds = [1e3 * each for each in ours.get("seconds") or []]
        lines.append(
            f"| {row['name']} | {_number(_mean(milliseconds))} | {' | '.join(means)} | "
            + (f"{min(faster):.2f}, {max(faster):.2f}" if faster else "")
            + f" | {_graphs(ours)}, {_graphs(theirs)} | "
            f"{ours.get('first_call_seconds', '')}, {theirs.get('first_call_seconds', '')} |")
        failures += [f"{row['name']}: {row['fail']}"] if "fail" in row else []
        failures += [f"{row['name']}, {name}: {row[name]['fail']}" for name in CONTESTANTS
                     if "fail" in row.get(name, {})]
        if ours.get("fallbacks"):
            failures.append(f"{row['name']}, parts that PyTorch runs: {'; '.join(ours['fallbacks'])}"[:400])
    lines.append("| geometric mean | | " + " | ".join(_number(_mean(found)) for found in every.values()) + " | | | |")
    device = torch.cuda.get_device_name() if options.device == "cuda" else "cpu"
    head = f"{device}, torch {torch.__version__}, {options.dtype}; the mean over the shapes of a model is geometric"
    return "\n".join([head, "", *lines, "", *failures])


def main():
    options = parse_arguments()
    report = {**describe_run(torch.device(options.device), options.commit), "dtype": options.dtype, "models": []}
    rows = run_all(options.names or list(networks.NETWORKS), options, report)
    print(render(rows, options))
    bad = [row for row in rows if "fail" in row or "fail" in row.get("tally", {})]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
