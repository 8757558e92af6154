#!/usr/bin/env python3
"""Asks whether the tests notice small mistakes in the code they test.

Makes COUNT mutations of the sources below --sources in a copy of the project, which is
built once: a variable of the environment says which of them a program has. The lit suite
runs once without any, which tells what test reaches which mutation; then each mutation is
tried with the tests that reach it, until one fails. What no test notices is reported as a
survivor: it needs a test, or a sentence in survivors.txt that says why it is no fault. The
mutations are spread evenly over the folders and follow from the seed.

Exit status: 0 if at least --aim percent were noticed, 4 if fewer, 1 after bad use.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from mutations import Mutation, find_mutations, instrument  # noqa: E402
from suite import Suite  # noqa: E402

NOTICED, SURVIVED, EXPLAINED, SAME, UNFINISHED = "noticed", "survived", "explained", "same code", "not tried"
BEGAN = time.monotonic()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=20, help="how many mutations to try (default %(default)s)")
    parser.add_argument("seed", type=int, nargs="?", help="decides which they are (default: random, printed)")
    parser.add_argument("--project", type=pathlib.Path, default=".", help="the checkout (default: this folder)")
    parser.add_argument("--sources", default="lib", help="folder of the sources to mutate (default %(default)s)")
    parser.add_argument("--only", default="", metavar="REGEX", help="mutate files whose paths match")
    parser.add_argument("--again", type=pathlib.Path, metavar="REPORT",
                        help="take those that survived by an earlier report, as far as their lines still stand")
    parser.add_argument("--together", type=int, default=1, metavar="N",
                        help="take so many mutations of a file, which saves compiling (default %(default)s)")
    parser.add_argument("--copy", type=pathlib.Path, default="build-mutate", help="where the copy of the project lives")
    parser.add_argument("--build", default="./dev build", help="command that builds the copy (default %(default)s)")
    parser.add_argument("--tests", default="build/test", help="folder of the copy's lit suite (default %(default)s)")
    parser.add_argument("--filter", default="", help="only tests whose names match this regular expression")
    parser.add_argument("--lit", default="/usr/lib/llvm-22/utils/lit", help="folder of lit's package (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="tests that run side by side (default %(default)s)")
    parser.add_argument("--beside", type=int, default=1, metavar="N",
                        help="try so many mutations beside each other, each with --jobs (default %(default)s)")
    parser.add_argument("--minutes", type=float, default=1e9, help="leave out what is not begun after so many")
    parser.add_argument("--seconds", type=float, default=1e9, metavar="N",
                        help="begin no further test of a mutation after so many, as they took without it")
    parser.add_argument("--commands", default="", metavar="compile_commands.json",
                        help="of the copy's build: a survivor that makes the same object file is no mutant")
    parser.add_argument("--survivors", type=pathlib.Path, help="sentences for survivors that are no fault")
    parser.add_argument("--aim", type=float, default=90, help="percent that must be noticed (default %(default)s)")
    parser.add_argument("--report", type=pathlib.Path, help="write what was found as JSON")
    parser.add_argument("--stop-after-build", action="store_true",
                        help="only build the copy, so that its tests can run on another machine, with --built")
    parser.add_argument("--built", action="store_true",
                        help="take the copy with the mutations that it was built with; COUNT and SEED say nothing")
    parser.add_argument("--resume", action="store_true", help="keep what --report says of mutations that were tried before")
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


def fingerprint(project):
    """Changes with any file of the project."""
    digest = hashlib.sha256()
    for name in tracked_files(project):
        if (project / name).is_file():
            digest.update(name.encode() + b"\0" + (project / name).read_bytes())
    return digest.hexdigest()


def choose(project, options, generator):
    """Yields mutations, some of one folder after some of the other, without end of a
    folder's turn."""
    folders = collections.defaultdict(list)
    survivors = read_survivors_of(options.again)
    for name in tracked_files(project):
        if name.startswith(options.sources + "/") and name.endswith(".cpp") and re.search(options.only, name):
            text = (project / name).read_text()
            found = find_mutations(name, text)
            generator.shuffle(found)
            if options.again:
                found = [mutation for mutation in found if mutation.key(text) in survivors]
            folders[str(pathlib.PurePath(name).parent)].append(found)
    order = sorted(folders)
    generator.shuffle(order)
    while any(folders.values()):
        for folder in order:
            files = [file for file in folders[folder] if file]
            folders[folder] = files
            if not files:
                continue
            file = generator.choices(files, [len(file) for file in files])[0]
            for _ in range(min(options.together, len(file))):
                yield file.pop()


