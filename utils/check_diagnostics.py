#!/usr/bin/env python3
"""Finds diagnostics that no test shows.

A diagnostic is a statement of lib/ with emitError or emitOpError. Its literals, those
that stand beside each other joined, are what it says beside names and numbers; the
longest one must occur in a file below test/, at least as far as KNOWN_LENGTH characters
of it. Exit status: 0 if all do, else 1. `--count` prints how many were looked at.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
START = re.compile(r"\bemit(?:Op)?Error\b")
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|//[^\n]*|\'(?:[^\'\\]|\\.)*\'|[(){};]|\s+|[^\s"/\'(){};]+|.', re.DOTALL)
# A test may show the beginning of a long message only.
KNOWN_LENGTH = 28

def get_literals(text, start):
    """The literals of the statement from `start` on, those beside each other joined."""
    literals, depth, beside = [], 0, False
    for token in TOKEN.finditer(text, start):
        piece = token.group()
        if token.group(1) is not None:
            value = token.group(1).replace('\\"', '"').replace("\\'", "'").replace("\\n", "\n").replace("\\\\", "\\")
            literals[-1:] = [literals[-1] + value] if beside else literals[-1:] + [value]
            beside = True
            continue
        if piece.isspace() or piece.startswith("//"):
            continue
        beside = False
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth -= 1
        if depth < 0 or (depth == 0 and piece in ";{}"):
            break
    return literals


def collect():
    """The diagnostics, each as a place and its longest literal."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "lib/*.cpp", "lib/*.h"], capture_output=True, text=True,
                           check=True).stdout.split()
    for name in names:
        text = (ROOT / name).read_text()
        for match in START.finditer(text):
            literals = get_literals(text, match.start())
            if literals and len(max(literals, key=len)) > 3:
                yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}", max(literals, key=len)


def read_tests():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "test"], capture_output=True, text=True,
                           check=True).stdout.split()
    texts = []
    for name in names:
        try:
            texts.append((ROOT / name).read_text())
        except UnicodeDecodeError:
            pass
    # A literal of C++ may go on in the next line.
    return re.sub(r'"\s*\n\s*"', "", "\n".join(texts))


def main():
    tests = read_tests()
    diagnostics = list(collect())
    missing = [(place, literal) for place, literal in diagnostics
               if literal[:KNOWN_LENGTH].strip() not in tests]
    for place, literal in missing:
        print(f"{place}: no test shows '{literal}'")
    if "--count" in sys.argv:
        print(f"{len(diagnostics)} diagnostics, {len(missing)} without a test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
