"""More operations for bench.py (--more): functions of rows, images, sequences and tables."""

import torch
from torch import nn
from torch.nn import functional as F

from workloads import Function, Workload, rand

TABLES = ((2048, 1024), (1023, 1025), (64, 100), (2, 3))
SMALLER = ((1000, 100), (64, 100), (2, 3))
LOOKUPS = ((4096, 30000), (77, 1000), (2, 3))
IMAGES = ((4, 56, 56), (1, 29, 31), (1, 6, 5))
SEQUENCES = ((4, 1000), (1, 77), (1, 4))


def doubles(*sizes):
    return rand(*sizes).double()


def halves(*sizes):
    return rand(*sizes).half()


def booleans(*sizes):
    return rand(*sizes) > 0


def positive(*sizes):
    return torch.rand(*sizes) + 0.1


def integers(*sizes):
    return torch.randint(1, 100, sizes)


def words(*sizes):
    return torch.randint(1, 100, sizes, dtype=torch.int32)


def octets(*sizes):
    return torch.randint(0, 256, sizes, dtype=torch.uint8)


def complexes(*sizes):
    return torch.complex(rand(*sizes), rand(*sizes))


def adam_step(weight, gradient, first, second):
    first = first * 0.9 + gradient * 0.1
    second = second * 0.999 + gradient * gradient * 0.001
    return weight - 0.001 * first / (second.sqrt() + 1e-8), first, second


def on_tables(name, function, count=1, make=rand, sizes=TABLES, **more):
    """A function of matrices of the same sizes."""
    return Workload(name, Function(function), lambda *size: tuple(make(*size) for _ in range(count)),
                    ({0: "m", 1: "n"},) * count, sizes, **more)


def make_elementwise():
    for name, function in (("sin", torch.sin), ("cos", torch.cos), ("pow", lambda x: x.abs() ** 1.7),
                           ("sqrt", lambda x: x.abs().sqrt()), ("rsqrt", lambda x: (x.abs() + 1).rsqrt()),
                           ("sigmoid", torch.sigmoid), ("erf", torch.erf), ("log1p", lambda x: torch.log1p(x.abs())),
                           ("asin", lambda x: torch.asin(x.frac())), ("atan", torch.atan), ("sinh", torch.sinh),
                           ("asinh", torch.asinh), ("atanh", lambda x: torch.atanh(x.frac())), ("erfc", torch.erfc),
                           ("relu", torch.relu), ("hardswish", F.hardswish), ("leaky_relu", F.leaky_relu),
                           ("cube", lambda x: x ** 3), ("tan", torch.tan),
                           ("erfinv", lambda x: torch.erfinv(x.frac())), ("softplus", F.softplus), ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh")),
                           ("clamp", lambda x: x.clamp(-1, 1)), ("abs", torch.abs), ("tril", torch.tril)):
        yield on_tables(name, function)
    yield on_tables("log", torch.log, make=positive)
    for name, function in (("exp_f64", torch.exp), ("tanh_f64", torch.tanh), ("log_f64", lambda x: x.abs().log()),
                           ("tan_f64", torch.tan), ("atan_f64", torch.atan), ("sinh_f64", torch.sinh),
                           ("erfc_f64", torch.erfc), ("pow_f64", lambda x: x.abs() ** 1.7), ("sum_f64", lambda x: x.sum(-1))):
        yield on_tables(name, function, make=doubles)
    yield on_tables("atan2_f64", torch.atan2, 2, doubles)
    yield on_tables("fmod_f64", lambda x, y: torch.fmod(x, y + 0.1), 2, doubles)
    yield on_tables("not", torch.logical_not, make=booleans)
    yield on_tables("and", torch.logical_and, 2, booleans)
    yield on_tables("add_f16", torch.add, 2, halves)
    yield on_tables("softmax_f16", lambda x: x.softmax(-1), make=halves)
    yield on_tables("multiply_add_i64", lambda x, y: x * y + x, 2, integers)
    yield on_tables("floor_divide_i64", lambda x, y: x // y, 2, integers)
    for name, function in (("div", torch.div), ("atan2", torch.atan2), ("remainder", lambda x, y: torch.remainder(x, y.abs() + 0.1)),
                           ("where", lambda x, y: torch.where(x > 0, x, y))):
        yield on_tables(name, function, 2)
    yield on_tables("add_row", lambda x, y: x + y[0], 2, read=lambda x, y: (x, y[0]))
    yield on_tables("mul_column", lambda x, y: x * y[:, :1], 2, read=lambda x, y: (x, y[:, 0]))
    yield on_tables("outer", lambda x, y: x[:, 0:1] * y[0:1], 2, read=lambda x, y: (x[:, 0], y[0]))


def make_reductions():
    for name, function in (("argmax", lambda x: x.argmax(-1)), ("argmin_all", torch.argmin), ("max_all", torch.max), ("column_max", lambda x: x.amax(0)),
                           ("mean", lambda x: x.mean(-1)), ("mean_all", torch.mean), ("var", lambda x: x.var(-1)),
                           ("column_std", lambda x: x.std(0)), ("prod", lambda x: x.prod(-1)),
                           ("norm", lambda x: x.norm(dim=-1)), ("logsumexp", lambda x: x.logsumexp(-1)),
                           ("log_softmax", lambda x: F.log_softmax(x, -1)), ("column_softmax", lambda x: x.softmax(0)),
                           ("transposed_columns", lambda x: x.t().sum(0)),
                           ("rms_norm", lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)),
                           ("normalize", lambda x: F.normalize(x, dim=-1)), ("any", lambda x: (x > 3).any(-1)),
                           ("count", lambda x: (x > 0).sum()), ("isnan", lambda x: x.isnan().any()),
                           ("column_cumsum", lambda x: x.cumsum(0)), ("cumprod", lambda x: x.cumprod(-1)),
                           ("cummax", lambda x: x.cummax(-1)[0]),
                           ("cross_entropy", lambda x: F.cross_entropy(x, x.argmax(-1)))):
        yield on_tables(name, function)
    tall = ((2000000, 3), (10000000, 1), (100000, 40), (513, 2))
    yield on_tables("tall_sum", lambda x: x.sum(0), sizes=tall)
    yield on_tables("tall_std", lambda x: x.std(0), sizes=tall)
    yield on_tables("mse", F.mse_loss, 2)
    yield on_tables("adam_step", adam_step, 4, make=positive)
    yield on_tables("sine_and_cosine", lambda x, y: (x.sin() * y, x.cos() * y), 2)
    yield on_tables("kl_div", lambda x, y: F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="batchmean"), 2)
    yield on_tables("cosine_similarity", lambda x, y: F.cosine_similarity(x, y, dim=-1), 2)
    yield on_tables("einsum", lambda x, y: torch.einsum("ij,kj->ik", x, y), 2, sizes=((256, 256), (33, 65), (2, 3)))


