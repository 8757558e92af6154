"""Special functions, places in an order, parts and slices: operators that few models call."""

import torch
import torch.nn.functional as F

from recording.values import f32, floats, i64

from .common import ROWS
from .rare import PAIRS, SIZES, calls, matrix, vector

F64 = torch.float64
S = torch.special


def wide(n):
    """Numbers on both sides of where functions are computed in another way."""
    return floats(F64, n, lo=-20, hi=20)


def positive(n):
    return floats(F64, n, lo=0.01, hi=30)


calls("special_bessel", [wide], lambda x: (
    torch.i0(x), S.i0(x), S.i0e(x), S.i1(x), S.i1e(x), S.modified_bessel_i0(x), S.modified_bessel_i1(x),
    S.modified_bessel_k0(x), S.modified_bessel_k1(x), S.scaled_modified_bessel_k0(x), S.scaled_modified_bessel_k1(x)),
    ROWS, SIZES, rtol=1e-11, atol=1e-13)

# PyTorch's are off by a few 1e-7.
calls("special_waves", [wide], lambda x: (S.bessel_j0(x), S.bessel_j1(x), S.bessel_y0(x), S.bessel_y1(x)),
      ROWS, SIZES, rtol=1e-6, atol=1e-6)

calls("special_zeta", [positive, positive], lambda x, y: (
    S.zeta(x + 1, y), S.zeta(x.trunc() + 2, -y - 0.5), S.zeta(x + 0.5, 2.0), S.zeta(3.0, y), S.zeta(x, -y.trunc()),
    torch.polygamma(0, x), torch.polygamma(1, x), torch.polygamma(1, -x), S.polygamma(2, x), S.polygamma(3, -x),
    torch.polygamma(2, x.trunc())), rtol=1e-8, atol=1e-8, **PAIRS)

calls("special_incomplete_gamma", [positive, positive], lambda a, x: (
    torch.igamma(a, x), torch.igammac(a, x), S.gammainc(a * 50, x * 50), S.gammaincc(a * 50, x * 50),
    torch.igamma(a / 30, x / 30), torch.igammac(a / 30, x / 30), torch.igamma(a, -x), torch.igamma(a, a * 0),
    torch.igammac(a * 0, x), torch.igammac(a / 0, x), torch.igammac(a, x / 0)),
    rtol=1e-8, atol=1e-12, **PAIRS)

calls("special_normal", [wide], lambda x: (
    S.ndtri(S.ndtr(x / 4)), S.ndtri(torch.exp(x - 25)), S.ndtri(x), S.erfcx(x), S.erfcx(x.abs() * 10)),
    ROWS, SIZES, rtol=1e-11, atol=1e-13)

# In types in which PyTorch computes with fewer digits.
calls("special_short", [lambda n: f32(n, lo=0.01, hi=30.0), lambda n: f32(n, lo=0.01, hi=30.0)], lambda x, y: (
    torch.i0(x), S.i0e(x), S.i1(x), S.i1e(x), S.erfcx(x / 4), torch.igamma(x, y), torch.igammac(x, y),
    torch.polygamma(1, x), torch.polygamma(2, x.int()), S.zeta(x + 1.5, y), S.ndtri(x / 31), torch.i0(x.half() / 4)), rtol=1e-3, atol=1e-6, **PAIRS)

calls("special_polynomials", [lambda n: floats(F64, n, lo=-1.5, hi=1.5), lambda n: i64(n, lo=-1, hi=9)], lambda x, n: (
    S.chebyshev_polynomial_t(x, n), S.chebyshev_polynomial_u(x, n), S.chebyshev_polynomial_v(x, n),
    S.chebyshev_polynomial_w(x, n), S.shifted_chebyshev_polynomial_t(x, n), S.shifted_chebyshev_polynomial_u(x, n),
    S.shifted_chebyshev_polynomial_v(x, n), S.shifted_chebyshev_polynomial_w(x, n), S.hermite_polynomial_h(x, n),
    S.hermite_polynomial_he(x, n), S.laguerre_polynomial_l(x, n), S.legendre_polynomial_p(x, n),
    S.hermite_polynomial_h(x, 3), S.legendre_polynomial_p(0.5, n)), rtol=1e-11, atol=1e-11, **PAIRS)

