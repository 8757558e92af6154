#!/usr/bin/env python3
"""Shows that each barrier of the schedules is needed, and that the interpreter finds out
where one is missing. Needs no GPU.

A schedule of rows or squares is right for any number of blocks: one block does the work of
all here, so that its loop goes round. (Each block of a sort has its own tile.) Without any
one of its barriers, the interpreter has to find a race, or that nothing has been written
yet. Exit status: 0 if it does; 4 if not.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CUDA = HERE.parent / "Cuda" / "Inputs"
PIPELINE = "builtin.module(tally-check-pipeline,tally-gpu-pipeline{stop-after=schedule})"

# Programs, arguments, and the end of the name of the kernel that has barriers.
PROGRAMS = [
    (CUDA / "transpose.mlir", ["f32[70,40]=random"], "_tile"),
    (CUDA / "row_sum.mlir", ["f32[3,1025]=random"], "_block"),
    (CUDA / "row_sum.mlir", ["f32[3,1028]=random"], "_block_x4"),
    (HERE / "Inputs" / "softmax.mlir", ["f32[3,8193]=random"], "_wide"),
    (CUDA / "middle_sum.mlir", ["f32[2,40,33]=random"], "_column"),
    (CUDA / "middle_sum.mlir", ["f32[2,33100,1]=random"], "_join_block"),
    (HERE / "Inputs" / "places_of_largest.mlir", ["f32[3,1025]=random"], "_block"),
    (HERE / "Inputs" / "places_in_columns.mlir", ["f32[40,33]=random"], "_column"),
    # Whole tiles, and those at the ends of rows, which are other code.
    (HERE / "Inputs" / "sums_so_far.mlir", ["f32[2,4101]=random"], "_block_any_x4"),
    (HERE / "Inputs" / "sums_so_far.mlir", ["f32[2,1028]=random"], "_block_x4"),
    (HERE / "Inputs" / "sums_so_far.mlir", ["f32[2,16385]=random"], "_parts_any_x4"),
    (HERE / "Inputs" / "sums_so_far.mlir", ["f32[2,16385]=random"], "_sums"),
    (HERE / "Inputs" / "sums_so_far.mlir", ["f32[2,16385]=random"], "_apply_any_x4"),
]
# What comes before that end.
NUMBER = r"main(?:_(?:kernel|scan)_\d+)?"
SORT = HERE / "Inputs" / "sort.mlir"
SORTS = [
    (SORT, ["f32[1,300]=random"], "_sort_block_x4"),
    (SORT, ["f32[1,4097]=random"], "_sort_count"),
    (SORT, ["f32[1,4097]=random"], "_sort_scatter"),
    (HERE / "Inputs" / "sort_part.mlir", ["f32[1,1500]=random", "i64=0", "i64=20"], "_sort_select"),
    (HERE / "Inputs" / "sort_part.mlir", ["f32[1,1500]=random", "i64=700", "i64=1"], "_sort_find"),
]


# The one block that sums up counts goes round by itself.
COUNTS = HERE / "Inputs" / "count_nonzero.mlir"


def run(program, arguments, *options):
    inputs = [text for argument in arguments for text in ("--input", argument)]
    return subprocess.run(["tally-run", program, "--interpret", *inputs, *options], capture_output=True, text=True)


def lower(program, pipeline):
    return subprocess.run(["tally-opt", program, f"--pass-pipeline={pipeline}"],
                          capture_output=True, text=True, check=True).stdout


def use_one_block(scheduled, ending):
    return re.sub(rf"(::@{NUMBER}{ending}\s+blocks in) \(%\w+,", r"\1 (%c1,", scheduled)


def find_barriers(scheduled, ending):
    """The places of the barriers of a kernel."""
    start = re.search(rf"gpu\.func @{NUMBER}{ending}\(", scheduled).start()
    end = scheduled.index("gpu.return", start)
    return [match.span() for match in re.finditer(r"gpu\.barrier", scheduled[start:end])], start


def check_barriers(scheduled, arguments, ending, changed):
    """What is wrong, or nothing."""
    barriers, start = find_barriers(scheduled, ending)
    for number, (first, last) in enumerate(barriers):
        changed.write_text(scheduled[:start + first] + scheduled[start + last:])
        done = run(changed, arguments)
        # Shared memory that no thread has written is poison.
        if done.returncode != 1 or not re.search("' races with '|poison", done.stderr):
            return f"without barrier {number} there is no race: {done.stderr}"
    return None if barriers else "there are no barriers"


def check_program(program, arguments, ending, folder):
    scheduled = lower(program, PIPELINE)
    if "_sort_" not in ending:
        scheduled = use_one_block(scheduled, ending)
    run(program, arguments, "--output-dir", folder)
    expected = [text for path in sorted(folder.glob("out*.npy")) for text in ("--expect", path)]
    changed = folder / "changed.mlir"
    changed.write_text(scheduled)
    done = run(changed, arguments, *expected, "--call-time")
    blocks = 2 if "4097" in arguments[0] else 1
    if done.returncode or not re.search(rf"{NUMBER}{ending} x {blocks}$", done.stdout, re.MULTILINE):
        return f"all barriers: {done.stderr or done.stdout}"
    return check_barriers(scheduled, arguments, ending, changed)


def check_counts(folder):
    scheduled = lower(COUNTS, "builtin.module(tally-schedule-compaction)")
    elements = 32 * 1025
    changed = folder / "changed.mlir"
    changed.write_text(scheduled)
    # Every element is 1: the count before a tile is 32 for each tile before it.
    counts = ",".join(str(32 * tile) for tile in range(1026))
    done = run(changed, [f"f32[{elements}]=1"], "--expect", f"i64[1026]={counts}")
    if done.returncode:
        return f"counts: {done.stderr or done.stdout}"
    return check_barriers(scheduled, [f"f32[{elements}]=1"], "_scan", changed)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for number, program in enumerate([*PROGRAMS, *SORTS, None]):
            folder = pathlib.Path(temporary, str(number))
            folder.mkdir()
            name = f"{program[0].stem}{program[2]}" if program else "count_nonzero_scan"
            wrong = check_program(*program, folder) if program else check_counts(folder)
            print(f"FAIL {name}: {wrong}" if wrong else f"PASS {name}", flush=True)
            failed += wrong is not None
    return 4 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
