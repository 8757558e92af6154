"""Overloads and other names of operators that no other program calls, one after the other."""

import math

import torch
from torch.export import Dim

from recording.table import case, function, program
from recording.values import f32, i64, lit

from .common import M, N, ROWS

AUTO = torch.export.Dim.AUTO
A = torch.ops.aten
FAMILY = "rare"


def calls(name, makers, fn, dynamic, sizes, **more):
    """A program that is called with `makers` of each size."""
    made = [tuple(make(size) for make in makers) for size in sizes]
    program(name, function(fn), FAMILY, dynamic=dynamic, example=made[0],
            cases=[case(str(size), *values) for size, values in zip(sizes, made)], **more)


SIZES = (4, 0, 1, 32)
PAIRS = dict(dynamic=({0: N}, {0: N}), sizes=SIZES)


def vector(n):
    return f32(n)


def matrix(n):
    return f32(n, 3)


def numbers(n):
    return i64(n)


calls("rare_trigonometry", [vector], lambda x: (
    A.acos.default(x / 2), A.acosh.default(x.abs() + 1), A.asin.default(x / 2), A.asinh.default(x),
    A.atan.default(x), A.atanh.default(x / 3), A.cosh.default(x), A.sinh.default(x), A.tan.default(x),
    A.angle.default(x), A.exp2.default(x), A.log10.default(x.abs() + 1), A.erfc.default(x)), ROWS, SIZES)

calls("rare_activations", [vector], lambda x: (
    A.celu.default(x), A.celu.default(x, 0.5), A.hardshrink.default(x), A.hardshrink.default(x, 1.0),
    A.hardsigmoid.default(x * 3), A.hardswish.default(x * 3), A.log_sigmoid.default(x), A.mish.default(x),
    A.relu6.default(x * 5), A.selu.default(x), A.softshrink.default(x), A.softshrink.default(x, 1.0),
    A.threshold.default(x, 0.5, -3.0), A.logit.default(x.sigmoid()), A.logit.default(x, 0.25)), ROWS, SIZES)

calls("rare_names", [vector], lambda x: (
    A.absolute.default(x), A.negative.default(x), A.positive.default(x), A.fix.default(x * 3), A.sgn.default(x),
    A.conj_physical.default(x), A.resolve_conj.default(x), A.resolve_neg.default(x), A.ravel.default(x),
    A.round.decimals(x, decimals=1), A.isneginf.default(x / 0), A.isposinf.default(x / 0), A.isreal.default(x),
    A.special_digamma.default(x.abs() + 0.5), A.special_psi.default(x.abs() + 0.5),
    A.special_gammaln.default(x.abs() + 0.5), A.special_erfinv.default(x / 3), A.special_entr.default(x.abs())),
    ROWS, SIZES)

calls("rare_pairs", [vector, vector], lambda x, y: (
    A.atan2.default(x, y), A.copysign.Tensor(x, y), A.clamp_max.Tensor(x, y), A.clamp_min.Tensor(x, y),
    A.clamp_min.default(x, 0.5), A.clip.default(x, -0.5, 0.5), A.fmin.default(x, y), A.fmax.default(x, y),
    A.max.other(x, y), A.min.other(x, y), A.isclose.default(x, y, atol=1.0), A.logical_or.default(x > 0, y > 0),
    A.logical_xor.default(x > 0, y), A.xlogy.Tensor(x, y.abs() + 1), A.xlogy.Scalar_Other(x, 2.5),
    A.xlogy.Scalar_Self(2.5, y.abs() + 1), A.special_xlog1py.default(x, y.abs()),
    A.float_power.Tensor_Scalar(x.abs() + 1, 2), A.float_power.Scalar(2, y),
    A.remainder.Scalar_Tensor(7.0, y.abs() + 0.5), A.pow.Scalar(2.0, x), A.where.ScalarSelf(x > y, 1.5, y),
    A.masked_fill.Tensor(x, y > 0, torch.tensor(9.0)), A.type_as.default(x > 0, y), A.to.other(x > 0, y),
    A.div.Scalar_mode(x, 0.4, rounding_mode="floor"), A.div.Scalar_mode(x, 0.4, rounding_mode="trunc"),
    A.reshape_as.default(x, y), A.view_as.default(x, y)), **PAIRS)

