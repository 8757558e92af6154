#!/usr/bin/env python3
"""Asks whether the tests notice small mistakes in the code they test.

Makes COUNT mutations of the sources below --sources, one at a time, in a copy of the
project; each is built and tested until the first test fails. What no test notices is
reported as a survivor: it needs a test, or a sentence in survivors.txt that says why it
is no fault. The mutations are spread evenly over the folders and follow from the seed.

Exit status: 0 if at least --aim percent were noticed, 4 if fewer, 1 after bad use.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from mutations import find_mutations  # noqa: E402

NOTICED, SURVIVED, EXPLAINED = "noticed", "survived", "explained"
NO_MUTANT = ("does not compile", "same code")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=20, help="how many mutations to try (default %(default)s)")
    parser.add_argument("seed", type=int, nargs="?", help="decides which they are (default: random, printed)")
    parser.add_argument("--project", type=pathlib.Path, default=".", help="the checkout (default: this folder)")
    parser.add_argument("--sources", default="lib", help="folder of the sources to mutate (default %(default)s)")
    parser.add_argument("--only", default="", help="mutate files whose path contains this text")
    parser.add_argument("--copy", type=pathlib.Path, default="build-mutate", help="where the copy of the project lives")
    parser.add_argument("--build", default="./dev build", help="command that builds the copy (default %(default)s)")
    parser.add_argument("--test", default="./dev test", help="command that tests it (default %(default)s)")
    parser.add_argument("--first", action="append", default=[], metavar="FOLDER=COMMAND",
                        help="a quicker test command to ask first for mutations below FOLDER")
    parser.add_argument("--commands", default="", metavar="compile_commands.json",
                        help="of the copy's build: where a mutation leaves the object file as it was, it is no mutant")
    parser.add_argument("--timeout", type=int, default=1800, help="seconds for a build or a test run (default %(default)s)")
    parser.add_argument("--survivors", type=pathlib.Path, help="sentences for survivors that are no fault")
    parser.add_argument("--aim", type=float, default=90, help="percent that must be noticed (default %(default)s)")
    parser.add_argument("--report", type=pathlib.Path, help="write what was found as JSON")
    parser.add_argument("--list", action="store_true", help="only print the mutations that would be tried")
    return parser.parse_args()


def say(text):
    print(text, flush=True)


def tracked_files(project):
    """What git knows of, and new files it does not ignore; all files elsewhere."""
    command = ["git", "-C", str(project), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0 and result.stdout:
        return sorted(set(result.stdout.split("\0")) - {""})
    return sorted(str(p.relative_to(project)) for p in project.rglob("*") if p.is_file())


def copy_project(project, copy):
    """Makes the copy what the project is; keeps what was built in it."""
    wanted = tracked_files(project)
    for name in wanted:
        source, target = project / name, copy / name
        if not source.is_file() or copy.resolve() in source.resolve().parents:
            continue
        content = source.read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            shutil.copymode(source, target)
    for name in set(tracked_files(copy)) - set(wanted) if (copy / ".git").exists() else ():
        (copy / name).unlink(missing_ok=True)


def choose(project, options, generator):
    """Yields mutations, one folder after the other, without end of a folder's turn."""
    folders = collections.defaultdict(list)
    for name in tracked_files(project):
        if name.startswith(options.sources + "/") and name.endswith(".cpp") and options.only in name:
            found = find_mutations(name, (project / name).read_text())
            folders[str(pathlib.PurePath(name).parent)] += found
    order = sorted(folders)
    generator.shuffle(order)
    for folder in order:
        generator.shuffle(folders[folder])
    while any(folders.values()):
        for folder in order:
            if folders[folder]:
                yield folders[folder].pop()


