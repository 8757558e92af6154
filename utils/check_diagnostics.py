#!/usr/bin/env python3
"""Finds diagnostics that no test shows.

In lib/ and tools/, a diagnostic is a statement that calls one of STARTS or assigns a text
to one of TEXTS; in python/, it is a `raise`. Its literals, those that stand beside each
other joined, are what it says beside names and numbers. The longest one must occur in a
file below test/, at least as far as KNOWN_LENGTH characters of it; where the statement
chooses between texts, so must the longest of each choice. A text that several statements
say must occur as often, as a test of one says nothing of the others.

untested_diagnostics.txt lists those that have no test yet, each with its reason. The list
can only shrink: an entry that a test shows, or that is no diagnostic any more, is an
error. Exit status: 0 if all is well, else 1. `--count` prints how many were looked at.
"""

import ast
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "utils" / "untested_diagnostics.txt"
STARTS = """
  emitError emitOpError emitOptionalError emitWarning emitRemark
  createStringError makeError npyError specError report_fatal_error errs
  error fail failInvalid invalid unsupported set printFailure
  refuse refuseArgument refuseSize makePoison observedPoison
  requireEqual requireNatural checkAll checkData checkEqual
""".split()
TEXTS = "why message userMessage errorMessage problem unsupported".split()
START = re.compile(rf"\b(?:{'|'.join(STARTS)})\s*\(|\b(?:{'|'.join(TEXTS)})\s*\+?=(?!=)|\bemit(?:Op)?Error\b")
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|//[^\n]*|\'(?:[^\'\\]|\\.)*\'|[(){};?]|\s+|[^\s"/\'(){};?]+|.', re.DOTALL)
# A test may show the beginning of a long message only.
KNOWN_LENGTH = 28
# Stands for the files of a text that several statements say.
SHARED = "several"
# What is shorter is a part of a sentence, not one of several texts to choose from.
SHORTEST_CHOICE = 16


def unescape(literal):
    return literal.replace('\\"', '"').replace("\\'", "'").replace("\\n", "\n").replace("\\\\", "\\")


def get_choices(text, start):
    """The literals of the statement from `start` on, those beside each other joined, as a
    list for each choice of the statement."""
    choices, depth, beside = [[]], 0, False
    for token in TOKEN.finditer(text, start):
        piece = token.group()
        if token.group(1) is not None:
            value = unescape(token.group(1))
            choices[-1][-1:] = [choices[-1][-1] + value] if beside else choices[-1][-1:] + [value]
            beside = True
            continue
        if piece.isspace() or piece.startswith("//"):
            continue
        beside = False
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth -= 1
        elif piece in "?:":
            choices.append([])
        if depth < 0 or (depth == 0 and piece in ";{}"):
            break
    return choices


def collect_cpp(text):
    """The lines and literals of a C++ file's diagnostics, one of each statement."""
    seen = set()
    for match in START.finditer(text):
        if text[text.rfind("\n", 0, match.start()) + 1:].lstrip().startswith("//"):
            continue
        line = text.count("\n", 0, match.start()) + 1
        literals = [max(choice, key=len) for choice in get_choices(text, match.start()) if choice]
        longest = max(literals, key=len, default="")
        for literal in literals:
            said = literal.strip()
            is_whole = literal == longest or len(said) >= SHORTEST_CHOICE
            if is_whole and re.search("[a-z]{3}", said) and (line, said) not in seen:
                seen.add((line, said))
                yield line, literal


def collect_python(text):
    """The lines and literals of what a Python file raises."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Raise):
            literals = [leaf.value for leaf in ast.walk(node)
                        if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)]
            longest = max(literals, key=len, default="")
            if len(longest) > 3:
                yield node.lineno, longest


def list_files(*patterns):
    command = ["git", "-C", ROOT, "ls-files", *patterns]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def collect():
    """The diagnostics, each as a file, a line and a literal."""
    for name in list_files("lib/*.cpp", "lib/*.h", "tools/*.cpp", "tools/*.h", "python/*.py"):
        text = (ROOT / name).read_text()
        for line, literal in collect_python(text) if name.endswith(".py") else collect_cpp(text):
            yield name, line, literal


def read_tests():
    texts = []
    for name in list_files("test"):
        try:
            texts.append((ROOT / name).read_text())
        except UnicodeDecodeError:
            pass
    # A literal of C++ may go on in the next line.
    return re.sub(r'"\s*\n\s*"', "", "\n".join(texts))


def read_exceptions():
    lines = EXCEPTIONS.read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def main():
    tests = read_tests()
    diagnostics = list(collect())
    missing = {}
    statements = collections.Counter(literal[:KNOWN_LENGTH].strip() for _, _, literal in diagnostics)
    for name, line, literal in diagnostics:
        shown = tests.count(literal[:KNOWN_LENGTH].strip())
        if shown == 0:
            missing[f"{name}: {' '.join(literal.split())}"] = line
        elif shown < statements[literal[:KNOWN_LENGTH].strip()]:
            missing[f"{SHARED}: {' '.join(literal.split())}"] = line
    if "--list" in sys.argv:
        print("\n".join(missing))
        return 0
    exceptions = read_exceptions()
    for entry in sorted(missing.keys() - exceptions):
        name, _, literal = entry.partition(": ")
        if name == SHARED:
            print(f"several statements say '{literal}', and tests show fewer")
        else:
            print(f"{name}:{missing[entry]}: no test shows '{literal}'")
    for entry in sorted(exceptions - missing.keys()):
        print(f"{EXCEPTIONS.name}: '{entry}' has a test, or is gone; remove it here")
    if "--count" in sys.argv:
        print(f"{len(diagnostics)} diagnostics, {len(missing)} without a test")
    return 1 if missing.keys() != exceptions else 0


if __name__ == "__main__":
    sys.exit(main())
