#!/usr/bin/env python3
"""Checks models against eager PyTorch, in calls of eight sizes (see docs/TorchModels.md).

  check.py [NAME...]                one line of JSON a model
  check.py --device cuda --jobs 8   the same on a GPU, eight models at a time
  check.py --out FILE NAME...       adds the lines to a file
  check.py --page FILE...           the tables of such files, for docs/TorchModels.md
  check.py --recompute PAGE NAME... whether rows of that page are what comes out now

Each model has a process of its own.
"""

import argparse
import copy
import json
import logging
import multiprocessing
import multiprocessing.connection
import os
import sys
import time
import traceback
import warnings

sys.dont_write_bytecode = True

import torch  # noqa: E402
from torch.export import _patches  # noqa: E402
from torch.utils import _pytree  # noqa: E402

import tally  # noqa: E402
import tally.torch  # noqa: E402

import zoo  # noqa: E402

RTOL = 1e-3


def _tensors(tree):
    return [each for each in _pytree.tree_leaves(tree) if isinstance(each, torch.Tensor)]


def _difference(actual, expected, floor):
    """How far tensors are apart, as a part of what is allowed: RTOL of each element, and `floor`."""
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        raise AssertionError(f"{actual.dtype}{list(actual.shape)} is not {expected.dtype}{list(expected.shape)}")
    if not expected.numel():
        return 0.0
    if not expected.is_floating_point():
        if not torch.equal(actual, expected):
            raise AssertionError("whole numbers differ")
        return 0.0
    one, two = actual.detach().double(), expected.detach().double()
    same = (one == two) | (one.isnan() & two.isnan())
    apart = torch.where(same, 0.0, (one - two).abs()) / (RTOL * two.abs() + floor)
    return apart.nan_to_num(nan=float("inf")).max().item()


def _largest(tensors):
    return max([each.detach().double().abs().max().item() for each in tensors
                if each.numel() and each.is_floating_point()], default=0.0)


def _compare(actual, expected):
    """The worst difference of results. Sums that cancel leave the rounding of what they add: 1e-5 of the
    largest value, or of 1, is allowed for it."""
    one, two = _tensors(actual), _tensors(expected)
    if len(one) != len(two):
        raise AssertionError(f"{len(one)} results are not {len(two)}")
    finite = [torch.nan_to_num(each, 0, 0, 0) for each in two if each.is_floating_point()]
    floor = 1e-5 * max(1.0, _largest(finite))
    return max([_difference(a, b, floor) for a, b in zip(one, two)], default=0.0)


def _loss(result):
    """A number that each element of each result moves in its own way."""
    total = 0
    for each in _tensors(result):
        if each.is_floating_point() and each.requires_grad:
            weights = torch.linspace(-1, 1, each.numel(), dtype=torch.float64, device=each.device).reshape(each.shape)
            total = total + (each.double() * weights).mean().nan_to_num()
    return total


def _call(function, arguments):
    torch.manual_seed(5)
    return function(*arguments)


def _graphs():
    return [kind for kind, what in tally.torch.statistics if what in ("compiled", "cached")]


def _fallbacks():
    """What PyTorch runs: operators of graphs, and what lies between graphs."""
    breaks = torch._dynamo.utils.counters["graph_break"]
    return sorted({f"{what}" for _, what in tally.torch.statistics if what not in ("compiled", "cached")}
                  | {f"a graph ends: {reason.splitlines()[0]}" for reason in breaks})


def _find_failed_guards():
    """Why Dynamo compiled again, once each."""
    reasons = [each.recompile_reason for each in torch._dynamo.utils.get_compilation_metrics()]
    return list(dict.fromkeys(filter(None, reasons)))


