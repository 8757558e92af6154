"""Writes the first code block of each language of a page to a file:
extract_blocks.py PAGE.md LANGUAGE[:BEGINNING]=FILE...; with a beginning, the first that begins so."""

import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1]).read_text()
for request in sys.argv[2:]:
    request, path = request.split("=")
    language, _, begins = request.partition(":")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)
    # Code that is to be run says what it needs; others are parts.
    begins = begins or {"c": "#include", "python": "import"}.get(language, "")
    pathlib.Path(path).write_text(next(b for b in blocks if b.startswith(begins)))
