"""Fourier transforms, along one dimension and several, at sizes that are 1, prime, and powers of two."""

import torch

from recording.table import case, function, program
from recording.values import complexes, floats

FAMILY = "Fourier transforms"
AUTO = torch.export.Dim.AUTO
F = torch.fft
KINDS = ((torch.complex64, torch.float32), (torch.complex128, torch.float64))
DYNAMIC = {0: AUTO, 1: AUTO}
QUIRK = "torch keeps a guard that the example's sizes are not 1"
SIZES = [(3, 8), (2, 1), (1, 2), (9, 7), (2, 31), (1, 64), (17, 30)]


def calls(name, fn, arguments, sizes=SIZES, dynamic=(DYNAMIC,), empty=True):
    """A program for each precision, which is refused where there is nothing to transform."""
    for kinds in KINDS:
        tolerance = 1e-9 if kinds[0] == torch.complex128 else 2e-4
        cases = [case(" by ".join(map(str, size)), *arguments(*size, *kinds), quirk=QUIRK) for size in sizes]
        if empty:
            cases.append(case("3 by 0", *arguments(3, 0, *kinds), raises="the number of data points must not be 0"))
        program(name + ("_c128" if kinds[0] == torch.complex128 else ""), function(fn), FAMILY, dynamic=dynamic, oblivious=True,
                example=arguments(*sizes[0], *kinds), rtol=tolerance, atol=tolerance, cases=cases)


def one(n, m, c, f):
    return (complexes(c, n, m),)


def real(n, m, c, f):
    return (floats(f, n, m),)


calls("fft_complex", lambda z: (F.fft(z), F.ifft(z), F.fft(z, norm="ortho"), F.ifft(z, norm="forward"), F.fft(F.ifft(z)), F.fft(z.mT, dim=0),
                                z.shape[0] * F.fft(z)), one)
calls("fft_real", lambda x: (F.rfft(x), F.fft(x), F.ifft(x), F.rfft(x, norm="ortho"), F.ihfft(x), F.rfft(x).abs()), real)
calls("fft_back", lambda x: (F.irfft(F.rfft(x), n=x.shape[-1]), F.irfft(F.rfft(x, norm="forward"), n=x.shape[-1], norm="forward")), real)
calls("fft_to_real", lambda z: (F.irfft(z), F.hfft(z), F.irfft(z, norm="ortho")), one,
      sizes=[(3, 5), (2, 2), (4, 9), (1, 12), (5, 17)], empty=False)
# What is cut, and what gets zeros: PyTorch keeps which it was.
calls("fft_lengths", lambda z: (F.fft(z, n=5), F.ifft(z, n=32), F.rfft(z.real, n=6), F.irfft(z, n=7), F.irfft(z, n=40), F.hfft(z, n=9)), one,
      sizes=[(3, 8), (2, 16), (1, 11)], empty=False)
calls("fft_rows", lambda z: (F.fft(z, dim=0), F.fft2(z), F.ifft2(z), F.fftn(z), F.ifftn(z, norm="ortho"), F.fftn(z, dim=(1,))),
      one, sizes=[(3, 8), (2, 1), (1, 1), (9, 7), (5, 16)])
calls("fft_planes", lambda x: (F.rfft2(x), F.rfftn(x), F.fft2(x), F.rfft(x, dim=0), F.irfft2(F.rfft2(x), s=x.shape)),
      real, sizes=[(3, 8), (2, 1), (1, 1), (9, 7), (5, 16)])


def convolve(x, k):
    """A long convolution, as state space models have it."""
    n = x.shape[-1]
    return F.irfft(F.rfft(x, n=2 * n) * F.rfft(k, n=2 * n), n=2 * n)[..., :n]


calls("fft_convolution", convolve, lambda n, m, c, f: (floats(f, n, m), floats(f, m)), dynamic=(DYNAMIC, {0: AUTO}),
      sizes=[(3, 8), (2, 1), (9, 7), (2, 100)], empty=False)


def stft(x, w):
    """Windows of a signal, with what is around it and without."""
    return (torch.stft(x, 8, 3, window=w, return_complex=True),
            torch.stft(x, 8, 2, win_length=5, window=w[:5], center=False, normalized=True, return_complex=True),
            torch.stft(x[0], 8, win_length=7, pad_mode="constant", onesided=False, return_complex=True),
            torch.stft(x, 7, 9, pad_mode="replicate", return_complex=True).abs(),
            torch.stft(x, 8, 3, win_length=4, center=False, align_to_window=True, return_complex=True),
            torch.view_as_real(torch.stft(torch.complex(x, -x), 6, 5, window=w[:6], center=False, return_complex=True)))


calls("stft", stft, lambda n, m, c, f: (floats(f, n, m), floats(f, 8)), dynamic=(DYNAMIC, {}),
      sizes=[(3, 20), (2, 8), (1, 9), (2, 64)], empty=False)


def istft(x, w, v):
    """What was divided into windows, put together."""
    w, v = w.abs() + 0.5, v.abs() + 1
    z = torch.stft(x, 8, 3, window=w, return_complex=True)
    y = torch.stft(x, 8, 2, win_length=6, normalized=True, onesided=False, return_complex=True)
    return (torch.istft(z, 8, 3, window=w), torch.istft(z * (1 + 2j), 8, 3, window=w, length=30),
            torch.istft(z[0], 8, 4, window=v, center=False, length=80),
            torch.istft(y, 8, 2, win_length=6, normalized=True, onesided=False),
            torch.istft(y, 8, 3, window=v, onesided=False, return_complex=True))


calls("istft", istft, lambda n, m, c, f: (floats(f, n, m), floats(f, 8), floats(f, 8)), dynamic=(DYNAMIC, {}, {}),
      sizes=[(3, 20), (2, 8), (1, 9), (2, 50)], empty=False)


WINDOWS = (torch.hann_window, torch.hamming_window, torch.blackman_window, torch.bartlett_window, torch.kaiser_window)
# PyTorch's functions look at the length: an exported one is a number.
program("signal_windows", function(lambda x: (
    *(window(n, periodic=whole, dtype=x.dtype) * x for n in (1, 2, 5, 16) for window in WINDOWS for whole in (True, False)),
    torch.hann_window(0), torch.hamming_window(7, True, 0.4, 0.6), torch.kaiser_window(6, False, 3.0))),
    FAMILY, dynamic=({0: AUTO},), oblivious=True, example=(floats(torch.float64, 3, 1),), rtol=1e-9, atol=1e-6,
    cases=[case(str(n), floats(torch.float64, n, 1), quirk=QUIRK) for n in (3, 1, 0)])

# Real numbers are complex ones, too.
program("fft_real_to_real", function(lambda x: (F.irfft(x), F.hfft(x), F.irfft2(x), F.hfftn(x))), FAMILY, dynamic=(DYNAMIC,), oblivious=True,
        example=(floats(torch.float64, 3, 5),), rtol=1e-9, atol=1e-9,
        cases=[case(f"{n} by {m}", floats(torch.float64, n, m), quirk=QUIRK) for n, m in ((3, 5), (1, 2), (7, 9))])