def run(command, folder, log):
    """Runs a shell command; its output goes to a file."""
    with open(log, "wb") as output:
        return subprocess.run(command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                              stderr=subprocess.STDOUT).returncode


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


def read_survivors_of(report):
    """The keys of the mutations that survived by a report."""
    records = json.loads(report.read_text()) if report else []
    return {record["key"] for record in records if record["outcome"] == SURVIVED}


def read_report(options):
    """The records of the mutations that an earlier run has tried, by number."""
    if not options.resume or not options.report or not options.report.exists():
        return {}
    records = json.loads(options.report.read_text())
    return {record["number"]: record for record in records if record["outcome"] != UNFINISHED}


class Laboratory:
    """The copy of the project with all mutations in it, and what is asked of it."""

    def __init__(self, options, generator):
        self.options = options
        self.project = options.project.resolve()
        self.copy = options.copy.resolve()
        self.log = self.copy / "mutate.log"
        self.supply = choose(self.project, options, generator)
        self.mutations = {}
        self.dropped = 0
        self.next_number = 0

    def read(self, path):
        """A source as it is."""
        return (self.project / path).read_text()

    def recall(self):
        """Takes the mutations that the copy was built with, of the files that are asked for."""
        known = json.loads((self.copy / "mutations.json").read_text())
        self.mutations = {number: Mutation(**fields) for number, fields in known
                          if re.search(self.options.only, fields["path"])}  # fmt: skip

    def build(self):
        """Builds a copy with as many mutations as were asked for; exchanges those that
        do not compile, or stand in another one."""
        copy_project(self.project, self.copy)
        shutil.copy(pathlib.Path(__file__).parent / "choice.h", self.copy)
        while True:
            self.fill()
            self.write()
            if run(self.options.build, self.copy, self.log) == 0:
                numbered = [(number, dataclasses.asdict(mutation)) for number, mutation in self.mutations.items()]
                (self.copy / "mutations.json").write_text(json.dumps(numbered, indent=1) + "\n")
                return
            faulty = self.find_faulty()
            if not faulty:
                sys.exit(f"mutate: the project does not build without a mutation; see {self.log}")
            for number in faulty:
                self.drop(number)

    def drop(self, number):
        self.dropped += 1
        path = self.mutations.pop(number).path
        # Without any it is the file it was, for the compiler's cache as well.
        if all(other.path != path for other in self.mutations.values()):
            (self.copy / path).write_text(self.read(path))

    def fill(self):
        taken = collections.defaultdict(list)
        for mutation in self.mutations.values():
            taken[mutation.path].append(mutation)
        for mutation in self.supply if len(self.mutations) < self.options.count else ():
            if all(mutation.end <= o.begin or o.end <= mutation.begin for o in taken[mutation.path]):
                taken[mutation.path].append(mutation)
                self.mutations[self.next_number] = mutation
                self.next_number += 1
            if len(self.mutations) == self.options.count:
                break

    def write(self):
        files = collections.defaultdict(dict)
        for number, mutation in self.mutations.items():
            files[mutation.path][number] = mutation
        for path, mutations in files.items():
            text = instrument(self.read(path), mutations, self.copy / "choice.h")
            if (self.copy / path).read_text() != text:
                (self.copy / path).write_text(text)

    def find_faulty(self):
        """The mutations at which the log of a build points; of a file whose errors point
        at none, all of them."""
        log = self.log.read_text(errors="replace")
        faulty = set()
        for path in {mutation.path for mutation in self.mutations.values()}:
            lines = {int(n) for n in re.findall(re.escape(path) + r":(\d+):\d+: (?:fatal )?error", log)}
            lines |= {int(n) for n in re.findall(re.escape(path) + r":(\d+):\d+: note: in instantiation", log)}
            here = {n: m for n, m in self.mutations.items() if m.path == path}
            hit = {n for n, m in here.items() if any(m.line <= line <= self.last_line(m) for line in lines)}
            faulty |= hit or (set(here) if lines else set())
        return faulty

    def last_line(self, mutation):
        return self.read(mutation.path).count("\n", 0, mutation.end) + 1

    def makes_other_code(self, mutation):
        """False where the compiler makes the same of it; so nobody can notice it."""
        if not self.options.commands:
            return True
        path = self.copy / mutation.path
        entries = json.loads((self.copy / self.options.commands).read_text())
        entry = next((e for e in entries if os.path.realpath(e["file"]) == str(path)), None)
        if not entry:
            return True
        written, text, objects = path.read_text(), self.read(mutation.path), []
        output = self.copy / "mutant.o"
        command = re.sub(r" -o \S+", f" -o {output} -Wno-error", entry["command"])
        for content in (text, mutation.apply(text)):
            path.write_text(content)
            output.unlink(missing_ok=True)
            run(command, entry["directory"], self.log)
            objects.append(output.read_bytes() if output.exists() else b"")
        path.write_text(written)
        return objects[0] != objects[1]


