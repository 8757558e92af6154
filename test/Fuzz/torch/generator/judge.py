"""Runs tally-run on a program and its calls, and classifies what it does.

Only writing the folder needs torch; reading tally-run's answers does not.
"""

import dataclasses
import json
import os
import re
import resource
import signal
import subprocess

# Classes of outcomes, those that are findings last.
RIGHT = "right"
UNSUPPORTED = "unsupported"  # refused for operators, by their names
FORM = "form"  # a form of an operator is refused, by its name
REFUSED = "refused"
REJECTED = "rejected"  # a check of a legal call fails
MISSED = "missed"  # a call that must be refused is not
WRONG = "wrong"
CRASH = "crash"
HANG = "hang"
FINDINGS = (FORM, REFUSED, REJECTED, MISSED, WRONG, CRASH, HANG)


@dataclasses.dataclass
class Outcome:
    kind: str
    text: str = ""
    case: str = ""

    @property
    def signature(self):
        """What equal findings have in common."""
        return f"{self.kind}: {normalized(self.text)}"

    @property
    def is_finding(self):
        return self.kind in FINDINGS


def normalized(text):
    """A message without names and numbers."""
    text = re.sub(r"^.*?(error:|FAIL [^:]*:)", "", text)
    text = re.sub(r"'[^' ]*\d[^' ]*'", "'_'", text)
    text = re.sub(r"\b[a-z_]+\d[\w.]*\b", "_", text)
    text = re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "#", text)
    return re.sub(r"\s+", " ", text).strip()[:160]


def unsupported(text):
    """The operators that a message refuses, or what else it says."""
    _, _, names = text.partition("not supported: ")
    return [name.strip() for name in names.split(",")] if names else [
        normalized(text)]


def _first_error(text):
    """The first error of a compiler's output."""
    for line in text.splitlines():
        if "error:" in line:
            return line
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def _classify_refusal(text, may_refuse):
    error = _first_error(text)
    if may_refuse:
        return Outcome(UNSUPPORTED, error)
    if re.search(r"operators? that (is|are) not supported", error):
        return Outcome(UNSUPPORTED, error)
    if "gives a view or a copy" in error:
        # PyTorch says: do not depend on whether a reshape copies.
        return Outcome(UNSUPPORTED, error)
    if "the call does not fit the subgraph" in error:
        # torch.export has put one region in the place of another, which may do
        # something else (a padding that is empty at the sizes of the example).
        return Outcome(UNSUPPORTED, error)
    if re.search(r"(is|are) not supported", error) and "aten." in error:
        return Outcome(FORM, error)
    return Outcome(REFUSED, error)


def _classify_case(name, why, open_cases):
    if "windows that overlap are read only" in why:
        # Nor does it say what an update of an element through several gives.
        return Outcome(UNSUPPORTED, why, name)
    if why.startswith("check failed"):
        return None if name in open_cases else Outcome(REJECTED, why, name)
    if why.startswith("no error, expected"):
        return Outcome(MISSED, why, name)
    return Outcome(WRONG, why, name)


def classify(status, output, errors, open_cases=(), may_refuse=False):
    """The outcome of a run, from its exit status and what it printed. A program
    may be refused that has no call which must not be (`may_refuse`)."""
    if status is None:
        return Outcome(HANG, "the time is over")
    if status < 0 or status >= 128:
        number = -status if status < 0 else status - 128
        if number == signal.SIGXCPU:
            return Outcome(HANG, "the time is over")
        return Outcome(CRASH, f"signal {number}: {_first_error(errors)}")
    if status == 1:
        return _classify_refusal(errors, may_refuse)
    found = []
    for line in output.splitlines():
        match = re.match(r"FAIL (.*?): (.*)", line)
        if match:
            outcome = _classify_case(*match.groups(), open_cases)
            if outcome:
                found.append(outcome)
    if found:  # The worst of them.
        return max(found, key=lambda o: (UNSUPPORTED, *FINDINGS).index(o.kind))
    if status not in (0, 4):
        return Outcome(CRASH, f"exit status {status}: {_first_error(errors)}")
    return Outcome(RIGHT)


def _limit(seconds):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return limit


def run(command, seconds=60, guard="1"):
    """Runs a tool; returns exit status (None: no end), output, errors."""
    env = {**os.environ, "TALLY_GUARD_PAGES": guard}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=env,
                              timeout=5 * seconds, check=False,
                              errors="replace", preexec_fn=_limit(seconds))
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def write(folder, exported, verdicts):
    """Writes model.pt2 and cases.json; returns the names of open cases."""
    from recording import archive, record
    target = record.Folder(folder)
    archive.save(exported, folder / "model.pt2")
    rows = []
    for number, found in enumerate(verdicts):
        row = {"name": found.name, "inputs": [
            target.spec(v, f"c{number}_in{i}.npy")
            for i, v in enumerate(found.inputs)]}
        if found.outputs is None:
            row["raises"] = ""
        else:
            _write_results(row, target, number, found)
        rows.append(row)
    (folder / "cases.json").write_text(json.dumps(rows, indent=1) + "\n")
    return {v.name for v in verdicts if v.open}


def _write_results(row, target, number, found):
    from recording import record
    row["expect"] = [target.spec(v, f"c{number}_out{i}.npy")
                     for i, v in enumerate(found.outputs)]
    written = record.changed(found.inputs, found.after)
    if written:
        row["mutated"] = {
            str(i): target.spec(found.after[i], f"c{number}_after{i}.npy")
            for i in written}
    if found.tolerance is not None:
        row["rtol"] = row["atol"] = float(f"{found.tolerance:.3g}")


def judge(command, folder, open_cases, guard="1", seconds=60):
    """Runs a tool with some options on a folder."""
    rows = json.loads((folder / "cases.json").read_text())
    legal = {row["name"] for row in rows if "raises" not in row}
    return classify(*run([*command, folder / "model.pt2", "--cases",
                          folder / "cases.json"], seconds, guard), open_cases,
                    may_refuse=legal <= set(open_cases))
