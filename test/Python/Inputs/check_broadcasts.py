"""Sizes that may be 1, through tally.torch.compile: rows that meet the first of them, and dimensions that are left out."""

import unittest

import tally.torch
import torch
from check_layers import SILENT, Layers
from tally.torch import statistics


class Broadcasts(Layers):
    def test_first_of_data(self):
        """The first of the rows that a mask selects, or the last, is broadcast to all of them, of which there may be
        none, in one graph. PyTorch takes the two numbers of rows for equal, and its gradients keep the size, so that a graph
        ends there where there are some."""
        functions = {
            "first": lambda rows: rows - rows[:1],
            "last": lambda rows: rows[-1:] * rows,
            "expanded": lambda rows: rows[:1].expand(rows.shape[0], -1) * 2,
            "chosen": lambda rows: torch.where(rows > 0, rows, rows[-1:]),
            "three": lambda rows: torch.addcmul(rows, rows[:1], rows),
            "not for all": lambda rows: rows[:1] * rows[:1] + rows[:1],
        }
        for name, function in functions.items():
            with self.subTest(name=name):
                torch._dynamo.reset()
                statistics.clear()
                compiled = tally.torch.compile(lambda x, of=function: of(x[x[:, 0] > 0]), options=SILENT)
                for signs in ([1, -1, 1, 1], [-1], [1], [1, 1, 1], []):
                    x = torch.randn(len(signs), 3).abs() * torch.tensor(signs, dtype=torch.float32)[:, None]
                    with torch.no_grad():
                        self.assert_close(compiled(x), function(x[x[:, 0] > 0]))
                self.assert_graphs("inference")
                for rows in (5, 1):
                    x = torch.randn(rows, 3).abs()
                    self.assert_close(compiled(x), function(x))

    def test_squeezed_data(self):
        """A dimension of as many elements as a mask selects is left out where it selects one."""
        functions = {
            "dimension": lambda rows: rows.squeeze(0) * 2,
            "all": lambda rows: rows.squeeze() * 2,
            "first": lambda rows: rows[:1].squeeze(0) * 2,
            "in place": lambda rows: rows.clone().squeeze_(0) * 2,
            "places": lambda rows: rows[:, 1].nonzero().squeeze(),
        }
        for name, function in functions.items():
            with self.subTest(name=name):
                torch._dynamo.reset()
                compiled = tally.torch.compile(lambda x, of=function: of(x[x[:, 0] > 0]))
                for count in (3, 1, 2, 0):
                    x = torch.randn(4, 3).abs() * (torch.arange(4)[:, None] < count)
                    with torch.no_grad():
                        self.assert_close(compiled(x), function(x[x[:, 0] > 0]))

    def test_first_row(self):
        """That of an argument is broadcast so, too; with gradients in one graph for all sizes but 0."""
        def function(x):
            return x - x[:1], x * x[:, -1:], x[:, :1].expand(-1, x.shape[1]) + 1

        compiled = tally.torch.compile(function, fullgraph=True)
        with torch.no_grad():
            for size in ((4, 3), (1, 5), (2, 1), (1, 1), (0, 2)):
                x = torch.randn(size)
                for mine, theirs in zip(compiled(x), function(x)):
                    self.assert_close(mine, theirs)
        self.assert_graphs("inference")
        statistics.clear()
        for size in ((4, 3), (1, 5), (2, 1), (1, 1)):
            mine = torch.randn(size, requires_grad=True)
            theirs = mine.detach().clone().requires_grad_()
            for x, of in ((mine, compiled), (theirs, function)):
                sum((each * torch.arange(each.numel()).view_as(each)).sum() for each in of(x)).backward()
            self.assert_close(mine.grad, theirs.grad)
        self.assert_graphs("forward", "backward")

    def test_bounds_that_are_given(self):
        """A bound of a slice that is a number of the caller's is known where it is used, but for its sign."""
        def function(x, count):
            near = x.sort(-1)[0][:, :count]
            return near - near[:, :1].expand(-1, near.shape[-1])

        compiled = tally.torch.compile(function, fullgraph=True)
        with torch.no_grad():
            for columns, count in ((5, 3), (4, 1), (3, 7), (2, 0), (6, 2)):
                x = torch.randn(3, columns)
                self.assert_close(compiled(x, count), function(x, count))
            self.assert_graphs("inference")
            x = torch.randn(3, 5)
            self.assert_close(compiled(x, -2), function(x, -2))


if __name__ == "__main__":
    unittest.main()
