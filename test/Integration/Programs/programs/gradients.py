"""Gradients under the names that PyTorch gives their operators."""

import torch

from recording.table import case, function, program
from recording.values import f32, floats, i64

from .common import N

FAMILY = "gradients"
AUTO = torch.export.Dim.AUTO
A = torch.ops.aten
# Whether the last window is one too many is decided for the example.
QUIRK = "torch keeps a guard on the parity of the example's sizes"


def calls(name, fn, dynamic, arguments, sizes, example=None, wrong=(), **more):
    """A program that is called with the arguments that each of `sizes` makes."""
    program(name, function(fn), FAMILY, dynamic=dynamic, oblivious=True,
            example=arguments(*(example or sizes[0])),
            cases=[case(" by ".join(map(str, size)), *arguments(*size), quirk=QUIRK) for size in sizes]
            + [case(f"wrong {i}", *values, raises="") for i, values in enumerate(wrong)], **more)


def activations(g, x):
    y = x.tanh()
    return (
        A.tanh_backward(g, y), A.sigmoid_backward(g, x.sigmoid()), A.silu_backward(g, x), A.mish_backward(g, x),
        A.hardsigmoid_backward(g, x * 2), A.hardswish_backward(g, x * 2), A.gelu_backward(g, x),
        A.gelu_backward(g, x, approximate="tanh"), A.threshold_backward(g, x, 0.25),
        A.hardtanh_backward(g, x, -1.0, 0.5), A.leaky_relu_backward(g, x, 0.1, False), A.elu_backward(g, 1.5, 2.0, 0.5, False, x),
        A.elu_backward(g, 1.0, 1.0, 1.0, True, y), A.softplus_backward(g, x, 2.0, 1.0),
        A.log_sigmoid_backward(g, x, (-x.abs()).exp()), A.native_dropout_backward(g, x > 0, 2.0))


calls("gradient_activations", activations, ({0: N}, {0: N}), lambda n: (f32(n), f32(n)),
      [(5,), (0,), (1,), (32,)], wrong=[(f32(4), f32(5))])
# PyTorch knows these for sizes that are fixed only.
calls("gradient_shrinkage", lambda g, x: (A.hardshrink_backward(g, x, 0.5), A.softshrink_backward(g, x, 1.0)),
      None, lambda n: (f32(n), f32(n)), [(12,)])
calls("gradient_halves", lambda g, x: (
    A.gelu_backward(g, x), A.silu_backward(g, x), A.tanh_backward(g, x), A.elu_backward(g, 1.5, 2.0, 0.5, False, x),
    A._softmax_backward_data(g, x, 1, torch.bfloat16), A.hardswish_backward(g, x), A.sigmoid_backward(g, x)),
      ({0: N}, {0: N}), lambda n: (floats(torch.bfloat16, n, 3), floats(torch.bfloat16, n, 3)), [(5,), (0,), (1,), (32,)], rtol=0.02,
      atol=0.02)


calls("gradient_softmax", lambda g, x, y: (
    A._softmax_backward_data(g, x.softmax(1), 1, torch.float32), A._softmax_backward_data(g, x, 0, torch.float32),
    A._log_softmax_backward_data(g, x.log_softmax(-1), -1, torch.float32),
    A._log_softmax_backward_data(y, y, 0, torch.float32)),
      ({0: N, 1: AUTO}, {0: N, 1: AUTO}, {}), lambda n, m: (f32(n, m), f32(n, m), f32()),
      [(3, 4), (0, 5), (1, 1), (2, 0), (32, 7)])


