"""Random numbers through torch.compile: they are those of eager mode, drawn before the one graph that there is."""

import unittest

import tally.torch
import torch
from tally.torch import statistics
from torch import nn
from torch.distributions import Categorical, Normal
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

torch.set_num_threads(1)

SILENT = {"fallback": "silent"}


def drops(x):
    y = functional.dropout(x.relu(), 0.3)
    y = functional.dropout(y.sin().t(), 0.5) + functional.dropout(x[:, :1], 0.2).t()
    return y.t() + functional.dropout1d(x[None].tanh(), 0.5)[0] + functional.alpha_dropout(x.cos(), 0.4)


def drops_rows(x):
    """As stochastic depth does it."""
    kept = x.new_empty(x.shape[0], 1).bernoulli_(0.8)
    return x.exp() * kept.div_(0.8)


def makes(x):
    y = torch.rand(x.shape[0] + 1, x.shape[1])[1:] + torch.randn(x.shape) + torch.randperm(x.shape[1])
    return x + y + torch.randint(0, x.shape[0] * 2 + 1, x.shape) + torch.randn(x.shape, dtype=torch.float64)


def makes_alike(x):
    y = x.exp()
    z = torch.randn_like(y.t()).t() * torch.rand_like(y) + torch.randint_like(y, 3, 9)
    return z * y + torch.randn_like(y) - torch.randn_like(y)


def fills(x):
    kinds = (("uniform_", -1, 2), ("exponential_", 2.0), ("cauchy_",), ("geometric_", 0.3), ("log_normal_",), ("normal_", 1, 2))
    total = x + torch.empty_like(x).exponential_() - torch.empty_like(x).exponential_()
    for name, *arguments in kinds:
        total = total + getattr(torch.empty_like(x), name)(*arguments)
    return total


def fills_in_order_of_memory(x):
    """Which number an element gets depends on how its tensor lies in memory."""
    y = x.exp().t()
    z = torch.stack([y, y])
    z[1].normal_()
    z[0, :, :1].uniform_()
    return z + torch.empty_like(y).normal_() * functional.dropout(y, 0.2) + torch.bernoulli(y.sigmoid())


def compares(x):
    p = x.sigmoid()
    y = torch.empty(x.shape).bernoulli_(p.detach()) + torch.empty_like(p.t()).bernoulli_(p.t().detach()).t()
    return y + torch.bernoulli(p) + torch.bernoulli(p.t()).t()


def scales(x):
    y = torch.normal(x.sin(), 1.5) + torch.normal(0.3, x.exp()) + torch.normal(x[:1], x.abs())
    return y + Normal(x, x.exp(), validate_args=False).rsample()


def chooses(x):
    place = torch.multinomial(x.exp() + 0.1, 1)
    other = Categorical(logits=x, validate_args=False).sample()[:, None]
    return place + other + x + functional.gumbel_softmax(x, tau=0.5) + functional.gumbel_softmax(x.sin(), hard=True)


def attends(x):
    query = x[None, None].expand(1, 2, -1, -1)
    return functional.scaled_dot_product_attention(query, query.cos(), query.sin(), dropout_p=0.2)[0, 0]


