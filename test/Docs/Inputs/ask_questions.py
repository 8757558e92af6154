"""Asks tally-prove the questions of a page, and looks for its C++.

A code block of the language `tally-prove` is a file of statements, with options
behind the name if it takes any. Each query in it ends in a comment with its
answer, or with its answer and the rung that found it:

  prove n mod 8 <= 7  // yes, ranges

A code block of the language `cpp`, or `text`, is a piece of the file given by
--source.
With --z3, Z3 confirms the answers; blocks with that option are asked only then.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"^```(\S*) *(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUERY = re.compile(r"\s*(prove|equal|simplify|range|divisors|solve|eval)\s")


def read_queries(text, first_line):
    """(line of the page, line of the block, what is expected) of each query."""
    queries = []
    for number, line in enumerate(text.splitlines(), 1):
        if QUERY.match(line):
            if "//" not in line:
                raise SystemExit(f"line {first_line + number}: no answer")
            expected = line.split("//", 1)[1].strip()
            queries.append((first_line + number, number, expected))
    return queries


def ask(options, text):
    """The answer to each query, by its line, without and with its rung."""
    run = subprocess.run(["tally-prove", "--json", *options, "-"], input=text,
                         capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{run.stdout}{run.stderr}")
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    return {a["line"]: (a["answer"], f"{a['answer']}, {a['rung']}") for a in answers}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--z3", action="store_true")
    parser.add_argument("--source", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    arguments = parser.parse_args()
    page = arguments.page.read_text()
    source = arguments.source.read_text() if arguments.source else ""
    count = failures = 0
    for block in FENCE.finditer(page):
        language, options, text = block[1], block[2].split(), block[3]
        line = page.count("\n", 0, block.start()) + 1
        if language in ("cpp", "text") and text not in source:
            failures += 1
            print(f"{arguments.page}:{line}: not in {arguments.source}")
        if language != "tally-prove" or ("--z3" in options and not arguments.z3):
            continue
        answers = ask(options + ["--validate"] * arguments.z3, text)
        for at, number, expected in read_queries(text, line):
            count += 1
            if expected not in answers[number]:
                failures += 1
                print(f"{arguments.page}:{at}: expected {expected}, "
                      f"answered {answers[number][1]}")
    print(f"{count} queries, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