def norms(g, x, w, s):
    y, mean, root = A.native_layer_norm(x, [4, 3], w, None, 1e-5)
    z, means, roots = A.native_group_norm(x, s, None, x.shape[0], 4, 3, 2, 1e-5)
    b, average, inverse = A._native_batch_norm_legit.no_stats(x, None, None, True, 0.1, 1e-5)
    return (
        *A.native_layer_norm_backward(g, x, [4, 3], mean, root, w, w, [True, True, True]),
        A.native_layer_norm_backward(g, x, [4, 3], mean, root, None, None, [True, False, False])[0],
        *A.native_group_norm_backward(g, x, means, roots, s, x.shape[0], 4, 3, 2, [True, True, True]),
        A.native_group_norm_backward(g, x, means, roots, None, x.shape[0], 4, 3, 2, [True, False, False])[0],
        *A.native_batch_norm_backward(g, x, s, None, None, average, inverse, True, 1e-5, [True, True, True]),
        *A.native_batch_norm_backward(g, x, s, s, s.abs(), None, None, False, 1e-5, [True, True, True]))


calls("gradient_norms", norms, ({0: N}, {0: N}, {}, {}), lambda n: (f32(n, 4, 3), f32(n, 4, 3), f32(4, 3), f32(4)),
      [(2,), (1,), (5,), (32,)], rtol=1e-4, atol=1e-4)
calls("gradient_layer_norm", lambda g, x: (
    A.native_layer_norm_backward(g, x, [x.shape[2]], *A.native_layer_norm(x, [x.shape[2]], None, None, 1e-5)[1:],
                                 None, None, [True, False, False])[0]),
      ({0: N, 1: AUTO, 2: AUTO}, {0: N, 1: AUTO, 2: AUTO}), lambda n, m, k: (f32(n, m, k), f32(n, m, k)),
      [(2, 3, 4), (0, 3, 4), (2, 0, 4), (1, 1, 3), (7, 5, 31)], rtol=1e-4, atol=1e-4)


def averages(g, x):
    """The gradients are made from one that is large enough."""
    def cut(like):
        return g[:, :, :like.shape[2], :like.shape[3]]
    return (
        A.avg_pool2d_backward(cut(A.avg_pool2d(x, [2, 2])), x, [2, 2], [2, 2], [0, 0], False, True, None),
        A.avg_pool2d_backward(cut(A.avg_pool2d(x, [3, 2], [1, 2], [1, 1])), x, [3, 2], [1, 2], [1, 1], False, True, None),
        A.avg_pool2d_backward(cut(A.avg_pool2d(x, [3, 3], [2, 2], [1, 1], False, False)), x, [3, 3], [2, 2], [1, 1], False, False, None),
        A.avg_pool2d_backward(cut(A.avg_pool2d(x, [3, 2], [2, 3], [1, 0], True, True)), x, [3, 2], [2, 3], [1, 0], True, True, None),
        A.avg_pool2d_backward(cut(A.avg_pool2d(x, [2, 2], [3, 3], [0, 0], False, True, 3)), x, [2, 2], [3, 3], [0, 0], False, True, 3))


calls("gradient_averages", averages, ({0: N, 2: AUTO, 3: AUTO}, {0: N, 2: AUTO, 3: AUTO}),
      lambda n, h, w: (f32(n, 2, h + 2, w + 2), f32(n, 2, h, w)), [(2, 7, 7), (1, 4, 5), (3, 8, 8), (0, 7, 7), (1, 3, 11)])
calls("gradient_adaptive", lambda g, x, h: (
    A._adaptive_avg_pool2d_backward(g, x), A._adaptive_avg_pool2d_backward(h, x)),
      ({0: N}, {0: N, 2: AUTO, 3: AUTO}, {0: N, 2: AUTO, 3: AUTO}),
      lambda n, h, w: (f32(n, 2, 1, 1), f32(n, 2, h, w), f32(n, 2, w, h)),
      [(2, 5, 3), (1, 1, 2), (0, 4, 4), (3, 7, 2), (1, 16, 9)])


def maxima(g, x):
    def cut(like):
        return g[:, :, :like.shape[2], :like.shape[3]]
    (a, i), (b, j) = A.max_pool2d_with_indices(x, [2, 2]), A.max_pool2d_with_indices(x, [3, 2], [1, 2], [1, 0], [1, 2], True)
    c, k = A.adaptive_max_pool2d(x, [2, 3])
    return (A.max_pool2d_with_indices_backward(cut(a), x, [2, 2], [], [0, 0], [1, 1], False, i),
            A.max_pool2d_with_indices_backward(cut(b), x, [3, 2], [1, 2], [1, 0], [1, 2], True, j),
            A.adaptive_max_pool2d_backward(cut(c), x, k))


