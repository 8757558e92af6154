"""Makes, exports and judges the programs of some seeds."""

import collections
import contextlib
import dataclasses
import io
import itertools
import pathlib
import shutil
import signal
import tempfile
import time

import torch

from recording import archive
from recording.values import DTYPES

from . import data, generate, judge, modules, oracle, shrink, writing
from .program import Input, without_dead_code

EXPORT_SECONDS = 60
SHRINK_SECONDS = 240

# So many findings of one signature are made smaller: the messages of these say
# little about where they come from.
ENOUGH = {judge.WRONG: 6, judge.MISSED: 6, judge.CRASH: 6, judge.REJECTED: 2}


class Late(Exception):
    """torch.export does not end."""


@contextlib.contextmanager
def _limited(seconds):
    """Raises Late, and keeps what torch prints to itself."""
    def late(*_):
        raise Late("torch.export does not end")
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        with contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def export(program):
    """The exported program; a named size that does not hold becomes AUTO."""
    with _limited(EXPORT_SECONDS):
        try:
            return modules.export(program), program
        except (Late, MemoryError):
            raise
        except Exception:
            if program.declared != "named":
                raise
        program = program.replace(declared="auto")
        return modules.export(program), program


def cut(program, name):
    """Makes a variable an argument that holds what it held in each call."""
    position = next((i for i, s in enumerate(program.statements)
                     if name in s.defines), None)
    if position is None:
        return None
    before = program.replace(statements=program.statements[:position + 1],
                             results=(name,))
    eager = modules.module(before, eager=True)
    given, calls = [], []
    for call, sizes in program.calls:
        inputs = data.arguments(before, call, dict(sizes))
        try:
            with torch.no_grad():
                value = eager(*inputs)[0]
        except Exception:  # Such a call is left out, unless it is the first.
            continue
        if not isinstance(value, torch.Tensor) or value.dtype not in DTYPES:
            return None
        if given and value.dtype != given[0][1].dtype:
            continue
        given.append((call, value.detach().clone()))
        calls.append((call, sizes))
    if not calls or calls[0] != program.calls[0]:
        return None
    value = given[0][1]
    argument = Input(name, DTYPES[value.dtype], (0,) * value.dim(),
                     given=tuple(given))
    statements = (program.statements[:position]
                  + program.statements[position + 1:])
    others = set(program.statements[position].defines) - {name}
    if any(others & s.uses() for s in statements):
        return None
    return without_dead_code(program.replace(
        inputs=program.inputs + (argument,), statements=statements,
        calls=tuple(calls)))


@dataclasses.dataclass
class Judged:
    program: object
    exported: object
    verdicts: list
    outcome: judge.Outcome
    targets: dict


def warm_up():
    """Makes torch load what it loads when it first exports a program."""
    program = next(filter(None, map(generate.generate, itertools.count())))
    for strict in (False, True):
        with contextlib.suppress(Exception):
            export(program.replace(strict=strict))


class Worker:
    """Judges programs with a tool; findings are written below `folder`."""

    def __init__(self, tool, folder, seconds=60):
        self.tool = tool
        self.command = [tool]
        self.folder = pathlib.Path(folder)
        self.seconds = seconds
        self.counts = collections.Counter()
        self.targets = collections.Counter()
        # Findings of the same signature, those of earlier workers included.
        self.seen = collections.Counter(
            writing.signature(path)
            for path in self.folder.glob("*/finding.txt"))

    def _judge(self, program):
        """Exports and judges; None where no call can be judged. A finding is
        one if it stays when the calls are disturbed more often."""
        exported, program = export(program)
        judged = self._judge_calls(program, exported, oracle.RUNS)
        if judged is not None and judged.outcome.kind in (
                judge.WRONG, judge.MISSED, judge.REJECTED):
            return self._judge_calls(program, exported,
                                     oracle.RUNS_OF_FINDINGS)
        return judged

    def _judge_calls(self, program, exported, disturbed):
        verdicts = oracle.verdicts(program, exported, disturbed)
        if not verdicts:
            return None
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "program"
            open_cases = judge.write(folder, exported, verdicts)
            targets = archive.targets(archive.read_model(folder / "model.pt2"))
            guard = ("1", "before")[len(program.source()) % 2]
            outcome = judge.judge(self.command, folder, open_cases, guard,
                                  self.seconds)
        return Judged(program, exported, verdicts, outcome, targets)

    def run(self, seed, optimization=3):
        """Judges the program of a seed; returns its outcome, or None."""
        self.command = [self.tool, f"--optimize={optimization}"]
        self.counts["programs"] += 1
        program = generate.generate(seed)
        if program is None:
            self.counts["not generated"] += 1
            return None
        try:
            judged = self._judge(program)
        except Late:
            self.counts["not exported: no end"] += 1
            return None
        except Exception as error:
            self.counts["not exported"] += 1
            self.counts[f"  {type(error).__name__}"] += 1
            return None
        if judged is None:
            self.counts["not judged"] += 1
            return None
        self._count(judged)
        if judged.outcome.is_finding:
            self._report(seed, judged)
        return judged.outcome

    def _count(self, judged):
        self.counts[judged.outcome.kind] += 1
        if judged.outcome.kind == judge.UNSUPPORTED:
            for name in judge.unsupported(judged.outcome.text):
                self.counts[f"  unsupported: {name}"] += 1
        self.counts["calls"] += len(judged.verdicts)
        self.counts["calls that must be refused"] += sum(
            v.outputs is None for v in judged.verdicts)
        self.targets.update(judged.targets.keys())

    def _report(self, seed, judged):
        """Shrinks a finding, if it looks new, and writes it."""
        outcome = judged.outcome
        signature = outcome.signature
        self.seen[signature] += 1
        folder = self.folder / f"{seed}-{outcome.kind}"
        if self.seen[signature] <= ENOUGH.get(outcome.kind, 1):
            judged = self._shrunk(judged)
        shutil.rmtree(folder, ignore_errors=True)
        writing.write(folder, seed, judged)

    def _shrunk(self, judged):
        best = [judged]
        wanted = judged.outcome
        end = time.time() + SHRINK_SECONDS

        def keeps(program):
            if time.time() > end:
                return False
            try:
                found = self._judge(program)
            except Exception:
                return False
            same = found is not None and (
                found.outcome.kind == wanted.kind
                and (wanted.kind != judge.REFUSED or
                     found.outcome.signature == wanted.signature))
            if same:
                best[0] = found
            return same
        shrink.shrink(judged.program, keeps, cut)
        return best[0]