calls("rare_integers", [numbers, numbers], lambda a, b: (
    A.bitwise_or.Scalar_Tensor(5, a), A.bitwise_xor.Scalar_Tensor(5, a),
    A.bitwise_left_shift.Tensor(a, b.abs() % 5), A.bitwise_left_shift.Tensor_Scalar(a, 3),
    A.bitwise_right_shift.Tensor(a, b.abs() % 5), A.bitwise_right_shift.Tensor_Scalar(a, 1),
    A.absolute.default(a), A.sgn.default(a), A.fmin.default(a, b), A.isposinf.default(a), A.isneginf.default(a),
    A.isin.Tensor_Scalar(a, 2), A.isin.Scalar_Tensor(2, b), A.angle.default(a), A.copysign.Tensor(a, b),
    A.bucketize.Scalar(3, torch.tensor([1, 3, 5])), A.cosh.default(a % 4), A.logit.default(a % 2, 0.25)), **PAIRS)

calls("rare_joins", [matrix, matrix], lambda x, y: (
    A.concat.default([x, y]), A.concatenate.default([x, y], 1), A.row_stack.default([x, y]), A.flipud.default(x),
    A.swapdims.default(x, 0, 1), A.squeeze.dims(x.unsqueeze(1), [1]), A.squeeze.default(y.sum(0)[None]),
    A.split.Tensor(x, 2, 1)[1], A.split.sizes(x, [1, 2], 1)[1], A.hsplit.array(x, [1])[1],
    A.atleast_1d.default(x), A.atleast_2d.default(x[:, 0]), A.atleast_3d.default(x), A.argwhere.default(x > 0).sum()),
    **PAIRS)

calls("rare_products", [matrix, matrix], lambda x, y: (
    A.addmv.default(x[:, 0], x, y[0]), A.addr.default(x, x[:, 0], y[0]), A.ger.default(x[:, 0], y[0]),
    A.kron.default(x.t() @ y, y[:2]), A.cross.default(x, y, 1), A.chain_matmul.default([torch.eye(3), x.t() @ y, torch.ones(3, 2)]),
    A.linalg_multi_dot.default([torch.ones(2, 3), x.t() @ y, torch.eye(3)]), A.matrix_power.default(x.t() @ y, 3),
    A.addbmm.default(x, x[:, None, :].transpose(0, 1).expand(2, -1, 3), torch.eye(3).expand(2, 3, 3)),
    A._cdist_forward.default(x, y, 2.0, None)), dynamic=({0: Dim("n", min=2, max=32)},) * 2, sizes=(4, 2, 32))

# A summed dimension of size 1 is broadcast, if the program knows its size.
calls("tensordots", [matrix], lambda x: (
    A.tensordot.default(x, torch.arange(6.0).reshape(3, 2), [1], [0]), A.tensordot.default(x, torch.ones(1, 4) * 3, [1], [0]),
    A.tensordot.default(x[:, :1], torch.arange(10.0).reshape(5, 2), [1], [0]), A.tensordot.default(x, x, [0, 1], [0, 1]),
    A.tensordot.default(x, torch.full((1, 1), 0.5), [0, 1], [1, 0])), ROWS, (4, 1, 32))

calls("rare_reductions", [matrix], lambda x: (
    A.aminmax.default(x, dim=1), A.min.dim(x, 1), A.count_nonzero.dim_IntList(x > 0, [1]), A.norm.Scalar(x, 2),
    A.norm.ScalarOpt_dim(x, 2, [1]), A.norm.ScalarOpt_dim_dtype(x, 1, [1], True, dtype=torch.float64),
    A.norm.ScalarOpt_dtype(x, 2, dtype=torch.float64), A.median.dim(x, 1), A.nanmedian.dim(x, 1),
    A.std.correction(x, [1]), A.var_mean.correction(x, [1]), A.std_mean.correction(x, [1], correction=0),
    A.special_softmax.default(x, 1), A.special_log_softmax.default(x, 1), A.native_layer_norm.default(x, [3], None, None, 1e-5)[0],
    A.nanquantile.scalar(x, 0.5, 1), A.nansum.default(x, [1])), ROWS, (4, 1, 32))