calls("gradient_maxima", maxima, ({0: N, 2: AUTO, 3: AUTO}, {0: N, 2: AUTO, 3: AUTO}),
      lambda n, h, w: (f32(n, 2, h + 3, w + 3), f32(n, 2, h, w)), [(2, 7, 7), (1, 4, 5), (3, 8, 6), (0, 7, 7), (1, 3, 11)])


calls("gradient_embedding", lambda g, i: (
    A.embedding_dense_backward(g, i, 7, -1, False), A.embedding_dense_backward(g, i, 7, 2, False),
    A.embedding_dense_backward(g, i, g.shape[0], 0, False), A.embedding_dense_backward(g, i, 7, 2, True)),
      ({0: N, 2: AUTO}, {0: N}), lambda n, d: (f32(n, 3, d), i64(n, 3, lo=0, hi=6)),
      [(4, 2), (0, 2), (1, 1), (2, 0), (32, 3)])


def convolutions(g, x, w, v):
    def cut(*size):
        return g[:, :size[0], :size[1], :size[2]]
    def sizes(*arguments):
        return A.convolution(*arguments).shape[1:]
    first = (x, w, None, [2, 1], [1, 0], [1, 2], False, [0, 0], 1)
    second = (x, v, None, [3, 2], [2, 1], [1, 1], False, [0, 0], 2)
    third = (x, w.transpose(0, 1), None, [2, 1], [1, 0], [1, 2], True, [1, 0], 1)
    all_of = [True, True, True]
    return (*A.convolution_backward(cut(*sizes(*first)), x, w, [3], *first[3:], all_of),
            *A.convolution_backward(cut(*sizes(*second)), x, v, [2], *second[3:], all_of),
            *A.convolution_backward(cut(*sizes(*third)), x, w.transpose(0, 1), [3], *third[3:], all_of))


calls("gradient_convolutions", convolutions, ({0: N, 2: AUTO, 3: AUTO}, {0: N, 2: AUTO, 3: AUTO}, {}, {}),
      lambda n, h, w: (f32(n, 4, 2 * h + 4, w + 6), f32(n, 4, h, w), f32(3, 4, 3, 2), f32(2, 2, 3, 2)),
      [(2, 7, 7), (1, 4, 5), (3, 8, 6), (0, 7, 7), (1, 3, 11)], rtol=1e-4, atol=1e-4)


def strided(g, x, y, v, w):
    def of_read(x, weight, stride, padding):
        more = (None, [stride] * (x.dim() - 2), [padding] * (x.dim() - 2), [1] * (x.dim() - 2), False, [0], 1)
        size = A.convolution(x, weight, *more).shape[2:]
        grad = g[:, :, :size[0]] if x.dim() == 3 else g.unsqueeze(2).expand(-1, -1, size[0], -1)[..., :size[1]]
        return A.convolution_backward(grad, x, weight, *more, [True, False, False])[0]
    return (of_read(x, w, 2, 1), of_read(x, w[..., :1], 2, 0), of_read(x, w, 4, 0), of_read(x, w, 4, 2), of_read(y, v, 2, 1),
            of_read(y, v[..., :1, :2], 3, 1))


calls("gradient_strided_convolutions", strided, ({0: N, 2: AUTO}, {0: N, 2: AUTO}, {0: N, 2: AUTO, 3: AUTO}, {}, {}),
      lambda n, m: (f32(n, 2, m + 4), f32(n, 3, m), f32(n, 3, m - 2, m), f32(2, 3, 3, 3), f32(2, 3, 3)),
      [(2, 7), (1, 4), (0, 5), (2, 6), (1, 9), (3, 8), (1, 3), (1, 17)], rtol=1e-4, atol=1e-4)
