"""Compares answers with recorded ones: recorded_answers.py TALLY-PROVE RECORD [FILE...]

Asks random questions and those of the files, with what found each answer, the facts that it
relies on or why there is none, and for scripts in SMT-LIB; RECORD has a few digits of a hash of each. Prints what
has changed. Where that is right, TALLY_RECORD=1 in the environment writes RECORD anew.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys

tool, record, files = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
GENERATORS = ["random_queries.py", "random_products.py"]
SEEDS, GROUPS, DIGITS = range(1, 9), 70, 3


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True).stdout


def answers(name, text):
    """Yields a label and a line for each answer."""
    for number, line in enumerate(run([tool, "--explain", "-"], text).splitlines(), 1):
        yield f"answer {number} of {name}", re.sub(r"; [^;]* us$", "", line)


def scripts(name, text):
    for number, script in enumerate(run([tool, "--smt2", "-"], text).split("(reset)"), 1):
        yield f"script {number} of {name}", script


lines = []
for generator in GENERATORS:
    for seed in SEEDS:
        path = str(pathlib.Path(__file__).with_name(generator))
        questions = run([sys.executable, path, str(seed), str(GROUPS)])
        lines += answers(f"{generator} {seed} {GROUPS}", questions)
        lines += scripts(f"{generator} {seed} {GROUPS}", questions) if seed < 3 else []
for file in files:
    text = pathlib.Path(file).read_text()
    lines += answers(pathlib.Path(file).name, text)
hashes = [hashlib.sha256(line.encode()).hexdigest()[:DIGITS] for _, line in lines]
if os.environ.get("TALLY_RECORD"):
    rows = [" ".join(hashes[i : i + 24]) for i in range(0, len(hashes), 24)]
    record.write_text("\n".join(rows) + "\n")
    sys.exit()
recorded = record.read_text().split()
changed = [(label, line) for (label, line), new, old in zip(lines, hashes, recorded) if new != old]
for label, line in changed[:20]:
    print(f"{label} is now: {line}")
print(f"{len(recorded)} recorded, {len(lines)} asked, {len(changed)} changed")
