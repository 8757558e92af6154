"""Factors of matrices of complex numbers, and functions of square matrices.

What is free in a factor, such as the angle of a vector, goes out in a product."""

import torch

from recording.table import case, function, program
from recording.values import complexes, floats, lit

from .common import N

FAMILY = "linear algebra"
AUTO = torch.export.Dim.AUTO
L = torch.linalg
F32, F64, C64, C128 = torch.float32, torch.float64, torch.complex64, torch.complex128
NAMES = {F32: "", F64: "_f64", C64: "", C128: "_c128"}
QUIRK = "torch keeps a guard that the example's sizes are not 1"
SQUARES = [(2, 3), (0, 3), (1, 0), (1, 1), (3, 9)]
BATCH = {0: N, 1: AUTO, 2: AUTO}
RECTANGLES = [(4, 3), (0, 3), (3, 0), (1, 1), (3, 8), (9, 9)]


def calls(name, fn, dynamic, arguments, sizes, wrong=(), dtypes=(C64, C128), family=FAMILY, **more):
    """A program for each type, called with the arguments that each of `sizes` makes."""
    for dtype in dtypes:
        make_one = complexes if dtype.is_complex else floats

        def make(*size):
            return tuple(make_one(dtype, *shape) for shape in arguments(*size))
        tolerance = 1e-9 if dtype in (F64, C128) else 1e-4
        program(name + NAMES[dtype], function(fn), family, dynamic=dynamic, oblivious=True, example=make(*sizes[0]),
                rtol=tolerance, atol=tolerance,
                cases=[case(" by ".join(map(str, size)), *make(*size), quirk=QUIRK) for size in sizes]
                + [case(f"wrong {i}", *values, raises=text) for i, (text, *values) in enumerate(wrong)], **more)


def regular(x):
    """A matrix that is far from singular."""
    return x / (2 * x.shape[-1] + 1) + torch.diag_embed(2 + torch.zeros_like(x.sum(-1)))


def positive(x):
    return x @ x.mH / (2 * x.shape[-1] + 1) + torch.diag_embed(1 + torch.zeros_like(x.sum(-1)))


def equations(x, y):
    a = regular(x)
    lu, pivots, info = L.lu_factor_ex(a)
    return (L.inv(a), L.inv_ex(a)[0], L.solve(a, y), L.solve(a, y.mT, left=False), L.solve_ex(a, y)[1], info, lu,
            L.lu_solve(lu, pivots, y), L.lu_solve(lu, pivots, y, adjoint=True), L.lu_solve(lu, pivots, y.mT, left=False),
            L.lu_solve(lu, pivots, y.mT, left=False, adjoint=True), torch.lu_solve(y, lu, pivots))


calls("complex_equations", equations, (BATCH, {0: N, 1: AUTO}), lambda b, n: ((b, n, n), (b, n, 3)), SQUARES)
calls("complex_equation", lambda x, y: (L.solve(regular(x), y[:, 0]), L.solve(regular(x), y)), ({0: AUTO, 1: AUTO}, {0: AUTO}),
      lambda n: ((n, n), (n, 2)), [(3,), (0,), (1,), (16,)], dtypes=(C128,))
calls("complex_batches", lambda x, y, z: (L.solve(regular(x), y), L.solve(regular(x[0]), y), L.solve_triangular(regular(x[0]), z, upper=True)),
      ({0: N}, {0: N}, {}), lambda b: ((b, 3, 3), (b, 3, 2), (2, 4, 3, 1)), [(2,), (1,), (5,)], dtypes=(C64,))


def determinants(x):
    return L.det(x), *L.slogdet(x), torch.logdet(regular(x)), torch.det(x.mT)


calls("complex_determinants", determinants, (BATCH,), lambda b, n: ((b, n, n),), [(2, 3), (0, 3), (2, 0), (3, 1), (2, 7)])


def cholesky(x, y):
    a = positive(x)
    lower, upper = L.cholesky(a), L.cholesky(a, upper=True)
    return (lower, upper, L.cholesky_ex(a)[1], torch.cholesky_solve(y, lower), torch.cholesky_solve(y, upper, upper=True),
            torch.cholesky_inverse(lower), torch.cholesky_inverse(upper, upper=True), torch.cholesky(a),
            L.solve_triangular(lower, y, upper=False), L.solve_triangular(upper, y, upper=True),
            L.solve_triangular(lower, y.mT, upper=False, left=False),
            L.solve_triangular(lower / 2, y, upper=False, unitriangular=True),
            *torch.triangular_solve(y, upper), torch.triangular_solve(y, lower, upper=False, transpose=True)[0])


calls("complex_cholesky", cholesky, (BATCH, {0: N, 1: AUTO}), lambda b, n: ((b, n, n), (b, n, 3)), SQUARES)


def qr(x):
    q, r = L.qr(x)
    whole, rest = L.qr(x, mode="complete")
    return q @ r, q.mH @ q, whole @ rest, whole.mH @ whole, L.qr(x, mode="r")[1].abs() - r.abs()


calls("complex_qr", qr, ({0: N, 1: AUTO},), lambda n, m: ((n, m),), RECTANGLES)


def svd(x):
    u, s, vh = L.svd(x, full_matrices=False)
    whole, values, right = L.svd(x)
    a, b, c = torch.svd(x)
    return ((u * s.unsqueeze(-2)) @ vh, s, u.mH @ u, vh @ vh.mH, whole @ whole.mH, values, right @ right.mH,
            (a * b.unsqueeze(-2)) @ c.mH, L.svdvals(x))


