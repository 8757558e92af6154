"""torch.compile(backend=tally.torch.backend) and tally.torch.compile, against eager PyTorch."""

import copy
import os
import pathlib
import stat
import sys
import threading
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


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(8, 12), nn.LayerNorm(12), nn.Linear(12, 3)

    def forward(self, x):
        return self.last(self.norm(functional.gelu(self.first(x))))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.all, self.out = nn.Embedding(11, 8), nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, tokens):
        x = self.embedding(tokens)
        batch, length, width = x.shape
        query, key, value = self.all(x).view(batch, length, 3, 2, 4).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(batch, length, width))


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.norm = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4)

    def forward(self, x):
        return functional.max_pool2d(self.norm(self.convolution(x)).relu(), 2).mean((2, 3))


class Torch(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        statistics.clear()
        torch.manual_seed(0)

    def assert_close(self, actual, expected):
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)

    def test_all_sizes_in_one_graph(self):
        model = Perceptron()
        compiled = tally.torch.compile(model)
        with torch.no_grad():
            for size in (5, 1, 0, 2, 33):
                x = torch.randn(size, 8)
                self.assert_close(compiled(x), model(x))
        self.assertEqual([kind for kind, _ in statistics], ["inference"])

    def test_equal_sizes_stay_two(self):
        compiled = tally.torch.compile(lambda x: x.softmax(0) + x.shape[0] * x.shape[1])
        for shape in ((5, 5), (5, 7), (1, 1), (2, 9)):
            x = torch.randn(shape)
            self.assert_close(compiled(x), x.softmax(0) + x.shape[0] * x.shape[1])
        self.assertEqual(len(statistics), 1)

    def train(self, model, batches, graphs=1):
        other = copy.deepcopy(model)
        compiled = tally.torch.compile(model)
        for batch in batches:
            for module in (model, other):
                module.zero_grad()
            results = [compiled(batch), other(batch)]
            self.assert_close(*results)
            for result in results:
                weights = torch.linspace(-1, 1, result.numel()).reshape(result.shape)
                (result * weights).sum().backward()
            for one, two in zip(model.parameters(), other.parameters()):
                self.assert_close(one.grad, two.grad)
            for one, two in zip(model.buffers(), other.buffers()):
                self.assert_close(one, two)
        self.assertEqual([kind for kind, _ in statistics], ["forward", "backward"] * graphs)

    def test_training(self):
        self.train(Perceptron(), [torch.randn(size, 8) for size in (4, 1, 0, 7)])

    def test_training_attention(self):
        shapes = ((2, 5), (1, 3), (4, 1), (3, 9))
        self.train(Attention(), [torch.randint(0, 11, shape) for shape in shapes])

    def test_training_bags(self):
        for mode, options in (("sum", {}), ("mean", {"padding_idx": 2}), ("mean", {"include_last_offset": True})):
            torch._dynamo.reset()
            table = torch.randn(7, 3)
            compiled = tally.torch.compile(
                lambda *args: functional.embedding_bag(*args, mode=mode, **options))
            statistics.clear()
            for offsets in ([0, 2, 2, 5], [0], [0, 1, 6]):
                indices = torch.tensor([2, 4, 4, 2, 0, 6])
                offsets = torch.tensor(offsets + ([6] if "include_last_offset" in options else []))
                weights = [table.clone().requires_grad_() for _ in range(2)]
                results = [
                    compiled(indices, weights[0], offsets),
                    functional.embedding_bag(indices, weights[1], offsets, mode=mode, **options)
                ]
                self.assert_close(*results)
                for result in results:
                    result.exp().sum().backward()
                self.assert_close(weights[0].grad, weights[1].grad)
            self.assertEqual([kind for kind, _ in statistics], ["forward", "backward"])

    def test_training_normalized_weights(self):
        norm = torch.nn.utils.parametrizations.weight_norm
        model = nn.Sequential(norm(nn.Linear(4, 6)), nn.Tanh(), norm(nn.Linear(6, 2), dim=1))
        self.train(model, [torch.randn(size, 4) for size in (3, 1, 0)])

    def test_convolutions_do_not_ask_for_sizes(self):
        model = nn.Conv1d(3, 4, 3, padding=1)
        compiled = tally.torch.compile(model)
        with torch.no_grad():
            for shape in ((2, 3, 7), (1, 3, 1), (17, 3, 4), (3, 3, 1)):
                x = torch.randn(shape)
                self.assert_close(compiled(x), model(x))
        self.assertEqual(len(statistics), 1)

    def test_training_updates_statistics(self):
        shapes = ((2, 2, 6, 4), (3, 2, 5, 9), (1, 2, 8, 8))
        self.train(Images(), [torch.randn(shape) for shape in shapes])

    def test_backward_twice(self):
        model = Perceptron()
        loss = tally.torch.compile(model)(torch.randn(3, 8)).sum()
        loss.backward(retain_graph=True)
        once = model.last.weight.grad.clone()
        loss.backward()
        self.assert_close(model.last.weight.grad, 2 * once)

    def test_random_numbers_are_those_of_eager(self):
        model = nn.Sequential(nn.Linear(8, 64), nn.Dropout(0.5), nn.ReLU(), nn.Linear(64, 2))
        compiled = tally.torch.compile(model, options={"fallback": "silent"})
        for size in (3, 1, 6):
            x = torch.randn(size, 8)
            results = []
            for function in (compiled, model):
                torch.manual_seed(7)
                results.append(function(x))
            self.assert_close(*results)

    def test_random_numbers_between_operators_of_many_results(self):
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.norm, self.last = nn.Linear(8, 8), nn.LayerNorm(8), nn.LayerNorm(8)

            def forward(self, x):
                x = self.norm(x + functional.dropout(self.first(x), 0.2))
                return self.last(x + functional.dropout(x.tanh(), 0.2))

        model = Block()
        other = copy.deepcopy(model)
        compiled = tally.torch.compile(model, options={"fallback": "silent"})
        for size in (3, 1, 6):
            x = torch.randn(size, 8)
            gradients = []
            for function, module in ((compiled, model), (other, other)):
                module.zero_grad()
                torch.manual_seed(7)
                (function(x) * torch.arange(8)).sum().backward()
                gradients.append([each.grad for each in module.parameters()])
            self.assert_close(*gradients)

    def test_strides_are_those_of_eager(self):
        def function(x):
            return (x + 1).transpose(0, 1), (x * 2).permute(2, 0, 1), x.exp()

        compiled = tally.torch.compile(function)
        for shape in ((2, 3, 4), (5, 1, 2), (1, 6, 3)):
            x = torch.randn(shape)
            for actual, expected in zip(compiled(x), function(x)):
                self.assert_close(actual, expected)
                self.assertEqual(actual.stride(), expected.stride())

    def test_arguments_that_are_updated_and_views(self):
        def function(x, y):
            x.add_(1)
            y[1:].mul_(2)
            return x.t(), y

        compiled = tally.torch.compile(function)
        for size in (4, 2):
            pairs = [[torch.ones(size, 3), torch.arange(6.0)] for _ in range(2)]
            self.assert_close(compiled(*pairs[0]), function(*pairs[1]))
            self.assert_close(pairs[0], pairs[1])

    def test_strided_arguments(self):
        compiled = tally.torch.compile(lambda x: x.sum(0) * 2)
        for x in (torch.randn(6, 4).t(), torch.randn(1, 5).expand(3, 5), torch.randn(8, 6)[::2, 1:]):
            self.assert_close(compiled(x), x.sum(0) * 2)

    def test_element_types(self):
        def function(x):
            return x * 2 + 1, x > 1, x.sum()

        for dtype in (torch.bfloat16, torch.float16, torch.float64, torch.int32, torch.uint8):
            torch._dynamo.reset()
            compiled = tally.torch.compile(function)
            x = torch.arange(6).reshape(2, 3).to(dtype)
            for actual, expected in zip(compiled(x), function(x)):
                self.assertEqual(actual.dtype, expected.dtype)
                torch.testing.assert_close(actual, expected)

    def test_numbers(self):
        compiled = tally.torch.compile(lambda x, n, f: x * n + f)
        for n, f in ((2, 0.5), (3, -1.5), (0, 2.0), (1, 1.0)):
            self.assert_close(compiled(torch.ones(3), n, f), torch.ones(3) * n + f)

    def test_sizes_from_data(self):
        def function(x):
            rows = x[x[:, 0] > 0]
            return rows * 2, torch.nonzero(x).shape[0] + x.sum()

        compiled = tally.torch.compile(function, fullgraph=True)
        for size in (5, 1, 8):
            x = torch.randn(size, 2)
            self.assert_close(compiled(x), function(x))
        self.assertEqual(len(statistics), 1)

    def test_sizes_from_data_in_a_loop(self):
        def function(x, w):
            out = torch.zeros_like(x)
            for i in range(3):
                rows, = torch.where(x[:, 0] > i - 1)
                out = out.index_add(0, rows, (x[rows] @ w).tanh())
            return out

        compiled = tally.torch.compile(function, fullgraph=True)
        for size in (5, 1, 0, 8):
            x, w = torch.randn(size, 2), torch.randn(2, 2, requires_grad=True)
            results = [compiled(x, w), function(x, w)]
            self.assert_close(*results)
            self.assert_close(*(torch.autograd.grad(each.exp().sum(), w) for each in results))
        self.assertEqual([kind for kind, _ in statistics], ["forward", "backward"])

    def test_recurrent_layers(self):
        model = nn.GRU(3, 4, batch_first=True)
        compiled = tally.torch.compile(model, fullgraph=True)
        with torch.no_grad():
            for shape in ((2, 5, 3), (3, 9, 3), (4, 2, 3)):
                x = torch.randn(shape)
                self.assert_close(compiled(x), model(x))
        self.assertEqual([kind for kind, _ in statistics], ["inference"])

    def test_contiguous_does_not_ask_for_sizes(self):
        def function(x):
            y = (x + 1).transpose(0, 1)
            return y.contiguous().view(-1), y.exp().contiguous() * 2

        compiled = tally.torch.compile(function, fullgraph=True)
        for shape in ((2, 7), (1, 5), (3, 1), (1, 1), (0, 4)):
            x = torch.randn(shape)
            self.assert_close(compiled(x), function(x))
        self.assertEqual(len(statistics), 1)

    def test_reshape_does_not_ask_for_sizes(self):
        def function(x):
            y = (x + 1).transpose(1, 2)
            return y.reshape(-1, x.shape[1]) * 2, y @ y.transpose(-1, -2), y.flatten(1).exp()

        compiled = tally.torch.compile(function, fullgraph=True)
        for shape in ((2, 7, 3, 4), (1, 5, 2, 1), (3, 1, 1, 2), (1, 1, 1, 1)):
            x = torch.randn(shape)
            self.assert_close(compiled(x), function(x))
        self.assertEqual(len(statistics), 1)

    def test_attention_in_one_operator(self):
        torch.manual_seed(0)
        layers = [
            nn.TransformerEncoderLayer(8, 2, 12, batch_first=True, norm_first=norm_first, activation=activation).eval()
            for norm_first, activation in ((True, "gelu"), (False, "relu"))
        ]
        attention = nn.MultiheadAttention(8, 4, batch_first=True).eval()

        def function(x, padding):
            causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
            y = layers[0](x, src_key_padding_mask=padding)
            return layers[1](y, src_mask=causal), attention(y, y, y)

        compiled = tally.torch.compile(function, fullgraph=True)
        with torch.no_grad():
            for shape in ((2, 5, 8), (1, 3, 8), (3, 2, 8), (2, 1, 8)):
                x, padding = torch.randn(shape), torch.zeros(shape[:2], dtype=torch.bool)
                padding[0, 1:] = True
                self.assert_close(compiled(x, padding), function(x, padding))
        self.assertEqual(len(statistics), 1)

    def test_attention_in_groups(self):
        """Each head of keys serves several heads of queries: as copies of it, and as a GPU computes it."""
        def function(query, key, value, mask, causal):
            return functional.scaled_dot_product_attention(
                query, key, value, attn_mask=mask, is_causal=causal, enable_gqa=True)

        def make(batch, rows, columns, heads):
            return torch.randn(batch, 6, rows, 8), *(torch.randn(batch, heads, columns, 8) for _ in range(2))

        def mask_all(batch, rows, columns):
            mask = torch.rand(rows, columns) > 0.5
            mask[0] = False  # A row without a place is 0.
            return mask, False

        masks = {
            "causal": lambda *sizes: (None, True), "of all heads": mask_all,
            "of each head": lambda b, r, c: (torch.randn(b, 6, r, c), False),
        }
        for how, name in (*(("groups", name) for name in masks), ("copies", "causal"), ("copies", "of all heads")):
            with self.subTest(how=how, mask=name), torch.no_grad(), mock.patch(
                    "tally.torch._tracing._find_groups", return_value=how):
                torch._dynamo.reset()
                statistics.clear()
                compiled = tally.torch.compile(function, fullgraph=True)
                for *sizes, heads in ((2, 5, 7, 2), (3, 1, 9, 3)):
                    arguments = (*make(*sizes, heads), *masks[name](*sizes))
                    self.assert_close(compiled(*arguments), function(*arguments))
                self.assertEqual(len(statistics), 1)

    def test_copies_do_not_ask_for_sizes(self):
        def function(x):
            y = torch.zeros_like(x)
            y[:, 1:] = x[:, :-1]
            y[:, 0] = 7
            return y.copy_(y.sin())

        compiled = tally.torch.compile(function, fullgraph=True)
        for shape in ((2, 7), (1, 5), (3, 2), (2, 1), (1, 1), (4, 3)):
            x = torch.randn(shape)
            self.assert_close(compiled(x), function(x))
        self.assertEqual(len(statistics), 1)

    def test_writes_to_what_may_be_a_view(self):
        """For some sizes these write to their argument, for others to a copy of it."""
        def flat(x):
            y = x.transpose(0, 1).reshape(-1)
            y[0].add_(1)
            return y * 2

        def rows(x):
            y = x.transpose(0, 1).contiguous()
            y.mul_(3)
            return y + 1

        for function in (flat, rows):
            torch._dynamo.reset()
            compiled = tally.torch.compile(function)
            for shape in ((2, 3), (1, 4), (3, 1), (1, 1), (4, 2)):
                x = torch.randn(shape)
                arguments = x.clone(), x.clone()
                self.assert_close(compiled(arguments[0]), function(arguments[1]))
                self.assert_close(*arguments)

    def test_plain_contiguous_is_that_of_pytorch(self):
        seen = []

        def look(module, inputs):
            seen.append([str(node.target) for node in module.graph.nodes])
            return module.forward

        x = torch.randn(3, 4)
        compiled = torch.compile(lambda x: x.t().contiguous() + 1, backend=look, dynamic=True)
        self.assert_close(compiled(x), x.t() + 1)
        self.assertIn("contiguous", seen[0])

    def test_linear_algebra(self):
        linalg, functions = torch.linalg, {
            "inv": lambda x, y: linalg.inv(x),
            "solve": lambda x, y: linalg.solve(x, y),
            "cholesky": lambda x, y: linalg.cholesky(x @ x.mT),
            "slogdet": lambda x, y: linalg.slogdet(x)[1],
        }
        for name, function in functions.items():
            torch._dynamo.reset()
            statistics.clear()
            compiled = tally.torch.compile(function, fullgraph=True)
            for batch, size in [(2, 3), (3, 5), (1, 4)]:
                x, y = torch.randn(batch, size, size) / size + 2 * torch.eye(size), torch.randn(batch, size, 2)
                found = []
                for call in (function, compiled):
                    arguments = x.clone().requires_grad_(), y.clone().requires_grad_()
                    result = call(*arguments)
                    found.append([result, *torch.autograd.grad(result.sin().sum(), arguments, allow_unused=True)])
                for actual, expected in zip(*found):
                    self.assertEqual(actual is None, expected is None)
                    if actual is not None:
                        torch.testing.assert_close(actual, expected, rtol=1e-3, atol=1e-4, msg=name)
            self.assertEqual([kind for kind, _ in statistics], ["forward", "backward"])

    def test_singular(self):
        compiled = tally.torch.compile(lambda x: torch.linalg.inv(x), fullgraph=True)
        compiled(torch.eye(3))
        with self.assertRaisesRegex(tally.CheckError, "linalg.inv: The diagonal element info is zero.*singular"):
            compiled(torch.ones(2, 2))
        torch.testing.assert_close(compiled(2 * torch.eye(2)), torch.eye(2) / 2)

    def test_failed_check(self):
        table = torch.randn(4, 3)
        compiled = tally.torch.compile(lambda i: table[i] * 2)
        self.assert_close(compiled(torch.tensor([0, 3])), table[[0, 3]] * 2)
        with self.assertRaisesRegex(tally.CheckError, "an index is out of bounds"):
            compiled(torch.tensor([0, 4]))
        self.assert_close(compiled(torch.tensor([1])), table[[1]] * 2)

    def test_threads(self):
        model = Perceptron().eval()
        with torch.no_grad():
            compiled = tally.torch.compile(model)
            compiled(torch.randn(2, 8))
        wrong = []

        def call(seed):
            with torch.no_grad():
                for size in range(1, 40):
                    x = torch.full((size, 8), float(seed))
                    if not torch.allclose(compiled(x), model(x), atol=1e-5):
                        wrong.append((seed, size))

        threads = [threading.Thread(target=call, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


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
        texts = [str(each.message) for each in caught if each.category is FallbackWarning]
        self.assertEqual(len(texts), 1)
        self.assertRegex(
            texts[0], r"^PyTorch runs aten.special_airy_ai.default \(an operator that is not known at .*check_torch.py:\d+\)$")

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
                    torch._dynamo.graph_break()
                    y = self.scale(y)
                torch._dynamo.graph_break()
                return y.sin() + 1

        model, x = Layers(), torch.randn(3, 4)
        counts = []
        for alone in (False, True):
            torch._dynamo.reset()
            statistics.clear()
            with mock.patch("tally.torch._tracing._costs_less", return_value=alone), torch.no_grad():
                compiled = tally.torch.compile(model, options={"fallback": "silent"})
                for _ in range(2):
                    torch.testing.assert_close(compiled(x), model(x))
            counts.append(len(statistics))
        self.assertGreater(counts[0], 2)
        torch._dynamo.reset()
        # It is compiled where it is what is to be compiled.
        statistics.clear()
        with mock.patch("tally.torch._tracing._costs_less", return_value=True), torch.no_grad():
            torch.testing.assert_close(tally.torch.compile(functional.silu)(x), functional.silu(x))

    def test_error(self):
        compiled = tally.torch.compile(transform, fullgraph=True)
        with self.assertRaisesRegex(Exception, r"Tally does not take aten.special_airy_ai.default \(an operator that is not known at .*check_torch.py:"):
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


unittest.main(argv=["check_torch.py", *sys.argv[1:]])
