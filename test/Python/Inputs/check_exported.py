"""tally.compile of what PyTorch exports, against eager PyTorch."""

import os
import sys
import unittest

import numpy
import tally
import torch
from torch.export import Dim, export

FOLDER = sys.argv[1]


class Tree(torch.nn.Module):
    def forward(self, data, flag, *, scale):
        return {"a": data["x"] * 2, "b": (data["y"][0] + scale, flag, 3, None)}


class Exported(unittest.TestCase):
    def test_trees(self):
        def arguments(size):
            return {"x": torch.ones(size, dtype=torch.bfloat16), "y": [torch.arange(2.0)]}, True

        scale = torch.tensor([1.0, 2.0])
        sizes = {"data": {"x": {0: Dim("n")}, "y": [None]}, "flag": None, "scale": None}
        exported = export(Tree(), arguments(3), {"scale": scale}, dynamic_shapes=sizes)
        program = tally.compile(exported)
        for size in (0, 1, 7):
            actual = program(*arguments(size), scale=scale)
            expected = Tree()(*arguments(size), scale=scale)
            torch.testing.assert_close(actual["a"], expected["a"])
            torch.testing.assert_close(actual["b"][0], expected["b"][0])
            self.assertEqual(actual["b"][1:], (True, 3, None))
        with self.assertRaisesRegex(TypeError, r"expected 2 arguments by position and \['scale'\] by name, not 2 and \[\]"):
            program(*arguments(2))
        with self.assertRaisesRegex(
                TypeError, r"argument 0 was {'x': \*, 'y': \[\*\]} when the program was exported, and is \*"):
            program(arguments(2)[0]["x"], True, scale=scale)
        with self.assertRaisesRegex(tally.CheckError, "flag does not hold"):
            program(arguments(2)[0], False, scale=scale)

    def test_weights_file_and_cache(self):
        model = torch.nn.Linear(4, 2)
        exported = export(model, (torch.randn(3, 4),), dynamic_shapes=({0: Dim("n")},))
        program = tally.compile(exported)
        self.assertFalse(program.was_cached)
        self.assertTrue(tally.compile(exported).was_cached)
        path = os.path.join(FOLDER, "linear.pt2")
        torch.export.save(exported, path)
        from_file = tally.compile(path)
        for size in (0, 1, 5):
            x = torch.randn(size, 4)
            torch.testing.assert_close(program(x), model(x))
            numpy.testing.assert_allclose(from_file(x.numpy()), model(x).detach().numpy(), rtol=1e-5, atol=1e-6)

    def test_module(self):
        model = torch.nn.Linear(4, 2)
        compiled = tally.compile(model)
        x = torch.randn(3, 4)
        torch.testing.assert_close(compiled(x), model(x))

    def test_text(self):
        class Named(torch.nn.Module):
            def forward(self, x, how):
                return x + 1 if how == "up" else x - 1

        program = tally.compile(export(Named(), (torch.ones(2), "up")))
        torch.testing.assert_close(program(torch.ones(2), "up"), torch.full((2,), 2.0))
        with self.assertRaisesRegex(ValueError, "how is 'up' in this program, not 'down'"):
            program(torch.ones(2), "down")

    def test_unsupported(self):
        with self.assertRaisesRegex(TypeError, "expected a program, or a module of PyTorch, not a value of type int"):
            tally.compile(3)
        exported = export(torch.nn.RReLU().train(), (torch.randn(3),))
        with self.assertRaisesRegex(tally.CompileError, "not supported"):
            tally.compile(exported)


unittest.main(argv=["check_exported.py"])
