"""What the first half of the compiler accepts, the second half must not refuse.

Runs every .mlir file of some folders, piece by piece, through the check pipeline
and tally-verify-form, and every second one again without leaving out what is
proven, and .pt2 archives with them; reports what only the latter refuses. (A
test of its own runs an archive as it is compiled.)
"""

import argparse
import bisect
import os
import pathlib
import re
import subprocess
import tempfile

REFUSED = re.compile(r"[^:]+:(\d+):\d+: error: "
                     "(.*(neither follows from what is known|has not been decided|but Z3 refutes it).*)")


def pieces(folders, scratch):
    """The text of every program, with the file that it is from."""
    for folder in map(pathlib.Path, folders):
        for file in sorted(folder.rglob("*.mlir")):
            text = file.read_text()
            # Some are there to be refused.
            if "invalid" not in file.name and "not tally-opt --tally-verify-form" not in text:
                yield from ((file, piece) for piece in text.split("// -----"))
        for file in sorted(folder.rglob("*.pt2")):
            out = scratch / f"{len(list(scratch.iterdir()))}.mlir"
            run = subprocess.run(["tally-translate", "--import-pt2", file, "-o", out], capture_output=True)
            if run.returncode == 0:
                yield file, out.read_text()


def find_refused(programs, elide, scratch, validate):
    """What is refused of some programs: the file, the line in the piece, and the reason."""
    # One process for all: most of the time it takes one to start.
    starts, lines = [], []
    for _, piece in programs:
        starts.append(len(lines) + 1)
        lines += [*piece.splitlines(), "// -----"]
    everything = pathlib.Path(scratch) / f"all-{elide}.mlir"
    everything.write_text("\n".join(lines))
    pipeline = f"builtin.module(tally-check-pipeline{{elide={elide}}},any(tally-verify-form))"
    command = ["tally-opt", everything, "--split-input-file", "--allow-unregistered-dialect",
               f"--pass-pipeline={pipeline}", "-mlir-print-op-on-diagnostic=false", "-o", "/dev/null"]
    environment = dict(os.environ, **({"TALLY_VALIDATE": "1"} if validate else {}))
    run = subprocess.run(command, capture_output=True, text=True, cwd=scratch, env=environment)
    assert run.returncode in (0, 1), (run.returncode, run.stderr[-2000:])
    for line in run.stderr.splitlines():
        if found := REFUSED.match(line):
            number = bisect.bisect(starts, int(found[1])) - 1
            yield programs[number][0], int(found[1]) - starts[number] + 1, found[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--elide", nargs="*", default=["true", "false"])
    parser.add_argument("--validate", action="store_true", help="have Z3 confirm proofs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        programs = list(pieces(arguments.folders, pathlib.Path(scratch)))
        refused = 0
        for elide in arguments.elide:
            if elide == "true":
                chosen = [(file, text) for file, text in programs if file.suffix == ".mlir"]
            else:
                chosen = programs[:: min(len(arguments.elide), 2)]
            validate = arguments.validate and elide == "true"
            for file, line, reason in find_refused(chosen, elide, scratch, validate):
                refused += 1
                print(f"elide={elide}: {file}, line {line} of a piece: {reason}")
    print(f"{len(programs)} programs, {refused} preconditions refused")


if __name__ == "__main__":
    main()
