"""Runs the programs of the brute-force test through compiled code and through the
reference interpreter, on many of their inputs.

Results have to be equal, and so has the position of the first check that fails. What
differs is printed. Exit status: 0 all agree; 4 not.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "BruteForce"))

import programs  # noqa: E402

# So many inputs of one program, spread evenly over all of them.
MOST_CASES = 120
# A check in a loop that says the same in every iteration is asserted before the loop
# (docs/Checks.md), and so before one of the loop that stands in front of it.
OTHER_ORDER = {"while_checks_before"}
NAMES = {"float32": "f32", "float64": "f64", "int64": "i64", "int32": "i32", "bool": "i1"}


def spec(array):
    """An input in the words of tally-run."""
    shape = "" if array.ndim == 0 else str(list(array.shape)).replace(" ", "")
    elements = ",".join(str(value).lower() if array.dtype == bool else repr(value)
                        for value in array.ravel().tolist())
    return f"{NAMES[str(array.dtype)]}{shape}={elements}"


def write_cases(program, path):
    inputs = list(program.cases())
    step = max(1, len(inputs) // MOST_CASES)
    chosen = inputs[::step]
    path.write_text(json.dumps([{"name": str(number), "inputs": [spec(array) for array in arrays]}
                                for number, arrays in enumerate(chosen)]))
    return len(chosen)


def compare(program, folder, custom, form):
    """What is wrong with a program, or nothing."""
    path = folder / f"{program.name}.json"
    count = write_cases(program, path)
    command = ["tally-run", str(program.path), "--compare", "--cases", str(path), "--link", custom]
    if form:
        command.append(f"--interpret={form}")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0 and done.stdout.count("PASS") == count:
        return None
    wrong = [line for line in done.stdout.splitlines() if not line.startswith("PASS")]
    return "\n".join([*wrong[:8], done.stderr])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs; default: all")
    parser.add_argument("--shard", default="0/1", metavar="I/N", help="every Nth program from I on")
    parser.add_argument("--form", help="the form that is interpreted; default: as it stands")
    options = parser.parse_args()
    # The log of the custom functions is part of the process: two runs fill it.
    known = {name: program for name, program in programs.all_programs().items()
             if name not in OTHER_ORDER and "log_number" not in pathlib.Path(program.path).read_text()}
    first, step = map(int, options.shard.split("/"))
    names = options.names or sorted(known)[first::step]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        custom = os.path.join(folder, "custom.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", custom,
                        HERE.parent / "BruteForce/custom_functions.c", "-I", HERE / "../../../include"], check=True)
        for name in names:
            wrong = compare(known[name], pathlib.Path(folder), custom, options.form)
            if wrong:
                failed += 1
                print(f"{name}: {wrong}")
    print(f"{len(names) - failed} programs agree, {failed} do not")
    return 4 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
