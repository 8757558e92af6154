#!/usr/bin/env python3
"""Writes the files that a page of the documentation shows in full, or prints its commands.

A file is a fenced block after a line that is its name in backquotes and a colon, as
`` `CMakeLists.txt`: ``; commands are the fenced blocks of `sh`.

Usage: extract_files.py PAGE.md FOLDER
       extract_files.py --commands PAGE.md
"""

import pathlib
import re
import sys

FILE = re.compile(r"^`([^`\n]+)`:\n\n```\S*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    if len(sys.argv) != 3 or "--help" in sys.argv:
        sys.exit(__doc__)
    if sys.argv[1] == "--commands":
        print("".join(COMMANDS.findall(pathlib.Path(sys.argv[2]).read_text())), end="")
        return
    page, folder = map(pathlib.Path, sys.argv[1:])
    files = FILE.findall(page.read_text())
    if not files:
        sys.exit(f"{page} shows no file")
    for name, text in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
