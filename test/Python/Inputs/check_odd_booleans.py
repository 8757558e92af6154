"""Passes booleans of which one has a byte that is neither 0 nor 1, at every place of tensors of several sizes; of large
ones, which threads look through, at some."""

import sys

import numpy as np

import tally

identity = tally.load(sys.argv[1]).main
LARGE = 3 * 2**18 + 77
for size in (1, 7, 8, 127, 128, 129, 255, 256, 300, LARGE):
    for place in range(size) if size != LARGE else (0, 2**17, 2**18 - 1, 2**18, 2**19 + 5, LARGE - 1):
        for byte in (2, 128, 255):
            data = np.arange(size, dtype=np.uint8) % 2
            data[place] = byte
            expected = data != 0
            result = np.asarray(identity(data.view(np.bool_)))
            assert (result.view(np.uint8) == expected).all(), (size, place, byte)
assert np.asarray(identity(np.zeros(0, np.bool_))).size == 0