calls("rare_losses", [matrix, lambda n: i64(n, lo=0, hi=2)], lambda x, t: (
    A.nll_loss.default(x, t), A.nll_loss.default(x, t, torch.tensor([1.0, 2.0, 0.5]), 2, 1),
    A.nll_loss2d.default(x[:, :, None, None], t[:, None, None]),
    A.hinge_embedding_loss.default(x[:, 0], t % 2 * 2 - 1), A.margin_ranking_loss.default(x[:, 0], x[:, 1], t % 2 * 2 - 1, 0.5)),
    dynamic=({0: N}, {0: N}), sizes=(4, 1, 32))

calls("rare_places", [matrix, lambda n: i64(n, lo=0, hi=2)], lambda x, at: (
    A.index_fill.int_Tensor(x, 1, at, torch.tensor(7.0)), A.put.default(x, at[:2], x[:2, 0]),
    A.put.default(x, at, x[:, 0], True), A.copy.default(x, x[:1]), A._unsafe_index.Tensor(x, [None, at]),
    A._unsafe_view.default(x, [-1]), A._to_copy.default(x, dtype=torch.float64), A.fill.Scalar(x, 3.0),
    A.fill.Tensor(x, torch.tensor(4.0)), A.zero.default(x), A.to.dtype_layout(x, dtype=torch.int32)),
    dynamic=({0: Dim("n", min=2, max=32)},) * 2, sizes=(4, 2, 32))

calls("rare_pools", [lambda n: f32(n, 2, 6, 6)], lambda x: (
    A.max_pool1d.default(x[:, :, 0], [2]), A.adaptive_avg_pool3d.default(x, [1, 2, 3]),
    A.grid_sampler_2d.default(x, x[:, :, :, :2].permute(0, 2, 3, 1).tanh()[:, :4, :2].repeat(1, 1, 1, 1), 0, 0, False)),
    ROWS, (4, 1))

calls("rare_distances", [matrix], lambda x: (
    A.pdist.default(x), A._pdist_forward.default(x, 1.0), A._pdist_forward.default(x, float("inf")),
    A._pdist_forward.default(x, 3.0), A.pdist.default(x, 0.0)), ({0: AUTO},), (4, 0, 1, 2, 32), oblivious=True)
calls("rare_powers", [matrix, numbers], lambda x, i: (
    A.linalg_vander.default(x, N=5), A.linalg_vander.default(i, N=3), A.linalg_vander.default(x)),
    ({0: AUTO}, {0: AUTO}), (4, 0, 1, 6), oblivious=True)
# PyTorch takes the sizes of these as they are.
calls("rare_vander", [vector, numbers], lambda x, i: (
    A.vander.default(x), A.vander.default(x, 3, True), A.vander.default(i, 4), A.vander.default(i, 0),
    A.linalg_vander.default(x.sum(), N=3), A.linalg_vander.default(i.sum(), N=2)), None, (4,))
calls("rare_order", [matrix], lambda x: (
    A.fill.Scalar(A.empty_permuted.default([x.shape[0], 3], [1, 0]), 2.0) + x,
    A.zero.default(A.empty_permuted.default([2, x.shape[0], 3], [2, 0, 1], dtype=torch.int64))), ROWS, SIZES)
# An index without elements may have any number of dimensions.
calls("rare_nothing_gathered", [matrix], lambda x: (
    A.gather.default(x, 1, torch.zeros(0, dtype=torch.int64)), A.gather.default(x > 0, 0, torch.zeros(0, dtype=torch.int64))),
    ROWS, SIZES)
calls("rare_slopes", [lambda n: f32(n, 6), numbers], lambda x, i: (
    *A.gradient.scalarint(x, dim=0), *A.gradient.scalarint(x, spacing=0.5, dim=1, edge_order=2), *A.gradient.array(x, dim=[0, -1]),
    *A.gradient.scalararray(x, spacing=2, dim=[1, 0]), *A.gradient.scalarrayint(x, spacing=[0.5, 2.0]),
    *A.gradient.scalarrayarray(x, spacing=[0.25], dim=[1]), *A.gradient.scalarint(i)), None, (4,))