def make_orders():
    for name, function in (("column_sort", lambda x: x.sort(0)[0]), ("topk_indices", lambda x: x.topk(3)[1]),
                           ("median", lambda x: x.median(-1)[0]), ("nonzero", lambda x: (x > 0.5).nonzero()),
                           ("masked_select", lambda x: x[x > 0])):
        yield on_tables(name, function)
    yield on_tables("sort_flat", lambda x: x.flatten().sort()[0], sizes=((500, 1000), (30, 30), (2, 3)))
    yield on_tables("unique", lambda x: torch.unique(x.round()), sizes=SMALLER)
    yield on_tables("bincount", lambda x: torch.bincount(x.flatten().round().abs().long(), minlength=10), sizes=SMALLER)


def make_moves():
    for name, function in (("flip", lambda x: x.flip(1)), ("roll", lambda x: x.roll(3, 1)),
                           ("pad", lambda x: F.pad(x, (1, 2, 3, 4))), ("repeat", lambda x: x.repeat(2, 2)),
                           ("slice", lambda x: x[:, ::2].contiguous())):
        yield on_tables(name, function)
    yield on_tables("chunk", lambda x: x.chunk(2, 0)[0] * 2, read=lambda x: x.chunk(2, 0)[:1])
    yield on_tables("diagonal", lambda x: torch.diagonal(x).contiguous(), read=lambda x: (torch.diagonal(x),))
    yield on_tables("row_cat", lambda x, y: torch.cat([x, y], 0), 2)
    yield on_tables("stack", lambda x, y: torch.stack([x, y], -1), 2)
    yield on_tables("transposed_sum", lambda x, y: x.t() + y.t() * 2, 2)
    lookups = ({0: "n"}, {0: "v"})

    def rows(n, v):
        return torch.randint(0, v, (n,)), rand(v, 256)

    for name, function in (("index_select", lambda i, w: w[i] * 2),
                           ("index_add", lambda i, w: w.index_add(0, i, w.new_ones(i.shape[0], 256))),
                           ("embedding_bag", lambda i, w: F.embedding_bag(i.view(-1, 1), w, mode="mean"))):
        yield Workload(name, Function(function), rows, lookups, LOOKUPS)
    places = ({0: "m", 1: "n"},) * 2
    for name, function in (("gather", lambda x, i: x.gather(1, i)),
                           ("scatter_add", lambda x, i: torch.zeros_like(x).scatter_add(1, i, x))):
        yield Workload(name, Function(function), lambda m, n: (rand(m, n), torch.randint(0, n, (m, n))), places, TABLES)


