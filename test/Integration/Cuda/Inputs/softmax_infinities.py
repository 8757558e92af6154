#!/usr/bin/env python3
"""Runs a softmax of rows with infinities and NaN as each schedule does, and compares
with numpy: softmax_infinities.py PROGRAM."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

# Of a few threads, a warp, a block, a wide block and several blocks for a row; rows
# that are aligned and rows that are not.
LENGTHS = (0, 1, 3, 128, 129, 1028, 1101, 8193, 9004, 20000, 33333)


def make_rows(length):
    rows = np.random.default_rng(length).standard_normal((7, length)).astype(np.float32) * 10
    if length:
        rows[1, : (length + 1) // 2] = -np.inf
        rows[2] = -np.inf
        rows[3, length // 3] = np.inf
        rows[4, length - 1] = np.nan
        rows[5] = np.sort(rows[5])
        rows[6, length // 2] = 3e38
    return rows


def softmax(rows):
    wide = rows.astype(np.float64)
    powers = np.exp(wide - wide.max(1, keepdims=True, initial=-np.inf))
    return (powers / powers.sum(1, keepdims=True)).astype(np.float32)


failed = 0
np.seterr(all="ignore")
with tempfile.TemporaryDirectory() as folder:
    for length in LENGTHS:
        rows = make_rows(length)
        given, expected = (pathlib.Path(folder) / name for name in ("x.npy", "y.npy"))
        np.save(given, rows)
        np.save(expected, softmax(rows))
        run = subprocess.run(
            ["tally-run", sys.argv[1], "--interpret=gpu", f"--input={given}", f"--expect={expected}"],
            text=True, capture_output=True)
        print("FAIL" if run.returncode else "PASS", length, run.stderr, end="\n")
        failed += run.returncode != 0
print(f"{len(LENGTHS) - failed} passed, {failed} failed")
