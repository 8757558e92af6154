"""Factors of matrices and equations.  What is free in a factor, such as signs, goes out in a product."""

import torch

from recording.table import case, function, program
from recording.values import floats, lit

from .common import N

FAMILY = "linear algebra"
AUTO = torch.export.Dim.AUTO
L = torch.linalg
F64 = torch.float64
QUIRK = "torch keeps a guard that the example's sizes are not 1"


def calls(name, fn, dynamic, arguments, sizes, wrong=(), dtypes=(torch.float32, F64), **more):
    """A program for each type, called with the arguments that each of `sizes` makes."""
    for dtype in dtypes:
        def make(*size):
            return tuple(floats(dtype, *shape) for shape in arguments(*size))
        program(name + ("_f64" if dtype == F64 else ""), function(fn), FAMILY, dynamic=dynamic, oblivious=True,
                example=make(*sizes[0]), rtol=1e-9 if dtype == F64 else 1e-4, atol=1e-9 if dtype == F64 else 1e-4,
                cases=[case(" by ".join(map(str, size)), *make(*size), quirk=QUIRK) for size in sizes]
                + [case(f"wrong {i}", *values, raises=text) for i, (text, *values) in enumerate(wrong)], **more)


def regular(x):
    """A matrix that is far from singular."""
    return x / (x.shape[-1] + 1) + torch.diag_embed(2 + torch.zeros_like(x.sum(-1)))


def positive(x):
    return x @ x.mT / (x.shape[-1] + 1) + torch.diag_embed(1 + torch.zeros_like(x.sum(-1)))


def equations(x, y):
    a = regular(x)
    lu, pivots, info = L.lu_factor_ex(a)
    return (L.inv(a), L.inv_ex(a)[0], L.solve(a, y), L.solve(a, y.mT, left=False), L.solve_ex(a, y)[1], info,
            torch.linalg.lu_solve(lu, pivots, y, adjoint=True), torch.linalg.lu_solve(lu, pivots, y.mT, left=False),
            torch.linalg.lu_solve(lu, pivots, y.mT, left=False, adjoint=True), L.solve(a, y[..., 0]) if y.dim() == 2 else L.det(a))


calls("linear_equations", equations, ({0: N, 1: AUTO, 2: AUTO}, {0: N, 1: AUTO}), lambda b, n: ((b, n, n), (b, n, 3)),
      [(2, 3), (0, 3), (1, 0), (1, 1), (3, 9), (2, 24)])
calls("linear_equation", equations, ({0: AUTO, 1: AUTO}, {0: AUTO}), lambda n: ((n, n), (n, 2)), [(3,), (0,), (1,), (16,)],
      dtypes=(F64,))
# Batches are repeated.
calls("linear_batches", lambda x, y, z: (L.solve(regular(x), y), L.solve(regular(x[0]), y), L.solve_triangular(regular(x[0]), z, upper=True)),
      ({0: N}, {0: N}, {}), lambda b: ((b, 3, 3), (b, 3, 2), (2, 4, 3, 1)), [(2,), (1,), (5,)])


def determinants(x):
    a = x - 0.5
    return L.det(a), *L.slogdet(a), torch.logdet(positive(x)), torch.det(a.mT)


calls("linear_determinants", determinants, ({0: N, 1: AUTO, 2: AUTO},), lambda b, n: ((b, n, n),),
      [(2, 3), (0, 3), (2, 0), (3, 1), (2, 7)])


def cholesky(x, y):
    a = positive(x)
    lower, upper = L.cholesky(a), L.cholesky(a, upper=True)
    return (lower, upper, L.cholesky_ex(a)[1], torch.cholesky_solve(y, lower), torch.cholesky_solve(y, upper, upper=True),
            torch.cholesky_inverse(lower), torch.cholesky_inverse(upper, upper=True), torch.cholesky(a),
            L.solve_triangular(lower, y, upper=False), L.solve_triangular(upper, y, upper=True),
            L.solve_triangular(lower, y.mT, upper=False, left=False),
            L.solve_triangular(lower / 2, y, upper=False, unitriangular=True),
            *torch.triangular_solve(y, upper), torch.triangular_solve(y, lower, upper=False, transpose=True)[0])


calls("linear_cholesky", cholesky, ({0: N, 1: AUTO, 2: AUTO}, {0: N, 1: AUTO}), lambda b, n: ((b, n, n), (b, n, 3)),
      [(2, 3), (0, 3), (1, 0), (1, 1), (3, 9)])


def qr(x):
    q, r = L.qr(x)
    whole, rest = L.qr(x, mode="complete")
    return (q @ r, q.mT @ q, torch.tril(r, -1), whole @ rest, whole.mT @ whole, L.qr(x, mode="r")[1].abs() - r.abs())


RECTANGLES = [(4, 3), (0, 3), (3, 0), (1, 1), (3, 8), (9, 9)]
calls("linear_qr", qr, ({0: N, 1: AUTO},), lambda n, m: ((n, m),), RECTANGLES)
calls("linear_qr_batch", qr, ({0: N},), lambda b: ((b, 3, 4),), [(2,), (0,), (1,)], dtypes=(torch.float32,))


def svd(x):
    u, s, vh = L.svd(x, full_matrices=False)
    whole, values, right = L.svd(x)
    a, b, c = torch.svd(x)
    return ((u * s.unsqueeze(-2)) @ vh, s, u.mT @ u, vh @ vh.mT, whole @ whole.mT, values, right @ right.mT,
            (a * b.unsqueeze(-2)) @ c.mT, L.svdvals(x))