def run(command, folder, seconds, log):
    """Runs a shell command in a process group of its own; None after the time."""
    with open(log, "wb") as output:
        process = subprocess.Popen(command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None


def read_survivors(path):
    """Maps the key of a mutation to the sentence that explains it."""
    sentences = {}
    if path and path.exists():
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            key, separator, sentence = line.partition(" :: ")
            if not separator or not sentence.strip():
                sys.exit(f"mutate: {path}:{number}: expected 'file | line | old -> new :: sentence'")
            sentences[key] = sentence.strip()
    return sentences


class Laboratory:
    """The copy of the project, and what is asked of it."""

    def __init__(self, options):
        self.options = options
        self.copy = options.copy.resolve()
        self.log = self.copy / "mutate.log"
        self.objects = {}
        self.first = dict(entry.split("=", 1) for entry in options.first)

    def prepare(self):
        copy_project(self.options.project.resolve(), self.copy)
        if run(self.options.build, self.copy, None, self.log) != 0:
            sys.exit(f"mutate: the project does not build without a mutation; see {self.log}")
        if run(self.options.test, self.copy, None, self.log) != 0:
            sys.exit(f"mutate: a test fails without a mutation; see {self.log}")
        self.objects = self.find_objects()

    def find_objects(self):
        """Maps a source to its object file."""
        if not self.options.commands:
            return {}
        entries = json.loads((self.copy / self.options.commands).read_text())
        return {os.path.realpath(e["file"]): pathlib.Path(e["directory"], e["output"]) for e in entries}

    def read_object(self, mutation):
        path = self.objects.get(str(self.copy / mutation.path))
        return path.read_bytes() if path and path.exists() else None

    def commands(self, mutation):
        quick = [c for folder, c in self.first.items() if mutation.path.startswith(folder)]
        return quick + [self.options.test]

    def first_failure(self):
        lines = self.log.read_text(errors="replace").splitlines()
        failing = [line for line in lines if "FAIL" in line or "TIMEOUT" in line]
        return (failing or lines or ["(no output)"])[0].strip()[:160]

    def examine(self, mutation):
        """Builds and tests one mutant; the source is itself again afterwards."""
        path = self.copy / mutation.path
        text = path.read_text()
        before = self.read_object(mutation)
        path.write_text(mutation.apply(text))
        try:
            if run(self.options.build, self.copy, self.options.timeout, self.log) != 0:
                return "does not compile", ""
            if before is not None and self.read_object(mutation) == before:
                return "same code", ""
            for command in self.commands(mutation):
                status = run(command, self.copy, self.options.timeout, self.log)
                if status is None:
                    return NOTICED, "tests do not end"
                if status != 0:
                    return NOTICED, self.first_failure()
            return SURVIVED, ""
        finally:
            path.write_text(text)


def try_mutations(options, generator):
    """Returns a record of each mutation that made other code."""
    sentences = read_survivors(options.survivors)
    laboratory = Laboratory(options)
    laboratory.prepare()
    records = []
    for mutation in choose(options.project, options, generator):
        if len(records) >= options.count:
            break
        started = time.monotonic()
        outcome, detail = laboratory.examine(mutation)
        if outcome in NO_MUTANT:
            continue
        key = mutation.key((options.project / mutation.path).read_text())
        if outcome == SURVIVED and key in sentences:
            outcome, detail = EXPLAINED, sentences[key]
        records.append({"mutation": mutation.describe(), "key": key, "outcome": outcome, "detail": detail,
                        "seconds": round(time.monotonic() - started)})
        say(f"{len(records):3} {outcome:9} {mutation.describe()}" + (f"\n              {detail}" if detail else ""))
        if options.report:
            options.report.write_text(json.dumps(records, indent=1) + "\n")
    return records


def main():
    options = parse_arguments()
    seed = random.randrange(1 << 31) if options.seed is None else options.seed
    generator = random.Random(seed)
    say(f"seed {seed}")
    if options.list:
        for mutation, _ in zip(choose(options.project, options, generator), range(options.count)):
            say(mutation.describe())
        return 0
    records = try_mutations(options, generator)
    counts = collections.Counter(record["outcome"] for record in records)
    judged = counts[NOTICED] + counts[SURVIVED]
    share = 100 * counts[NOTICED] / judged if judged else 0
    say(f"{counts[NOTICED]} noticed, {counts[SURVIVED]} survived, {counts[EXPLAINED]} survived for a known reason: "
        f"{share:.0f}% noticed")
    for record in records:
        if record["outcome"] == SURVIVED:
            say(f"needs a test or a sentence in survivors.txt: {record['key']}")
    return 0 if share >= options.aim else 4


if __name__ == "__main__":
    sys.exit(main())
