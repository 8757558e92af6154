#!/usr/bin/env python3
"""How many questions of test/Strength each rung of Tally's ladder decides, and
how many other engines do, with their times for a question.

  strength.py --tool build/bin/tally-prove
  strength.py --engines Z3,SymPy --save peers.json     # what is installed here
  strength.py --answers peers.json --answers mlir.json # beside Tally's

Engines that run here: Z3 (z3-solver), SymPy, torch's ShapeEnv; one that is not
installed is left out. `--answers` adds others, from this JSON (as --save writes):

  {"MLIR ValueBounds": {"tiling.prove:8": {"answer": "yes", "microseconds": 9.5}}}

A question that is missing there is unknown. `--export` writes the questions,
with keys, for programs that answer them, as tally-value-bounds does with MLIR's
ValueBounds. Times are of one question, what its symbols and facts cost not
included: of Tally and ValueBounds the least of five runs, of others the
processor's time, so that what else the machine does counts for little.
"""

import argparse
import collections
import json
import pathlib
import signal
import statistics
import subprocess
import sys
import time

from strength_engines import ENGINES
from strength_questions import read_directory

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECIDED = ("yes", "no", "contradiction")


class OutOfTime(BaseException):
    pass


def ask_tally(tool, folder):
    """Its answers, and the rung of each."""
    answers, rungs = {}, {}
    for path in sorted(pathlib.Path(folder).glob("*.prove")):
        run = subprocess.run([tool, "--json", path], capture_output=True, text=True)
        if run.returncode != 0:
            raise SystemExit(f"{tool} {path}: {run.stderr}")
        for line in map(json.loads, run.stdout.splitlines()):
            key = f"{path.name}:{line['line']}"
            answers[key] = {x: line[x] for x in ("answer", "microseconds")}
            rungs[key] = line["rung"]
    return answers, rungs


def ask_tally_often(tool, folder):
    answers, rungs = ask_tally(tool, folder)
    for _ in range(4):
        for key, again in ask_tally(tool, folder)[0].items():
            answers[key] = min(answers[key], again, key=lambda x: x["microseconds"])
    return answers, rungs


def ask_one(engine, question, limit):
    """An answer and its time; what an engine cannot say is unknown."""
    start, error = None, None
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        asked = engine(question)
        start = time.process_time()
        answer = asked.decide()
    except OutOfTime:
        answer, error = "unknown", "out of time"
    except Exception as caught:
        answer, error = "unknown", f"{type(caught).__name__}: {caught}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    seconds = time.process_time() - start if start else limit
    result = {"answer": answer, "microseconds": round(seconds * 1e6, 1)}
    return result | ({"error": error} if error else {})


def ask_all(engine, questions, limit):
    def stop(*_):
        raise OutOfTime

    signal.signal(signal.SIGVTALRM, stop)
    ask_one(engine, questions[0], limit)  # imports, caches
    answers = {}
    for number, question in enumerate(questions, 1):
        answers[question.key] = ask_one(engine, question, limit)
        if sys.stderr.isatty():
            print(f"\r{engine.name} {number}", end="", file=sys.stderr)
    return answers


def judge(question, answer):
    """right, wrong or undecided."""
    if answer == question.answer:
        return "right"
    if answer not in DECIDED or question.answer == "contradiction":
        return "undecided"
    return "wrong"


def find_percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def make_row(name, answers, questions):
    counts, wrong, times = collections.Counter(), [], []
    for question in questions:
        given = answers.get(question.key, {"answer": "unknown"})
        verdict = judge(question, given["answer"])
        if verdict == "right" and question.answer in DECIDED:
            counts["decided"] += 1
        if verdict == "wrong":
            wrong.append((name, question, given["answer"]))
        if "microseconds" in given:
            times.append(given["microseconds"])
    decidable = sum(q.answer in DECIDED for q in questions)
    share = f"{counts['decided']} ({100 * counts['decided'] / decidable:.1f}%)"
    if not times:
        return [name, share, str(len(wrong)), "", ""], wrong
    spread = (statistics.median(times), find_percentile(times, 0.99))
    return [name, share, str(len(wrong)), *(f"{x:,.1f}" for x in spread)], wrong