calls("gradient_convolution_1d", lambda g, x, w: (
    *A.convolution_backward(g, x, w, [2], [1], [0], [1], False, [0], 1, [True, True, True]),
    A.convolution_backward(g, x, w, None, [1], [0], [1], False, [0], 1, [True, False, False])[0],
    A.convolution_backward(g, x, w, None, [1], [0], [1], False, [0], 1, [False, True, False])[1]),
      ({0: N, 2: AUTO}, {0: N, 2: AUTO}, {2: AUTO}), lambda n, m, k: (f32(n, 2, m - k + 1), f32(n, 3, m), f32(2, 3, k)),
      [(2, 7, 3), (1, 4, 4), (0, 5, 2), (5, 9, 1)], rtol=1e-4, atol=1e-4)


def parts(g, x):
    return (A.select_backward(g, [g.shape[0], 5, g.shape[1]], 1, -2), A.select_backward(g, [4, *g.shape], 0, 0),
            A.slice_backward(x, [x.shape[0] + 5, 3], 0, 2, x.shape[0] + 2, 1),
            A.slice_backward(x, [2 * x.shape[0] + 3, 3], 0, 2, 2 * x.shape[0] + 2, 2))


calls("gradient_parts", parts, ({0: N, 1: AUTO}, {0: AUTO}), lambda n, m: (f32(n, m), f32(m, 3)),
      [(2, 3), (0, 3), (1, 1), (3, 0), (32, 7)])


def losses(g, x, y):
    p, q = x.sigmoid(), y.sigmoid()
    return (
        A.mse_loss_backward(g, x, y, 1), A.smooth_l1_loss_backward(g, x, y, 1, 0.5), A.smooth_l1_loss_backward(g, x, y, 2, 0.0),
        A.huber_loss_backward(g, x, y, 2, 0.7), A.soft_margin_loss_backward(g, x, y.sign(), 1),
        A.binary_cross_entropy_backward(g, p, q, None, 1), A.binary_cross_entropy_backward(g, p, q, y, 2))


calls("gradient_losses", losses, ({}, {0: N}, {0: N}), lambda n: (f32(), f32(n, 3), f32(n, 3)), [(4,), (0,), (1,), (32,)],
      wrong=[(f32(), f32(3, 3), f32(2, 3))])
calls("gradient_losses_of_each", lambda g, x, y: (
    A.mse_loss_backward(g, x, y, 0), A.smooth_l1_loss_backward(g, x, y, 0, 1.0), A.huber_loss_backward(g, x, y, 0, 0.7)),
      ({0: N}, {0: N}, {0: N}), lambda n: (f32(n), f32(n), f32(n)), [(4,), (0,), (1,), (32,)])
calls("gradient_losses_broadcast", lambda g, x, y: (
    A.mse_loss_backward(g, x, y, 0), A.soft_margin_loss_backward(g, x, y, 0), A.huber_loss_backward(g, x, y, 1, 0.7)),
      ({0: N}, {}, {0: N}), lambda n: (f32(n, 3), f32(1, 3), f32(n, 3)), [(4,), (0,), (1,), (32,)])
calls("gradient_likelihoods", lambda g, e, x, t, w: (
    A.nll_loss_backward(g, x, t, None, 1, -100, w.sum()), A.nll_loss_backward(g, x, t, w, 1, 2, w.sum()),
    A.nll_loss_backward(g, x, t, w, 2, 2, w.sum()), A.nll_loss_backward(e, x, t, w, 0, 1, w.sum())),
      ({}, {0: N}, {0: N}, {0: N}, {}),
      lambda n: (f32(), f32(n), f32(n, 5), i64(n, lo=0, hi=4), f32(5)), [(4,), (0,), (1,), (32,)],
      wrong=[(f32(), f32(2), f32(2, 5), i64(2, lo=5, hi=6), f32(5))])
