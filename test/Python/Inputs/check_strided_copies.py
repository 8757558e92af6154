"""Calls y = x.contiguous(); x += 1; return y + x with rows of several strides."""

import sys

import numpy as np

import tally

library = tally.load(sys.argv[1])
for size in (4, 37, 1, 0):
    whole = np.arange(1, 1 + 2 * size, dtype=np.float32).reshape(1, size, 2)
    for x in (whole[..., 0], whole[..., 0].copy()):
        x = x.copy() if x.flags.c_contiguous else x
        before = x.copy()
        result = library.main(x)
        shared = np.array_equal(result, 2 * (before + 1))
        copied = np.array_equal(result, 2 * before + 1)
        assert shared or copied
        assert np.array_equal(x, before + 1)
        print(f"1 {size}:", "shared" if shared else "copied")