def make_images():
    layers = (
        ("conv5x5_stride2", nn.Conv2d(16, 32, 5, stride=2, padding=2), 16), ("conv7x7_stem", nn.Conv2d(3, 64, 7, 2, 3), 3),
        ("conv_dilated", nn.Conv2d(32, 32, 3, padding=2, dilation=2), 32),
        ("conv_grouped", nn.Conv2d(32, 32, 3, padding=1, groups=4), 32),
        ("conv_transposed2x2", nn.ConvTranspose2d(32, 16, 2, stride=2), 32),
        ("conv_transposed4x4", nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1), 32),
        ("depthwise7x7", nn.Conv2d(32, 32, 7, padding=3, groups=32), 32), ("avgpool", nn.AvgPool2d(3, 2, 1), 32),
        ("adaptive_avgpool", nn.AdaptiveAvgPool2d(1), 32), ("groupnorm", nn.GroupNorm(8, 32), 32),
        ("instancenorm", nn.InstanceNorm2d(32), 32), ("batchnorm_relu", nn.Sequential(nn.BatchNorm2d(32), nn.ReLU()), 32),
        ("upsample_nearest", nn.Upsample(scale_factor=2), 32),
        ("upsample_bilinear", nn.Upsample(scale_factor=2, mode="bilinear"), 32), ("pixel_shuffle", nn.PixelShuffle(2), 32),
        ("unfold", nn.Unfold(3, padding=1), 32), ("channel_softmax", nn.Softmax2d(), 32),
        ("reflection_pad", nn.ReflectionPad2d(1), 32), ("channel_glu", nn.GLU(1), 32))
    for name, layer, channels in layers:
        yield Workload(name, layer.eval(), lambda b, h, w, channels=channels: (rand(b, channels, h, w),),
                       ({0: "b", 2: "h", 3: "w"},), IMAGES)


def make_gradients():
    """Gradients of the weights of convolutions, and what strided depthwise ones give and read."""
    def gradient(layer, of_weight):
        mask = [not of_weight, of_weight, False]
        options = (None, layer.stride, layer.padding, layer.dilation, False, [0, 0], layer.groups, mask)
        return Function(lambda g, x: torch.ops.aten.convolution_backward(g, x, layer.weight, *options)[int(of_weight)])

    for name, layer, of_weight in (("conv3x3_weight_gradient", nn.Conv2d(32, 32, 3, padding=1), True),
                                   ("depthwise_weight_gradient", nn.Conv2d(64, 64, 3, padding=1, groups=64), True),
                                   ("depthwise_stride2_weight_gradient", nn.Conv2d(64, 64, 3, 2, 1, groups=64), True),
                                   ("depthwise_stride2_gradient", nn.Conv2d(64, 64, 3, 2, 1, groups=64), False)):
        def arguments(b, h, w, layer=layer):
            x = rand(b, layer.in_channels, h, w)
            return torch.randn_like(layer(x)), x
        yield Workload(name, gradient(layer, of_weight), arguments, ({0: "b", 2: "y", 3: "x"}, {0: "b", 2: "h", 3: "w"}), IMAGES)
    yield Workload("depthwise_stride2", nn.Conv2d(64, 64, 3, 2, 1, groups=64), lambda b, h, w: (rand(b, 64, h, w),),
                   ({0: "b", 2: "h", 3: "w"},), IMAGES)


