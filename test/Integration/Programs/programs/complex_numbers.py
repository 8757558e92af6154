"""Complex numbers: arithmetic, functions, views, products, and positions that are rotations."""

import torch

from recording.table import case, function, program
from recording.values import complexes, floats, ints

from .common import N

FAMILY = "complex numbers"
AUTO = torch.export.Dim.AUTO
C64, C128, F32, F64 = torch.complex64, torch.complex128, torch.float32, torch.float64
SIZES = [(3, 4), (0, 4), (1, 1), (3, 0), (7, 33)]
DYNAMIC = {0: AUTO, 1: AUTO}
QUIRK = "torch keeps a guard that the example's sizes are not 1"


def calls(name, fn, dynamic, arguments, sizes=SIZES, dtypes=((C64, F32), (C128, F64)), **more):
    """A program for each precision; `arguments` makes the arguments of sizes and of the types of
    complex numbers and of their parts."""
    for kinds in dtypes:
        tolerance = 1e-9 if kinds[0] == C128 else 1e-4
        program(name + ("_c128" if kinds[0] == C128 else ""), function(fn), FAMILY, dynamic=dynamic,
                oblivious=True, example=arguments(*sizes[0], *kinds), rtol=tolerance, atol=tolerance,
                cases=[case(" by ".join(map(str, size)), *arguments(*size, *kinds), quirk=QUIRK)
                       for size in sizes], **more)


def two(n, m, c, f):
    return complexes(c, n, m), complexes(c, n, m)


def arithmetic(z, w):
    return (z + w, z - w, z * w, z / w, -z, z * 2.5, 1 / z, z + 1.5j, (2 - 1j) * w, z / (1 + 2j), z - 3, 3 - z,
            torch.add(z, w, alpha=2), torch.sub(z, w, alpha=0.5), z * w.real, z.real * w, w.imag / z, z + w.imag,
            z ** 2, z ** 3, z ** -1, z ** 0.5, z ** w, z ** (1 + 1j), z.reciprocal(), z == w, z != w, z == z.real)


calls("complex_arithmetic", arithmetic, (DYNAMIC, DYNAMIC), two)


def functions(z, w):
    s = z / 2
    return (z.abs(), z.angle(), z.sgn(), z.conj(), z.conj() * w, z.conj().resolve_conj(), z.real, z.imag, z.conj().imag + 1,
            s.exp(), z.log(), z.log2(), z.log10(), z.sqrt(), z.rsqrt(), s.sin(), s.cos(), s.tan(), s.sinh(), s.cosh(), s.tanh(), s.sigmoid(),
            z.square(), z.isnan(), z.isinf(), z.isfinite(), torch.view_as_real(z), torch.view_as_real(z.conj().resolve_conj()))


calls("complex_functions", functions, (DYNAMIC, DYNAMIC), two)


def views(z, w):
    n, m = z.shape
    return (z.t(), z.mT, z.mH, z.transpose(0, -1) * 2, z.permute(1, 0), z.reshape(-1), z.reshape(m, n), z.unsqueeze(-1),
            z.unsqueeze(0), z.unsqueeze(-1).squeeze(-1), z[None, :, :], z[..., None], z.flatten(), z.unflatten(-1, (m, 1)),
            z[:, ::2], z[1:], z.flip(0, -1), z.roll(1, -1), z.expand(2, n, m), z.repeat(2, 1), torch.cat([z, w], -1),
            torch.stack([z, w], -1), torch.cat([z, w.real], 0), torch.where(z.real > 0, z, w), torch.where(z.real > 0, z, 0),
            z.masked_fill(z.real > 0, 1.5), z.clone(), z.contiguous(), torch.zeros_like(z), torch.ones_like(z),
            torch.full_like(z, 2 + 1j), torch.zeros(n, m, dtype=z.dtype), torch.full((n,), 1j, dtype=z.dtype),
            z.chunk(2, -1)[0], z.movedim(0, -1), torch.nn.functional.pad(z, (1, 2)), z.real.to(z.dtype))


calls("complex_views", views, (DYNAMIC, DYNAMIC), two, sizes=[(3, 4), (0, 4), (3, 2), (7, 33)], dtypes=((C64, F32),))


def sums(z, w):
    return (z.sum(), z.sum(-1), z.sum(0, keepdim=True), z.cumsum(-1), z.cumsum(0), w.sum((0, -1)), z.mean(),
            z.sum().sum(), (z * w).sum(-1).abs())


calls("complex_sums", sums, (DYNAMIC, DYNAMIC), two)
# PyTorch takes such sizes for constants.
calls("complex_means", lambda z: (z.mean(-1), z.mean(0, keepdim=True), z.mean((0, 1))), ({},), lambda n, m, c, f: (complexes(c, n, m),),
      sizes=[(3, 4)])