class Random(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        statistics.clear()

    def compare(self, function, calls, compiled=None, tolerance=1e-4):
        """Results, gradients, and what is drawn after the call, are those of eager mode."""
        compiled = compiled or tally.torch.compile(function, fullgraph=True)
        for x in calls:
            found = []
            for each in (function, compiled):
                torch.manual_seed(7)
                given = x.clone().requires_grad_(x.requires_grad)
                result = each(given)
                if given.requires_grad:
                    (result * torch.linspace(-1, 1, result.numel()).reshape(result.shape)).sum().backward()
                found.append([result.detach(), given.grad, torch.rand(2)])
            for one, two in zip(*found):
                torch.testing.assert_close(two, one, rtol=tolerance, atol=tolerance)

    def assert_compiled(self):
        self.assertTrue(statistics)
        self.assertEqual({what for _, what in statistics} - {"compiled", "cached"}, set())

    def make_calls(self, **options):
        return [torch.randn(size, **options) for size in ((4, 5), (1, 3), (17, 33), (0, 3))]

    def test_kinds(self):
        for function in (drops, drops_rows, makes, makes_alike, fills, fills_in_order_of_memory, compares, scales, chooses,
                         attends):
            for requires_grad in (False, True):
                with self.subTest(function=function.__name__, requires_grad=requires_grad):
                    self.setUp()
                    self.compare(function, self.make_calls(requires_grad=requires_grad))
                    self.assert_compiled()

    def test_backend(self):
        for requires_grad in (False, True):
            torch._dynamo.reset()
            compiled = torch.compile(makes_alike, backend="tally", dynamic=True, fullgraph=True, options={"fallback": "error"})
            self.compare(makes_alike, self.make_calls(requires_grad=requires_grad), compiled)
        self.assert_compiled()

    def test_one_graph(self):
        """Loops of layers, and what is computed again, are one graph forward and one backward."""
        layer = nn.Linear(5, 5)

        def deep(x):
            for _ in range(3):
                x = functional.dropout(layer(x), 0.3).tanh()
            return checkpoint(lambda y: functional.dropout(layer(y), 0.4).sin(), x, use_reentrant=False) + torch.rand(x.shape)

        self.compare(deep, [torch.randn(size, 5, requires_grad=True) for size in (4, 1, 9)])
        self.assertEqual([kind for kind, _ in statistics], ["forward", "backward"])
        self.assert_compiled()

    def test_autocast(self):
        def half(x):
            with torch.autocast("cpu", torch.bfloat16):
                return functional.dropout(x @ x.t(), 0.5).float() @ x

        self.compare(half, [torch.randn(size, 4) / 4 for size in (3, 8)], tolerance=5e-2)
        self.assert_compiled()

    def test_what_waits(self):
        """What depends on values is drawn between parts, and all that comes after it in the program waits for it."""
        def counts(x):
            first = torch.randn(x.shape[1])
            chosen = x[x > 0]
            second = torch.rand_like(chosen)
            third = torch.rand(x.shape[0], 1)
            fourth = torch.randn_like(x.exp() * first)
            return (chosen * second).sum() + (x * third + fourth).sum() * first

        def counts_events(x):
            return torch.poisson(x.detach().exp()) + torch.rand(x.shape) * torch.randn_like(x.sin()) + x

        def branches(x):
            first = torch.rand(x.shape)
            y = torch.cond(x.sum() > 0, lambda x: x + torch.rand(x.shape), lambda x: x - torch.rand(x.shape), (x,))
            return y * first + torch.rand_like(y)

        for function in (counts, counts_events, branches):
            # PyTorch draws again in the gradient of a branch.
            for requires_grad in (False, True)[:1 if function is branches else 2]:
                with self.subTest(function=function.__name__, requires_grad=requires_grad):
                    self.setUp()
                    calls = [torch.randn(size, 5, requires_grad=requires_grad) for size in (4, 9)]
                    self.compare(function, calls, tally.torch.compile(function, options=SILENT))
                    self.assertTrue(any("random numbers" in what for _, what in statistics), statistics)

    def test_counts_of_inputs(self):
        """The values of an input are known before the graph."""
        def noise(x):
            return torch.poisson(x) * x.exp() + torch.rand(x.shape)

        self.compare(noise, [torch.rand(size, 5) for size in (4, 1)])
        self.assert_compiled()

    def test_generators(self):
        """A graph ends at a generator of the program's own, and where the seed is set."""
        generator = torch.Generator()

        def noise(x):
            y = x.exp() + torch.rand(x.shape, generator=generator) * torch.rand(x.shape)
            torch.manual_seed(4)
            return y * torch.rand_like(y)

        compiled = tally.torch.compile(noise, options=SILENT)

        def seeded(function):
            def call(x):
                generator.manual_seed(3)
                return function(x)
            return call

        self.compare(seeded(noise), self.make_calls(requires_grad=True), seeded(compiled))

    def test_wrong_probabilities(self):
        for function, value, text in (
                (torch.bernoulli, 2.0, "bernoulli: a probability is not between 0 and 1"),
                (lambda x: torch.normal(0.0, x), -1.0, "normal: a standard deviation is below 0"),
                (lambda x: torch.multinomial(x, 1), -1.0, "multinomial: a weight is below 0"),
                (lambda x: torch.multinomial(x, 1), 0.0, "multinomial: a weight is below 0")):
            compiled = tally.torch.compile(lambda x: function(x * 1), fullgraph=True)
            with self.assertRaisesRegex(tally.CheckError, text):
                compiled(torch.full((2, 3), value))
            torch._dynamo.reset()


if __name__ == "__main__":
    unittest.main()
