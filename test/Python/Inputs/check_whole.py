"""Operators that stay whole in graphs give what PyTorch gives, one graph for all sizes, with gradients as well."""

import sys
import unittest
import warnings

import torch
import torch.nn.functional as F

import tally.torch
from tally.torch import FallbackWarning, statistics

warnings.simplefilter("error", FallbackWarning)

SIZES = ((2, 3, 5, 8), (1, 2, 4, 6), (3, 1, 7, 5), (1, 1, 3, 3), (2, 2, 1, 2))


def resize(**options):
    return lambda x: F.interpolate(x, **options)


class Whole(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def check(self, function, dims=4, sizes=SIZES, graphs=("inference",)):
        torch._dynamo.reset()
        statistics.clear()
        compiled = tally.torch.compile(function)
        trains = "forward" in graphs
        for size in sizes:
            x = torch.randn({3: (*size[:2], size[3]), 4: size, 5: (*size, 4)}[dims], requires_grad=trains)
            found, expected = compiled(x), function(x)
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
            self.assertEqual(found.stride(), expected.stride())
            if trains:
                weight = torch.randn_like(expected)
                gradients = [torch.autograd.grad((each * weight).sum(), x)[0] for each in (found, expected)]
                torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)
        self.assertEqual([kind for kind, _ in statistics], list(graphs))

    def check_both(self, function, **options):
        self.check(function, **options)
        self.check(function, graphs=("forward", "backward"), **options)

    def test_resizing(self):
        for dims, given in (
                (4, {"scale_factor": 2.0}), (4, {"size": (7, 9)}), (4, {"scale_factor": 2.0, "mode": "bilinear"}),
                (4, {"size": (11, 6), "mode": "bilinear", "align_corners": True}), (4, {"scale_factor": 3.0, "mode": "bicubic"}),
                (4, {"scale_factor": 1.3, "mode": "nearest-exact"}), (3, {"scale_factor": 2.0, "mode": "linear"}),
                (5, {"scale_factor": 2.0, "mode": "trilinear"})):
            with self.subTest(dims=dims, **given):
                self.check_both(resize(**given), dims=dims)
        self.check_both(lambda x: F.interpolate(x, size=(x.shape[2] * 2 + 1, x.shape[3] + 3), mode="bilinear"))

    def test_same_size(self):
        """Where a factor leaves the size, or doubles it, PyTorch copies elements; its own decompositions do not."""
        for given in ({"scale_factor": 1.3}, {"scale_factor": 2.4}, {"scale_factor": 1.3, "mode": "bilinear"}):
            with self.subTest(**given):
                self.check_both(resize(**given))
        self.check_both(resize(scale_factor=1.4, mode="trilinear"), dims=5)
        # PyTorch's gradient of this one copies, though the operator does not.
        self.check(resize(scale_factor=1.3, mode="bicubic"))

    def test_rolling(self):
        for roll in (lambda x: x.roll((1, -2), (2, 3)), lambda x: x.roll(x.shape[2] // 2, 2), lambda x: x.roll(3)):
            self.check_both(roll)

    def test_windows(self):
        self.check_both(lambda x: F.unfold(x, (2, 3), padding=1, stride=2))
        self.check_both(lambda x: F.fold(F.unfold(x, 3, padding=1), (x.shape[2], x.shape[3]), 3, padding=1))
        even = [(2, 3, 4, 8), (1, 2, 4, 6), (3, 1, 6, 2)]
        self.check(lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), sizes=even)

    def test_padding(self):
        larger = SIZES[:3]
        self.check_both(lambda x: F.pad(x, (1, 2, 1, 1), mode="reflect"), sizes=larger)
        self.check_both(lambda x: F.pad(x, (1, 2, 3, 0), mode="replicate"), sizes=larger)
        self.check_both(lambda x: F.pad(x, (1, 2), mode="reflect"), dims=3, sizes=larger)

    def test_indices(self):
        places = torch.tensor([0, 2, 1])
        larger = SIZES[:3]
        for write in (lambda x: x.index_add(2, places * 0 + 1, x[:, :, :3] * 2), lambda x: x.index_copy(2, places, x[:, :, :3] * 2),
                      lambda x: x.index_fill(2, places, 3.0)):
            self.check_both(write, sizes=larger)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
