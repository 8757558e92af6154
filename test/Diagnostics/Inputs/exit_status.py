"""Runs each part of the tests of diagnostics by itself: where an error is expected, the tool
fails, and else it does not. `--verify-diagnostics` looks at the text alone.

    exit_status.py TESTS FOLDER
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

tests, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)


def list_parts():
    """Yields the command, the file of a part, and whether an error is expected."""
    for test in sorted(tests.rglob("*.mlir")):
        text = test.read_text()
        for run in re.findall(r"^// RUN: (.*-verify-diagnostics.*)$", text, re.MULTILINE):
            # What a test expects to end otherwise, it looks at itself.
            if run.startswith("not "):
                continue
            command = [
                argument.replace("%t", str(folder))
                for argument in shlex.split(run)
                if argument.lstrip("-") not in ("verify-diagnostics", "split-input-file", "%s")
            ]
            parts = re.split(r"^// -----.*$", text, flags=re.MULTILINE) if "split-input-file" in run else [text]
            for number, part in enumerate(parts):
                name = "-".join(test.relative_to(tests).with_suffix("").parts)
                path = folder / f"{name}.{number}.mlir"
                path.write_text(part)
                yield command, path, "expected-error" in part


def run(command, path, fails):
    done = subprocess.run([*command, path, "-o", os.devnull], stderr=subprocess.PIPE, text=True)
    if done.returncode == int(fails):
        return None
    return f"{' '.join(command)} {path}: exit status {done.returncode}, not {int(fails)}\n{done.stderr}"


parts = list(list_parts())
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    wrong = [text for text in pool.map(lambda part: run(*part), parts) if text]
print("\n".join(wrong))
print(f"{len(parts)} parts, {len(wrong)} with another exit status")