class Tests:
    """The tests of the copy: which pass without a mutation, how long they take, and
    which mutations they reach."""

    def __init__(self, options, mutations):
        self.options = options
        self.mutations = mutations
        self.suite = Suite(options.lit, str(options.copy.resolve() / options.tests))
        self.count = max(mutations, default=0) + 1
        # What tests reach is asked again for other mutations or other tests.
        self.key = [options.filter, fingerprint(options.project)]
        self.key += [f"{number} {mutation.describe()}" for number, mutation in mutations.items()]
        self.folder = options.copy.resolve() / "reached"
        self.folder.mkdir(exist_ok=True)
        self.seconds, self.reached = {}, {}
        self.noticed = collections.Counter()

    def record(self):
        """Runs every test without a mutation, or recalls what was found for these
        mutations; returns those that fail and do not count."""
        memory = self.folder / "baseline.json"
        if memory.exists():
            known = json.loads(memory.read_text())
            if known["key"] == self.key:
                self.seconds = known["seconds"]
                self.reached = {name: set(numbers) for name, numbers in known["reached"].items()}
                return known["failing"]
        names = sorted(name for name in self.suite.tests if re.search(self.options.filter, name))
        files = {name: self.folder / str(number) for number, name in enumerate(names)}
        for file in files.values():
            file.write_bytes(bytes(self.count))
        failing = []
        variables = lambda name: {"TALLY_MUTANT": "-1", "TALLY_MUTANTS_REACHED": str(files[name])}
        for result in self.suite.run(names, variables, self.options.jobs * self.options.beside):
            if result.state == "failed":
                failing.append(result.test)
            elif result.state == "passed":
                self.seconds[result.test] = result.seconds
                content = files[result.test].read_bytes()
                self.reached[result.test] = {number for number, byte in enumerate(content) if byte}
        reached = {name: sorted(numbers) for name, numbers in self.reached.items()}
        memory.write_text(json.dumps({"key": self.key, "seconds": self.seconds, "reached": reached, "failing": failing}))
        return failing

    def reaching(self, number, path):
        """The tests that can notice a mutation; first what is quick, is called like the source
        or mentions what the mutated code names, and has noticed many."""
        names = [name for name, numbers in self.reached.items() if number in numbers and name in self.suite.tests]
        folders = set(pathlib.PurePath(path).parent.parts[1:])
        stem = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", pathlib.PurePath(path).stem).lower()
        texts = re.findall(r'"([^"]{6,})"', self.mutations[number].old)

        def cost(name):
            near = not folders.isdisjoint(re.split(r"[/ ]", name))
            named = stem in name or any(text in self.suite.read(name) for text in texts)
            return self.seconds[name] / (1 + self.noticed[name]) / (5 if near else 1) / (50 if named else 1)

        return sorted(names, key=cost)

    def examine(self, number, path):
        """The outcome for a mutation, and the test that notices it or what was tried."""
        reaching = self.reaching(number, path)
        before = itertools.accumulate((self.seconds[name] for name in reaching), initial=0)
        names = [name for name, seconds in zip(reaching, before) if seconds <= self.options.seconds]
        limit = lambda name: 30 + 10 * round(self.seconds[name])
        variables = lambda name: {"TALLY_MUTANT": str(number), "TALLY_MUTANTS_REACHED": ""}
        judges = 0
        for result in self.suite.run(names, variables, self.options.jobs, limit):
            judges += result.state == "passed"
            if result.state == "failed" and not self.fails_anyway(result.test, limit):
                self.noticed[result.test] += 1
                return NOTICED, result.test
        if names and not judges:
            return UNFINISHED, f"none of {len(names)} tests passes now without it"
        tried = f", the first {len(names)} were tried" if len(names) < len(reaching) else ""
        return SURVIVED, f"{len(reaching)} tests reach it{tried}"

    def fails_anyway(self, name, limit):
        variables = lambda name: {"TALLY_MUTANT": "-1", "TALLY_MUTANTS_REACHED": ""}
        return any(result.state == "failed" for result in self.suite.run([name], variables, 1, limit))


