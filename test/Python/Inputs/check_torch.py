"""torch.compile(backend=tally.torch.backend) and tally.torch.compile, against eager PyTorch."""

import copy
import sys
import threading
import unittest
import warnings
from unittest import mock

import tally
import tally.torch
import torch
from tally.torch import FallbackWarning, statistics
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
                x = self.norm(x + functional.rrelu(self.first(x), training=True))
                return self.last(x + functional.rrelu(x.tanh(), training=True))

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


unittest.main(argv=["check_torch.py", *sys.argv[1:]])