calls("linear_svd", svd, ({0: N, 1: AUTO},), lambda n, m: ((n, m),), RECTANGLES)
calls("linear_svd_batch", svd, ({0: N},), lambda b: ((b, 3, 4),), [(2,), (0,), (1,)], dtypes=(torch.float32,))


def eigh(x):
    values, vectors = L.eigh(x)
    w, v = L.eigh(x, UPLO="U")
    return (values, (vectors * values.unsqueeze(-2)) @ vectors.mT, vectors.mT @ vectors, w, (v * w.unsqueeze(-2)) @ v.mT,
            L.eigvalsh(x), L.eigvalsh(x, UPLO="U"))


calls("linear_eigh", eigh, ({0: N, 1: AUTO, 2: AUTO},), lambda b, n: ((b, n, n),), [(2, 3), (0, 3), (1, 0), (1, 1), (3, 9)])


def lu(x):
    p, lower, upper = L.lu(x)
    factors, pivots = L.lu_factor_ex(x)[:2]
    return p, lower, upper, factors, pivots, *torch.lu_unpack(factors, pivots)


calls("linear_lu", lu, ({0: N, 1: AUTO},), lambda n, m: ((n, m),), RECTANGLES)
calls("linear_lu_batch", lu, ({0: N},), lambda b: ((b, 3, 4),), [(2,), (0,), (1,)], dtypes=(torch.float32,))

# The first of a batch that is wrong tells; the forms with info raise nothing.
SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
UNIT = [[1.0, 0.0], [0.0, 1.0]]


def refused(name, fn, text, data):
    program("linear_refused_" + name, function(fn), FAMILY, dynamic=({0: N},), example=(lit([UNIT, UNIT]),),
            cases=[case("right", lit([UNIT])), case("wrong", lit([UNIT, data]), raises=text)])


refused("inv", lambda x: L.inv(x), "linalg.inv: The diagonal element info is zero", SINGULAR)
refused("solve", lambda x: L.solve(x, x), "linalg.solve: The solver failed because the input matrix is singular.", SINGULAR)
refused("cholesky", lambda x: L.cholesky(x), "linalg.cholesky: The factorization could not be completed",
        [[1.0, 2.0], [2.0, 1.0]])
program("linear_info", function(lambda x: (L.inv_ex(x)[1], L.cholesky_ex(x)[1], L.solve_ex(x, x)[1], L.lu_factor_ex(x)[2], L.det(x),
                                           *L.slogdet(x))), FAMILY,
        dynamic=({0: N},), example=(lit([UNIT, UNIT]),), cases=[case("right", lit([UNIT])), case("singular", lit([UNIT, SINGULAR]))])


calls("linear_pseudoinverses", lambda x: (
    L.pinv(x), L.pinv(x, rtol=0.3), L.pinv(x, atol=0.5, rtol=0.1), L.pinv(x @ x.mT, hermitian=True), torch.pinverse(x),
    L.matrix_rank(x), L.matrix_rank(x, tol=0.5), L.matrix_rank(x, atol=0.1, rtol=0.2), L.matrix_rank(x * 0),
    L.matrix_rank(x @ x.mT, hermitian=True, rtol=0.1), L.cond(x), L.cond(x, -2), L.matrix_norm(x, 2), L.matrix_norm(x, "nuc", keepdim=True)),
    ({0: AUTO, 1: AUTO, 2: AUTO},), lambda b, m, n: ((b, m, n),), [(2, 3, 4)])


def functions(x):
    a = regular(x)
    return (L.matrix_power(a, -2), L.cond(a, 1),
            L.cond(a, float("-inf")), L.cond(a, "fro"), L.cond(a, "nuc"), L.cond(a * 0, 1))


calls("linear_functions", functions, ({},), lambda b, n: ((b, n, n),), [(2, 3)])

calls("linear_reflections", lambda x, t, y: (
    L.householder_product(x, t), torch.orgqr(x, t), torch.ormqr(x, t, y), torch.ormqr(x, t, y, transpose=True),
    torch.ormqr(x, t, y.mT, left=False), torch.ormqr(x, t, y.mT, left=False, transpose=True)),
    ({0: N, 1: AUTO}, {0: N}, {0: N, 1: AUTO}), lambda b, m: ((b, m, 3), (b, 3), (b, m, 4)), [(2, 5), (1, 3), (3, 9)])

calls("linear_tensors", lambda x, y: (
    L.tensorinv(regular(x).reshape(2, 3, 6)), L.tensorinv(regular(x).reshape(6, 3, 2), ind=1),
    L.tensorsolve(regular(x).reshape(2, 3, 6), y.reshape(2, 3)), L.tensorsolve(regular(x).reshape(2, 3, 2, 3), y.reshape(2, 3), dims=(0, 1)),
    torch.lu_solve(y[:, None], *torch.linalg.lu_factor_ex(regular(x))[:2])), ({}, {}), lambda n: ((n, n), (n,)), [(6,)])

# The largest of no norms is 0.
calls("linear_empty_norms", lambda x, y: tuple(L.norm(z, order, dim=(1, 2)) for z in (x, y) for order in (float("inf"), 1, 2, "nuc")),
      ({}, {}), lambda n: ((n, 0, 3), (n, 0, 0)), [(2,)], dtypes=(F64,))