calls("complex_svd", svd, ({0: N, 1: AUTO},), lambda n, m: ((n, m),), RECTANGLES)
calls("complex_factors_batch", lambda x: (*svd(x), *qr(x), *L.lu(x)), ({0: N},), lambda b: ((b, 3, 4),), [(2,), (0,), (1,)], dtypes=(C64,))


def eigh(x):
    values, vectors = L.eigh(x)
    w, v = L.eigh(x, UPLO="U")
    return (values, (vectors * values.unsqueeze(-2)) @ vectors.mH, vectors.mH @ vectors, w, (v * w.unsqueeze(-2)) @ v.mH,
            L.eigvalsh(x), L.eigvalsh(x, UPLO="U"))


# What is on the diagonal counts as real.
calls("complex_eigh", lambda x: eigh(x + x.mH.tril(-1)), (BATCH,), lambda b, n: ((b, n, n),), SQUARES)


def lu(x):
    factors, pivots = L.lu_factor_ex(x)[:2]
    return *L.lu(x), factors, pivots, *torch.lu_unpack(factors, pivots), *torch.lu_unpack(factors, pivots, unpack_pivots=False)[1:]


calls("complex_lu", lu, ({0: N, 1: AUTO},), lambda n, m: ((n, m),), RECTANGLES)
calls("complex_reflections", lambda x, t: (L.householder_product(x, t), torch.orgqr(x, t)), ({0: N, 1: AUTO}, {0: N}),
      lambda b, m: ((b, m, 3), (b, 3)), [(2, 5), (1, 3), (3, 9)])


# Functions of square matrices, of real and of complex numbers. Eigenvalues of real matrices are complex.
def eig(x):
    values, vectors = L.eig(x)
    found = L.eigvals(x)
    return (x @ vectors if x.is_complex() else x.to(vectors.dtype) @ vectors) - vectors * values.unsqueeze(-2), \
        values.sum(-1), (values ** 2).sum(-1), vectors.abs().square().sum(-2), found.sum(-1), (found ** 2).sum(-1)


NUMBERS = [[[float("nan"), 1.0], [0.0, 1.0]]]
calls("linear_eig", eig, (BATCH,), lambda b, n: ((b, n, n),), SQUARES, dtypes=(F32, F64, C128))
# Without vectors, eigenvalues of what is not finite are not either.
program("linear_eigenvalues_nan", function(lambda x: L.eigvals(x).isfinite().all(-1)), FAMILY, dynamic=({0: N},),
        example=(floats(F32, 2, 2, 2),), cases=[case("nan", lit(NUMBERS)), case("infinite", lit([[[float("inf"), 1.0], [1.0, 0.0]]]))])


def exponentials(x):
    return L.matrix_exp(x), L.matrix_exp(x * 8 / (1 + x.shape[-1])), torch.matrix_exp(x / 1000), L.matrix_exp(x * 0)


for kind, dtypes in ("linear", (F32, F64)), ("complex", (C64, C128)):
    calls(kind + "_exponentials", exponentials, (BATCH,), lambda b, n: ((b, n, n),), SQUARES, dtypes=dtypes)


def symmetric(x, y):
    a = x + x.mT
    factors, pivots, info = L.ldl_factor_ex(a)
    return L.ldl_solve(factors, pivots, y), info, L.ldl_solve(*L.ldl_factor(a), y)


calls("linear_ldl", symmetric, (BATCH, {0: N, 1: AUTO}), lambda b, n: ((b, n, n), (b, n, 3)), [(2, 3), (1, 1), (3, 9)],
      dtypes=(F32, F64, C128))


def hermitian(x, y):
    a = x + x.mH
    factors, pivots = L.ldl_factor(a, hermitian=True)
    return L.ldl_solve(factors, pivots, y, hermitian=True), factors, pivots


calls("complex_ldl", hermitian, (BATCH, {0: N, 1: AUTO}), lambda b, n: ((b, n, n), (b, n, 3)), [(2, 3), (1, 1), (3, 9)], dtypes=(C128,))


def updated(x):
    y = x.clone()
    y.diagonal(dim1=-2, dim2=-1).add_(1j)
    y.unfold(-1, 1, 1).mul_(2)
    return y


calls("complex_matrices", lambda x: (
    x.diagonal(dim1=-2, dim2=-1), x.diagonal(-1, 0, 2), x.tril(), x.triu(1), torch.diag_embed(x), x[0].trace(), x[0].diag(),
    x.unfold(1, 2, 1), updated(x), x + torch.eye(x.shape[-1], dtype=x.dtype), L.vector_norm(x), L.vector_norm(x, 1, dim=(-1, 0)),
    L.norm(x, dim=1), x.norm(), L.matrix_power(x, 5), L.matrix_power(x, 0), L.matrix_power(regular(x), -2)),
    (BATCH,), lambda b, n: ((b, n, n),), [(2, 3), (1, 2), (3, 9)])
calls("linear_powers", lambda x: (L.matrix_power(x / 4, 3), L.matrix_power(regular(x) / 3, 100), L.matrix_power(x, 1)), (BATCH,),
      lambda b, n: ((b, n, n),), SQUARES, dtypes=(F32, F64), family="matmul")
