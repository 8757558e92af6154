"""Passes booleans of which one has a byte that is neither 0 nor 1, at every place of tensors of several sizes; of large
ones, which threads look through, at some."""

import sys

import numpy as np

import tally

library = tally.load(sys.argv[1])


def check(data):
    flags, expected = data.view(np.bool_), data != 0
    joined, columns = library.joined(flags)
    for result, right in ((library.identity(flags), expected), (library.negated(flags), ~expected),
                          (joined, np.concatenate([expected] * 2)), (columns, np.stack([expected] * 2, 1)),
                          (library.sorted(flags), np.sort(expected))):
        assert (np.asarray(result).view(np.uint8) == right).all(), data
    assert library.summed(flags) == expected.sum()
    # What was passed is as it was.
    assert (flags.view(np.uint8) == data).all()


for size in (1, 7, 8, 127, 128, 129, 255, 256, 300, 700):
    for place in range(0, size, max(1, size // 100)):
        for byte in (2, 128, 255):
            data = np.arange(size, dtype=np.uint8) % 2
            data[place] = byte
            check(data.copy())
check(np.zeros(0, np.uint8))
# So large that threads share it.
LARGE = 3 * 2**18 + 77
for place in (0, 2**18, LARGE - 1):
    data = np.arange(LARGE, dtype=np.uint8) % 2
    data[place] = 2
    check(data)