def make_sequences():
    for name, layer in (("conv1d", nn.Conv1d(64, 64, 3, padding=1)), ("avgpool1d", nn.AvgPool1d(2)),
                        ("depthwise1d", nn.Conv1d(64, 64, 7, padding=3, groups=64))):
        yield Workload(name, layer.eval(), lambda b, t: (rand(b, 64, t),), ({0: "b", 2: "t"},), SEQUENCES)
    for name, layer, channels in (
            ("conv1d_stride", nn.Conv1d(64, 64, 9, stride=2, padding=4), 64), ("conv1d_wave", nn.Conv1d(1, 32, 9, stride=4), 1),
            ("conv1d_wave10", nn.Conv1d(1, 512, 10, stride=5), 1), ("conv1d_few", nn.Conv1d(3, 5, 9, padding=4), 3),
            ("conv1d_odd", nn.Conv1d(33, 35, 5, padding=2), 33), ("conv1d_dilated", nn.Conv1d(32, 32, 3, padding=4, dilation=4), 32),
            ("conv1d_grouped", nn.Conv1d(32, 32, 9, padding=4, groups=4), 32)):
        yield Workload(name, layer.eval(), lambda b, t, channels=channels: (rand(b, channels, t),), ({0: "b", 2: "t"},),
                       (*SEQUENCES[:2], (1, 9)) if channels != 1 else ((4, 16000), (1, 1000), (1, 29), (1, 10)))
    yield Workload("conv3d", nn.Conv3d(8, 16, 3, padding=1), lambda b, t, h: (rand(b, 8, t, h, h),),
                   ({0: "b", 2: "t"},), ((2, 8, 16), (1, 3, 16)))
    mlp = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512))
    yield Workload("mlp", mlp.eval(), lambda b: (rand(b, 512),), ({0: "b"},), ((256,), (33,), (1,)))


def make_uncommon():
    """Operations that few programs use, but no program should wait for."""
    for name, function in (("lgamma", lambda x: torch.lgamma(x.abs())), ("digamma", lambda x: torch.digamma(x.abs() + 0.1)),
                           ("rot90", lambda x: torch.rot90(x)), ("histc", lambda x: torch.histc(x, 100, -3, 3)),
                           ("index_fill", lambda x: x.index_fill(1, x.new_zeros(1).long(), 2.0))):
        yield on_tables(name, function)
    yield on_tables("sort_short", lambda x: x.sort(-1)[0], sizes=((1000000, 2), (100000, 9), (1023, 5), (2, 3)))
    for name, function in (("sin_f64", torch.sin), ("cos_f64", torch.cos), ("max_f64", lambda x: x.amax(-1)),
                           ("sort_f64", lambda x: x.sort(-1)[0])):
        yield on_tables(name, function, make=doubles)
    yield on_tables("sin_f16", torch.sin, make=halves)
    yield on_tables("topk_five", lambda x: x.topk(5)[0], sizes=((2000, 100), (64, 1000), (2, 6)))
    yield on_tables("topk_some", lambda x: x.topk(16)[0], sizes=((2000, 100), (64, 1000), (2, 20)))
    yield on_tables("topk_i64", lambda x, y: (x * 1000 + y).topk(50)[0], 2, integers, sizes=((2000, 100), (64, 1000), (2, 60)))
    yield on_tables("topk_many", lambda x: x.topk(50)[0], sizes=((2048, 1024), (1000, 100), (2, 60)))
    yield on_tables("isin", lambda x, y: torch.isin(x.round(), y[0].round()), 2, sizes=SMALLER)
    yield on_tables("unique_consecutive", lambda x: torch.unique_consecutive(x.round()), sizes=SMALLER)
    yield on_tables("cdist", lambda x, y: torch.cdist(x, y), 2, sizes=((1000, 100), (64, 100)))
    yield on_tables("matmul_i64", lambda x, y: x @ y.t(), 2, integers, sizes=((256, 256), (33, 65), (2, 3)))
    layers = (("channel_max", Function(lambda x: x.amax(1))), ("adaptive_maxpool", nn.AdaptiveMaxPool2d(1)),
              ("adaptive_avgpool7", nn.AdaptiveAvgPool2d(7)), ("upsample_bicubic", nn.Upsample(scale_factor=2, mode="bicubic")),
              ("area", Function(lambda x: F.interpolate(x, scale_factor=0.5, mode="area"))))
    for name, layer in layers:
        yield Workload(name, layer, lambda b, h, w: (rand(b, 32, h, w),),
                       ({0: "b", 2: "h", 3: "w"},), IMAGES)
    yield Workload("grid_sample", Function(lambda x, g: F.grid_sample(x, g, align_corners=False)),
                   lambda b, h, w: (rand(b, 32, h, w), torch.rand(b, h, w, 2) * 2 - 1),
                   ({0: "b", 2: "h", 3: "w"}, {0: "b", 1: "h", 2: "w"}), IMAGES)


