"""Sizes where PyTorch's operators take integers, through tally.torch.compile: there is one graph for all of them."""

import math
import unittest
from unittest import mock

import tally
import tally.torch
import torch
from check_layers import SILENT, Layers
from tally.torch import _partitions, statistics
from torch._higher_order_ops.associative_scan import associative_scan
from torch.nn import functional

SIZES = ((4, 6), (3, 5), (5, 5), (2, 1), (1, 7), (1, 1))


class Integers(Layers):
    def check_one_graph(self, function, sizes=SIZES):
        statistics.clear()
        compiled = tally.torch.compile(function, fullgraph=True)
        for size in sizes:
            mine = torch.randn(size, requires_grad=True)
            theirs = mine.detach().clone().requires_grad_()
            result, expected = compiled(mine), function(theirs)
            self.assert_close(result, expected)
            if expected.requires_grad:
                weights = torch.randn_like(expected)
                (result * weights).sum().backward()
                (expected * weights).sum().backward()
                self.assert_close(mine.grad, theirs.grad)
        self.assertEqual(sum(kind != "backward" for kind, _ in statistics), 1, statistics)
        return compiled

    def test_pooling_of_all(self):
        """Text models take the largest of all words, older image models the mean of all pixels, with a window of
        that size. Of equal values the first has the gradient, as in eager mode."""
        self.check_one_graph(lambda x: functional.max_pool1d(x.unsqueeze(1), x.shape[-1]))
        self.check_one_graph(lambda x: functional.max_pool2d(x[None, None].round(), x.size()))
        self.check_one_graph(lambda x: functional.avg_pool1d(x.unsqueeze(1), kernel_size=x.shape[-1]))
        self.check_one_graph(lambda x: functional.avg_pool2d(x[None, None], x.shape[-2:]))
        self.check_one_graph(lambda x: functional.lp_pool1d(x.abs().unsqueeze(1) + 0.1, 3.0, x.shape[-1]))

    def test_windows_of_numbers(self):
        """Such a window stays what it is, and costs no other sizes a graph."""
        self.check_one_graph(lambda x: functional.max_pool1d(x, 2, padding=1))
        self.check_one_graph(lambda x: functional.max_pool1d(x, 3, 2, 1, 1, ceil_mode=True))
        self.check_one_graph(lambda x: functional.max_pool1d(x.unsqueeze(1), 2, padding=1, return_indices=True)[0])
        self.check_one_graph(lambda x: functional.max_pool2d(x[None], (1, 1)) + functional.avg_pool2d(x[None], (1, 1)))
        self.check_one_graph(lambda x: x.unfold(1, 1, 1) + torch.linspace(0, 1, 3))

    def test_classes(self):
        def function(x):
            return functional.one_hot(torch.arange(x.shape[0]) % x.shape[1], x.shape[1] + 1)

        compiled = self.check_one_graph(function)
        self.assertEqual(compiled(torch.zeros(3, 2)).dtype, torch.int64)
        with self.assertRaises(tally.CheckError):
            tally.torch.compile(lambda x, y: functional.one_hot(x, y.shape[0]))(torch.tensor([0, 3]), torch.zeros(3))

    def test_diagonals(self):
        self.check_one_graph(lambda x: (x * 2).fill_diagonal_(3) + (x + 1).fill_diagonal_(float("-inf")))
        self.check_one_graph(lambda x: torch.cat([x, x]).fill_diagonal_(-9.0).softmax(-1))

    def test_functions_of_numbers(self):
        """Python's own, of sizes and of what is computed of them."""
        self.check_one_graph(lambda x: x * math.log(x.shape[0]) + math.log(x.shape[1] / 3, 512) - math.log10(x.shape[1]))
        self.check_one_graph(lambda x: x * math.log1p(x.shape[0]) * math.exp(-x.shape[1]) + math.exp(x.shape[1] / 7))
        self.check_one_graph(lambda x: x * math.pow(x.shape[0], -0.5) + math.pow(2, x.shape[1]))

        def all_of_them(x):
            rows, part = x.shape[0], x.shape[0] / (x.shape[1] + 5)
            functions = (math.asin, math.acos, math.atan, math.tan, math.sinh, math.cosh)
            return x + sum(function(part) for function in functions) + math.sin(rows) * math.cos(rows) + math.tanh(
                rows) * math.log2(rows) + math.sqrt(rows)

        self.check_one_graph(all_of_them)
        function = tally.torch.compile(lambda x: x.sum() * math.log(x.shape[0]), options=SILENT)
        self.assertEqual(function(torch.ones(3)), 3 * math.log(3))
        with self.assertRaisesRegex(ValueError, "math domain error|expected a positive input"):
            function(torch.ones(0))

    def test_kronecker_product(self):
        self.check_one_graph(lambda x: torch.kron(x, x.exp()), ((3, 2), (1, 4), (2, 1), (1, 1)))
        self.check_one_graph(lambda x: torch.kron(x[0], x) + torch.kron(x, x.sum()).sum(), ((3, 2), (1, 4), (2, 1)))

    def test_numbers_of_modules(self):
        """What a module is made with is a constant of its graph, until it changes: then it is any number."""
        class Scaled(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.scale = torch.nn.LayerNorm(4, eps=1e-3), 1.0

            def forward(self, x):
                return self.norm(x) * self.scale

        model = Scaled()
        compiled = tally.torch.compile(model, fullgraph=True)
        for rows, scale in ((3, 1.0), (1, 1.0), (2, 0.5), (5, 0.25), (4, 1.0)):
            model.scale, x = scale, torch.randn(rows, 4)
            self.assert_close(compiled(x), model.norm(x) * scale)
        self.assert_graphs("forward", "backward", "forward", "backward")

    def test_places_and_windows(self):
        self.check_one_graph(lambda x: x * torch.linspace(-1, 2, x.shape[1]))
        self.check_one_graph(lambda x: torch.linspace(5.0, 1.0, steps=x.shape[0], dtype=torch.float64))
        for window in (torch.hann_window, torch.hamming_window, torch.blackman_window):
            self.check_one_graph(lambda x: x * window(x.shape[1]) + window(x.shape[1], periodic=False))

    def test_windows_of_a_series(self):
        self.check_one_graph(lambda x: x.unfold(-1, x.shape[1] // 2 + 1, 2))
        self.check_one_graph(lambda x: x.unfold(0, x.shape[0], 1))

    def test_row_at_a_value(self):
        """A tensor without dimensions as an index."""
        def function(x):
            return x - x[x.sum(1).argmax()]

        compiled = tally.torch.compile(function, fullgraph=True)
        for size in ((4, 6), (1, 3), (7, 2), (5, 5)):
            x = torch.randn(size)
            self.assert_close(compiled(x), function(x))
        self.assertEqual(len(statistics), 1)
        compiled = tally.torch.compile(lambda table, place: table[place] * 2, fullgraph=True)
        table = torch.randn(3, 2)
        for place in (1, -1):
            torch.testing.assert_close(compiled(table, torch.tensor(place)), table[place] * 2)
        with self.assertRaisesRegex(tally.CheckError, "the index is out of range"):
            compiled(table, torch.tensor(3))

    def test_pairs(self):
        """The elements of a square above or below a diagonal, as models have that let features interact."""
        def function(x):
            rows, columns = torch.triu_indices(x.shape[0], x.shape[0], offset=1)
            return (x[rows] - x[columns]).square().sum(-1)

        self.check_one_graph(function, ((4, 6), (1, 3), (7, 2), (5, 5)))
        for offset in (-3, -1, 0, 2):
            self.check_one_graph(lambda x: torch.triu_indices(*x.shape, offset))
            self.check_one_graph(lambda x: torch.tril_indices(*x.shape, offset))

    def test_spectra(self):
        """A signal from its spectrum: in a graph of PyTorch's own there is an operator for each element of the
        window, and a graph for each length."""
        window = torch.hann_window(400)

        def function(x, rate=100):
            spectrum = torch.stft(x, 400, rate, window=window, return_complex=True)
            return torch.istft(spectrum * 2, 400, rate, window=window, length=x.shape[-1])

        self.check_one_graph(function, ((2, 1000), (1, 1234), (3, 801)))
        half = torch.ones(8)

        def shorter(x):
            spectrum = torch.stft(x, 16, 4, 8, window=half, return_complex=True)
            return spectrum.istft(16, 4, 8, half, normalized=True)

        self.check_one_graph(shorter, ((2, 64), (1, 33), (3, 100)))
        none_between = tally.torch.compile(lambda x: torch.istft(x, 8, 8, window=torch.zeros(8)))
        with self.assertRaisesRegex(tally.CheckError, "window overlap add"):
            none_between(torch.ones(1, 5, 3, dtype=torch.complex64))

    def test_linear(self):
        """A linear layer is one product of all rows, whatever the strides of its input are known to be. PyTorch 2.11
        had one for each index of the first dimension where the weights are not trained."""
        model = torch.nn.Sequential(
            torch.nn.RMSNorm(8), torch.nn.Linear(8, 16, bias=False), torch.nn.SiLU(), torch.nn.Linear(16, 4))
        model.eval().requires_grad_(False)
        seen = set()
        find_refusal = _partitions.find_refusal

        def record(node, device):
            seen.add(str(node.target))
            return find_refusal(node, device)

        with mock.patch.object(_partitions, "find_refusal", record), torch.no_grad():
            self.check_one_graph(model, ((1, 1, 8), (4, 5, 8), (3, 1, 8)))
        self.assertIn("aten.addmm.default", seen)
        self.assertNotIn("aten.bmm.default", seen)

    def test_affine_grids(self):
        """PyTorch compares the sizes of a grid with each other, to find out whether one of them is 0."""
        def make_grid(x):
            theta = x.sum(1).reshape(-1, 1, 1) * torch.eye(2, 3)
            return functional.affine_grid(theta, [x.shape[0], 3, x.shape[1], 4], align_corners=False)

        def make_volume(x):
            theta = x.sum(1).reshape(-1, 1, 1) * torch.eye(3, 4)
            return functional.affine_grid(theta, (x.shape[0], 1, x.shape[1], 2, x.shape[0]), align_corners=False)

        self.check_one_graph(make_grid)
        self.check_one_graph(make_volume)
        with self.assertRaisesRegex(ValueError, "Expected non-zero, positive output size. Got"):
            tally.torch.compile(make_grid, options=SILENT)(torch.ones(2, 0))

    def test_associative_scans(self):
        """PyTorch takes such a scan apart by its length, into a graph for each."""
        def follow(left, right):
            return {"scale": left["scale"] * right["scale"], "sum": right["scale"] * left["sum"] + right["sum"]}

        def scan(x, dim, **options):
            return associative_scan(follow, {"scale": x.cos(), "sum": x}, dim, combine_mode="generic", **options)["sum"]

        self.check_one_graph(lambda x: scan(x, 1))
        self.check_one_graph(lambda x: scan(x.t(), -1, reverse=True))
        self.check_one_graph(lambda x: associative_scan(torch.maximum, x, 0, combine_mode="generic"))
        self.check_one_graph(lambda x: associative_scan(lambda left, right: right, x, 0, combine_mode="generic"))


if __name__ == "__main__":
    unittest.main()
