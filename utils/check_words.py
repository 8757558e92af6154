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
LEFT_OUT = ("utils/", "docs/Glossary.md", "CHANGELOG.md", "/recorded/", "LICENSE")
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_rules(path):
    """Yields (where, pattern, replacement) for each line that is no comment."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        where, separator, rest = line.partition(" | ")
        pattern, middle, replacement = rest.rpartition(" | ")
        if where not in ("name", "text") or not separator or not middle:
            sys.exit(f"{path}:{number}: expected 'name|text | pattern | replacement'")
        yield where, re.compile(pattern), replacement


def tracked_files():
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if not any(part in name for part in LEFT_OUT) and (ROOT / name).is_file():
            yield name


def is_code(name):
    return name.endswith((".cpp", ".h", ".c", ".td"))


def split_comment(name, line):
    """What of a line is code; all of it in files that are no code."""
    return line.split("//", 1)[0] if is_code(name) else line


def find_words(rules, name, text):
    for number, line in enumerate(text.splitlines(), 1):
        code = split_comment(name, line)
        identifiers = set(IDENTIFIER.findall(re.sub(r'"[^"]*"', "", code))) if is_code(name) else set()
        for where, pattern, replacement in rules:
            if where == "name":
                found = [word for word in identifiers if pattern.fullmatch(word)]
            else:
                found = [match[0] for match in pattern.finditer(line)]
            for word in found:
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