def make_types():
    """Integers, bytes and complex numbers."""
    sizes = ((2048, 1024), (127, 129), (2, 3))
    for name, function in (("gcd_i32", torch.gcd), ("lcm_i32", torch.lcm), ("power_i32", lambda x, y: x ** (y % 8))):
        yield on_tables(name, function, 2, words, sizes)
    yield on_tables("argmax_u8", lambda x: x.argmax(-1), make=octets, sizes=sizes)
    yield on_tables("bucketize", lambda x: torch.bucketize(x, torch.linspace(-2, 2, 33)), sizes=SMALLER)
    yield on_tables("sort_bool", lambda x: x.sort().values, make=booleans, sizes=SMALLER)
    yield on_tables("unique_bool", torch.unique, make=booleans, sizes=SMALLER)
    yield on_tables("unique_u8", torch.unique, make=octets, sizes=SMALLER)
    yield on_tables("sort_u8", lambda x: x.sort(-1)[0], make=octets, sizes=sizes)
    yield on_tables("cumsum_f16", lambda x: x.cumsum(-1), make=halves, sizes=sizes)
    for name, function in (("complex_exp", torch.exp), ("complex_reciprocal", torch.reciprocal), ("complex_double", lambda x: torch.view_as_real(x * 2)),
                           ("complex_power", lambda x: x * x.conj())):
        yield on_tables(name, function, make=complexes, sizes=sizes)
    yield on_tables("complex_mul", torch.mul, 2, complexes, sizes)
    yield on_tables("complex_matmul", lambda x, y: x @ y.t(), 2, complexes, ((256, 256), (33, 35), (2, 3)))
    transforms = ((512, 1024), (127, 129), (2, 4))
    for name, function in (("rfft", torch.fft.rfft), ("irfft", lambda x: torch.fft.irfft(torch.fft.rfft(x))), ("fft2", torch.fft.fft2),
                           ("rfft2", torch.fft.rfft2), ("column_fft", lambda x: torch.fft.fft(x, dim=0))):
        yield on_tables(name, function, sizes=transforms)


def make_slow():
    """Operations that were slower than eager PyTorch before these rows looked."""
    yield on_tables("normal_quantile", lambda x: torch.special.ndtri(x.sigmoid()))
    yield on_tables("trigamma", lambda x: torch.polygamma(1, x.abs() + 0.1))
    yield on_tables("log_softmax_f64", lambda x: x.log_softmax(-1), make=doubles)
    middle = ({0: "b", 1: "n", 2: "d"},)
    for name, function in (("log_softmax_middle", lambda x: x.log_softmax(1)), ("softmax_middle", lambda x: x.softmax(1)),
                           ("normalize_middle", lambda x: F.normalize(x, dim=1))):
        yield Workload(name, Function(function), lambda b, n, d: (rand(b, n, d),), middle, ((32, 64, 512), (7, 33, 65), (2, 3, 5)))
    # The messages of a graph's edges, of which nodes get some or none.
    for mode in ("sum", "mean", "amax"):
        yield Workload("scatter_edges_" + mode, Function(lambda x, i, y, mode=mode: x.scatter_reduce(
            0, i[:, None].expand_as(y), y, mode, include_self=False)),
                       lambda m, n, k: (rand(m, n), torch.randint(0, m, (k,)), rand(k, n)),
                       ({0: "m", 1: "n"}, {0: "k"}, {0: "k", 1: "n"}), ((2000, 256, 1000), (127, 65, 33), (3, 2, 2)))
    yield Workload("matrix_exp", Function(torch.linalg.matrix_exp), lambda b, n: (rand(b, n, n) * 0.3,), ({0: "b", 1: "n", 2: "n"},),
                   ((500, 8), (1, 64), (3, 3)))
    for name, options in (("nearest", {"mode": "nearest"}), ("bicubic", {"mode": "bicubic"}), ("border", {"padding_mode": "border"})):
        yield Workload("grid_sample_" + name, Function(lambda x, g, options=options: F.grid_sample(x, g, align_corners=False, **options)),
                       lambda b, h, w: (rand(b, 32, h, w), torch.rand(b, h, w, 2) * 2 - 1),
                       ({0: "b", 2: "h", 3: "w"}, {0: "b", 1: "h", 2: "w"}), IMAGES)
    yield Workload("channel_log_softmax", Function(lambda x: x.log_softmax(1)), lambda b, h, w: (rand(b, 32, h, w),),
                   ({0: "b", 2: "h", 3: "w"},), IMAGES)


