#!/usr/bin/env python3
"""Runs Tally's passes over any folder of .mlir that others wrote.

The passes must do no harm to strangers: a program over upstream's dialects goes
through without a crash or a hang, and what comes out parses and verifies. Files
are split at `// -----`; what tally-opt does not take without a pass is left out.

    ./dev exec test/Transforms/Inputs/strangers.py FOLDER... [--only NAME]... [--keep DIR]

Prints what happened to how many programs, what was said about the others, and
under --keep writes each program that was not fine beside what was said. Exit
status 1 if there was a crash, a hang or a broken output. A diagnostic alone is
not a failure: read whether it is right.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

SEPARATOR = "// -----"

PIPELINES = {
    "propagate-shapes": ["--tally-propagate-shapes"],
    "check": ["--tally-check-pipeline"],
    "verify": ["--tally-check-pipeline=verify=true"],
    "cpu": ["--tally-check-pipeline", "--tally-cpu-pipeline"],
    "alone": [
        "--tally-bind-symbols",
        "--tally-lift-free-symbols",
        "--tally-insert-runtime-asserts",
        "--tally-unify-sizes",
        "--tally-lower-hops",
        "--tally-lower-data-dependent",
    ],
    "print-shapes": ["--tally-print-shapes"],
    "decompose": ["--tally-decompose-tensor-ops"],
}

# What the pipeline for the CPU is asked to compile.
CPU_DIALECTS = {
    "affine",
    "arith",
    "builtin",
    "cf",
    "complex",
    "func",
    "index",
    "linalg",
    "math",
    "scf",
    "tensor",
}


class Outcome:
    """What came of some programs: fine, or why not."""

    def __init__(self, kind, text=""):
        self.kind = kind
        self.text = text

    def summary(self):
        """The first thing said, without what differs between programs."""
        lines = self.text.splitlines()
        if self.kind == "crash":
            for line in lines:
                if "Assertion" in line or "LLVM ERROR" in line or "Stack dump" in line:
                    return line[:200]
        for line in lines:
            if "error:" in line:
                line = line.split("error:", 1)[1]
                line = re.sub(r"\b(d|v|s)\d+\b", r"\1_", line)
                return re.sub(r"%[\w#]+", "%_", line)[:160]
        return lines[0][:160] if lines else ""


def run(command, text, seconds):
    try:
        result = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return None
    return result


class Tool:
    def __init__(self, path, seconds):
        self.command = [path, "--allow-unregistered-dialect", "--split-input-file", "-"]
        self.seconds = seconds

    def apply(self, passes, programs):
        """The outcome of the passes over some programs together."""
        text = f"\n{SEPARATOR}\n".join(programs)
        seconds = self.seconds + len(programs)
        result = run(self.command + passes, text, seconds)
        if result is None:
            return Outcome("hang")
        if result.returncode not in (0, 1):
            return Outcome("crash", result.stderr)
        if result.returncode:
            return Outcome("refused", result.stderr)
        again = run(self.command + ["-o", "/dev/null"], result.stdout, seconds)
        if again is None or again.returncode:
            return Outcome("broken output", again.stderr if again else "")
        return Outcome("fine")

    def apply_each(self, passes, programs):
        """One outcome for each program; a search where not all are fine."""
        together = self.apply(passes, programs)
        if together.kind == "fine" or len(programs) == 1:
            return [together] * len(programs)
        middle = len(programs) // 2
        return self.apply_each(passes, programs[:middle]) + self.apply_each(
            passes, programs[middle:]
        )


def read_programs(folders):
    """(name, text) of every program with an unknown size, each once."""
    seen = set()
    for folder in map(pathlib.Path, folders):
        files = [folder] if folder.is_file() else sorted(folder.rglob("*.mlir"))
        for file in files:
            text = file.read_text(errors="replace")
            if len(text) > 1 << 20:
                continue
            for index, part in enumerate(text.split(SEPARATOR)):
                code = re.sub(r"//[^\n]*", "", part).strip()
                if code and code not in seen:
                    seen.add(code)
                    yield f"{file}#{index}", code + "\n"


def get_dialects(text):
    return set(re.findall(r'[\s"(]([a-z][a-z_0-9]*)\.[A-Za-z_]+', text))


def is_for_cpu(text):
    known = get_dialects(text) <= CPU_DIALECTS
    return known and "memref<" not in text and "vector<" not in text


def batches(items, size):
    return [items[i : i + size] for i in range(0, len(items), size)]


def select_valid(tool, programs, pool):
    """The programs that tally-opt takes as they are."""

    def check(batch):
        outcomes = tool.apply_each([], [text for _, text in batch])
        return [p for p, outcome in zip(batch, outcomes) if outcome.kind == "fine"]

    return [p for part in pool.map(check, batches(programs, 16)) for p in part]


def report(name, results, keep):
    """Prints a table of one pipeline; returns how many programs were harmed."""
    counts = collections.Counter(outcome.kind for _, outcome in results)
    print(f"{name}: " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    groups = collections.defaultdict(list)
    for program, outcome in results:
        if outcome.kind != "fine":
            groups[outcome.kind, outcome.summary()].append((program, outcome))
    for (kind, summary), group in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"  {len(group):5} {kind}: {summary}")
        print(f"        {group[0][0][0]}")
        for number, ((path, text), outcome) in enumerate(group if keep else []):
            stem = re.sub(r"\W+", "-", f"{kind} {summary}")[:70]
            target = keep / name / f"{stem}-{number}.mlir"
            target.parent.mkdir(parents=True, exist_ok=True)
            said = "".join(f"// {line}\n" for line in outcome.text.splitlines()[:40])
            target.write_text(f"// {path}\n{text}\n{said}")
    sys.stdout.flush()
    return sum(counts[kind] for kind in ("crash", "hang", "broken output"))


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--tool", default="tally-opt")
    parser.add_argument("--only", action="append", choices=sorted(PIPELINES))
    parser.add_argument("--any", action="store_true", help="also programs without a `?`")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=20, help="seconds for a program")
    parser.add_argument("--keep", type=pathlib.Path, help="where to write what failed")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    tool = Tool(arguments.tool, arguments.timeout)
    programs = [
        program
        for program in read_programs(arguments.folders)
        if arguments.any or "?" in program[1]
    ]
    harmed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        valid = select_valid(tool, programs, pool)
        print(f"{len(programs)} programs, {len(valid)} are valid", flush=True)
        for name in arguments.only or PIPELINES:
            chosen = [p for p in valid if name != "cpu" or is_for_cpu(p[1])]

            def apply(batch, passes=PIPELINES[name]):
                outcomes = tool.apply_each(passes, [text for _, text in batch])
                return list(zip(batch, outcomes))

            parts = pool.map(apply, batches(chosen, 16))
            harmed += report(name, [r for part in parts for r in part], arguments.keep)
    return 1 if harmed else 0


sys.exit(main())