calls("special_bits", [vector, vector], lambda x, y: (
    torch.nextafter(x, y), torch.nextafter(x, x), torch.nextafter(x * 0, y), torch.nextafter(x / 0, y), torch.nextafter(x, y / 0),
    torch.nextafter(x.double(), y.double()), torch.nextafter(x.bfloat16(), y.bfloat16()), *torch.frexp(x), *torch.frexp(x * 0),
    *torch.frexp(x / 0), *torch.frexp(x.double() * 1e-310), *torch.frexp(x.half() * 1e-4)), rtol=0.0, atol=0.0, **PAIRS)

calls("special_ranges", [vector], lambda x: (
    torch.logspace(-2, 3, 9) + x.trunc().sum(), torch.logspace(1, 4, 7, base=2, dtype=torch.int64), torch.logspace(1, 4, 5, dtype=F64),
    torch.logspace(x.trunc().sum() / 30, 1, 6), torch.logspace(1, x.trunc().sum() / 30, 1), torch.linspace(x.trunc().sum(), 3, 9),
    torch.linspace(1, x.trunc().sum(), 5), torch.linspace(x.trunc().sum(), x.trunc().sum() + 1, 3, dtype=F64),
    torch.logspace(1.5, 4.5, 4, dtype=torch.int32)), ROWS, SIZES)

calls("special_places", [lambda n: i64(n, 3, lo=0, hi=3), vector], lambda x, y: (
    *torch.mode(x, 1), *torch.mode(x.float(), 1, True), *torch.mode(y[:0].sum()),
    torch.searchsorted(y, y + 0.1, sorter=y.argsort()), torch.searchsorted(x, x, sorter=x.argsort(1), right=True),
    torch.masked_scatter(y, x.T > 1, x.float() + 0.5)), **PAIRS)

calls("special_parts", [matrix, lambda n: i64(n, lo=0, hi=0)], lambda x, k: (
    torch.segment_reduce(x, "sum", lengths=k + 1), torch.segment_reduce(x, "max", lengths=k + 1),
    torch.segment_reduce(x, "mean", offsets=torch.tensor([0, 0])), torch.segment_reduce(x, "prod", lengths=k + 1, initial=2.0),
    torch.segment_reduce(x, "min", offsets=torch.tensor([0, 0]), initial=1.0)), dynamic=PAIRS["dynamic"], sizes=(4, 1, 32))

calls("special_memory", [lambda n: f32(n, 2, 4, 4)], lambda x: (
    F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
    F.max_unpool2d(*F.max_pool2d(x[:, 0], 2, return_indices=True), 2, output_size=(5, 5)),
    F.max_unpool1d(*F.max_pool1d(x[:, 0], 2, return_indices=True), 2),
    F.max_unpool3d(*F.max_pool3d(x[:, None], 2, return_indices=True), 2),
    torch.as_strided_scatter(torch.ones(30) + x.sum(), x.sum((0, 1)), (4, 4), (7, 2), 1)), ROWS, (4, 1, 32))

calls("special_slices", [lambda n: i64(n, 2, lo=0, hi=2)], lambda x: (
    *torch.unique(x, dim=0, return_inverse=True, return_counts=True), torch.unique(x.T.float(), dim=1),
    *torch.unique_consecutive(x[:, :1], dim=0, return_inverse=True, return_counts=True),
    torch.unique(x.bool()[:, :, None], dim=0).sum(0)), ROWS, (9, 1, 32))

calls("special_instance_norm", [lambda n: f32(n, 3, 4), lambda n: f32(3, lo=0.5, hi=2.0)], lambda x, v: (
    F.instance_norm(x, v - 1, v, use_input_stats=False), F.instance_norm(x, v - 1, v, v, v + 1, use_input_stats=False)),
    dynamic=(ROWS[0], {}), sizes=(4, 1, 32))

calls("special_spherical", [wide], lambda x: (S.spherical_bessel_j0(x), S.spherical_bessel_j0(x / 1000), S.spherical_bessel_j0(x * 0)),
      ROWS, SIZES, rtol=1e-11, atol=1e-13)
