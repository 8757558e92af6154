"""Complex numbers in calls, and Fourier transforms beside those of NumPy."""

import random
import sys
import unittest

import numpy
import tally
import tally.torch
import torch

AUTO = torch.export.Dim.AUTO
SEED = random.randrange(1 << 30)


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("offset", torch.randn(4, dtype=torch.complex64))

    def forward(self, z, x):
        return z * x + self.offset, z.abs(), z.conj()


class Calls(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.step = Step()
        example = torch.randn(3, 4, dtype=torch.complex64), torch.randn(3, 4)
        exported = torch.export.export(self.step, example, dynamic_shapes={"z": {0: AUTO}, "x": {0: AUTO}})
        self.program = tally.compile(exported)

    def test_tensors(self):
        for n in (5, 1, 0):
            z, x = torch.randn(n, 4, dtype=torch.complex64), torch.randn(n, 4)
            for each in (z, z.conj(), z.mT.contiguous().mT):
                for ours, eager in zip(self.program(each, x), self.step(each, x)):
                    self.assertEqual(ours.dtype, eager.dtype)
                    torch.testing.assert_close(ours, eager.resolve_conj())

    def test_arrays(self):
        self.assertIn("z: c64[", self.program.signature)
        main, x = self.program.library.main, numpy.ones((5, 4), numpy.float32)
        z = (numpy.arange(20) * (1 + 0.5j)).reshape(5, 4).astype(numpy.complex64)
        for each in (z, z[::-1], z.T.copy().T):
            results = main(each, x)
            self.assertEqual([result.dtype for result in results], ["complex64", "float32", "complex64"])
            numpy.testing.assert_allclose(results[1], abs(each), rtol=1e-6)
            numpy.testing.assert_array_equal(results[2], each.conj())
        with self.assertRaisesRegex(tally.InvalidArgument, r"\('z'\) has data type c128, expected c64"):
            main(z.astype(numpy.complex128), x)
        with self.assertRaisesRegex(tally.InvalidArgument, r"\('z'\) has data type f32, expected c64"):
            main(x, x)
        with self.assertRaisesRegex(tally.InvalidArgument, "is a view that conjugates: pass tensor.resolve_conj()"):
            main(torch.from_numpy(z).conj(), x)

    def test_gradients(self):
        def filter(x, w):
            z = torch.fft.rfft(x) * w
            return torch.fft.irfft(z, n=x.shape[-1]), z * 2j

        ours = tally.torch.compile(filter, options={"fallback": "error"})
        x = torch.randn(2, 8, requires_grad=True)
        w = torch.randn(5, dtype=torch.complex64, requires_grad=True)
        for one, other in zip(*(torch.autograd.grad(f(x, w)[0].square().sum(), (x, w)) for f in (ours, filter))):
            torch.testing.assert_close(one, other)


class Transforms(unittest.TestCase):
    def test_numpy(self):
        print("seed", SEED, file=sys.stderr)
        rng = numpy.random.default_rng(SEED)
        example = torch.randn(3, 8, dtype=torch.complex128)
        kinds = {"fft": (numpy.fft.fft, torch.fft.fft), "ifft": (numpy.fft.ifft, torch.fft.ifft),
                 "rfft": (lambda z: numpy.fft.rfft(z.real), lambda z: torch.fft.rfft(z.real)),
                 "hfft": (numpy.fft.hfft, torch.fft.hfft)}
        for name, (theirs, traced) in kinds.items():
            function = type(name, (torch.nn.Module,), {"forward": lambda self, z, traced=traced: traced(z)})
            program = tally.compile(torch.export.export(function(), (example,), dynamic_shapes=({0: AUTO, 1: AUTO},)))
            sizes = [2, 3, 31, 64, 97, 1000, 1024] + [int(n) for n in rng.integers(2, 3000, 10)]
            for n in sizes:
                rows = int(rng.integers(1, 20))
                z = rng.standard_normal((rows, n)) + 1j * rng.standard_normal((rows, n))
                result = numpy.asarray(program(torch.from_numpy(z)))
                expected = theirs(z)
                error = numpy.abs(result - expected).max() / numpy.abs(expected).max()
                self.assertLess(error, 1e-14, (name, n, rows, SEED))


unittest.main()