def products(a, b, x):
    return (a @ b, torch.mm(a, b), a @ x, a.real.to(a.dtype) @ b, torch.einsum("ij,jk->ik", a, b), torch.einsum("ij,jk->ki", a.conj(), b),
            torch.einsum("ij->i", a), a @ b[:, 0], torch.dot(b[:, 0], b[:, 1]), torch.vdot(b[:, 0], b[:, 1]),
            torch.outer(a[0], b[0]), torch.bmm(a[None], b[None]), torch.addmm(a @ b, a, b, beta=0.5, alpha=2),
            torch.nn.functional.linear(a, b.mT), torch.nn.functional.linear(a, b.mT, b[0]))


calls("complex_products", products, ({0: AUTO, 1: AUTO}, {0: AUTO}, {0: AUTO}),
      lambda n, k, c, f: (complexes(c, n, k), complexes(c, k, 3), complexes(c, k, 2)), sizes=[(3, 4), (2, 1), (1, 5), (9, 33)])


# Matrices are multiplied as pairs; one that was transposed is read by its rows.
def matmuls(a, b):
    both, w = torch.stack([a, b]), a[0] * 2
    return (a @ b.t(), b.t() @ a, a.mH @ b, a @ b.mH, a @ w, both @ w, torch.mv(b, w), w @ a.t(), w @ b.t().contiguous(),
            both @ b.t(), both @ both.mT, torch.bmm(both, both.mH), a @ both.mT, torch.addmv(b.sum(1), a, w, beta=0.5, alpha=2j),
            torch.nn.functional.linear(both, b), torch.nn.functional.linear(w, b, a.sum(1)), torch.nn.functional.linear(a, w))


calls("complex_matmuls", matmuls, (DYNAMIC, DYNAMIC), two, sizes=[(3, 4), (1, 1), (3, 0), (7, 33)])


def elements(z, index):
    first = torch.index_select(z, 0, index)
    return (first, z[index], z[:, index % 2], torch.gather(z, 0, index[:, None].expand(-1, 2)), z[0], z.select(-1, 1), z.unbind(-1)[1],
            z.index_add(0, index, first), z.index_put((index,), first * 2), torch.scatter_add(z, 0, index[:, None].expand(-1, 2), first))


calls("complex_elements", elements, ({0: AUTO}, {0: AUTO}),
      lambda n, m, c, f: (complexes(c, n, 2), ints(torch.int64, m, lo=0, hi=n - 1)), sizes=[(3, 4), (1, 1), (7, 2), (2, 0)])


def made(x, y, z):
    w = torch.complex(x, y)
    p = torch.polar(x.abs(), y)
    w = w * p
    w += z
    w[:, 0] = 1j
    w.mul_(2)
    w.real.add_(1)
    u = torch.view_as_real(z).clone()
    torch.view_as_complex(u).mul_(1j)
    return w, p, u, z.to(torch.complex128), x.to(z.dtype) * z, z.conj().imag


calls("complex_made", made, ({0: AUTO}, {0: AUTO}, {0: AUTO}),
      lambda n, m, c, f: (floats(f, n, 3), floats(f, n, 3), complexes(c, n, 3)), sizes=[(5, 0), (0, 0), (1, 0), (32, 0)])


def rotate(xq, xk, freqs):
    """Llama's positions."""
    cis = torch.polar(torch.ones_like(freqs), freqs)
    q = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], xq.shape[-1] // 2, 2))
    k = torch.view_as_complex(xk.float().unflatten(-1, (-1, 2)))
    cis = cis.view(1, q.shape[1], 1, q.shape[-1])
    return (torch.view_as_real(q * cis).flatten(3).type_as(xq), torch.view_as_real(k * cis).flatten(3).type_as(xk))


B, S = torch.export.Dim("b", min=0, max=8), torch.export.Dim("s", min=0, max=64)
for kind in (torch.float32, torch.bfloat16):
    program("complex_rope" + ("_bf16" if kind == torch.bfloat16 else ""), function(rotate), FAMILY,
            dynamic=({0: B, 1: S}, {0: B, 1: S}, {0: S}), oblivious=True,
            example=(floats(kind, 2, 5, 4, 8), floats(kind, 2, 5, 2, 8), floats(F32, 5, 4)),
            cases=[case(f"{b} by {s}", floats(kind, b, s, 4, 8), floats(kind, b, s, 2, 8), floats(F32, s, 4), quirk=QUIRK)
                   for b, s in ((2, 5), (0, 5), (2, 0), (1, 1), (3, 33))])
