"""What PyTorch runs in the place of Tally, what it cannot trace, and what is kept on disk."""

import copy
import os
import pathlib
import pickle
import stat
import sys
import unittest
import warnings
from unittest import mock

import tally
import tally.torch
import torch
from tally.torch import FallbackWarning, UnsupportedProgram, statistics
from tally.torch._schema import Program, UnsupportedGraph
from torch import nn
from torch.nn import functional

torch.set_num_threads(1)
warnings.simplefilter("error", FallbackWarning)


def transform(x):
    return torch.special.airy_ai(x * 2 + 1).abs().sum(-1) + x.exp().sum(-1).sin()


class Untraceable(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        statistics.clear()

    def test_wrong_call_changes_nothing(self):
        model, other = nn.Linear(4, 4), nn.Linear(6, 6)
        compiled, compiled_other = tally.torch.compile(model), tally.torch.compile(other)
        with torch.no_grad():
            compiled(torch.randn(3, 4))
            with self.assertRaisesRegex(RuntimeError, "mat1 and mat2 shapes cannot be multiplied"):
                compiled(torch.randn(3, 5))
            compiled(torch.randn(2, 4))
            compiled_other(torch.randn(3, 6))
        self.assertEqual([kind for kind, _ in statistics], ["inference", "inference"])

    def test_copies(self):
        """A copy of a compiled module, or what is read of its pickle, is compiled with the same options, and
        has parameters of its own."""
        compiled = tally.torch.compile(nn.Linear(4, 4), options={"fallback": "silent"})
        x = torch.randn(3, 4)
        expected = compiled(x)
        for other in (copy.deepcopy(compiled), pickle.loads(pickle.dumps(compiled))):
            torch.testing.assert_close(other(x), expected)
            with torch.no_grad():
                with self.assertRaisesRegex(RuntimeError, "mat1 and mat2 shapes cannot be multiplied"):
                    other(torch.randn(3, 5))  # In the words of the model, as the compiled module has it.
                other.weight.zero_()
                other.bias.zero_()
            self.assertEqual(other(x).abs().max(), 0)
        torch.testing.assert_close(compiled(x), expected)

    def test_size_one_that_broadcasts(self):
        # With no size special, PyTorch takes the two sizes for equal.
        compiled = tally.torch.compile(lambda x, y: x * y + 1, fullgraph=True)
        for left, right in ((5, 5), (5, 1), (1, 3), (4, 4), (7, 1)):
            x, y = torch.randn(left, 2), torch.randn(right, 2)
            torch.testing.assert_close(compiled(x, y), x * y + 1)
        self.assertTrue(all(how in ("compiled", "cached") for _, how in statistics))

    def test_size_one_behind_a_break(self):
        """What is traced otherwise is one part of a call, when another one has run."""
        calls = []

        def function(x, y):
            z = x.sin()
            torch._dynamo.graph_break()
            calls.append(1)
            return z + y

        compiled = tally.torch.compile(function)
        for left, right in ((3, 4), (3, 1)), ((5, 4), (5, 1)), ((3, 4), (3, 4)), ((1, 4), (1, 1)), ((0, 4), (0, 1)):
            x, y = torch.randn(left), torch.randn(right)
            torch.testing.assert_close(compiled(x, y), x.sin() + y)
        self.assertEqual(len(calls), 5)
        with self.assertRaisesRegex(RuntimeError, "The size of tensor a"):
            compiled(torch.randn(3, 4), torch.randn(3, 5))

    def test_what_no_way_can_trace(self):
        def function(x):
            if x.shape[0] == 3:
                torch._dynamo.graph_break()
                raise_in_trace(x)
            return x + 1

        compiled = tally.torch.compile(function)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FallbackWarning)
            for size in (2, 3, 4):
                torch.testing.assert_close(compiled(torch.ones(size)), torch.full((size,), 2.0))


def raise_in_trace(x):
    """Runs in PyTorch alone."""
    return x.numpy().sum()