def make_contractions():
    """Batches of small matrices, and einsums that are no matmul."""

    def batches(name, function, shapes, sizes, make=rand):
        """Of `shapes`, each a word of the letters of its dimensions; `sizes` are those of the letters, in alphabetical order."""
        letters = sorted(set("".join(shapes)))

        def arguments(*size):
            sizeOf = dict(zip(letters, size))
            return tuple(make(*(sizeOf[letter] for letter in shape)) for shape in shapes)

        dynamic = tuple(dict(enumerate(shape)) for shape in shapes)
        return Workload(name, Function(function), arguments, dynamic, sizes)

    square = ((100000, 3), (100000, 2), (50000, 4), (10000, 8), (2000, 16), (501, 13), (7, 3))
    for suffix, make in (("", rand), ("_f64", doubles)):
        yield batches("small_bmm" + suffix, torch.bmm, ("bnn", "bnn"), square, make)
        yield batches("small_matvec" + suffix, lambda x, y: torch.einsum("bij,bj->bi", x, y), ("bnn", "bn"), square, make)
    yield batches("small_bmm_turned", lambda x, y: x @ y.transpose(1, 2), ("bnn", "bnn"), square)
    yield batches("small_bmm_column", lambda x, y: x @ y.unsqueeze(-1), ("bnn", "bn"), square)
    yield batches("small_bmm_row", lambda x, y: x.unsqueeze(1) @ y, ("bn", "bnn"), square)
    yield batches("points", lambda x, y: x @ y.t(), ("bn", "nn"), ((300000, 3), (100000, 8), (1001, 4), (2, 3)))
    forms = ((64, 32, 32, 32), (1024, 16, 16, 16), (256, 64, 64, 64), (31, 17, 33, 9), (3, 2, 4, 5))
    yield batches("bilinear_form", lambda x, w, y: torch.einsum("bi,ijk,bk->bj", x, w, y), ("bi", "ijk", "bk"), forms)
    yield Workload("bilinear", nn.Bilinear(64, 32, 48), lambda b: (rand(b, 64), rand(b, 32)), ({0: "b"},) * 2, ((1024,), (33,), (1,)))
    pairs = ((100000, 3, 3), (1000, 64, 64), (64, 512, 512), (7, 33, 65), (2, 3, 2))
    yield batches("batched_outer", lambda x, y: torch.einsum("bi,bj->bij", x, y), ("bi", "bj"), pairs)
    yield batches("batched_dot", lambda x, y: torch.einsum("bij,bij->b", x, y), ("bij", "bij"), pairs)
    yield batches("outer_of_three", lambda x, y, z: torch.einsum("i,j,k->ijk", x, y, z), ("i", "j", "k"), ((128, 128, 128), (33, 65, 17), (2, 3, 4)))
    yield batches("scores", lambda x, y: torch.einsum("bhqd,bhkd->bhqk", x, y), ("bhqd", "bhkd"), ((4, 64, 12, 128, 128), (64, 8, 4, 16, 16), (2, 3, 2, 7, 5)))
    yield batches("kron", torch.kron, ("ij", "kl"), ((32, 32, 32, 32),))
    yield batches("tensordot", lambda x, y: torch.tensordot(x, y, 2), ("ijk", "jkl"), ((128, 16, 16, 128),))
    yield batches("addbmm", lambda x, y, z: torch.addbmm(x, y, z), ("ij", "bik", "bkj"), ((32, 64, 64, 64), (1000, 4, 4, 4), (3, 5, 7, 2)))
    yield batches("baddbmm", lambda x, y, z: torch.baddbmm(x, y, z), ("bij", "bik", "bkj"), ((32, 64, 64, 64), (10000, 4, 4, 4), (3, 5, 7, 2)))
    yield batches("vecmat", lambda x, y: x @ y, ("n", "nm"), ((1024, 1024), (33, 65), (2, 3)))
    yield batches("matvec_turned", lambda x, y: x.t() @ y, ("nm", "n"), ((1024, 1024), (33, 65), (2, 3)))
    yield batches("complex_matvec", lambda x, y: x @ y, ("mn", "n"), ((256, 256), (33, 65), (2, 3)), complexes)
    yield batches("complex_vecmat", lambda x, y: x @ y, ("n", "nm"), ((256, 256), (33, 65), (2, 3)), complexes)
    yield batches("multi_dot", lambda x, y, z: torch.linalg.multi_dot([x, y, z]), ("ij", "jk", "kl"), ((16, 512, 16, 512),))
    middle = ({0: "b", 1: "n", 2: "d"},) * 2
    cubes = ((32, 64, 512), (7, 33, 65), (2, 3, 5))
    yield Workload("gather_middle", Function(lambda x, i: x.gather(1, i)), lambda b, n, d: (rand(b, n, d), torch.randint(0, n, (b, n, d))), middle, cubes)
    for name, kind in (("float", torch.float32), ("bool", torch.bool)):
        yield Workload("masked_mean_" + name, Function(lambda x, m: (x * m).sum(1) / m.sum(1)), lambda b, n, d, kind=kind: (rand(b, n, d), (rand(b, n, 1) > -1).to(kind)), ({0: "b", 1: "n", 2: "d"}, {0: "b", 1: "n"}), cubes)
        yield Workload("masked_row_mean_" + name, Function(lambda x, m: (x * m).sum(1) / m.sum(1)), lambda b, n, kind=kind: (rand(b, n), (rand(b, n) > -1).to(kind)), ({0: "b", 1: "n"},) * 2, TABLES)


