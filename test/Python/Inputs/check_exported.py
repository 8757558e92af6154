"""tally.compile of what PyTorch exports, against eager PyTorch."""

import math
import os
import sys
import typing
import unittest

import numpy
import tally
import torch
from torch.export import Dim, export

FOLDER = sys.argv[1]


class Tree(torch.nn.Module):
    def forward(self, data, flag, *, scale):
        return {"a": data["x"] * 2, "b": (data["y"][0] + scale, flag, 3, None)}


class Counter(torch.nn.Module):
    """Updates buffers, one of them through a view."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.tensor(0))
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("rows", torch.ones(2, 3, dtype=torch.bfloat16))
        self.register_buffer("scale", torch.full((3,), 2.0))

    def forward(self, x):
        self.calls += 1
        self.total.add_(x.sum(0) * self.scale)
        self.rows[0].mul_(2)
        return x + self.total, self.calls * 2, self.rows + 0


class Pair(typing.NamedTuple):
    first: torch.Tensor
    others: dict


class Noisy(torch.nn.Module):
    """Draws numbers of all kinds: in a layer, into a tensor, and for probabilities. Counts its calls, too."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Dropout(0.3))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x, scale: float):
        self.calls += 1
        y = self.inner(x)
        z = y + torch.randn_like(y.t()).t() * scale + torch.empty_like(y).uniform_() + torch.bernoulli(y.sigmoid())
        return z + torch.rand(x.shape[0] * 2, 6)[::2]