class Fallback(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        statistics.clear()

    def test_warns_once(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compiled = tally.torch.compile(transform)
            for size in (8, 6, 9):
                x = torch.randn(3, size)
                torch.testing.assert_close(compiled(x), transform(x))
        caught = [each for each in caught if each.category is FallbackWarning]
        texts = [str(each.message) for each in caught]
        self.assertEqual(len(texts), 1)
        self.assertRegex(
            texts[0], r"^PyTorch runs aten.special_airy_ai.default \(an operator that is not known at .*check_fallback.py:\d+\)$")
        # It stands at the line that calls the operator.
        self.assertEqual((caught[0].filename, caught[0].lineno), (__file__, transform.__code__.co_firstlineno + 1))

    def test_place_of_a_call(self):
        """What is refused before there is a graph is told at the line that calls, not at one of ours."""
        class Strange(torch.Tensor):
            __torch_function__ = torch._C._disabled_torch_function_impl

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            x = torch.randn(3).as_subclass(Strange)
            torch.compile(lambda x: x * 2 + 1, backend="tally", dynamic=True)(x)
        caught = [each for each in caught if each.category is FallbackWarning]
        self.assertEqual([each.filename for each in caught], [__file__])

    def test_silent(self):
        x = torch.randn(3, 8)
        compiled = tally.torch.compile(transform, options={"fallback": "silent"})
        torch.testing.assert_close(compiled(x), transform(x))

    def test_parts_that_do_not_compile(self):
        """PyTorch runs a part of a graph: its one result is a tensor, not that tensor's first row."""
        compiled = tally.torch.compile(transform, options={"fallback": "silent"})
        refuses = mock.patch("tally._cache.compile_library", side_effect=tally.CompileError("a defect"))
        with refuses as refused:
            for shape in ((3, 8), (1, 5)):
                x = torch.randn(shape)
                torch.testing.assert_close(compiled(x), transform(x))
        refused.assert_called()

    def test_strides_between_parts(self):
        """An operator that PyTorch runs gets the strides that eager gives it, of views with gaps
        too, also where the part that makes such a view reads it again."""

        @torch.library.custom_op("check_torch::strides", mutates_args=())
        def strides(x: torch.Tensor) -> torch.Tensor:
            return torch.tensor(x.stride()) + x.sum().to(torch.int64)

        @strides.register_fake
        def _(x):
            return x.new_empty((x.dim(),), dtype=torch.int64)

        def padded(x):
            rows = functional.pad(x * 2, (0, 5))[:, : x.shape[1]]
            wide = (x + 1).sum(1, keepdim=True).expand(-1, 7)
            both = (x * 3).t()[1:]
            return strides(rows), strides(wide), strides(both), both.exp() + 1, strides(rows.t() * 1)

        compiled = tally.torch.compile(padded, options={"fallback": "silent"})
        for shape in ((3, 8), (2, 5), (4, 4)):
            x = torch.randn(shape)
            torch.testing.assert_close(compiled(x), padded(x))

    def test_strides_of_parts_alone(self):
        """What only parts read lies row by row, and PyTorch's operators get the strides of eager mode."""

        @torch.library.custom_op("check_torch::mix", mutates_args=())
        def mix(x: torch.Tensor) -> torch.Tensor:
            return (x * torch.tensor(x.stride()).sum()).transpose(0, 1).contiguous().transpose(0, 1)

        @mix.register_fake
        def _(x):
            return x.new_empty(x.shape[1], x.shape[0]).transpose(0, 1)

        def function(x):
            turned = x.t() * 2
            both = turned.exp() + 1
            z = mix(both + turned)
            y = mix(turned.sin() - z) * both
            return y + turned.exp().cos(), turned

        with mock.patch("tally.torch._backend._reads_any_order", return_value=False):
            compiled = tally.torch.compile(function, options={"fallback": "silent"})
            for shape in ((3, 8), (2, 5), (4, 4)):
                x = torch.rand(shape)
                actual, expected = compiled(x), function(x)
                torch.testing.assert_close(actual, expected)
                self.assertEqual([each.stride() for each in actual], [each.stride() for each in expected])

    def test_single_operators_between_graphs(self):
        """A function of one operator is left to PyTorch where it costs less than a call of a graph."""
        class Scale(nn.Module):
            def forward(self, x):
                return functional.silu(x)

        class Layers(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale, self.linear = Scale(), nn.Linear(4, 4)

            def forward(self, x):
                y = self.linear(x) * 2
                for _ in range(2):
                    # Dynamo leaves out a function that breaks within a loop, and traces what it calls.
                    torch._dynamo.graph_break()
                    y = self.scale(y)
                torch._dynamo.graph_break()
                return y.sin() + 1

        model, x = Layers(), torch.randn(3, 4)
        for alone, count in ((False, 1), (True, 0)):
            torch._dynamo.reset()
            with mock.patch("tally.torch._tracing._costs_less", return_value=alone), torch.no_grad():
                compiled = tally.torch.compile(model, options={"fallback": "silent"})
                for _ in range(2):
                    torch.testing.assert_close(compiled(x), model(x))
            kept = torch._dynamo.eval_frame._debug_get_cache_entry_list(Scale.forward.__code__)
            self.assertEqual(len(kept), count)
        torch._dynamo.reset()
        # It is compiled where it is what is to be compiled.
        statistics.clear()
        with mock.patch("tally.torch._tracing._costs_less", return_value=True), torch.no_grad():
            torch.testing.assert_close(tally.torch.compile(functional.silu)(x), functional.silu(x))
        self.assertEqual([kind for kind, _ in statistics], ["inference"])

    def test_error(self):
        compiled = tally.torch.compile(transform, fullgraph=True)
        with self.assertRaisesRegex(Exception, r"Tally does not take aten.special_airy_ai.default \(an operator that is not known at .*check_fallback.py:"):
            compiled(torch.randn(3, 8))
        self.assertTrue(issubclass(UnsupportedProgram, RuntimeError))

    def test_options(self):
        for options, message in (
                ({"speed": 1}, "the backend tally has no option 'speed'; its options are fallback"),
                ({"fallback": 1}, "option 'fallback' is one of warn, error, silent")):
            with self.assertRaisesRegex(ValueError, message):
                tally.torch.compile(transform, options=options)
        compiled = torch.compile(transform, backend=tally.torch.backend, mode="max-autotune")
        with self.assertRaisesRegex(Exception, "the backend tally has no mode 'max-autotune'"):
            compiled(torch.randn(3, 8))


class Graphs(unittest.TestCase):
    def refused(self, build):
        graph = torch.fx.Graph()
        module = torch.fx.GraphModule({}, graph)
        module.inner = nn.ReLU()
        module.graph.output(build(module.graph))
        with self.assertRaises(UnsupportedGraph) as caught:
            Program(module)
        return str(caught.exception)

    def test_what_the_schema_has_no_words_for(self):
        def layout(graph):
            node = graph.placeholder("x")
            node.meta["val"] = torch.eye(2).to_sparse()
            return node

        def argument(graph):
            node = graph.call_function(torch.ops.aten.full.default, ([2], range(2)))
            node.meta["val"] = torch.ones(2)
            return node

        def module(graph):
            return graph.call_module("inner", (graph.placeholder("x"),))

        def inner(graph):
            part = torch.fx.GraphModule({}, torch.fx.Graph())
            part.register_buffer("table", torch.ones(2))
            part.graph.output(part.graph.get_attr("table"))
            graph.owning_module.part = part
            node = graph.call_function(
                torch.ops.higher_order.invoke_subgraph, (graph.get_attr("part"), "part"))
            node.meta["val"] = (torch.ones(2),)
            return node

        self.assertEqual(self.refused(layout), "a tensor of layout torch.sparse_coo")
        self.assertEqual(self.refused(argument), "an argument of type range")
        self.assertEqual(self.refused(module), "a node that is a call_module")
        self.assertEqual(
            self.refused(inner), "a constant within the graph of a higher-order operator")


class Cache(unittest.TestCase):
    def compile_again(self, function=lambda x: x * 3 + 1):
        torch._dynamo.reset()
        statistics.clear()
        x = torch.ones(4)
        compiled = torch.compile(function, backend="tally", dynamic=True)
        torch.testing.assert_close(compiled(x), function(x))
        return [how for _, how in statistics]

    def test_kept(self):
        self.assertEqual(self.compile_again(), ["compiled"])
        self.assertEqual(self.compile_again(), ["cached"])
        self.assertEqual(self.compile_again(lambda x: x * 2 + 1), ["compiled"])
        folder = pathlib.Path(os.environ["TALLY_RT_CACHE"]) / "programs"
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        self.assertTrue(all(each.suffix == ".so" for each in folder.iterdir()))
        folder.chmod(0o777)  # Others could have put a library there.
        try:
            self.assertEqual(self.compile_again(), ["compiled"])
        finally:
            folder.chmod(0o700)

    def test_errors_name_their_own_lines(self):
        """The same program, three lines further down in another file, is another library."""
        messages = []
        for name, lines in (("one.py", 0), ("two.py", 3)):
            space = {}
            text = "\n" * lines + "def look_up(table, i):\n    return table[i] * 5\n"
            exec(compile(text, name, "exec"), space)
            torch._dynamo.reset()
            look_up = torch.compile(space["look_up"], backend="tally", dynamic=True)
            with self.assertRaises(tally.CheckError) as caught:
                look_up(torch.ones(4, 2), torch.tensor([7]))
            messages.append(caught.exception.message)
        self.assertIn("one.py:2:", messages[0])
        self.assertIn("two.py:5:", messages[1])

    def test_unused_are_removed(self):
        self.assertEqual(self.compile_again(torch.cos), ["compiled"])
        folder = pathlib.Path(os.environ["TALLY_RT_CACHE"]) / "programs"
        old = folder / "old.so"
        old.touch()
        os.utime(old, (0, 0))
        self.compile_again(torch.cos)
        self.assertTrue(old.exists())
        self.compile_again(torch.tan)
        self.assertFalse(old.exists())

    def test_off(self):
        folder = os.environ["TALLY_RT_CACHE"]
        os.environ["TALLY_RT_CACHE"] = "off"
        try:
            self.assertEqual(self.compile_again(torch.sin), ["compiled"])
            self.assertEqual(self.compile_again(torch.sin), ["compiled"])
        finally:
            os.environ["TALLY_RT_CACHE"] = folder


unittest.main(argv=["check_fallback.py", *sys.argv[1:]])