def make_factors():
    """Factors of small matrices, in batches and alone."""
    sizes = ((5000, 4), (5000, 3), (5000, 2), (1000, 8), (500, 16), (100, 32), (501, 13), (7, 3), (1, 4), (1, 16), (1, 32))
    larger = (*sizes, (40, 64), (1, 64), (1, 200))

    def squares(make):
        def arguments(b, n):
            return make(b, n, n) + 3 * torch.eye(n)
        return arguments

    def definite(b, n):
        x = rand(b, n, n)
        return x @ x.mT + n * torch.eye(n)

    def solving(name, function, make, right):
        """Of matrices and right-hand sides, whose sizes behind the batch are a function of the number of rows."""
        def arguments(b, n):
            x = make(b, n)
            return x, rand(b, *right(n)).to(x.dtype)
        dynamic = ({0: "b", 1: "n", 2: "n"}, dict(enumerate(("b", *right("n")))))
        return Workload(name, Function(function), arguments, dynamic, sizes)

    for suffix, make in (("", squares(rand)), ("_f64", squares(doubles))):
        for name, function in (("inv", torch.linalg.inv), ("det", torch.linalg.det), ("slogdet", lambda x: tuple(torch.linalg.slogdet(x))),
                               ("lu_factor", lambda x: tuple(torch.linalg.lu_factor(x))), ("qr", lambda x: tuple(torch.linalg.qr(x)))):
            yield Workload(f"small_{name}{suffix}", Function(function), lambda b, n, make=make: (make(b, n),), ({0: "b", 1: "n", 2: "n"},), larger)
        yield solving("small_solve" + suffix, torch.linalg.solve, make, lambda n: (n,))
        yield solving("small_solve_matrix" + suffix, torch.linalg.solve, make, lambda n: (n, n))
        yield solving("small_triangular" + suffix, lambda x, y: torch.linalg.solve_triangular(x, y, upper=False), make, lambda n: (n, n))
    yield Workload("small_cholesky", Function(torch.linalg.cholesky), lambda b, n: (definite(b, n),), ({0: "b", 1: "n", 2: "n"},), larger)
    yield Workload("small_cholesky_f64", Function(torch.linalg.cholesky), lambda b, n: (definite(b, n).double(),), ({0: "b", 1: "n", 2: "n"},), larger)


def make_more():
    for maker in (make_elementwise, make_reductions, make_orders, make_moves, make_images, make_gradients, make_sequences, make_uncommon, make_types, make_slow, make_contractions, make_factors):
        yield from maker()