def _run_calls(facts, model, where, calls, one_call):
    """Makes calls; notes the worst difference, and what was compiled again after the first."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch._dynamo.utils.clear_compilation_metrics()
    tally.torch.statistics.clear()
    worst, first = 0.0, None
    for place in calls:
        arguments = model.arguments(place, **where)
        start = time.perf_counter()
        try:
            worst = max(worst, one_call(arguments))
        except Exception as error:
            if os.environ.get("TRACE"):
                traceback.print_exc()
            facts.setdefault("errors", []).append(
                f"{model.sizes[place]}: {type(error).__name__}: {str(error)[:300]}")
        if first is None:
            first = len(_graphs())
            facts["seconds"] = round(time.perf_counter() - start, 1)
    facts.update(worst=worst, calls=len(calls), guards=_find_failed_guards())
    return first


def check_forward(model, module, where, calls):
    facts = {}
    compiled = tally.torch.compile(copy.deepcopy(module), options={"fallback": "silent"})

    def one_call(arguments):
        with torch.no_grad():
            expected = _call(module, arguments)
            return _compare(_call(compiled, arguments), expected)

    first = _run_calls(facts, model, where, calls, one_call)
    facts.update(graphs=first, recompiles=len(_graphs()) - first, fallbacks=_fallbacks())
    return facts


def _is_refused_by_pytorch(exported, arguments):
    """Whether PyTorch's own call of an exported program refuses these sizes: it exports some models for one
    length, or for large images."""
    try:
        exported.module()(*arguments)
    except (AssertionError, RuntimeError, ValueError):
        return True
    return False


def check_export(model, module, where, calls):
    facts = {}
    arguments = model.arguments(0, **where)
    shapes = model.dynamic_shapes()
    # Else PyTorch exports recurrent layers for one length.
    recurrent = _patches.register_lstm_while_loop_decomposition(), _patches.register_gru_while_loop_decomposition()
    with torch.no_grad(), recurrent[0], recurrent[1]:
        try:
            exported = torch.export.export(
                module, arguments, dynamic_shapes=(shapes,) if isinstance(module, zoo.model_zoo.First) else shapes)
        except Exception as error:
            return {"unexported": f"{type(error).__name__}: {str(error)[:300]}", "worst": 0.0}
        program = tally.compile(exported)

        def one_call(arguments):
            try:
                return _compare(_call(program, arguments), _call(module, arguments))
            except tally.CheckError:
                if not _is_refused_by_pytorch(exported, arguments):
                    raise
                facts["not_exported"] = facts.get("not_exported", 0) + 1
                return 0.0

        _run_calls(facts, model, where, calls, one_call)
    return facts


def _drop_nothing(module):
    """Sets each rate of dropout to zero."""
    for each in module.modules():
        if isinstance(each, torch.nn.modules.dropout._DropoutNd):
            each.p = 0.0
        for name, value in vars(each).items():
            if "drop" in name and isinstance(value, float):
                setattr(each, name, 0.0)


#: What is said of a value that is too far from another one.
_TIMES = "times what is allowed"


def _expect_error(function, arguments, expected):
    try:
        _call(function, arguments)
    except type(expected):
        return 0.0
    raise AssertionError(f"no error: {expected}")


def check_training(model, module, where, calls):
    """One step each: the results, the loss and each gradient."""
    facts = {}
    module.train()
    _drop_nothing(module)
    other = copy.deepcopy(module)
    compiled = tally.torch.compile(other, options={"fallback": "silent"})

    def one_call(arguments):
        for each in (module, other):
            each.zero_grad()
        try:
            expected = _call(module, arguments)
        except ValueError as error:
            # Some layers do not train on a single row.
            return _expect_error(compiled, arguments, error)
        actual = _call(compiled, arguments)
        worst = _compare(actual, expected)
        losses = [_loss(actual), _loss(expected)]
        worst = max(worst, _compare(*losses))
        for loss in losses:
            loss.backward()
        names = [name for name, _ in module.named_parameters()]
        gradients = [[p.grad for p in each.parameters()] for each in (other, module)]
        floor = 1e-5 * _largest([each for each in gradients[1] if each is not None]) + 1e-12
        for name, actual, expected in zip(names, *gradients):
            if actual is None and expected is None:
                continue
            # No gradient is one of zeros.
            actual, expected = (torch.zeros_like(two) if one is None else one
                                for one, two in ((actual, expected), (expected, actual)))
            apart = _difference(actual, expected, floor)
            if apart > 1:
                raise AssertionError(f"gradient of {name}: {apart:.3g} {_TIMES}")
            worst = max(worst, apart)
        buffers = zip(other.buffers(), module.buffers())
        return max([worst, *(_compare(p, q) for p, q in buffers)])

    first = _run_calls(facts, model, where, calls, one_call)
    facts.update(graphs=first, recompiles=len(_graphs()) - first, fallbacks=_fallbacks())
    return facts


#: Titles of the tables.
DEVICES = {"cpu": "On a CPU", "cuda": "On a GPU"}
CHECKS = {"forward": (check_forward, 8), "export": (check_export, 8), "training": (check_training, 4)}


def _check_kind(function, model, where, calls):
    torch.manual_seed(0)
    return function(model, model.make().eval().to(**where), where, range(calls))


def check(name, kinds, device="cpu", calls=8):
    """What became of a model, by kind."""
    model = zoo.MODELS[name]
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    # Eager mode's convolutions are to be as exact as those of f32 on a CPU.
    torch.backends.cudnn.allow_tf32 = False
    facts = {"name": name, "source": model.source, "device": device}
    for kind in kinds:
        function, count = CHECKS[kind]
        if kind == "training" and not model.trains:
            continue
        try:
            facts[kind] = _check_kind(function, model, {"device": device}, min(count, calls))
            # At few values some layers, say norms of four values, turn the rounding of f32 into more than is
            # allowed. What is wrong is wrong in f64 too.
            if facts[kind]["worst"] > 1 or any(_TIMES in each for each in facts[kind].get("errors", ())):
                facts[kind]["in_f64"] = _check_kind(
                    function, model, {"device": device, "dtype": torch.float64}, min(count, calls))
        except Exception as error:
            if os.environ.get("TRACE"):
                traceback.print_exc()
            facts[kind] = {"errors": [f"{type(error).__name__}: {str(error)[:600]}"]}
    return facts


def _apart(name, kinds, device, calls, pipe):
    pipe.send(check(name, kinds, device, calls))


class _Checked:
    """A model that a process of its own checks, which has `seconds` for it."""

    def __init__(self, name, kinds, device, calls, seconds):
        self.facts = {"name": name, "source": zoo.MODELS[name].source, "device": device}
        self.start, self.seconds = time.monotonic(), seconds
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe(duplex=False)
        self.process = context.Process(target=_apart, args=(name, kinds, device, calls, theirs))
        self.process.start()
        theirs.close()

    def ended(self):
        """Whether the process has answered, ended, or used up its time."""
        late = time.monotonic() - self.start > self.seconds
        if not self.pipe.poll() and not late:
            return False
        try:
            self.facts = {**self.facts, "died": "no end"} if late else self.pipe.recv()
        except EOFError:
            self.facts["died"] = "ended early"
        if "died" in self.facts:
            self.process.kill()
        self.process.join()
        return True


def check_apart(names, kinds, device="cpu", calls=8, jobs=1, seconds=400):
    """Yields the facts of each model, in the order in which they end."""
    left, running = list(reversed(names)), []
    while left or running:
        while left and len(running) < jobs:
            running.append(_Checked(left.pop(), kinds, device, calls, seconds))
        multiprocessing.connection.wait([each.pipe for each in running], timeout=1)
        ended = [each for each in running if each.ended()]
        running = [each for each in running if each not in ended]
        for each in ended:
            yield each.facts


def _describe_kind(facts, calls):
    """A cell of the table: whether all calls are right, and graphs that were compiled for later calls, or
    what is wrong."""
    if facts is None:
        return ""
    if "unexported" in facts:
        return "PyTorch does not export it"
    if "in_f64" in facts:
        text = _describe_kind(facts["in_f64"], calls)
        return text.replace("right", "right in f64", 1)
    if facts.get("errors") or not facts["worst"] <= 1:
        return f"wrong or refused at {len(facts.get('errors', '.'))}" if "calls" in facts else "refused"
    if facts["calls"] != calls:
        return "not all sizes"
    if facts.get("graphs") == 0:
        return "PyTorch runs it"
    text = "right"
    if facts.get("not_exported"):
        text += f"; PyTorch exports it for {calls - facts['not_exported']} of the sizes"
    if facts.get("recompiles"):
        text += f", {facts['recompiles']} more graph{'s' * (facts['recompiles'] > 1)}"
    if facts.get("fallbacks"):
        text += ", in parts"
    return text


def describe_row(facts):
    cells = [_describe_kind(facts.get(kind), count) for kind, (_, count) in CHECKS.items()]
    return f"| `{facts['name']}` | {facts['source']} | {' | '.join(cells)} |"


HEADER = """| Model | Of | `tally.torch.compile`, 8 sizes | Exported, 8 sizes | A training step, 4 sizes |
| --- | --- | --- | --- | --- |"""


def print_page(paths):
    """A table for each device."""
    found = {}
    for path in paths:
        with open(path) as file:
            for facts in map(json.loads, file):
                if "died" not in facts:
                    found[facts.get("device", "cpu"), facts["name"]] = facts
    for device, title in DEVICES.items():
        rows = [describe_row(found[device, name]) for name in zoo.MODELS if (device, name) in found]
        if rows:
            print("", f"## {title}", "", HEADER, *rows, sep="\n")


def recompute(page, names):
    """Whether the rows of a page's first table are right."""
    with open(page) as file:
        lines = set(file.read().partition(f"## {DEVICES['cuda']}")[0].splitlines())
    good = True
    for facts in check_apart(names, CHECKS):
        row = facts.get("died") or describe_row(facts)
        print(row, "" if row in lines else f"is not in the page: {facts}", flush=True)
        good = good and row in lines
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--kinds", default=",".join(CHECKS))
    parser.add_argument("--device", default="cpu", choices=DEVICES)
    parser.add_argument("--calls", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=400, help="for each model")
    parser.add_argument("--out")
    parser.add_argument("--page", nargs="+")
    parser.add_argument("--recompute")
    options = parser.parse_args()
    if options.page:
        return print_page(options.page)
    if options.recompute:
        return sys.exit(not recompute(options.recompute, options.names))
    names = options.names or list(zoo.MODELS)
    start = time.time()
    for facts in check_apart(names, options.kinds.split(","), options.device, options.calls, options.jobs,
                             options.seconds):
        line = json.dumps(facts)
        if options.out:
            with open(options.out, "a") as file:
                print(line, file=file)
        print(f"{time.time() - start:.0f}s", line, flush=True)


if __name__ == "__main__":
    main()
