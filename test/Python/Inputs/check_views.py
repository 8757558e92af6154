"""Random functions that return views of arguments and of each other, through torch.compile.

  check_views.py [COUNT [SEED]]    so many functions; without a seed, others each time
"""

import random
import sys
import unittest

import torch

import tally.torch

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 25
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)


def _half(x, dim):
    return x.narrow(dim, 0, x.shape[dim] // 2)


#: Views of a matrix that are matrices, and what computes a new one.
STEPS = {
    "rest": lambda x: x[1:],
    "half": lambda x: _half(x, 1),
    "other half": lambda x: x[:, x.shape[1] // 2:],
    "transposed": lambda x: x.t(),
    "every other": lambda x: x[::2],
    "chunk": lambda x: x.chunk(2, 0)[0],
    "last chunk": lambda x: x.chunk(2, 1)[-1],
    "repeated": lambda x: x[0].expand(3, -1),
    "unflattened": lambda x: x.unsqueeze(0).permute(2, 1, 0).squeeze(2),
    "relu": lambda x: torch.relu(x) + 1,
    "product": lambda x: x * 2,
    "cat": lambda x: torch.cat((x, -x), 1),
}


def make_function(chance):
    names = chance.choices(list(STEPS), k=chance.randint(1, 4))
    returned = sorted(chance.sample(range(len(names)), chance.randint(1, len(names))))

    def function(x):
        found = []
        for name in names:
            x = STEPS[name](x)
            found.append(x)
        return tuple(found[i] for i in returned)

    return names, returned, function


def describe(results, argument):
    """Where the elements of each result are: whether in the argument, and in which results before it."""
    storages = [each.untyped_storage().data_ptr() for each in (argument, *results)]
    return [storages.index(each) == 0 for each in storages[1:]]


class Views(unittest.TestCase):

    def check(self, function, shape, offset, needs_gradient, compiled):
        base = torch.randn(shape[0] + offset, shape[1])
        ours, theirs = base.clone().requires_grad_(needs_gradient), base.clone().requires_grad_(needs_gradient)
        one, two = compiled((ours * 1)[offset:]), function((theirs * 1)[offset:])
        for actual, expected in zip(one, two, strict=True):
            torch.testing.assert_close(actual, expected, rtol=0, atol=0)
        if needs_gradient:
            sum((each * each).sum() for each in one).backward()
            sum((each * each).sum() for each in two).backward()
            torch.testing.assert_close(ours.grad, theirs.grad)
            return
        # A view of an argument is that view: written through it, the argument changes.
        ours, theirs = base.clone()[offset:], base.clone()[offset:]
        one, two = compiled(ours), function(theirs)
        self.assertEqual(describe(one, ours), describe(two, theirs))
        for actual, expected in zip(one, two):
            if expected.untyped_storage().data_ptr() == theirs.untyped_storage().data_ptr():
                self.assertEqual(actual.stride(), expected.stride())
                self.assertEqual(actual.storage_offset(), expected.storage_offset())

    def test_random(self):
        for number in range(COUNT):
            chance = random.Random(f"{SEED} {number}")
            names, returned, function = make_function(chance)
            for needs_gradient in (False, True):
                torch._dynamo.reset()
                compiled = tally.torch.compile(function)
                for shape in ((8, 6), (6, 12), (12, 8)):
                    with self.subTest(seed=SEED, number=number, steps=names, returned=returned,
                                      shape=shape, gradient=needs_gradient):
                        self.check(function, shape, chance.randint(0, 1), needs_gradient, compiled)

    def test_of_a_result(self):
        """A view whose start is a size is made from the result that it is a view of."""

        def function(x):
            y = torch.relu(x)
            return y[:, x.shape[1] // 2:], y

        x = torch.randn(3, 8, requires_grad=True)
        part, whole = tally.torch.compile(function)(x)
        torch.testing.assert_close(part, torch.relu(x)[:, 4:])
        self.assertEqual(part.untyped_storage().data_ptr(), whole.untyped_storage().data_ptr())

    def test_of_a_written_result(self):
        """A result that was written through a view is itself a view in the graph, and others are views of it."""

        def function(x):
            y = x.clone()
            part, columns = y[1:], y.t()
            part.mul_(2)
            columns[0] = 5
            return y, part, columns

        compiled = tally.torch.compile(function)
        for rows in (4, 2, 7):
            x = torch.randn(rows, 3)
            results = compiled(x)
            for actual, expected in zip(results, function(x), strict=True):
                torch.testing.assert_close(actual, expected, rtol=0, atol=0)
            self.assertEqual(len({each.untyped_storage().data_ptr() for each in results}), 1)

    def test_of_sizes_from_data(self):
        """What a view starts at may be an element, which the compiled graph returns."""

        def function(x, places):
            return x[:, int(places.max()):], x.sum()

        compiled = tally.torch.compile(function)
        for start in (0, 1, 3):
            x, places = torch.randn(4, 6)[1:], torch.tensor([0, start])
            part, _ = compiled(x, places)
            self.assertEqual(part.data_ptr(), x[:, start:].data_ptr())
            torch.testing.assert_close(part, x[:, start:])

    def test_of_every_other_row(self):
        """The sizes of a view may be those of another one."""

        def function(x):
            rows = x[::2]
            part = rows.chunk(2, 0)[0]
            return rows, part, part.chunk(2, 0)[0]

        compiled = tally.torch.compile(function)
        for count in (8, 5, 12):
            x = torch.randn(count, 6)
            for actual, expected in zip(compiled(x), function(x), strict=True):
                torch.testing.assert_close(actual, expected, rtol=0, atol=0)
                self.assertEqual(actual.stride(), expected.stride())

    def test_sizes_0_and_1(self):
        compiled = tally.torch.compile(lambda x: x.chunk(2, 1))
        for shape in ((3, 4), (0, 4), (1, 2)):
            x = torch.randn(shape)
            for actual, expected in zip(compiled(x), x.chunk(2, 1), strict=True):
                torch.testing.assert_close(actual, expected)


if __name__ == "__main__":
    print(f"seed {SEED}", flush=True)
    unittest.main(argv=sys.argv[:1], verbosity=1)
