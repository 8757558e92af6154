#!/usr/bin/env python3
"""Runs every schedule for a GPU in the reference interpreter, at sizes around its own,
and compares with the program as it stands. Needs no GPU.

    schedules.py               all programs
    schedules.py row_sum       one

Each program has to launch the schedules that are listed with it, and no others, so that
none is left out. Arguments of an odd seed are not aligned. Exit status: 0 all agree; 4
not.
"""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CUDA = HERE.parent / "Cuda" / "Inputs"
SEEDS = (0, 1)
# Seeds with which results may depend on the order of threads (see `tally-run --help`).
ANY_ORDER = (2, 3)

# Around the lanes of a wide access, a warp and a block.
LENGTHS = [(n,) for n in (0, 1, 7, 8, 9, 31, 33, 255, 256, 257, 2047, 2048, 2049)]
# Around the side of a square and what is worth one.
SQUARES = [(0, 3), (3, 0), (1, 1), (1, 40), (7, 9), (8, 8), (31, 33), (32, 32), (33, 65), (64, 4), (12, 100)]
# More points than kernels have that are launched together.
MANY = [(1, 131073), (4, 32772)]
# Rows of a warp, then of a block, then of several blocks.
ROWS = [(0, 5), (5, 0), (1, 1), (3, 7), (4, 31), (129, 4), (5, 33), (2, 1023), (3, 1024), (2, 1025), (3, 1028)]
# Around the tiles of a warp, of a block, and around the parts of threads.
TILES = [(0, 5), (5, 0), (1, 1), (3, 31), (9, 32), (2, 33), (2, 127), (1, 128), (3, 132), (1, 255), (2, 256), (1, 257),
         (1, 1023), (2, 1024), (1, 1025), (1, 1028), (2, 2048), (1, 2052), (2, 4095), (1, 4096), (1, 4100), (1, 8261)]
COLUMNS = [(0, 3), (3, 0), (1, 1), (40, 1), (31, 33), (32, 32), (33, 65), (129, 2), (255, 3), (256, 5), (257, 3), (1030, 1)]
# Rows that lie across memory: of a thread, of threads of a block, and of several blocks.
ACROSS = [(33, 5), (33, 8), (40, 33), (257, 3), (255, 64), (600, 36), (700, 1), (2100, 7), (520, 130)]
# Rows of a wide block.
WIDE = [(2, 8193), (1, 8196), (1, 12001)]
LONG = [(2, 16383), (1, 16384), (2, 16385), (1, 24580)]
# Around a row of a warp, those of blocks of several sizes, and several tiles.
SORTED = [(0, 5), (5, 0), (1, 1), (9, 2), (9, 31), (2, 32), (2, 33), (1, 256), (2, 257), (1, 1024), (1, 1025), (2, 2047),
          (1, 2048), (2, 2049), (1, 4096), (2, 4097), (1, 16390)]
# One of each.
SOME_SORTED = [(0, 5), (5, 0), (3, 32), (2, 33), (1, 300), (1, 1100), (1, 2050), (1, 4100)]


def places(limit, shape):
    """Numbers below a limit, of which some occur often."""
    count = 1
    for size in shape:
        count *= size
    numbers = ",".join(str(i * i * 7 % max(limit, 1)) for i in range(count))
    return f"i64{list(shape)}={numbers}" if count else f"i64{list(shape)}=random"


def looked_up(*others):
    """Indices of a table of 50, of which the one at a place is wrong, if there is one, and operands of other types."""
    def build(n, m, wrong=None):
        indices = [i * i * 7 % 50 for i in range(n * m)]
        if wrong is not None:
            indices[wrong] = 50 if wrong % 2 else -51
        told = ",".join(map(str, indices))
        inputs = [f"f32[50]={','.join(map(str, range(50)))}", *(text.format(n, m) + "=random" for text in others),
                  f"i64[{n},{m}]={told}"]
        return {"inputs": inputs, **({} if wrong is None else {"raises": "out of bounds"})}
    return build


