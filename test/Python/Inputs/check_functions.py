"""Functions through tally.torch.compile: gradients of loops and of images that are read at places, and what
AOTAutograd does not take, which PyTorch runs."""

import itertools
import math
import unittest

import tally.torch
import torch
from check_layers import SILENT, Layers
from tally.torch import statistics
from tally.torch._grids import DECOMPOSITIONS
from torch import nn
from torch._higher_order_ops.while_loop import while_loop
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

SCALE = 0.5


class Traces(Layers):
    def test_sizes_that_are_values(self):
        """PyTorch traces no list of as many numbers as values tell: it ends a graph there."""
        def function(x):
            counts = torch.bincount(x.argmax(1), minlength=3).tolist()
            return torch.cat([part.cumsum(0) for part in x.split(counts)])

        compiled = tally.torch.compile(function)
        for rows in (5, 1, 4):
            x = torch.randn(rows, 3)
            self.assert_close(compiled(x), function(x))
        self.assertTrue({what for _, what in statistics} <= {"compiled", "cached"} and statistics, statistics)

    def test_global_numbers(self):
        """They are numbers until they change, so that PyTorch multiplies them by imaginary ones."""
        global SCALE

        def function(x):
            return torch.exp(-2j * math.pi * x) * SCALE

        compiled = tally.torch.compile(function, fullgraph=True)
        for SCALE in (0.5, 0.5, 0.25, 2.0):
            for rows in (3, 1, 0):
                x = torch.randn(rows, 2)
                self.assert_close(compiled(x), function(x))
        self.assert_graphs("inference", "inference")

    def test_is_in(self):
        """In one graph, also where there is nothing to be in."""
        compiled = tally.torch.compile(torch.isin, fullgraph=True)
        for rows, others in ((6, 40), (0, 4), (4, 0), (40, 2), (0, 0), (1, 1)):
            x, tests = torch.randint(0, 9, (rows, 2)), torch.randint(0, 9, (others,))
            self.assert_close(compiled(x, tests), torch.isin(x, tests))
        self.assert_graphs("inference")

    def test_squeezed(self):
        """A dimension is left out where its size is 1: where it is that of a slice, or of the argument."""
        functions = {
            "slice": (2, lambda x: x[:1].squeeze(0) * 2),
            "last": (1, lambda x: x[:, -1:].squeeze(-1) * 2),
            "second": (2, lambda x: x[1:2].squeeze((0, 1)) * 2),
            "argument": (2, lambda x: x.squeeze(0) * 2),
            "part": (1, lambda x: x[:, :x.shape[1] // 3].squeeze(1) * 2),
            "in place": (2, lambda x: x[:1].clone().squeeze_(0) * 2),
            "largest": (1, lambda x: x.topk(min(1, x.shape[1]), -1)[0].squeeze(-1) * 2),
        }
        for name, (graphs, function) in functions.items():
            with self.subTest(name=name):
                torch._dynamo.reset()
                statistics.clear()
                compiled = tally.torch.compile(function, fullgraph=True)
                for rows in (5, 1, 0, 2, 7):
                    x = torch.randn(rows, 3)
                    self.assert_close(compiled(x), function(x))
                self.assert_graphs(*["inference"] * graphs)

    def test_questions_for_zero(self):
        """A program that asks whether a size is 0 has a graph for each answer; one that does not ask has one."""
        def sum_in_loop(x):
            total = torch.zeros(3)
            for row in range(x.shape[0]):
                total = total + x[row] * row
            return total

        functions = {
            "equal": (2, lambda x: x.new_ones(3) if x.shape[0] == 0 else x.mean(0)),
            "length": (2, lambda x: x.mean(0) if len(x) else x.new_ones(3)),
            "elements": (2, lambda x: x.sum() + 7 if x.numel() == 0 else x.mean(0)),
            "less": (2, lambda x: x.sum() if x.shape[0] < 1 else x.mean(0)),
            "largest": (1, lambda x: x.sum(0) / max(x.shape[0], 1)),
            "number": (2, lambda x: x.sum(0) + bool(x.shape[0]) * min(1, x.shape[0])),
            "loop": (4, sum_in_loop),
            "list": (4, lambda x: torch.stack([x.sum()] * (x.shape[0] + 1))),
            "key": (4, lambda x: x.sum() * {1: 2.0, 2: 3.0, 4: 5.0, 6: 7.0}[x.shape[0] + 1]),
        }
        for name, (graphs, function) in functions.items():
            for rows in ((0, 3, 1, 5), (3, 0, 1, 5)):
                with self.subTest(name=name, rows=rows):
                    torch._dynamo.reset()
                    statistics.clear()
                    compiled = tally.torch.compile(function, fullgraph=True)
                    for count in rows:
                        x = torch.randn(count, 3)
                        self.assert_close(compiled(x), function(x))
                    self.assert_graphs(*["inference"] * graphs)

    def test_question_for_a_product(self):
        """A product of sizes that is 0 tells of none of them that it is."""
        compiled = tally.torch.compile(lambda x: x.sum(0) + 7 if x.shape[0] * x.shape[1] <= 0 else x.sum(0))
        for shape, more in (((5, 0, 2), 7), ((0, 4, 2), 7), ((3, 2, 2), 0), ((0, 0, 2), 7)):
            x = torch.randn(shape)
            self.assert_close(compiled(x), x.sum(0) + more)
        self.assertTrue({what for _, what in statistics} <= {"compiled", "cached"} and statistics, statistics)

    def test_expanded_where_sizes_differ(self):
        """A tensor of one row that is expanded to as many as there are is what it was where there is one: no graph
        depends on whether there is. What is assigned else, or to something else, does."""
        def expand(x):
            places = torch.arange(x.shape[1]).unsqueeze(0)
            if x.shape[0] != places.shape[0]:
                places = places.expand(x.shape[0], -1)
            return x + places.cumsum(1), places

        def expand_as(x):
            mean = x.mean(0, keepdim=True)
            if mean.shape[0] != x.shape[0]:
                mean = mean.expand_as(x)
            return mean - x

        def expand_to_twice(x):
            mean = x.mean(0, keepdim=True)
            if x.size(0) != 1:
                mean = mean.expand(2 * x.size(0), -1)
            return mean + 1

        def expand_another(x):
            mean, largest = x.mean(0, keepdim=True), x.amax(0, keepdim=True) + 1
            if x.size(0) != 1:
                mean = largest.expand(x.size(0), -1)
            return mean - x

        def expand_else(x):
            mean = x.mean(0, keepdim=True)
            if x.size(0) != 1:
                mean = mean.expand(x.size(0), -1)
            else:
                mean = mean + 1
            return mean - x

        def multiply(x):
            mean = x.mean(0, keepdim=True)
            if x.size(0) != 1:
                mean = mean * 2
            return mean - x

        functions = {expand: 1, expand_as: 1, expand_to_twice: 2, expand_another: 2, expand_else: 2, multiply: 2}
        for function, graphs in functions.items():
            for rows in ((3, 1, 4), (1, 3, 4)):
                with self.subTest(name=function.__name__, rows=rows):
                    torch._dynamo.reset()
                    statistics.clear()
                    compiled = tally.torch.compile(function, fullgraph=True)
                    for count in rows:
                        x = torch.randn(count, 5)
                        self.assert_close(compiled(x), function(x))
                    self.assert_graphs(*["inference"] * graphs)

    def test_shifted(self):
        """Slices that leave out rows at one end or the other have as many rows."""
        def function(x):
            y = torch.zeros_like(x)
            y[:, 1:] = x[:, :-1]
            y[2:] += x[1:-1] * x[:-2]
            return y, x[:0], x[1::2], x[x.shape[0] // 2:]

        compiled = tally.torch.compile(function, fullgraph=True)
        for rows in (5, 1, 0, 2, 8):
            x = torch.randn(rows, 4)
            self.assert_close(compiled(x), function(x))
        self.assert_graphs("inference")

    def test_bounds_outside(self):
        """A slice whose bounds may be outside of a tensor has a length that is known by the size."""
        def cut(x):
            parts = x[:3], x[1:3], x[-3:], x[-3:-1], x[-2:5], x[2:-1], x[4:2], x[1:7:2]
            return torch.cat(parts), [each * 2 for each in parts]

        def subtract(x):
            return torch.diff(x, prepend=x[:1] - 1, dim=0)

        for function, rows in ((cut, (6, 1, 0, 2, 3, 9)), (subtract, (6, 1, 2))):
            statistics.clear()
            compiled = tally.torch.compile(function, fullgraph=True)
            for count in rows:
                x = torch.randn(count, 4)
                self.assert_close(compiled(x), function(x))
            self.assert_graphs("inference")

    def test_sizes_that_are_one(self):
        """A size that is 1 in the first call, and meets another one, is 1 in all calls of the graph; those that it
        does not meet are any, 1 among them."""
        def function(x, mask):
            return (x * mask).sum(1) / mask.sum(1).clamp(min=1)

        compiled = tally.torch.compile(function, fullgraph=True)
        for batch, rows in ((2, 5), (1, 1), (3, 4), (5, 5), (1, 7), (0, 2)):
            x, mask = torch.randn(batch, rows, 5), torch.rand(batch, rows, 1)
            self.assert_close(compiled(x, mask), function(x, mask))
        self.assert_graphs("inference")

    def test_numbers_of_sizes(self):
        """As optimizers scale a step by the shape of a matrix."""
        def function(x):
            rows, columns = x.shape
            return x * max(1, rows / columns) ** 0.5 + abs(rows / 2 - columns)

        compiled = tally.torch.compile(function, fullgraph=True)
        for size in ((4, 3), (3, 4), (1, 1), (0, 2)):
            x = torch.randn(size)
            self.assert_close(compiled(x), function(x))
        self.assert_graphs("inference")

    def test_places_and_the_next(self):
        """That a place among points, and the next one, are inside of what is computed from others, follows where there
        are as many of them."""
        def function(points, values, x):
            widths = points[1:] - points[:-1]
            slopes = (values[1:] - values[:-1]) / widths
            bends = torch.cat([torch.zeros(1), slopes[1:] - slopes[:-1], torch.zeros(1)])
            places = (torch.searchsorted(points, x) - 1).clamp(0, points.shape[0] - 2)
            return widths[places] * (bends[places] + bends[places + 1])

        compiled = tally.torch.compile(function, fullgraph=True)
        for count, questions in ((6, 4), (2, 1), (4, 4), (9, 0)):
            points = torch.arange(count) + torch.rand(count)
            arguments = points, torch.randn(count), torch.rand(questions) * count
            self.assert_close(compiled(*arguments), function(*arguments))
        self.assert_graphs("inference")


class Transforms(Layers):
    def test_function_compiled_inside(self):
        """What is compiled inside of vmap is left to PyTorch, as AOTAutograd does not take such tensors."""
        inner = torch.compile(lambda x: torch.vmap(torch.sin)(x), backend="tally", options=SILENT)
        x = torch.randn(3, 2, 4)
        self.assert_close(torch.vmap(inner)(x), x.sin())
        self.assertTrue(all("inside of a transform" in what for _, what in statistics), statistics)


class Gradients(Layers):
    """Gradients that PyTorch has operators for which are not in the core of ATen."""

    def check(self, function, calls):
        compiled = tally.torch.compile(function, fullgraph=True)
        for given in calls:
            mine, theirs = ([each.clone().requires_grad_(each.is_floating_point()) for each in given] for _ in range(2))
            for call, arguments in ((compiled, mine), (function, theirs)):
                result = call(*arguments)
                (result * torch.linspace(-1, 1, result.numel()).reshape(result.shape)).sum().backward()
            for one, two in zip(mine, theirs):
                self.assert_close(one.grad, two.grad)
        self.assert_graphs("forward", "backward")

    def test_distances(self):
        """Also of rows from themselves, which is where the root has no derivative."""
        for p in (2.0, 1.0, float("inf"), 3.0, 1.5, 0.0):
            with self.subTest(p=p):
                torch._dynamo.reset()
                statistics.clear()
                self.check(lambda x, y: torch.cdist(torch.cat([x, y[:1]]), y, p),
                           [[torch.randn(rows, 3), torch.randn(others, 3)]
                            for rows, others in ((4, 5), (1, 2), (24, 25))])
        # PyTorch asks whether the distances are those of one row.
        statistics.clear()
        self.check(lambda x, y: torch.cdist(torch.cat([x, y[:1]]), y), [[torch.randn(0, 3), torch.randn(3, 3)]])
        statistics.clear()
        self.check(torch.cdist, [[torch.randn(batch, 4, 2), torch.randn(1, 3, 2)] for batch in (2, 5)])

    def test_bilinear(self):
        self.check(functional.bilinear, [
            [torch.randn(rows, 3), torch.randn(rows, 4), torch.randn(2, 3, 4), torch.randn(2)] for rows in (5, 1, 3)])

    def test_masked_scatter(self):
        self.check(lambda x, y, z: x.masked_scatter(z > 0, y), [
            [torch.randn(rows, 3), torch.randn(rows, 4), torch.randn(3)] for rows in (5, 1, 2)])

    def test_frequencies(self):
        self.check(lambda x: x * torch.fft.fftfreq(x.shape[0]) + torch.fft.rfftfreq(2 * x.shape[0] - 1, 0.5),
                   [[torch.randn(rows)] for rows in (5, 1, 2, 8)])

    def test_frequencies_of_nothing(self):
        def function(x):
            return torch.fft.fftfreq(x.shape[0]), torch.fft.rfftfreq(x.shape[0], 0.3)

        for rows in ((4, 0, 1, 7), (0, 3)):
            torch._dynamo.reset()
            statistics.clear()
            compiled = tally.torch.compile(function, fullgraph=True)
            for count in rows:
                x = torch.randn(count)
                torch.testing.assert_close(compiled(x), function(x), rtol=0, atol=0, equal_nan=True)
            self.assert_graphs("inference")

    def test_second_derivatives(self):
        """Where a derivative is 0 whatever the argument, PyTorch takes a tensor without memory for it."""
        def function(weight, bias, x):
            def field(point):
                return torch.tanh(point[None] @ weight + bias).sum()
            return torch.func.vmap(torch.func.hessian(field))(x).diagonal(dim1=-2, dim2=-1).sum(-1)

        compiled = tally.torch.compile(function, options=SILENT)
        for rows in (3, 1):
            leaves = [[torch.randn(size, requires_grad=True) for size in ((2, 4), (4,), (rows, 2))]]
            leaves.append([each.detach().clone().requires_grad_() for each in leaves[0]])
            for of, given in zip((compiled, function), leaves):
                of(*given).sum().backward()
            for mine, theirs in zip(*leaves):
                self.assert_close(mine.grad, theirs.grad)
        self.assertTrue(all(what in ("compiled", "cached") for _, what in statistics), statistics)

    def test_penalty_on_gradients(self):
        """The first gradient is part of the compiled function, the second is that of its graph. Taken of what is
        compiled, PyTorch says that it is not supported."""
        def function(x, w):
            score = lambda each: torch.tanh(each @ w).sum()
            return score(x) + torch.func.grad(score)(x).square().sum(1)

        self.check(function, [[torch.randn(rows, 3), torch.randn(3, 2)] for rows in (4, 1, 0, 5)])
        x = torch.randn(2, 3, requires_grad=True)
        compiled = tally.torch.compile(lambda x: torch.tanh(x).sum())
        first, = torch.autograd.grad(compiled(x), x, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "does not currently support double backward"):
            first.sum().backward()

    def test_deviation_of_one_element(self):
        """It and its gradients are NaN: PyTorch divides by the number of elements less 1, in C++."""
        def function(x):
            return x.std(0) + x.var((0, 1))

        compiled = tally.torch.compile(function, fullgraph=True)
        for shape in ((4, 3), (1, 3), (1, 1), (2, 1)):
            x = torch.randn(shape, requires_grad=True)
            gradients = [torch.autograd.grad(call(x).exp().sum(), x)[0] for call in (compiled, function)]
            torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5, equal_nan=True)
        self.assert_graphs("forward", "backward")

    def test_squeezed_slice(self):
        self.check(lambda x: x[:, -1:].squeeze(1).exp() * x.sum(1), [[torch.randn(rows, 3)] for rows in (4, 1, 5)])

    def test_values_that_broadcast(self):
        """One row for all places is a graph of its own; where there is one place, all rows are."""
        def function(x, i, y):
            return x.index_put((i,), y, accumulate=True).exp()

        for graphs, calls in ((2, ((3, 3), (3, 1), (2, 2), (4, 1))), (1, ((3, 3), (1, 1), (2, 2)))):
            torch._dynamo.reset()
            statistics.clear()
            compiled = tally.torch.compile(function, fullgraph=True)
            for places, rows in calls:
                x, i, y = torch.randn(5, 3), torch.arange(places), torch.randn(rows, 3)
                self.assert_close(compiled(x, i, y), function(x, i, y))
            self.assert_graphs(*["inference"] * graphs)
        statistics.clear()
        self.check(lambda x, i: x[i].exp(), [[torch.randn(5, 3), torch.arange(places)] for places in (3, 1, 4)])

    def test_places_from_data(self):
        """A tensor without dimensions is an index of its own, or one of several."""
        functions = {
            "row": lambda x, i: x[i].exp(),
            "column": lambda x, i: x[:, i].exp() + x[i, 0],
            "both": lambda x, i: x[i, i - 2].exp(),
            "others": lambda x, i: x[None, 1:, ..., i, None].exp(),
            "found": lambda x, i: x[-1, x[i].argmax()] * x[:, x.sum(0).argmax()],
        }
        for name, function in functions.items():
            with self.subTest(name=name):
                torch._dynamo.reset()
                statistics.clear()
                self.check(function, [[torch.randn(rows, 3), torch.tensor(rows % 3)] for rows in (4, 3, 8)])

    def test_places_from_data_are_written(self):
        def write_rows(x, i):
            y = x * 1
            y[i], y[:, i - 1] = 3, x[0, 0]
            return y

        def write_others(x, i):
            y = torch.zeros(x.shape[0], 2, 3)
            y[:, i % 2, :], y[i, 0, -1] = x, 4
            y[None, 1:, ..., i] = x[1:, :2].double()
            return y

        def write_view(x, i):
            y = x * 1
            y[i, 1:].mul_(2)
            y[i] += 1
            return y

        for function in (write_rows, write_others):
            with self.subTest(function=function.__name__):
                torch._dynamo.reset()
                statistics.clear()
                self.check(function, [[torch.randn(rows, 3), torch.tensor(rows % 3)] for rows in (4, 3, 8)])
        compiled = tally.torch.compile(write_view, fullgraph=True)
        for rows in (4, 3, 8):
            x = torch.randn(rows, 3)
            self.assert_close(compiled(x, torch.tensor(rows % 3)), write_view(x, torch.tensor(rows % 3)))

    def test_rows_written_one_by_one(self):
        def function(rewards, values):
            sums, total = torch.zeros_like(rewards), 0
            for place in reversed(range(rewards.shape[0])):
                total = rewards[place] + total * values[place]
                sums[place] = total
            return sums

        self.check(function, [[torch.randn(3, size), torch.randn(3, size)] for size in (2, 1, 5)])

    def test_weights_of_bags(self):
        def function(table, weights, indices, offsets):
            return functional.embedding_bag(indices, table, offsets, mode="sum", per_sample_weights=weights,
                                            padding_idx=1)

        self.check(function, [[torch.randn(6, 3), torch.rand(count), torch.randint(0, 6, (count,)),
                               torch.tensor(offsets)] for count, offsets in ((5, [0, 2, 2]), (1, [0]), (7, [0, 7]))])


class Loops(Layers):
    def test_gradient_of_while_loop(self):
        """The number of rounds is in the data, none included: then the gradient is that of PyTorch, too."""
        def function(x, w, rounds):
            def step(i, a):
                return i + 1, torch.tanh(a @ w) + x

            first = (torch.zeros((), dtype=torch.int64), x.clone())
            return while_loop(lambda i, a: i < rounds, step, first)[1]

        compiled = tally.torch.compile(function, fullgraph=True)
        for size, rounds in ((3, 3), (5, 1), (1, 7), (0, 2), (2, 0)):
            given = [torch.randn(size, 4), torch.randn(4, 4) / 2]
            mine, theirs = ([each.clone().requires_grad_() for each in given] for _ in range(2))
            for inputs, call in ((mine, compiled), (theirs, function)):
                result = call(*inputs, torch.tensor(rounds))
                (result * torch.arange(4)).sum().backward()
            for actual, expected in zip(mine, theirs):
                self.assert_close(actual.grad, expected.grad)
        self.assert_graphs("forward", "backward")


class Grids(Layers):
    def check(self, **options):
        """The gradients of an image and of a grid, some of whose places are at its ends or outside."""
        def function(image, grid):
            return functional.grid_sample(image, grid, **options)

        compiled = tally.torch.compile(function, fullgraph=True)
        for batch, height, width, rows in ((2, 4, 5, 3), (1, 1, 1, 1), (3, 7, 2, 2)):
            grid = torch.randn(batch, rows, 4, 2) * 1.3
            grid[:, 0, :2] = grid[:, 0, :2].round()
            given = [torch.randn(batch, 3, height, width), grid]
            mine, theirs = ([each.clone().requires_grad_() for each in given] for _ in range(2))
            weights = torch.randn(batch, 3, rows, 4)
            for inputs, call in ((mine, compiled), (theirs, function)):
                (call(*inputs) * weights).sum().backward()
            for actual, expected in zip(mine, theirs):
                self.assert_close(actual.grad, expected.grad)
        self.assert_graphs("forward", "backward")

    def test_linear(self):
        self.check(align_corners=False)

    def test_border(self):
        self.check(mode="bilinear", padding_mode="border", align_corners=True)

    def test_nearest(self):
        self.check(mode="nearest", padding_mode="reflection", align_corners=False)

    def test_all_modes_as_pytorch_has_them(self):
        """The operators that a gradient is taken apart into, in each mode."""
        modes = itertools.product((2, 3), range(3), range(3), (False, True))
        for dims, mode, padding, aligns in modes:
            if dims == 3 and mode == 2:
                continue
            backward = getattr(torch.ops.aten, f"grid_sampler_{dims}d_backward").default
            for sizes in ((4, 5, 3), (1, 3, 2), (1, 1, 1)):
                image = torch.randn(2, 3, *sizes[:dims], dtype=torch.float64)
                grid = torch.randn(2, *(3, 4, 2)[:dims], dims, dtype=torch.float64) * 1.5
                grid[:, 0] = grid[:, 0].round()
                grad = torch.randn(2, 3, *(3, 4, 2)[:dims], dtype=torch.float64)
                options = (mode, padding, aligns, [True, True])
                expected = backward(grad, image, grid, *options)
                actual = DECOMPOSITIONS[backward](grad, image, grid, *options)
                for one, other in zip(actual, expected):
                    torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


class Classes(Layers):
    def test_nested(self):
        x = torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)], layout=torch.jagged)
        compiled = tally.torch.compile(lambda x: x.sin() + 1, options=SILENT)
        for actual, expected in zip(compiled(x).unbind(), (x.sin() + 1).unbind()):
            self.assert_close(actual, expected)
        self.assertEqual([what for _, what in statistics],
                         ["PyTorch runs nested tensors, whose sizes differ from row to row"])

    def test_class_without_dispatch(self):
        class Named(torch.Tensor):
            pass

        x = torch.randn(3).as_subclass(Named)
        result = tally.torch.compile(lambda x: x.sin() + 1, options=SILENT)(x)
        self.assertIs(type(result), Named)
        self.assert_close(result, x.sin() + 1)
        self.assertEqual([what for _, what in statistics], ["PyTorch runs tensors of the class Named"])


class Checkpoints(Layers):
    def test_random_numbers(self):
        """A part that is computed again in the backward pass drops the same elements."""
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 3))

            def forward(self, x):
                return checkpoint(self.inner, x, use_reentrant=False)

        self.train(Block(), [[torch.randn(size, 6)] for size in (4, 1, 9)])
        self.assert_graphs("forward", "backward")


if __name__ == "__main__":
    unittest.main()
