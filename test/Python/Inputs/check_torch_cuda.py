"""Graphs with CUDA tensors, against eager PyTorch. Needs a GPU."""

import unittest

import tally
import tally.torch
import torch
from torch.export import Dim, export


class Counter(torch.nn.Module):
    """Updates buffers, one of them through a view."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.tensor(0))
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("rows", torch.ones(2, 3, dtype=torch.bfloat16))

    def forward(self, x):
        self.calls += 1
        self.total.add_(x.sum(0))
        self.rows[0].mul_(2)
        return x + self.total, self.calls * 2, self.rows + 0


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(16, 32), torch.nn.Linear(32, 4)

    def forward(self, x):
        return self.second(torch.nn.functional.gelu(self.first(x)))


@unittest.skipUnless(torch.cuda.is_available(), "a PyTorch without CUDA")
class Cuda(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        tally.torch.statistics.clear()

    def assert_close(self, actual, expected):
        torch.testing.assert_close(actual, expected, rtol=1e-3, atol=1e-4)
        self.assertEqual(actual.stride(), expected.stride())

    def assert_all_compiled(self):
        self.assertTrue(tally.torch.statistics)
        self.assertLessEqual({what for _, what in tally.torch.statistics}, {"compiled", "cached"})

    def test_sizes(self):
        def function(x, y):
            return torch.relu(x @ y).t() + 1, x.sum(0)

        compiled = tally.torch.compile(function)
        for n in (5, 0, 1, 129):
            x, y = torch.randn(n, 8, device="cuda"), torch.randn(8, 3, device="cuda")
            for actual, expected in zip(compiled(x, y), function(x, y)):
                self.assertEqual(actual.device, expected.device)
                self.assert_close(actual, expected)
        self.assert_all_compiled()

    def test_training(self):
        torch.manual_seed(0)
        model = Model().cuda()
        compiled = tally.torch.compile(model)
        for n in (6, 1, 33):
            x, y = torch.randn(n, 16, device="cuda"), torch.randint(0, 4, (n,), device="cuda")
            grads = []
            for each in (model, compiled):
                model.zero_grad()
                loss = torch.nn.functional.cross_entropy(each(x), y)
                loss.backward()
                grads.append([loss.detach(), *(p.grad.clone() for p in model.parameters())])
            for actual, expected in zip(grads[1], grads[0]):
                self.assert_close(actual, expected)
        self.assert_all_compiled()
        self.assertEqual({kind for kind, _ in tally.torch.statistics}, {"forward", "backward"})

    def test_numbers_on_the_cpu(self):
        def function(x, s, n):
            return x * s + n + torch.tensor(2.0), s * 2

        compiled = tally.torch.compile(function)
        x, s = torch.randn(7, device="cuda"), torch.tensor(3.0)
        for n in (2, 5):
            for actual, expected in zip(compiled(x, s, n), function(x, s, n)):
                self.assertEqual(actual.device, expected.device)
                self.assert_close(actual, expected)
        self.assert_all_compiled()

    def test_numbers_of_models(self):
        """Floats that a model has are tensors on the CPU for the graph, and the host waits for none."""
        def function(x, scale, shift, count):
            return x * scale + shift, (x + count) * scale

        compiled = tally.torch.compile(function)
        x = torch.randn(7, device="cuda")
        for scale, shift, count in ((0.5, -2.0, 3), (-1.25, 1e-9, -4)):
            arguments = [torch.tensor(each, dtype=torch.float64) for each in (scale, shift)] + [torch.tensor(count)]
            for actual, expected in zip(compiled(x, *arguments), function(x, *arguments)):
                self.assertEqual(actual.dtype, expected.dtype)
                self.assert_close(actual, expected)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            compiled(x, *arguments)
            torch.cuda.synchronize()
        self.assertFalse([event.name for event in profile.events() if "Memcpy" in event.name])
        self.assert_all_compiled()

    def test_attention_in_groups(self):
        def function(q, k, v):
            return torch.nn.functional.scaled_dot_product_attention(q * 2, k, v, enable_gqa=True) + 1

        compiled = tally.torch.compile(function)
        for rows, columns in ((1, 70), (5, 9)):
            q, k, v = (torch.randn(2, heads, n, 16, device="cuda") for heads, n in ((6, rows), (3, columns), (3, columns)))
            torch.testing.assert_close(compiled(q, k, v), function(q, k, v), rtol=1e-3, atol=1e-4)
        self.assert_all_compiled()

    def test_permuted_parts(self):
        """Attention of PyTorch's between parts, whose results lie in another order."""
        def function(x, w):
            h = (x @ w).view(*x.shape[:2], 3, 4, 16).permute(2, 0, 3, 1, 4)
            y = torch.nn.functional.scaled_dot_product_attention(*(each.contiguous() for each in h))
            y = torch.nn.functional.gelu(y.transpose(1, 2).flatten(2) * 2) + x
            return y.transpose(1, 2).sin(), y

        compiled = tally.torch.compile(function, options={"fallback": "silent"})
        for batch, rows in ((2, 9), (1, 3), (3, 33)):
            x, w = torch.randn(batch, rows, 64, device="cuda"), torch.randn(64, 192, device="cuda") / 8
            with torch.no_grad():
                for actual, expected in zip(compiled(x, w), function(x, w)):
                    torch.testing.assert_close(actual, expected, rtol=1e-3, atol=1e-3)
                    self.assertEqual(actual.shape, expected.shape)

    def test_stream(self):
        def function(x):
            return x.cumsum(0) * 2

        compiled = tally.torch.compile(function)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for n in (1 << 20, 3):
                x = torch.ones(n, device="cuda", dtype=torch.float64)
                torch.cuda._sleep(10_000_000)
                x.fill_(0.5)  # The call has to wait for it.
                y = compiled(x)
                x.fill_(7.0)
                self.assert_close(y + 0, torch.arange(1.0, n + 1, device="cuda", dtype=torch.float64))
        torch.cuda.synchronize()
        self.assert_all_compiled()

    def test_check(self):
        compiled = tally.torch.compile(lambda table, i: table[i] * 2)
        table, good = torch.randn(5, 2, device="cuda"), torch.tensor([4, 0], device="cuda")
        self.assert_close(compiled(table, good), table[good] * 2)
        with self.assertRaisesRegex(tally.CheckError, "an index is out of bounds"):
            compiled(table, good + 1)
        self.assert_close(compiled(table, good), table[good] * 2)

    def test_random_numbers(self):
        def function(x):
            return torch.nn.functional.dropout(x * 2 + 1, 0.5).exp() + 1

        compiled = tally.torch.compile(function, options={"fallback": "silent"})
        x = torch.randn(100, device="cuda")
        results = []
        for each in (compiled, function):
            torch.manual_seed(5)
            results.append(each(x))
        self.assert_close(*results)

    def test_partition(self):
        def function(x):
            return torch.linalg.inv(x * 2 + 1).abs() + 1

        compiled = tally.torch.compile(function, options={"fallback": "silent"})
        x = torch.randn(4, 8, 8, device="cuda") + 4 * torch.eye(8, device="cuda")
        self.assert_close(compiled(x), function(x))

    def test_fourier(self):
        def function(x):
            z = torch.fft.rfft(x * 2, norm="ortho")
            y = torch.fft.irfft2(torch.fft.rfft2(x), s=x.shape[-2:])
            return z.abs() + 1, torch.fft.ifft(torch.fft.fft(z, dim=0), dim=0), y

        compiled = tally.torch.compile(function, fullgraph=True)
        for rows, columns in ((4, 32), (1, 1), (7, 5), (16, 100)):
            x = torch.randn(rows, columns, device="cuda")
            for actual, expected in zip(compiled(x), function(x)):
                self.assert_close(actual, expected)

    def test_attention(self):
        def function(q, k, v):
            return torch.nn.functional.scaled_dot_product_attention(q * 1.5, k, v) + 1

        compiled = tally.torch.compile(function, options={"fallback": "silent"})
        args = [torch.randn(2, 4, 9, 16, device="cuda", requires_grad=True) for _ in range(3)]
        outs = []
        for each in (compiled, function):
            y = each(*args)
            outs.append([y.detach(), *torch.autograd.grad(y.square().sum(), args)])
        for actual, expected in zip(*outs):
            torch.testing.assert_close(actual, expected, rtol=1e-3, atol=1e-3)

    def test_exported(self):
        model = Model().cuda().eval()
        x = torch.randn(3, 16, device="cuda")
        program = tally.compile(export(model, (x,), dynamic_shapes=({0: Dim("n")},)))
        for n in (3, 0, 1, 64):
            x = torch.randn(n, 16, device="cuda")
            self.assert_close(program(x).detach(), model(x).detach())
        with self.assertRaisesRegex(tally.InvalidArgument, "its arguments are on the CPU"):
            program(torch.randn(3, 16))

    def test_state(self):
        model = Counter().cuda()
        exported = export(model, (torch.ones(3, 3, device="cuda"),), dynamic_shapes=({0: Dim("n")},))
        program, model = tally.compile(exported), Counter().cuda()
        for n in (3, 0, 1, 64):
            x = torch.rand(n, 3, device="cuda")
            for actual, expected in zip(program(x), model(x)):
                self.assert_close(actual, expected)
        model.total = torch.tensor([1.0, 2.0, 3.0], device="cuda")
        program.state["total"] = [1.0, 2.0, 3.0]
        program.state["rows"] = model.rows = model.rows * 3
        for name, value in program.state.items():
            self.assertEqual(value.device, model.total.device)
            self.assert_close(value, getattr(model, name))
        for actual, expected in zip(program(x), model(x)):
            self.assert_close(actual, expected)
        program.state.reset()
        self.assertEqual(program(x)[1].item(), 2)


if __name__ == "__main__":
    unittest.main()