def with_wrong(shapes):
    """The sizes, alone and with a wrong element at the start, inside and at the end."""
    return [case for n, m in shapes
            for case in [(n, m), *((n, m, place) for place in sorted({0, n * m // 3, n * m - 1}) if 0 <= place < n * m)]]


def branches(flag, other, n, m, wrong=None):
    """What decides branches, and indices of a table of 50; a wrong one matters where both branches are taken."""
    case = looked_up()(n, m, wrong)
    inputs = [f"i1[]={str(each).lower()}" for each in (flag, other)] + case["inputs"]
    return {"inputs": inputs, **({"raises": "out of bounds"} if wrong is not None and flag and other else {})}


def zeros_and_ones(n, m):
    """Elements of which about a third is zero."""
    numbers = ",".join(str(i * i % 3) for i in range(n * m))
    return f"f32[{n},{m}]={numbers}" if n * m else f"f32[{n},{m}]=random"


def with_ties(kind, special, others=range(-50, 51)):
    """Elements of which many are equal, some of them special ones."""
    def build(*shape):
        count = shape[0] * shape[1]
        numbers = ",".join(special[i * i % 11 % len(special)] if i % 3 == 0 else str(others[i * 37 % len(others)])
                           for i in range(count))
        return f"{kind}{list(shape)}={numbers}" if count else f"{kind}{list(shape)}=random"
    return build


def special_floats(kind):
    return with_ties(kind, ["nan", "0.0", "-0.0", "inf", "-nan", "-inf", "1e-5", "nan"])


def special_integers(bits):
    return with_ties(f"i{bits}", [str(-1 << bits - 1), str((1 << bits - 1) - 1), "0", "-1", "3"])


def of(*types):
    """Random arguments, `{0}` is the first size."""
    return lambda *sizes: [text.format(*sizes) + "=random" for text in types]


# Name, arguments of given sizes (or a case that raises), sizes, the ends of the names of kernels, and seeds.
PROGRAMS = [
    (CUDA / "pointwise_f16.mlir", of("f16[{0}]", "f16[{0}]"), LENGTHS, "kernel kernel_x8"),
    (HERE / "Inputs" / "bytes.mlir", of("i8[{0}]", "i1[{0}]"), LENGTHS, "kernel kernel_x8"),
    (CUDA / "broadcast_add.mlir", of("f32[{0},{1}]", "f32[{1}]", "f32[{0}]"), SQUARES, "near kernel_x4 flat_x4"),
    (CUDA / "integers.mlir", of("i64[{0},{1}]", "i64[{0},{1}]"), SQUARES, "kernel kernel_x2"),
    (CUDA / "concat.mlir", of("f32[{0},{1}]", "f32[{0},{1}]"), [*SQUARES, *MANY, (3, 43691)], "joined joined_large"),
    (CUDA / "transpose.mlir", of("f32[{0},{1}]"), SQUARES, "kernel_x4 flat_x4 tile"),
    (CUDA / "transpose.mlir", of("f32[{0},{1}]"), [(300, 3610)], "large_tile", (1,)),
    (CUDA / "permute_bf16.mlir", of("bf16[{1},3,{0}]"), SQUARES, "kernel_x8 flat_x8 tile"),
    (CUDA / "gather.mlir", lambda n, m: [f"f32[{n},{m + 1}]=random", places(m + 1, (n, m))], SQUARES,
     "near kernel_x2 flat_x2 few few_x2 warp warp_x2 block block_x2"),
    (HERE / "Inputs" / "looked_up.mlir", looked_up("f32[{1}]"), [*with_wrong(SQUARES), (3, 21847), (4, 16386)],
     "each near kernel_x2 flat_x2"),
    (HERE / "Inputs" / "looked_up_rows.mlir", looked_up(), with_wrong([*ROWS, *WIDE, (1, 16384), (2, 16385)]),
     "few few_x2 warp warp_x2 block block_x2 wide wide_x2 parts parts_x2 parts_apply parts_apply_x2"),
    (HERE / "Inputs" / "looked_up_columns.mlir", looked_up(), with_wrong([(0, 3), (3, 0), (1, 1), *ACROSS]),
     "thread thread_x2 column column_x2 column_parts column_parts_x2 join"),
    (HERE / "Inputs" / "looked_up_sums.mlir",
     lambda n, k, m, limit=50: {"inputs": [places(limit, (n, k)), f"f32[50,{m}]=random"],
                                **({} if limit == 50 else {"raises": "out of range"})},
     [(0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 1, 1), (3, 16, 8), (5, 17, 7), (2, 40, 36), (3, 33, 5), (1, 600, 8), (2, 700, 3),
      (3, 16, 8, 100), (2, 40, 5, 100), (1, 600, 8, 100)],
     "main_loop thread thread_x4 column column_x4 column_parts column_parts_x4 join"),
    (HERE / "Inputs" / "looked_up_pairs.mlir",
     lambda n, m, h=11, w=13: {"inputs": [f"f32[{h},{w}]=random", places(11, (n,)), places(13, (m,))],
                               **({} if h * w == 143 or n * m == 0 else {"raises": "out of bounds"})},
     [*SQUARES, (7, 9, 4, 13), (7, 9, 11, 4), (300, 40, 10, 13), (0, 3, 0, 0), (3, 0, 0, 0)],
     "main_loop kernel_x2 flat_x2"),
    (CUDA / "scatter_add.mlir",
     lambda n, m: [f"f32[{n},{m + 1}]=random", places(m + 1, (n, m)), f"f32[{n},{m}]=random"], SQUARES,
     "few few_x2 warp warp_x2 block block_x2 main_owners main_blocks"),
    (CUDA / "scatter_add.mlir",
     lambda n, m: [f"f32[{n},{m + 160}]=random", places(m + 1, (n, m)), f"f32[{n},{m}]=random"], SQUARES,
     "few few_x2 warp warp_x2 block block_x2 main_atomics", ANY_ORDER),
    (HERE / "Inputs" / "rows_added.mlir",
     lambda n, m: [f"f32[5,{m}]=random", places(5, (n,)), f"f32[{n},{m}]=random"],
     [*SQUARES, (65, 2), (300, 33), (260, 130), (1025, 1)],
     "main_owners main_blocks main_keys main_runs sort_block_x4 sort_block_x16"),
    (HERE / "Inputs" / "rows_summed.mlir",
     lambda n, m, k: [f"f32[{k},{m}]=random", places(k, (n,)), f"f32[{n},{m}]=random"],
     [(0, 3, 1), (3, 0, 1), (65, 0, 2), (64, 2, 3), (65, 1, 1), (128, 3, 1), (129, 2, 1), (300, 33, 7), (131, 259, 2),
      (1024, 1, 3), (1025, 2, 5), (4097, 1, 70000)],
     "few few_x2 warp warp_x2 block main_owners main_blocks main_keys main_sums main_joins "
     "sort_block_x4 sort_block_x16 sort_count sort_scatter"),
    (HERE / "Inputs" / "largest_of_rows.mlir",
     lambda n, m, k: [special_floats("f32")(k, m), places(k, (n,)), special_floats("f32")(n, m)],
     [(0, 3, 1), (3, 0, 1), (1, 1, 1), (65, 3, 2), (64, 2, 30), (300, 33, 7), (1025, 1, 3)],
     "few few_x2 warp warp_x2 block main_tables main_atomics"),
    (HERE / "Inputs" / "counts.mlir", lambda n: [places(7, (n,))], LENGTHS,
     "main_tables main_atomics main_atomics_0 kernel_x2 kernel_x4 few few_x2 warp warp_x2 block block_x2"),
    (HERE / "Inputs" / "last_written.mlir",
     lambda n: ["bf16[7]=random", places(7, (n,)), f"bf16[{n}]=random"], LENGTHS,
     "main_owners main_blocks main_keys main_runs sort_block_x16"),
    (HERE / "Inputs" / "last_of_known.mlir",
     lambda n, k: [f"f32[{k}]=random", places(k, (n,)), f"f32[{n}]=random"],
     [(0, 1), (1, 1), (64, 7), (65, 1), (257, 100), (1025, 7), (2049, 7)],
     "few few_x2 warp block main_owners main_blocks main_keys main_last sort_block_x16"),
    (HERE / "Inputs" / "rows_summed.mlir",
     lambda n, m, k: [f"f32[{k},{m}]=random", places(k, (n,)), f"f32[{n},{m}]=random"],
     [(0, 3, 1), (3, 0, 1), (65, 0, 2), (300, 1, 1), (171, 3, 1), (129, 2, 80), (300, 33, 7), (1025, 1, 3)],
     "few few_x2 warp warp_x2 block main_atomics main_blocks main_keys main_sums main_joins sort_block_x16", ANY_ORDER),
    (HERE / "Inputs" / "any_written.mlir",
     lambda n, size=11: {"inputs": [f"f16[{size}]=random", places(11, (n,))],
                         **({"raises": "does not hold"} if size < 11 else {})},
     [*LENGTHS, (1, 0), (33, 5), (2049, 10)], "main_any", ANY_ORDER),
    (CUDA / "slice_by_item.mlir", lambda n, m: [f"f32[{n},{m}]=random", f"i64[1]={n // 2}"], SQUARES, "kernel kernel_x4"),
    (CUDA / "cond_by_data.mlir", lambda n: [f"i1[]={str(n % 2 == 1).lower()}", f"f32[{n}]=random"], LENGTHS,
     "kernel kernel_x4"),
    (HERE / "Inputs" / "branches.mlir", branches,
     [(flag, other, *case) for flag in (False, True) for other in (False, True)
      for case in [(0, 3), (3, 0), (1, 1), (33, 65), (2, 1025), (1, 16385), (7, 9, 0), (7, 9, 62)]],
     "block each few few_x4 kernel kernel_x2 parts parts_apply"),
    (CUDA / "row_sum.mlir", of("f32[{0},{1}]"), ROWS + LONG,
     "few few_x4 warp warp_x4 block block_x4 parts parts_x4 join"),
    (CUDA / "total.mlir", of("f32[{0},{1}]"), ROWS + LONG, "few few_x4 warp warp_x4 block block_x4 parts parts_x4 join"),
    (CUDA / "largest.mlir", of("f32[{0},{1}]"), ROWS + LONG, "few few_x4 warp warp_x4 block block_x4 parts parts_x4 join"),
    (HERE / "Inputs" / "normalized.mlir", of("f32[{0},{1}]"), ROWS + LONG + WIDE,
     "few few_x4 warp warp_x4 block block_x4 wide wide_x4 parts parts_x4 parts_apply parts_apply_x4"),
    (HERE / "Inputs" / "softmax.mlir", of("f32[{0},{1}]"), ROWS + LONG + WIDE,
     "few few_x4 warp warp_x4 block block_x4 wide wide_x4 "
     "parts parts_x4 parts_apply parts_apply_x4"),
    (HERE / "Inputs" / "sines.mlir", of("f32[{0},{1}]"), ROWS + LONG + WIDE, "few warp block parts parts_apply"),
    (HERE / "Inputs" / "places_of_largest.mlir", lambda *size: [special_floats("f32")(*size)], ROWS + LONG,
     "few few_x4 warp warp_x4 block block_x4 parts parts_x4 join"),
    (HERE / "Inputs" / "places_in_columns.mlir", lambda *size: [special_floats("f32")(*size)], [*ROWS, *ACROSS],
     "thread thread_x2 column column_x2 column_parts column_parts_x2 join"),
    (HERE / "Inputs" / "column_deviations.mlir", of("f32[{0},{1}]"), [*ROWS, *ACROSS],
     "thread thread_x4 column column_x4 column_parts column_parts_x4 column_parts_1 column_parts_1_x4 join"),
    (HERE / "Inputs" / "normalized_columns.mlir", of("f32[{0},{1}]"), [*ROWS, *ACROSS],
     "thread thread_x4 column column_x4 column_parts column_parts_x4 column_parts_apply column_parts_apply_x4"),
    (HERE / "Inputs" / "padded_windows.mlir", of("f32[{0},{1}]"), [(1, 1), (1, 40), (7, 9), (8, 8), (31, 33), (32, 32), (33, 65)],
     "thread thread_x4"),
    (HERE / "Inputs" / "sums_of_i64.mlir", of("i64[{0},{1}]"), ROWS, "few few_x2 warp warp_x2 block block_x2 thread thread_x2 column column_x2"),
    (CUDA / "middle_sum.mlir", of("f32[2,{0},{1}]"), [*SQUARES, *ACROSS, (33100, 1)],
     "thread thread_x4 column column_x4 column_parts column_parts_x4 join join_block"),
    (CUDA / "matmul.mlir", of("f32[{0},{1}]", "f32[{1},5]"), SQUARES, "matmul_f32_nn"),
    (HERE / "Inputs" / "matmul_transposed.mlir", of("f32[3,{0},{1}]", "f32[3,4,{1}]"), SQUARES, "matmul_f32_nt"),
    (HERE / "Inputs" / "masked_select.mlir",
     lambda n, m: [f"f32[{n},{m}]=random", zeros_and_ones(n, m).replace("f32", "i64")], [*SQUARES, (1, 1025), (3, 5000), (1, 99001)],
     "count scan write each kernel kernel_x2 kernel_x4"),
    (HERE / "Inputs" / "sums_so_far.mlir", of("f32[{0},{1}]"), TILES + LONG,
     "scan_warp scan_warp_any_x4 scan_warp_x4 scan_block scan_block_any_x4 scan_block_x4 "
     "scan_parts scan_parts_any_x4 scan_parts_x4 scan_sums scan_apply scan_apply_any_x4 scan_apply_x4"),
    (HERE / "Inputs" / "largest_so_far.mlir", of("f32[{0},{1}]"), TILES,
     "scan_warp scan_warp_any_x2 scan_warp_x2 scan_block scan_block_any_x2 scan_block_x2"),
    (HERE / "Inputs" / "largest_of_columns.mlir", of("f32[2,{0},{1}]"), COLUMNS,
     "scan_warp scan_block scan_column scan_column_parts scan_column_sums scan_column_apply"),
    (HERE / "Inputs" / "masked_scatter.mlir",
     lambda n, m: [f"f32[{n},{m}]=random", f"i1[{n},{m}]=random", f"f32[{n * m // 2}]=random", places(4, (n,))],
     [(0, 3), (3, 0), (1, 1), (7, 9), (33, 65), (1, 1025), (300, 4), (2, 8200)],
     "kernel kernel_x2 flat_x2 main_loop main_loop_0 main_thread scan_warp scan_warp_x2 scan_warp_any_x2 "
     "scan_block_x2 scan_block_any_x2 scan_parts_x2 scan_sums scan_apply_x2"),
    (HERE / "Inputs" / "recurrence.mlir", of("f32[{0},{1}]", "f32[{0},{1}]"), SQUARES, "scan_thread"),
    (HERE / "Inputs" / "scans_of_types.mlir",
     of(*(f"{dtype}[{{0}},{{1}}]" for dtype in "f16 bf16 f64 i1 i8 i16 i32 i64".split())),
     [(0, 5), (5, 0), (1, 1), (2, 31), (1, 33), (1, 264), (1, 1025), (1, 2056)],
     "scan_warp scan_warp_x2 scan_warp_x4 scan_warp_x8 scan_warp_any_x2 scan_warp_any_x4 scan_warp_any_x8 "
     "scan_block scan_block_x2 scan_block_x4 scan_block_x8 scan_block_any_x2 scan_block_any_x4 scan_block_any_x8"),
    (HERE / "Inputs" / "nonzero.mlir", lambda n, m: [zeros_and_ones(n, m)],
     [*SQUARES, (1, 1023), (1, 1024), (1, 1025), (3, 5000)], "count scan write"),
    (HERE / "Inputs" / "sort.mlir", lambda n, m: [special_floats("f32")(n, m)], SORTED,
     "sort_warp sort_block sort_block_x4 sort_block_x8 sort_block_x16 sort_count sort_offsets sort_scatter kernel_x4"),
    (HERE / "Inputs" / "sort_integers.mlir",
     lambda n, m: [with_ties("i1", ["true", "false"], ["false", "true"])(n, m)] +
                  [special_integers(bits)(n, m) for bits in (8, 16, 64)],
     [(m, n) for n, m in SOME_SORTED],
     "sort_warp sort_block sort_block_x4 sort_block_x8 sort_block_x16 sort_count sort_scatter"),
    (HERE / "Inputs" / "sort_floats.mlir", lambda n, m: [special_floats(kind)(n, m) for kind in ("f16", "bf16", "f64")],
     [case for case in SOME_SORTED if case[1]],
     "sort_warp sort_block sort_block_x8 sort_block_x16 sort_select sort_count sort_scatter kernel_x2 kernel_x8"),
    (HERE / "Inputs" / "sort_part.mlir",
     lambda n, m, first, size: [special_floats("f32")(n, m), f"i64={first}", f"i64={size}"],
     [(2, 0, 0, 0), (2, 31, 7, 2), (1, 300, 299, 1), (2, 2049, 0, 0), (2, 2049, 3, 10), (2, 4096, 0, 512), (1, 4097, 0, 512),
      (1, 8500, 5, 507), (1, 2500, 0, 513), (1, 2500, 1249, 1), (17, 1030, 600, 1), (17, 1030, 2, 300), (1, 16390, 0, 0),
      (1, 16390, 0, 20), (2, 16390, 8000, 1), (1, 16390, 16389, 1), (1, 16390, 100, 600)],
     "sort_warp sort_select sort_find sort_tiles sort_block_x16 sort_count sort_offsets sort_find_tile sort_scatter kernel_x4"),
    (HERE / "Inputs" / "sort_middle.mlir", of("f32[{0},{1},{2}]"),
     [(0, 3, 2), (2, 0, 3), (3, 2, 5), (4, 40, 3), (2, 300, 2), (1, 1100, 2), (1, 2049, 2), (1, 4097, 2)],
     "sort_warp sort_block sort_block_x4 sort_block_x8 sort_block_x16 sort_count sort_scatter"),
    (HERE / "Inputs" / "unique.mlir", lambda n, m: [special_floats("f32")(n, m)],
     [(0, 5), (1, 1), (4, 8), (3, 11), (2, 150), (1, 1000), (2, 1025)],
     "count scan write each kernel kernel_x4 "
     "sort_warp sort_block sort_block_x4 sort_block_x16"),
]


def schedule_of(line):
    """`warp_x4` of `launch: main_kernel_0_warp_x4 x 3`."""
    name = line.split()[1]
    name = re.sub(r"^main_(?=count|scan|write|sort)", "", name)
    if name.startswith("sort"):
        return re.sub(r"_\d+$", "", name)
    name = re.sub(r"^scan_\d+", "scan", name)
    return re.sub(r"^main_kernel_\d+(_(?!x\d))?", lambda found: "" if found[1] else "kernel", name)


def describe(arguments, case):
    """A case for tally-run: of inputs, or of inputs and what they raise."""
    found = arguments(*case)
    return {"name": " x ".join(map(str, case)), **(found if isinstance(found, dict) else {"inputs": found})}


def check(program):
    """What is wrong with a program, or nothing."""
    path, arguments, sizes, expected, *seeds = program
    launched = set()
    with tempfile.TemporaryDirectory() as folder:
        cases = pathlib.Path(folder, "cases.json")
        cases.write_text(json.dumps([describe(arguments, case) for case in sizes]))
        for seed in seeds[0] if seeds else SEEDS:
            done = subprocess.run(["tally-run", path, "--interpret=gpu", "--compare", "--call-time", "--seed", str(seed),
                                   "--cases", cases], capture_output=True, text=True)
            lines = done.stdout.splitlines()
            wrong = [f"seed {seed}: {line}" for line in lines + done.stderr.splitlines()
                     if not line.startswith(("PASS", "launch"))]
            if done.returncode or wrong or sum(line.startswith("PASS") for line in lines) != len(sizes):
                return "\n".join(wrong[:6]) or f"exit status {done.returncode}"
            launched |= {schedule_of(line) for line in lines if line.startswith("launch")}
    if launched != set(expected.split()):
        return f"launches {' '.join(sorted(launched))}, expected {expected}"
    return None


def main():
    chosen = [program for program in PROGRAMS if program[0].stem in sys.argv[1:] or not sys.argv[1:]]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (path, *_), wrong in zip(chosen, pool.map(check, chosen)):
            print(f"FAIL {path.stem}: {wrong}" if wrong else f"PASS {path.stem}", flush=True)
            failed += wrong is not None
    print(f"{len(chosen) - failed} agree, {failed} do not")
    return 4 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
