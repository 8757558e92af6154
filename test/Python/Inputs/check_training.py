"""Optimizers whose steps are compiled, and models that several processes train."""

import copy
import os
import socket
import unittest
import warnings

import tally.torch
import torch
import torch.distributed
import torch.multiprocessing
from tally.torch import FallbackWarning, statistics
from tally.torch._attention import DECOMPOSITIONS
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
warnings.simplefilter("error", FallbackWarning)


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 12), nn.Linear(12, 3)

    def forward(self, x):
        return self.last(functional.gelu(self.first(x)))


class Optimizers(unittest.TestCase):
    def check(self, optimizer, **options):
        """A few steps, compiled and not, give the same parameters; no part is left to PyTorch."""
        torch._dynamo.reset()
        statistics.clear()
        torch.manual_seed(0)
        models = [Perceptron()]
        models.append(copy.deepcopy(models[0]))
        plain, compiled = (optimizer(each.parameters(), **options) for each in models)
        steps = [plain.step, tally.torch.compile(compiled.step)]
        for batch in (3, 1, 7):
            x = torch.randn(batch, 8)
            for model, step in zip(models, steps):
                model.zero_grad()
                model(x).square().mean().backward()
                step()
            for actual, expected in zip(models[1].parameters(), models[0].parameters()):
                torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-6)
        # The first step makes the state, the second one finds it there.
        self.assertLessEqual(len(statistics), 3)
        self.assertEqual({what for _, what in statistics} - {"compiled", "cached"}, set())

    def test_sgd(self):
        self.check(torch.optim.SGD, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)

    def test_adam(self):
        self.check(torch.optim.Adam, lr=0.01)

    def test_adamw_on_lists(self):
        self.check(torch.optim.AdamW, lr=0.01, foreach=True, amsgrad=True)

    def test_rmsprop_on_lists(self):
        self.check(torch.optim.RMSprop, lr=0.01, foreach=True, momentum=0.5, centered=True)

    def test_adagrad(self):
        self.check(torch.optim.Adagrad, lr=0.1, lr_decay=0.1)


class AttentionOfGPU(unittest.TestCase):
    """What PyTorch chooses on a GPU, whose parts need none."""

    def check(self, is_causal, has_bias, rows=5, columns=7, scale=None):
        aten = torch.ops.aten
        forward = DECOMPOSITIONS[aten._scaled_dot_product_efficient_attention.default]
        backward = DECOMPOSITIONS[aten._scaled_dot_product_efficient_attention_backward.default]
        torch.manual_seed(0)
        sizes = {"query": (2, 3, rows, 4), "key": (2, 3, columns, 4), "value": (2, 3, columns, 4)}
        inputs = [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes.values()]
        bias = None
        if has_bias:
            bias = torch.randn(2, 3, rows, columns, dtype=torch.float64)
            bias[0, 1, 2:] = float("-inf")
            bias.requires_grad_()
        expected = functional.scaled_dot_product_attention(
            *inputs, attn_mask=bias, is_causal=is_causal, scale=scale)
        grad = torch.randn_like(expected)
        given = [*inputs, bias] if has_bias else inputs
        wanted = torch.autograd.grad(expected, given, grad)
        plain = [each.detach() for each in inputs]
        plain_bias = bias.detach() if has_bias else None
        result, sums, seed, offset = forward(*plain, plain_bias, True, 0.0, is_causal, scale=scale)
        found = backward(grad, *plain, plain_bias, result, sums, seed, offset, 0.0, [True, True, True, has_bias],
                         is_causal, scale=scale)
        torch.testing.assert_close(result, expected.detach())
        for one, other in zip(found, wanted):
            torch.testing.assert_close(one, other)

    def test_plain(self):
        self.check(False, False)

    def test_causal(self):
        self.check(True, False, scale=0.3)

    def test_bias(self):
        self.check(False, True)

    def test_one_row(self):
        self.check(False, True, rows=1, columns=1)

    def test_dropout_and_halves_stay_whole(self):
        forward = DECOMPOSITIONS[torch.ops.aten._scaled_dot_product_efficient_attention.default]
        x = torch.randn(1, 2, 3, 4)
        self.assertIs(forward(x, x, x, None, True, 0.1), NotImplemented)
        self.assertIs(forward(x.half(), x.half(), x.half(), None, True), NotImplemented)
        self.assertIs(forward(x, x, x, None, False), NotImplemented)


def train(rank, count, port, results):
    """What one of the processes does: its batches have sizes of their own."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", rank=rank, world_size=count)
    torch.manual_seed(0)
    model = Perceptron()
    plain, other = (DistributedDataParallel(each) for each in (model, copy.deepcopy(model)))
    compiled = tally.torch.compile(other)
    torch.manual_seed(rank)
    largest = 0.0
    for batch in (3 + rank, 1, rank % 2, 9 - rank):
        x = torch.randn(batch, 8)
        for each in (plain, compiled):
            each.zero_grad()
            each(x).square().sum().backward()
        for actual, expected in zip(other.parameters(), plain.parameters()):
            largest = max(largest, (actual.grad - expected.grad).abs().max().item())
    results.put((rank, largest, [kind for kind, what in statistics if what in ("compiled", "cached")]))
    torch.distributed.destroy_process_group()


class Processes(unittest.TestCase):
    def test_sizes_that_differ(self):
        """Each process compiles one graph forward and one backward, whatever sizes it sees."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        context = torch.multiprocessing.get_context("spawn")
        results = context.Queue()
        count = 4
        processes = [
            context.Process(target=train, args=(rank, count, port, results)) for rank in range(count)
        ]
        for process in processes:
            process.start()
        found = sorted(results.get(timeout=240) for _ in processes)
        for process in processes:
            process.join()
        self.assertEqual([rank for rank, _, _ in found], list(range(count)))
        for _, difference, graphs in found:
            self.assertLess(difference, 1e-4)
            self.assertEqual(graphs, ["forward", "backward"])


if __name__ == "__main__":
    unittest.main()
