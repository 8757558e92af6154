"""Follows docs/Extending.md to the letter: writes the files that the page shows.

    follow_extending.py SOURCES FOLDER
"""

import pathlib
import re
import sys

SOURCES, FOLDER = map(pathlib.Path, sys.argv[1:])
FILE = re.compile(r"^`([^`\n]+)`:\n\n```\S*\n(.*?)^```$", re.MULTILINE | re.DOTALL)

for name, text in FILE.findall((SOURCES / "docs" / "Extending.md").read_text()):
    (FOLDER / name).write_text(text)
    print("wrote", name)
