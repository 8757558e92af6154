"""Imports programs of one node each, and prints what the importer says of them.

    import_nodes.py TEST FOLDER

The lines `NODE: ...` of a test are arguments of make_pt2.py, which says what they mean. For
each, this prints the errors, or else the checks of the program.
"""

import pathlib
import shlex
import subprocess
import sys

from make_pt2 import write

test, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
model = folder / "model.pt2"
for line in test.read_text().splitlines():
    if not line.startswith("NODE: "):
        continue
    target, *arguments, ranks = shlex.split(line.removeprefix("NODE: "))
    write(model, target, arguments, ranks)
    done = subprocess.run(["tally-translate", "--import-pt2", model], capture_output=True, text=True)
    failed = "error:" in done.stderr
    if done.returncode != (1 if failed else 0):
        sys.exit(f"{line}\nexit status {done.returncode}\n{done.stderr}")
    said = done.stderr if failed else done.stdout
    shown = [text.strip() for text in said.splitlines() if "error:" in text or "tally.check" in text]
    print("\n".join(shown or [f"nothing is said of {line}"]), flush=True)
