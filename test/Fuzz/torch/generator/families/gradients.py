"""Gradients: of functions, and operators under the names that they leave."""

from ..data import FLOATS
from .table import template

FAMILY = "gradients"
A = "torch.ops.aten"
F = "torch.nn.functional"
KINDS = ("f32", "f64")


@template(FAMILY, keeps_sizes=True)
def of_activation(b):
    x = b.tensor(FLOATS)
    g = b.same_dims(x, (b.info(x).dtype,))
    b.emit(b.choice((
        f"{A}.tanh_backward({g}, {x})", f"{A}.sigmoid_backward({g}, {x})",
        f"{A}.silu_backward({g}, {x})", f"{A}.mish_backward({g}, {x})",
        f"{A}.gelu_backward({g}, {x})",
        f"{A}.gelu_backward({g}, {x}, approximate='tanh')",
        f"{A}.threshold_backward({g}, {x}, 0.5)",
        f"{A}.hardtanh_backward({g}, {x}, -1.0, 0.5)",
        f"{A}.hardsigmoid_backward({g}, {x})",
        f"{A}.hardswish_backward({g}, {x})",
        f"{A}.leaky_relu_backward({g}, {x}, 0.1, False)",
        f"{A}.elu_backward({g}, 1.5, 2.0, 0.5, False, {x})",
        f"{A}.softplus_backward({g}, {x}, 2.0, 1.0)",
        f"{A}.native_dropout_backward({g}, {x} > 0, 2.0)")))


@template(FAMILY, keeps_sizes=True)
def of_softmax(b):
    x = b.tensor(KINDS, low=1)
    g = b.same_dims(x, (b.info(x).dtype,))
    d = b.signed(x, b.dim(x))
    name = b.choice(("softmax", "log_softmax"))
    b.emit(f"{A}._{name}_backward_data({g}, torch.{name}({x}, {d}), {d}, "
           f"{x}.dtype)")


@template(FAMILY)
def of_norm(b):
    x = b.tensor(KINDS, low=2)
    info = b.info(x)
    g = b.same_dims(x, (info.dtype,))
    n = b.size(x, info.rank - 1)
    mask = b.choice(("[True, True, True]", "[True, False, False]"))
    if b.maybe(0.6):
        b.emit(f"{A}.native_layer_norm_backward({g}, {x}, [{n}], "
               f"*{A}.native_layer_norm({x}, [{n}], None, None, 1e-5)[1:], "
               f"None, None, {mask})[0]")
        return
    c = info.constant(1)
    if c is None or c == 0 or info.rank < 3:
        return
    area = " * ".join(b.size(x, d) for d in range(2, info.rank))
    sizes = f"{b.size(x, 0)}, {c}, {area}"
    b.emit(f"{A}.native_group_norm_backward({g}, {x}, "
           f"*{A}.native_group_norm({x}, None, None, {sizes}, 1, 1e-5)[1:], "
           f"None, {sizes}, 1, {mask})[0]")


@template(FAMILY)
def of_loss(b):
    x = b.tensor(KINDS)
    kind = (b.info(x).dtype,)
    y, g = b.same_dims(x, kind), b.same_dims(x, kind)
    how = b.choice((0, 1, 2))
    g = g if how == 0 else f"{g}.nan_to_num(0.0).clamp(-3, 3).sum()"
    b.emit(b.choice((
        f"{A}.mse_loss_backward({g}, {x}, {y}, {how})",
        f"{A}.smooth_l1_loss_backward({g}, {x}, {y}, {how}, 0.5)",
        f"{A}.huber_loss_backward({g}, {x}, {y}, {how}, 0.7)",
        f"{A}.soft_margin_loss_backward({g}, {x}, {y}.sign(), {how})",
        f"{A}.binary_cross_entropy_backward({g}, {x}.sigmoid(), {y}.sigmoid(), "
        f"None, {how})")))


@template(FAMILY)
def of_border(b):
    spatial = b.choice((1, 2))
    x = b.tensor(KINDS, low=spatial + 1, high=spatial + 2)
    kind = b.choice(("reflection", "replication"))
    pads = [b.choice((0, 1, 2)) for _ in range(2 * spatial)]
    b.emit(f"{A}.{kind}_pad{spatial}d_backward("
           f"{A}.{kind}_pad{spatial}d({x}, {pads}).cos(), {x}, {pads})")


@template(FAMILY)
def at_places(b):
    x = b.tensor(KINDS, low=1)
    # PyTorch fixes the number of places.
    d = b.dim(x, b.info(x).is_constant)
    places = b.emit(f"torch.arange({b.size(x, d)}) * 0.5 + "
                    f"torch.arange({b.size(x, d)}).sqrt()")
    b.emit(f"torch.gradient({x}, spacing=({places},), dim={d}, "
           f"edge_order={b.choice((1, 2))})[0]")