def start_worker(tests, counter):
    """In a process that tries mutations: from now on it has the tests."""
    global worker_tests
    worker_tests = tests
    with counter.get_lock():
        counter.value += 1
        tests.suite.keep_apart(str(counter.value))


def try_mutation(number, path):
    """In such a process: the outcome for a mutation, what is told of it, the seconds it took."""
    started = time.monotonic()
    if started - BEGAN > worker_tests.options.minutes * 60:
        return UNFINISHED, "", 0
    outcome, detail = worker_tests.examine(number, path)
    return outcome, detail, round(time.monotonic() - started)


def try_beside(options, tests, mutations):
    """Yields the number of each mutation as it has been tried, with what try_mutation says."""
    context = multiprocessing.get_context("fork")
    arguments = tests, context.Value("i")
    with concurrent.futures.ProcessPoolExecutor(options.beside, context, start_worker, arguments) as pool:
        futures = {pool.submit(try_mutation, number, mutation.path): number for number, mutation in mutations.items()}
        for future in concurrent.futures.as_completed(futures):
            yield futures[future], *future.result()


def try_mutations(options, generator):
    """Returns a record of each mutation."""
    sentences = read_survivors(options.survivors)
    laboratory = Laboratory(options, generator)
    laboratory.recall() if options.built else laboratory.build()
    say(f"{len(laboratory.mutations)} mutations are built, {laboratory.dropped} do not compile")
    if options.stop_after_build:
        return []
    tests = Tests(options, laboratory.mutations)
    failing = tests.record()
    say(f"{len(tests.seconds)} tests pass in {sum(tests.seconds.values()):.0f} s, {len(failing)} fail without a mutation "
        f"and do not count")
    for name in failing:
        say(f"   {name}")
    if not tests.seconds:
        sys.exit("mutate: no test passes without a mutation")
    records = read_report(options)
    untried = {number: mutation for number, mutation in laboratory.mutations.items() if number not in records}
    for number, outcome, detail, seconds in try_beside(options, tests, untried):
        mutation = untried[number]
        key = mutation.key(laboratory.read(mutation.path))
        if outcome == SURVIVED and not laboratory.makes_other_code(mutation):
            outcome, detail = SAME, ""
        if outcome == SURVIVED and key in sentences:
            outcome, detail = EXPLAINED, sentences[key]
        records[number] = {"number": number, "mutation": mutation.describe(), "key": key, "outcome": outcome,
                           "detail": detail, "seconds": seconds}  # fmt: skip
        say(f"{number:3} {outcome:9} {mutation.describe()}" + (f"\n              {detail}" if detail else ""))
        if options.report:
            options.report.write_text(json.dumps([records[n] for n in sorted(records)], indent=1) + "\n")
    return [records[number] for number in sorted(records)]


def print_folders(records):
    folders = collections.defaultdict(collections.Counter)
    for record in records:
        folders[str(pathlib.PurePath(record["key"].split(" | ")[0]).parent)][record["outcome"]] += 1
    for folder, counts in sorted(folders.items()):
        say(f"{folder:24} " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))


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
    if options.stop_after_build:
        return 0
    print_folders(records)
    counts = collections.Counter(record["outcome"] for record in records)
    judged = counts[NOTICED] + counts[SURVIVED]
    share = 100 * counts[NOTICED] / judged if judged else 0
    say(f"{counts[NOTICED]} noticed, {counts[SURVIVED]} survived, {counts[EXPLAINED]} survived for a known reason, "
        f"{counts[SAME]} made the same code, {counts[UNFINISHED]} were not tried: {share:.0f}% noticed")
    for record in records:
        if record["outcome"] == SURVIVED:
            say(f"needs a test or a sentence in survivors.txt: {record['key']}")
    return 0 if share >= options.aim else 4


if __name__ == "__main__":
    sys.exit(main())
