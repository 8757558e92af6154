#!/usr/bin/env python3
"""Compares Fourier transforms of rows, columns and both, of all small lengths and of as
many lines as fill vectors or do not, with PyTorch's."""

import torch

import tally

LINES = (1, 2, 3, 4, 7, 8, 9, 16, 17, 33)
LENGTHS = (*range(2, 20), 31, 32, 33, 64, 97, 100, 127, 255)


class Transforms(torch.nn.Module):
    def forward(self, x, z):
        fft = torch.fft
        return (fft.rfft(x), fft.rfft(x, dim=0), fft.fft(z), fft.fft(z, dim=0), fft.fft2(z),
                fft.irfft(z, n=2 * z.shape[1] - 2), fft.ifft(z.t(), dim=0))


def check(real, imaginary, tolerance):
    lines, length = torch.export.Dim("lines", min=1, max=4096), torch.export.Dim("length", min=2, max=4096)
    model = Transforms()
    compiled = tally.compile(torch.export.export(
        model, (torch.randn(6, 10, dtype=real), torch.randn(6, 10, dtype=imaginary)),
        dynamic_shapes=({0: lines, 1: length},) * 2))
    count = 0
    for shape in ((m, n) for m in LINES for n in LENGTHS):
        x, z = torch.randn(shape, dtype=real), torch.randn(shape, dtype=imaginary)
        for number, (result, expected) in enumerate(zip(compiled(x, z), model(x, z))):
            torch.testing.assert_close(
                result, expected, rtol=tolerance, atol=10 * tolerance,
                msg=lambda text: f"result {number} of {shape}, {real}: {text}")
            count += 1
    return count


torch.manual_seed(0)
print(check(torch.float32, torch.complex64, 2e-4) + check(torch.float64, torch.complex128, 1e-10),
      "transforms are right")