@template(FAMILY)
def of_function(b):
    """torch.func.grad leaves operators for gradients in the program."""
    x = b.tensor(KINDS, low=1, high=4)
    info = b.info(x)
    bodies = ["{}.tanh().sum()", "({} ** 2).mean()",
              "torch.softmax({}, -1).pow(2).sum()",
              "torch.log_softmax({}, 0).sum()",
              "torch.nn.functional.gelu({}).sum()",
              "torch.sigmoid({}).prod()", "{}.cumsum(0).exp().sum()",
              "torch.logsumexp({}, 0).sum()", "{}.abs().amax(0).sum()"]
    if info.rank > 2:
        bodies += ["torch.nn.functional.max_pool1d({}.flatten(0, -3), 2).sum()",
                   "torch.nn.functional.avg_pool2d({}, 2, 1, ceil_mode=True).pow(2).sum()"
                   if info.rank == 4 else
                   "torch.nn.functional.adaptive_avg_pool2d({}, 2).pow(2).sum()"]
    if info.is_constant(info.rank - 1):
        n = info.constant(info.rank - 1)
        bodies.append("torch.nn.functional.layer_norm({}, (%d,)).pow(3).sum()"
                      % n)
    body = b.choice(bodies).format("t")
    b.emit(f"torch.func.grad(lambda t: {body})({x})")


@template(FAMILY)
def of_pool(b):
    x = b.tensor(KINDS, low=3, high=4)
    k, stride = b.choice((1, 2, 3)), b.choice((1, 2, 3))
    padding, ceil = b.choice((0, k // 2)), b.choice((True, False))
    counts = b.choice((True, False))
    if b.maybe(0.5):
        window = f"[{k}, {k}], [{stride}, {stride}], [{padding}, {padding}]"
        b.emit(f"{A}.avg_pool2d_backward(torch.cos({A}.avg_pool2d({x}, "
               f"{window}, {ceil}, {counts})), {x}, {window}, {ceil}, "
               f"{counts}, None)")
        return
    both = b.emit(f"{A}.max_pool2d_with_indices({x}, [{k}, {k}], "
                  f"[{stride}, {stride}], [{padding}, {padding}], [1, 1], "
                  f"{ceil})", count=2)
    b.emit(f"{A}.max_pool2d_with_indices_backward({both[0]}.cos(), {x}, "
           f"[{k}, {k}], [{stride}, {stride}], [{padding}, {padding}], "
           f"[1, 1], {ceil}, {both[1]})")


@template(FAMILY)
def of_convolution(b):
    x = b.tensor(KINDS, rank=b.choice((3, 4)), where=lambda i: i.is_constant(1))
    info = b.info(x)
    spatial, c = info.rank - 2, info.constant(1)
    transposed, groups = b.maybe(0.4), b.choice((1, 1, c or 1))
    k, stride = b.choice((1, 2, 3)), b.choice((1, 2, 3))
    padding, dilation = b.choice((0, 1)), b.choice((1, 1, 2))
    more = b.choice((0, min(1, stride - 1))) if transposed else 0
    if transposed:
        weight = b.parameter(info.dtype, c, 2, *[k] * spatial)
    else:
        weight = b.parameter(info.dtype, 2 * groups, c // groups, *[k] * spatial)
    how = ", ".join(str([n] * spatial) for n in (stride, padding, dilation))
    how += f", {transposed}, {[more] * spatial}, {groups}"
    y = b.emit(f"{A}.convolution({x}, {weight}, None, {how})")
    b.emit(f"{A}.convolution_backward({y}.cos(), {x}, {weight}, "
           f"[{2 * groups}], {how}, [True, True, True])", count=3)


@template(FAMILY, weight=0.6)
def of_embedding(b):
    g = b.tensor(KINDS, low=2)
    info = b.info(g)
    sizes = ", ".join(b.size(g, d) for d in range(info.rank - 1))
    index = b.emit(f"({g}.nan_to_num(0.0).clamp(-3, 3).sum(-1) * 2).long()"
                   ".remainder(7)" if b.maybe(0.5) else
                   f"torch.zeros({sizes}, dtype=torch.int64)")
    b.emit(f"{A}.embedding_dense_backward({g}, {index}, 7, "
           f"{b.choice((-1, 0, 2))}, {b.choice((True, False))})")


@template(FAMILY, weight=0.6)
def rare(b):
    x = b.tensor(KINDS, low=1)
    d = b.dim(x)
    b.emit(b.choice((
        f"torch.pdist({x}.flatten(1))" if b.info(x).rank > 1 else
        f"torch.linalg.vander({x}, N=4)",
        f"torch.linalg.vander({x}, N=3)", f"torch.special.ndtr({x})",
        f"torch.gradient({x}, dim={d})[0]",
        f"{A}._safe_softmax({x}, {d})",
        f"{x}.double().sum({d}).float()")))