class Exported(unittest.TestCase):
    def export_counter(self, decompose):
        exported = export(Counter(), (torch.ones(4, 3),), dynamic_shapes=({0: Dim("n", max=6)},))
        return exported.run_decompositions() if decompose else exported

    def test_state(self):
        for decompose in (False, True):
            program, model = tally.compile(self.export_counter(decompose)), Counter()
            self.assertEqual(list(program.state), ["calls", "total", "rows"])
            for size in (2, 6, 0, 1):
                x = torch.rand(size, 3)
                torch.testing.assert_close(program(x), model(x))
            with self.assertRaisesRegex(tally.CheckError, "<= 6 does not hold"):
                program(torch.ones(7, 3))
            for name, value in program.state.items():
                torch.testing.assert_close(value, getattr(model, name))
            model.total = torch.tensor([1.0, 2.0, 3.0])
            program.state["total"] = model.total
            program.state["calls"] = 9
            model.calls = torch.tensor(9)
            program.state["rows"] = model.rows.T.contiguous().T * 3
            model.rows = model.rows * 3
            torch.testing.assert_close(program(x), model(x))
            program.state.reset()
            torch.testing.assert_close(program(x), Counter()(x))

    def test_state_of_a_library(self):
        path = os.path.join(FOLDER, "counter.so")
        tally.compile(self.export_counter(False)).save(path)
        x = numpy.ones((2, 3), numpy.float32)
        first, second = tally.load(path), tally.load(path)
        first.main(x)
        self.assertEqual(first.main(x)[1], 4)
        self.assertEqual(second.main(x)[1], 2)
        self.assertEqual(first.main.state["calls"], 2)
        with self.assertRaisesRegex(KeyError, "there is no state 'call'; the program keeps 'calls', 'total', 'rows'"):
            first.main.state["call"] = 0
        with self.assertRaisesRegex(tally.InvalidArgument, r"state 1 \('total'\) has size 2 in dimension 0, expected 3"):
            first.main.state["total"] = numpy.zeros(2, numpy.float32)
        with self.assertRaisesRegex(tally.InvalidArgument, "state 'calls': "):
            first.main.state["calls"] = ["one"]

    def test_state_serves_one_call_at_a_time(self):
        library = tally.compile(self.export_counter(False)).library
        with library._context():
            with self.assertRaisesRegex(tally.BusyError, "a program that keeps state between calls serves one call at a time"):
                library.main(numpy.ones((2, 3), numpy.float32))

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

    def test_named_tuples(self):
        """PyTorch saves no class that has not been registered with a name."""
        class Swap(torch.nn.Module):
            def forward(self, pair):
                return Pair(pair.others["x"] * 2, {"y": pair.first + 1})

        def argument(size):
            return Pair(torch.randn(size), {"x": torch.randn(2, size)})

        n = Dim("n")
        program = tally.compile(export(Swap(), (argument(3),), dynamic_shapes=(Pair({0: n}, {"x": {1: n}}),)))
        for size in (1, 0, 5):
            pair = argument(size)
            actual, expected = program(pair), Swap()(pair)
            self.assertIsInstance(actual, Pair)
            torch.testing.assert_close(actual.first, expected.first)
            torch.testing.assert_close(actual.others, expected.others)

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

    def test_what_is_no_argument_and_no_program(self):
        model = torch.nn.Linear(4, 2)
        exported = export(model, (torch.randn(3, 4),), dynamic_shapes=({0: Dim("n")},))
        program = tally.compile(exported)
        with self.assertRaisesRegex(
                tally.InvalidArgument, r"argument 0 \('input'\): expected an array of f32, not a value of type NoneType"):
            program(None)
        with self.assertRaisesRegex(tally.InvalidArgument, "expected an array of f32, not a value of type str"):
            program("abc")
        with self.assertRaisesRegex(TypeError, "expected 1 argument, not 2"):
            program(1, 2)
        path = os.path.join(FOLDER, "weights.pt")
        torch.save(model.state_dict(), path)
        with self.assertRaisesRegex(tally.CompileError, "weights.pt is no exported program: torch.export.save writes"):
            tally.compile(path)

    def test_numbers_of_sizes(self):
        """PyTorch itself saves no program that rounds a number up, or has the absolute value of one."""
        class Padded(torch.nn.Module):
            def forward(self, x):
                rows, columns = x.shape
                return torch.nn.functional.pad(x, (0, 0, 0, math.ceil(rows / 4) * 4 - rows)), x * abs(rows - columns)

        model = Padded()
        program = tally.compile(export(model, (torch.randn(5, 3),), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},)))
        for size in ((5, 3), (3, 5), (8, 8)):
            x = torch.randn(size)
            torch.testing.assert_close(program(x), model(x))

    def test_what_stands_for_others(self):
        """A region of autocast, and operators on lists, with a buffer that they update."""
        class Averaged(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(4, 2)
                self.register_buffer("mean", torch.zeros(4))

            def forward(self, x):
                torch._foreach_lerp_([self.mean], [x.mean(0)], 0.5)
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    y = self.layer(x - self.mean)
                return y, torch._foreach_norm([x, self.mean])

        model = Averaged()
        program = tally.compile(export(model, (torch.randn(3, 4),), dynamic_shapes=({0: Dim("n")},)))
        for size in (5, 1, 3):
            x = torch.randn(size, 4)
            torch.testing.assert_close(program(x), model(x))
            torch.testing.assert_close(program.state["mean"], model.mean)

    def test_random_numbers(self):
        """They are drawn for each call, and are arguments of the library."""
        model = Noisy()
        program = tally.compile(export(model, (torch.ones(3, 4), 2.0), dynamic_shapes=({0: Dim("n")}, None)))
        for size in (3, 1, 17, 0):
            results = []
            for each in (program, model):
                torch.manual_seed(5)
                results.append([each(torch.linspace(-1, 1, size * 4).reshape(size, 4), 2.0), torch.rand(2)])
            torch.testing.assert_close(*results)
        self.assertEqual(program.state["calls"], 4)
        for wrong in (torch.ones(4), torch.ones(3, 4).double(), 3.0):
            with self.assertRaisesRegex(tally.InvalidArgument, r"argument 0 \('x'\)"):
                program(wrong, 2.0)
        path = os.path.join(FOLDER, "noisy.so")
        program.save(path)
        self.assertEqual(tally.load(path).main.signature.count("f32["), 6)

    def test_random_numbers_are_results(self):
        """What is drawn is a result, or is left in an argument."""

        class Draws(torch.nn.Module):
            def forward(self, x, y):
                x.uniform_(1.0, 2.0)
                return torch.randn(x.shape[0], 3), torch.randint(0, 9, (x.shape[0],)), y.exponential_(), y + 1

        program = tally.compile(export(Draws(), (torch.ones(4, 3), torch.ones(5)),
                                       dynamic_shapes=({0: Dim("n")}, {0: Dim("m")})))
        for n, m in ((4, 5), (0, 3), (7, 1)):
            found = []
            for each in (Draws(), program):
                torch.manual_seed(3)
                arguments = torch.ones(n, 3), torch.ones(m)
                found.append([*each(*arguments), *arguments, torch.rand(2)])
            for one, two in zip(*found):
                torch.testing.assert_close(two, one, rtol=0, atol=0)

    def test_random_numbers_that_are_not_drawn(self):
        exported = export(Noisy().inner.eval(), (torch.ones(3, 4),))
        self.assertEqual(tally.compile(exported).signature, "main(input: f32[3, 4]) -> (out0: f32[3, 6])")

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
