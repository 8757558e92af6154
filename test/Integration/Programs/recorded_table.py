"""Tables of what recorded programs become, a line for a program, that a test compares."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import zlib

RECORDED = pathlib.Path(__file__).parent / "recorded"


def import_named(model):
    """The named form of a recorded program."""
    command = ["tally-translate", "--import-pt2", model]
    return subprocess.run(command, capture_output=True, text=True).stdout


def compare_table(describe, count, rest):
    """Describes one of `count` programs, those whose names have the remainder `rest`, so that new
    programs change nothing of the others. Prints the table, or, where the command line names a
    table, what differs from it; then the result is 1 if something does."""
    models = [model for model in sorted(RECORDED.glob("*/model.pt2"))
              if zlib.crc32(model.parent.name.encode()) % count == rest]  # fmt: skip
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = [f"{model.parent.name}: {text}" for model, text in zip(models, pool.map(describe, models))]
    if len(sys.argv) == 1:
        print("\n".join(lines))
        return 0
    known = pathlib.Path(sys.argv[1]).read_text().splitlines()
    changed = [(old, new) for old, new in zip(known, lines) if old != new]
    for old, new in changed:
        print(f"was {old}\nis  {new}")
    print(f"{len(known)} programs in the table, {len(lines)} here, {len(changed)} changed")
    return 1 if changed or len(known) != len(lines) else 0