calls("rare_functions", [vector, lambda n: f32(n, 3)], lambda x, y: (
    A.special_ndtr.default(x * 2), A.special_ndtr.default((x * 4).to(torch.int64)), A.special_ndtr.default(x.to(torch.bfloat16)),
    A._safe_softmax.default(y, 1), A._safe_softmax.default(y.masked_fill(y < 0.5, float("-inf")), -1),
    A._safe_softmax.default(y.masked_fill(y < 1.5, float("-inf")), 0), A._prelu_kernel.default(y, y[:, :1]),
    *A._weight_norm_interface.default(y, y[:1], 1)), ({0: N}, {0: N}), (4, 1, 2, 32))


def volumes(x, w):
    y, at = A.max_pool3d_with_indices.default(x, [2, 2, 2])
    z, to = A.adaptive_max_pool3d.default(x, [2, 1, 3])
    return (
        A.conv_transpose3d.input(x, w, None, [2, 1, 1], [1, 0, 1]),
        A.grid_sampler_3d.default(x, x[:, 0, :, :3, :3].unsqueeze(3).tanh(), 0, 0, False),
        A.grid_sampler_3d.default(x, x[:, 1, :, :3, :3].unsqueeze(2).tanh() * 1.5, 1, 1, True),
        A.avg_pool3d_backward.default(y, x, [2, 2, 2], [2, 2, 2], [0, 0, 0], False, True, None),
        A._adaptive_avg_pool3d_backward.default(z, x),
        A.max_pool3d_with_indices_backward.default(y, x, [2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], False, at),
        A.adaptive_max_pool3d_backward.default(z, x, to))


calls("rare_volumes", [lambda n: f32(n, 2, 4, 4, 6), lambda n: f32(2, 3, 2, 2, 2)], volumes, ({0: N}, {}), (3, 0, 1))

calls("rare_sources", [matrix], lambda x: (
    A.cpu.default(x) + 1, A.lift.default(x) * 2, A.lift_fresh.default(x) * 3, A.split.default(x, [1, 2], 1)[1] + 1,
    A.fill.Scalar(A.new_empty.default(x, [2, 3]), 4.0), A.fill.Scalar(A.empty_strided.default([3, 2], [2, 1]), 5.0),
    A.fill.Scalar(A.new_empty_strided.default(x, [x.shape[0], 2], [2, 1]), 6.0),
    A.native_batch_norm.default(x, x[:1].sum(0) * 0 + 2, None, torch.ones(3), torch.full((3,), 4.0), False, 0.1, 1e-5)[0]),
    ROWS, SIZES)

calls("rare_writes", [matrix, lambda n: i64(n, lo=0, hi=2)], lambda x, at: (
    A._unsafe_index_put.default(x, [None, at[:2]], x[:, :2] * 0 + 7),
    A._embedding_bag_forward_only.default(x, at % 2, at[:1] * 0, False, 0)[0]),
    dynamic=({0: Dim("n", min=2, max=32)},) * 2, sizes=(4, 2, 32))


def asserts(x, right, least):
    A._assert_async.default(right)
    n = least.item()
    A.sym_constrain_range_for_size.default(n, max=5)
    A.sym_constrain_range.default(n, min=1, max=4)
    return x[:n] + A._local_scalar_dense.default(x[0])


program("rare_asserts", function(asserts), FAMILY, dynamic=({0: Dim("n", min=5, max=32)}, {}, {}),
        example=(f32(6), lit(True), lit(3)), cases=[
            case("three", f32(6), lit(True), lit(3)), case("one", f32(5), lit(True), lit(1)),
            case("four", f32(32), lit(True), lit(4)), case("none", f32(6), lit(True), lit(0), raises=""),
            case("five", f32(6), lit(True), lit(5), raises=""), case("false", f32(6), lit(False), lit(3), raises="")])


def number_functions(x, k):
    n, u = x.shape[0], k.item()
    return (u >> 1, n >> 1, math.trunc(u / 2), math.trunc(n / 4), torch.sym_int(u / 4), x * torch.sym_sqrt(n),
            torch.sym_ite(u != 4, u, n))


program("rare_number_functions", function(number_functions), FAMILY, dynamic=(ROWS[0], {}), example=(f32(7), lit(9)),
        cases=[case(f"{n}, {u}", f32(n), lit(u)) for n, u in
               ((7, 9), (0, 0), (1, 1), (3, 3), (4, 4), (5, 5), (32, -1), (6, -3), (8, -8))])