calls("gradient_likelihoods_of_images", lambda g, e, x, t, w: (
    A.nll_loss2d_backward(g, x, t, w, 1, 1, w.sum()), A.nll_loss2d_backward(e, x, t, None, 0, -100, w.sum())),
      ({}, {1: AUTO}, {2: AUTO}, {1: AUTO}, {}),
      lambda h: (f32(), f32(2, h, 3), f32(2, 5, h, 3), i64(2, h, 3, lo=0, hi=4), f32(5)), [(4,), (0,), (1,), (32,)])


# What repeats the border adds its gradient to it.
calls("gradient_borders", lambda g, h, x, y: (
    A.reflection_pad1d_backward(g, x, [1, 2]), A.replication_pad1d_backward(g, x, [1, 2]),
    A.reflection_pad2d_backward(h, y, [1, -2, 0, 1]), A.replication_pad2d_backward(h, y, [1, -2, 0, 1])),
      ({2: AUTO}, {2: AUTO, 3: AUTO}, {2: AUTO}, {2: AUTO, 3: AUTO}),
      lambda n, m: (f32(2, 3, n + 3), f32(2, 3, n + 1, m - 1), f32(2, 3, n), f32(2, 3, n, m)),
      [(5, 4), (3, 3), (9, 2), (3, 32)],
      wrong=[(f32(2, 3, 5), f32(2, 3, 3, 3), f32(2, 3, 2), f32(2, 3, 2, 4)),
             (f32(2, 3, 9), f32(2, 3, 6, 3), f32(2, 3, 5), f32(2, 3, 5, 4))])
calls("gradient_borders_of_volumes", lambda g, x: (
    A.reflection_pad3d_backward(g, x, [1, 1, 0, 1, 2, 0]), A.replication_pad3d_backward(g, x, [1, 1, 0, 1, 2, 0])),
      ({3: AUTO}, {3: AUTO}), lambda n: (f32(2, 3, 6, n + 1, 5), f32(2, 3, 4, n, 3)), [(3,), (2,), (9,)])
# Slopes between elements at given places: PyTorch fixes all sizes.
calls("slopes_at_places", lambda x, s, t: (
    *torch.gradient(x, spacing=(s.cumsum(0), t.cumsum(0)), dim=(0, 1)),
    *torch.gradient(x, spacing=(s.cumsum(0),), dim=0, edge_order=2)),
      None, lambda n: (f32(6, 3, n), f32(6, lo=0.5), f32(3, lo=0.5)), [(4,)], rtol=1e-4, atol=1e-4)
# Steps are computed in the type of the places, and the results have the wider type.
calls("slopes_of_other_types", lambda x, s, i: (
    *torch.gradient(x.double(), spacing=(s,), dim=0), *torch.gradient(x.double(), spacing=(s,), dim=0, edge_order=2),
    *torch.gradient(x, spacing=(s.double(),), dim=0), *torch.gradient(x.half(), spacing=(i.cumsum(0),), dim=0),
    *torch.gradient(i * i, spacing=(s,), dim=0), *torch.gradient(x.double(), spacing=(i.cumsum(0),), dim=0, edge_order=2),
    *torch.gradient(x.half(), spacing=(s.half(),), dim=0)),
      None, lambda n: (f32(6, n), torch.tensor([0.0, 1.5, 2.4142136573791504, 2.5, 7.1, 9.3]), torch.tensor([1, 2, 1, 5, 1, 3])), [(4,)])
calls("attention_for_cpu", lambda q, k, m: (
    *A._scaled_dot_product_flash_attention_for_cpu(q, k, k), *A._scaled_dot_product_flash_attention_for_cpu(q, q, q, 0.0, True, scale=0.3),
    *A._scaled_dot_product_flash_attention_for_cpu(q, k, k, attn_mask=m)),
      ({2: AUTO}, {2: AUTO}, {0: AUTO, 1: AUTO}), lambda n, m: (f32(2, 2, n, 8), f32(2, 2, m, 8), f32(n, m)),
      [(5, 7), (1, 1), (9, 32)], rtol=1e-4, atol=1e-4)