def print_table(heads, rows):
    widths = [max(len(row[i]) for row in [heads] + rows) for i in range(len(heads))]
    for row in [heads, ["-" * width for width in widths]] + rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("| " + " | ".join(cells) + " |")
    print()


def print_rungs(answers, rungs, questions):
    counts = collections.Counter(
        rungs[q.key] if answers[q.key]["answer"] in DECIDED else "undecided"
        for q in questions
        if q.answer in DECIDED
    )
    rows = [[rung, str(count)] for rung, count in counts.most_common()]
    print_table(["rung", "questions it decides"], rows)


def print_families(everything, questions):
    families = collections.defaultdict(list)
    for question in questions:
        if question.answer in DECIDED:
            families[question.family].append(question)
    rows = []
    for family, members in families.items():
        row = [family, str(len(members))]
        for answers in everything.values():
            given = [answers.get(q.key, {}).get("answer") for q in members]
            row.append(str(sum(q.answer == a for q, a in zip(members, given))))
        rows.append(row)
    print_table(["family", "questions", *everything], rows)


def export(questions, path):
    entries = [
        {
            "key": q.key,
            "symbols": [vars(symbol) for symbol in q.symbols],
            "facts": q.facts,
            "query": q.query,
            "text": [*q.fact_texts, q.query_text],
            "answer": q.answer,
        }
        for q in questions
    ]
    pathlib.Path(path).write_text(json.dumps(entries, indent=1) + "\n")


def gather(options, questions):
    """The answers of each engine by its name, and Tally's rungs."""
    everything, rungs = {}, {}
    if options.tool:
        asked = ask_tally_often(options.tool, options.questions)
        everything["Tally"], rungs = asked
    for engine in ENGINES:
        if engine.name not in options.engines.split(","):
            continue
        try:
            version = engine.version()
        except ImportError:
            print(f"{engine.name} is not installed", file=sys.stderr)
            continue
        answers = ask_all(engine, questions, options.seconds)
        everything[f"{engine.name} {version}"] = answers
    for path in options.answers:
        everything |= json.loads(pathlib.Path(path).read_text())
    return everything, rungs


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ",".join(engine.name for engine in ENGINES)
    parser.add_argument("--tool", metavar="TALLY-PROVE")
    parser.add_argument("--questions", default=ROOT / "test/Strength", metavar="DIR")
    parser.add_argument("--engines", default=names, help=f"some of {names}")
    parser.add_argument("--seconds", type=float, default=2, help="for a question")
    parser.add_argument("--answers", action="append", default=[], metavar="JSON")
    parser.add_argument("--save", metavar="JSON", help="write all answers")
    parser.add_argument("--export", metavar="JSON", help="write the questions")
    parser.add_argument("--families", action="store_true", help="a row for each file")
    return parser.parse_args()


def main():
    options = parse_options()
    questions = read_directory(options.questions)
    if options.export:
        return export(questions, options.export)
    everything, rungs = gather(options, questions)
    if options.save:
        pathlib.Path(options.save).write_text(json.dumps(everything, indent=1) + "\n")
    open_ended = sum(q.answer not in DECIDED for q in questions)
    print(f"{len(questions)} questions; the answer to {open_ended} is unknown\n")
    rows, wrong = [], []
    for name, answers in everything.items():
        row, mistakes = make_row(name, answers, questions)
        rows.append(row)
        wrong += mistakes
    print_table(["engine", "decided", "wrong", "median us", "p99 us"], rows)
    if rungs:
        print_rungs(everything["Tally"], rungs, questions)
    if options.families:
        print_families(everything, questions)
    for name, question, answer in wrong:
        facts = "; ".join([*question.fact_texts, question.query_text])
        print(f"{name}: {question.key}: {facts}: {answer}, is {question.answer}")
    return any(name == "Tally" for name, _, _ in wrong)


if __name__ == "__main__":
    sys.exit(main())
