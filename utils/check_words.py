#!/usr/bin/env python3
"""Finds words that the project does not use any more.

Reads utils/retired_words.txt and prints every place of a tracked text file where one
of them stands, as `file:line: word: use other`. Exit status: 0 if there is none, else 1.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "utils" / "retired_words.txt"
# What lists the words, and what PyTorch has recorded.
LEFT_OUT = ("lib/Runtime/pocketfft/", "utils/", "docs/Glossary.md", "CHANGELOG.md", "/recorded/", "test/Bytecode/Inputs/", "LICENSE")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# How a comment begins in files that hold identifiers.
COMMENTS = {
    ".cpp": "//", ".h": "//", ".c": "//", ".def": "//", ".td": "//", ".mlir": "//", ".py": "#", ".cmake": "#",
}


def read_rules(path):
    """Yields (where, pattern, replacement) for each line that is no comment."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        where, separator, rest = line.partition(" | ")
        pattern, middle, replacement = rest.rpartition(" | ")
        if where not in ("name", "word", "text") or not separator or not middle:
            sys.exit(f"{path}:{number}: expected 'name|word|text | pattern | replacement'")
        if where == "word":
            pattern = f"(?<=_)({pattern})(?=_)"
        yield where, re.compile(pattern), replacement


def tracked_files():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if not any(part in name for part in LEFT_OUT) and (ROOT / name).is_file():
            yield name


def find_identifiers(name, line):
    """The identifiers of a line of code, IR or a test: those outside of comments and strings; none of text."""
    comment = COMMENTS.get(pathlib.PurePath(name).suffix)
    if comment is None:
        return set()
    # The name of an operation that is not registered is a string.
    code = line if name.endswith(".mlir") else re.sub(r'"[^"]*"', "", line)
    return set(IDENTIFIER.findall(code.split(comment, 1)[0]))


def in_snake_case(identifier):
    """`getTripCount` is `_get_trip_count_`."""
    return "_" + "_".join(WORD.findall(identifier)).lower() + "_"


def find_words(rules, name, text):
    """Yields (line, word, replacement); of the file's own name on line 0."""
    is_prose = False
    for number, line in enumerate([name.replace("-", "_"), *text.splitlines()]):
        # What a .td file tells of an operation is prose.
        if name.endswith(".td"):
            is_prose = "}]" not in line.rpartition("[{")[2] if "[{" in line else is_prose and "}]" not in line
        identifiers = set() if is_prose else find_identifiers(name, line)
        for where, pattern, replacement in rules:
            if where == "name":
                found = [word for word in identifiers if pattern.fullmatch(word)]
            elif where == "word":
                found = [word for word in identifiers if pattern.search(in_snake_case(word))]
            else:
                found = [match[0] for match in pattern.finditer(line)]
            for word in sorted(found):
                yield number, word, replacement


def main():
    rules = list(read_rules(LIST))
    count = 0
    for name in tracked_files():
        try:
            text = (ROOT / name).read_text()
        except UnicodeDecodeError:
            continue
        for number, word, replacement in find_words(rules, name, text):
            count += 1
            print(f"{name}:{number}: {word}: use {replacement}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
