"""What is measured: a Tally program, the same in PyTorch, inputs and sizes."""

import dataclasses
import math
from typing import Callable

import torch
import torch.nn.functional as F

SIZES = ("aligned", "odd", "tiny")
# Aimed shares of the bandwidth of a copy: elements and rows; reductions; compactions, segments and scans.
ELEMENTS, REDUCTIONS, SCANS = 0.90, 0.85, 0.70


def normal(generator, *shape, dtype=torch.float32):
    values = torch.randn(shape, generator=generator, device=generator.device)
    return values.to(dtype)


def nbytes(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    # Its file in programs/, without .mlir.
    program: str
    dtype: torch.dtype
    # The shapes of its x, by the name of the size.
    shapes: dict
    # Takes the inputs, returns a tuple.
    function: Callable
    # Takes a random generator on the device and a shape, returns fresh inputs.
    inputs: Callable
    # More inputs, the same in every call: weights.
    weights: Callable = lambda generator: ()
    # Bytes that a call has to read and write at least, from inputs and results.
    moved: Callable = lambda inputs, results: nbytes(inputs) + nbytes(results)
    # Relative to an element of a result, and to the terms that it is made of.
    tolerance: float = 1e-5
    # How large those terms are, from float64 inputs and reference; by default the
    # root mean square of each result.
    terms: Callable = lambda inputs, reference: [
        r.double().square().mean().sqrt() if r.numel() else 0 for r in reference]
    # False where arithmetic holds it back, not memory.
    bandwidth_bound: bool = True
    # The share of the bandwidth of a copy that it aims at, above 64 MiB of traffic.
    aim: float = ELEMENTS
    # The host reads a size or a condition during the call, in PyTorch as well.
    waits: bool = False
    # Indices are checked on the device, and nobody waits for the answer: PyTorch does not, and Tally's
    # caller defers it.
    defers: bool = False
    # False where torch.compile calls what eager PyTorch calls, so that it need not be measured.
    inductor: bool = True

    def reference(self, inputs):
        """The function in float64, and how far each element may be from it."""
        wide = [t.double() if t.is_floating_point() else t for t in inputs]
        results = self.function(*wide)
        return results, [self.tolerance * (result.abs() + terms) for result, terms
                         in zip(results, self.terms(wide, results))]


def pointwise(x, y):
    return (F.silu(x) * y + x,)


def pointwise_terms(inputs, reference):
    """A product and a summand, which may cancel each other."""
    x, y = inputs
    return [(F.silu(x) * y).abs() + x.abs()]


def pointwise_inputs(dtype):
    return lambda generator, shape: (normal(generator, *shape, dtype=dtype),
                                     normal(generator, *shape, dtype=dtype))


def rmsnorm_residual(x, residual, weight):
    h = x + residual
    return F.rms_norm(h, (h.shape[-1],), weight, 1e-6), h


def rmsnorm_inputs(generator, shape):
    return (normal(generator, *shape), normal(generator, *shape),
            normal(generator, shape[-1]))


def exactly(inputs, reference):
    return [0 for _ in reference]


def gelu_chain(x, y, bias):
    return (F.gelu(x * y + bias) * torch.sigmoid(x),)


def gelu_chain_terms(inputs, reference):
    x, y, bias = inputs
    return [(x * y).abs() + bias.abs() + 1]


def rotary(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), -1)
    return (x * cos + turned * sin,)


def rotary_inputs(generator, shape):
    return tuple(normal(generator, *size, dtype=torch.bfloat16) for size in (shape, shape[-2:], shape[-2:]))


def sine_means(x):
    for _ in range(50):
        x = torch.sin(x) + x.mean()
    return (x,)


def matrices(*sizes_of, dtype=torch.float32):
    """Inputs whose shapes follow from that of x."""
    return lambda generator, shape: tuple(normal(generator, *size(*shape), dtype=dtype) for size in sizes_of)


def same(rows, columns):
    return rows, columns


def one_row(rows, columns):
    return (columns,)


WIDTH, HEADS, INNER = 512, 8, 2048


def encoder(x, in_weight, in_bias, out_weight, out_bias, norm1_weight, norm1_bias,
            up_weight, up_bias, down_weight, down_bias, norm2_weight, norm2_bias):
    batch, length, _ = x.shape
    qkv = F.linear(x, in_weight.t(), in_bias)
    q, k, v = qkv.view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
    attended = F.scaled_dot_product_attention(q, k, v)
    joined = attended.transpose(1, 2).reshape(batch, length, WIDTH)
    first = F.linear(joined, out_weight.t(), out_bias) + x
    y = F.layer_norm(first, (WIDTH,), norm1_weight, norm1_bias)
    inner = F.relu(F.linear(y, up_weight.t(), up_bias))
    second = F.linear(inner, down_weight.t(), down_bias) + y
    return (F.layer_norm(second, (WIDTH,), norm2_weight, norm2_bias),)


def encoder_weights(generator):
    def matrix(rows, columns):
        return normal(generator, rows, columns) / math.sqrt(rows)

    def vector(size, middle=0.0):
        return normal(generator, size) * 0.1 + middle

    return (matrix(WIDTH, 3 * WIDTH), vector(3 * WIDTH),
            matrix(WIDTH, WIDTH), vector(WIDTH), vector(WIDTH, 1.0), vector(WIDTH),
            matrix(WIDTH, INNER), vector(INNER), matrix(INNER, WIDTH), vector(WIDTH),
            vector(WIDTH, 1.0), vector(WIDTH))


def sums_of_products(function):
    """How large the products are that each element of a result is the sum of."""
    return lambda inputs, reference: function(*(x.abs() for x in inputs))


def convolutions():
    """Convolutions of f32 and f16; the weight is an input."""
    kinds = (("3x3", "conv3x3", (64, 64, 3, 3), {"padding": 1}, 56),
             ("7x7 stride 2", "conv7x7", (64, 3, 7, 7), {"padding": 3, "stride": 2}, 224),
             ("1x1", "conv1x1", (256, 64, 1, 1), {}, 56),
             ("depthwise 3x3", "conv_depthwise", (64, 1, 3, 3), {"padding": 1, "groups": 64}, 56))
    for dtype, suffix, tolerance in ((torch.float32, "f32", 1e-5), (torch.float16, "f16", 2e-3)):
        for name, program, weight, options, size in kinds:
            channels = weight[1] * options.get("groups", 1)
            function = lambda x, w, options=options: (F.conv2d(x, w, **options),)
            yield Workload(
                f"conv {name} {suffix}", f"{program}_{suffix}", dtype,
                {"aligned": (32, channels, size, size), "odd": (7, channels, 33, 31), "tiny": (1, channels, 5, 7)},
                function,
                lambda generator, shape, dtype=dtype: (normal(generator, *shape, dtype=dtype),),
                weights=lambda generator, weight=weight, dtype=dtype: (normal(generator, *weight, dtype=dtype),),
                tolerance=tolerance, terms=sums_of_products(function), bandwidth_bound=False, inductor=False)


def gradients_of_convolutions():
    """Transposed convolutions, and gradients of convolutions."""
    deconvolve = lambda x, w: (F.conv_transpose2d(x, w, stride=2, padding=1),)
    for dtype, suffix, tolerance in ((torch.float32, "f32", 1e-5), (torch.float16, "f16", 2e-3)):
        yield Workload(
            f"conv transposed {suffix}", f"conv_transposed_{suffix}", dtype,
            {"aligned": (32, 128, 32, 32), "odd": (7, 128, 17, 15), "tiny": (1, 128, 3, 5)}, deconvolve,
            lambda generator, shape, dtype=dtype: (normal(generator, *shape, dtype=dtype),),
            weights=lambda generator, dtype=dtype: (normal(generator, 128, 64, 4, 4, dtype=dtype),),
            tolerance=tolerance, terms=sums_of_products(deconvolve), bandwidth_bound=False, inductor=False)
    for name, mask in (("weight", (False, True, False)), ("image", (True, False, False))):
        def gradient(x, y, w, mask=mask):
            return (torch.ops.aten.convolution_backward(
                y, x, w, None, (2, 2), (1, 1), (1, 1), False, (0, 0), 1, mask)[mask.index(True)],)
        yield Workload(
            f"conv stride 2 {name} gradient f32", f"conv_{name}_gradient_f32", torch.float32,
            {"aligned": (32, 64, 56, 56), "odd": (7, 64, 33, 31), "tiny": (1, 64, 5, 7)}, gradient,
            lambda generator, shape: (normal(generator, *shape), normal(
                generator, shape[0], 128, (shape[2] + 1) // 2, (shape[3] + 1) // 2)),
            weights=lambda generator: (normal(generator, 128, 64, 3, 3),),
            terms=sums_of_products(gradient), bandwidth_bound=False, inductor=False)


def order(name, program, function, aligned, odd, tiny):
    """A workload whose results are elements and places, and exact."""
    return Workload(name, program, torch.float32, {"aligned": aligned, "odd": odd, "tiny": tiny},
                    lambda x: tuple(function(x)), lambda generator, shape: (normal(generator, *shape),),
                    tolerance=0, terms=lambda inputs, reference: [0, 0], bandwidth_bound=False, inductor=False)


def sort(x):
    return torch.sort(x, stable=True, dim=-1)


MATRIX = {"aligned": (8192, 8192), "odd": (8191, 8193), "tiny": (7, 13)}
FEW_ROWS = {"aligned": (64, 1 << 20), "odd": (63, (1 << 20) + 1), "tiny": (2, 130)}
ONE_ROW = {"aligned": (1, 1 << 26), "odd": (1, (1 << 26) + 1), "tiny": (1, 257)}
ROWS = {"aligned": (8192, 4096), "odd": (8191, 4097), "tiny": (3, 17)}

WORKLOADS = [
    Workload("pointwise f32", "pointwise_f32", torch.float32, MATRIX, pointwise,
             pointwise_inputs(torch.float32), terms=pointwise_terms),
    Workload("pointwise bf16", "pointwise_bf16", torch.bfloat16, MATRIX, pointwise,
             pointwise_inputs(torch.bfloat16), tolerance=1.6e-2, terms=pointwise_terms),
    Workload("softmax", "softmax", torch.float32, ROWS,
             lambda x: (torch.softmax(x, -1),),
             lambda generator, shape: (normal(generator, *shape),)),
    *(Workload(f"gelu chain {name}", f"gelu_chain_{name}", dtype, MATRIX, gelu_chain,
               matrices(same, same, one_row, dtype=dtype), tolerance=tolerance, terms=gelu_chain_terms)
      for name, dtype, tolerance in (("f32", torch.float32, 1e-5), ("bf16", torch.bfloat16, 1.6e-2))),
    *(Workload(name, "softmax", torch.float32, shapes, lambda x: (torch.softmax(x, -1),), matrices(same))
      for name, shapes in (("softmax of short rows", {"aligned": (65536, 512), "odd": (65536, 513), "tiny": (3, 5)}),
                           ("softmax of long rows", {"aligned": (128, 262144), "odd": (1024, 50257), "tiny": (2, 1025)}))),
    Workload("layernorm", "layernorm", torch.float32,
             {"aligned": (4096, 16384), "odd": (4096, 16385), "tiny": (3, 17)},
             lambda x, weight, bias: (F.layer_norm(x, weight.shape, weight, bias),),
             matrices(same, one_row, one_row)),
    *(Workload(name, "row_sum", torch.float32, shapes, lambda x: (x.sum(-1),), matrices(same), aim=REDUCTIONS)
      for name, shapes in (("row sum", {"aligned": (8192, 8192), "odd": (8191, 8193), "tiny": (7, 13)}),
                           ("row sum of short rows", {"aligned": (1 << 22, 64), "odd": ((1 << 22) - 1, 63), "tiny": (17, 2)}))),
    *(Workload(name, "column_squares", torch.float32, shapes, lambda x: ((x * x).sum(0),), matrices(same), aim=REDUCTIONS)
      for name, shapes in (("column squares", MATRIX),
                           ("long column squares", {"aligned": (1 << 22, 64), "odd": ((1 << 22) - 1, 63), "tiny": (17, 2)}),
                           ("short column squares", {"aligned": (64, 1 << 22), "odd": (63, (1 << 22) - 1), "tiny": (2, 17)}))),
    Workload("transpose+add", "transpose_add", torch.float32, MATRIX, lambda x, y: (x + y.t(),),
             matrices(same, lambda rows, columns: (columns, rows))),
    Workload("concat of rows", "concat_rows", torch.float32,
             {"aligned": (8192, 4096), "odd": (8191, 4097), "tiny": (3, 5)},
             lambda x, y: (torch.cat((x * 2, y * 3), 0),),
             matrices(same, lambda rows, columns: (rows // 2 + 1, columns))),
    Workload("concat of columns", "concat_columns", torch.float32,
             {"aligned": (8192, 4096), "odd": (8191, 4097), "tiny": (3, 5)},
             lambda x, y: (torch.cat((x * 2, y * 3), 1),),
             matrices(same, lambda rows, columns: (rows, columns // 2))),
    Workload("rotary", "rotary", torch.bfloat16,
             {"aligned": (8, 32, 4096, 128), "odd": (7, 31, 4095, 126), "tiny": (1, 2, 3, 8)}, rotary, rotary_inputs,
             tolerance=1.6e-2, terms=lambda inputs, reference: [inputs[0].abs() * 2 + 1]),
    Workload("sine means", "sine_means", torch.float32, {"aligned": (65536,), "odd": (65537,), "tiny": (17,)},
             sine_means, matrices(lambda n: (n,)), tolerance=1e-4, bandwidth_bound=False),
    Workload("rmsnorm+residual", "rmsnorm_residual", torch.float32, ROWS,
             rmsnorm_residual, rmsnorm_inputs),
    Workload("column sum", "column_sum", torch.float32,
             {"aligned": (16384, 4096), "odd": (16383, 4097), "tiny": (17, 3)},
             lambda x: (x.sum(0),),
             lambda generator, shape: (normal(generator, *shape),), aim=REDUCTIONS),
    *(Workload(name, "cumsum", torch.float32, shapes, lambda x: (x.cumsum(-1),),
               lambda generator, shape: (normal(generator, *shape),), aim=SCANS)
      for name, shapes in (("cumsum", MATRIX), ("cumsum of few rows", FEW_ROWS), ("cumsum of a row", ONE_ROW))),
    Workload("column cumsum", "column_cumsum", torch.float32, MATRIX, lambda x: (x.cumsum(0),),
             lambda generator, shape: (normal(generator, *shape),), aim=SCANS),
    Workload("cummax", "cummax", torch.float32, MATRIX, lambda x: tuple(x.cummax(-1)),
             lambda generator, shape: (normal(generator, *shape),), aim=SCANS),
    Workload("encoder layer", "encoder", torch.float32,
             {"aligned": (16, 512, WIDTH), "odd": (5, 509, WIDTH),
              "tiny": (1, 3, WIDTH)},
             encoder, lambda generator, shape: (normal(generator, *shape),),
             weights=encoder_weights, tolerance=1e-4, bandwidth_bound=False),
    *(Workload(f"linear+relu {name}", f"linear_relu_{name}", dtype,
               {"aligned": (4096, 1024), "odd": (4095, 1023), "tiny": (3, 17)},
               lambda x, weight, bias: (F.relu(F.linear(x, weight, bias)),),
               matrices(same, lambda rows, columns: (columns * 4, columns), lambda rows, columns: (columns * 4,),
                        dtype=dtype), tolerance=tolerance,
               terms=lambda inputs, reference: [F.linear(*(each.abs() for each in inputs))],
               bandwidth_bound=False)
      for name, dtype, tolerance in (("f32", torch.float32, 1e-5), ("f16", torch.float16, 2e-3))),
    *convolutions(),
    *gradients_of_convolutions(),
    *(Workload(name, "argmax", torch.float32, shapes, lambda x: (x.argmax(-1),),
               lambda generator, shape: (normal(generator, *shape),), terms=exactly, tolerance=0, aim=REDUCTIONS)
      for name, shapes in (("argmax", {"aligned": (8192, 8192), "odd": (8191, 8193), "tiny": (7, 13)}),
                           ("argmax of a row", {"aligned": (1, 1 << 26), "odd": (1, (1 << 26) - 1), "tiny": (1, 17)}))),
    order("sort rows", "sort", sort, (8192, 8192), (33, 1000), (3, 17)),
    order("sort long rows", "sort", sort, (64, 1 << 20), (63, 1000003), (3, 2049)),
    order("sort one row", "sort", sort, (1, 1 << 24), (1, (1 << 24) - 1), (1, 100)),
    order("topk 10", "topk_10", lambda x: torch.topk(x, 10), (1024, 4096), (33, 1000), (3, 17)),
    order("kthvalue", "kthvalue", lambda x: torch.kthvalue(x, x.shape[-1] // 2 + 1, -1), (1024, 4096), (1, (1 << 24) - 1), (3, 2049)),
    order("topk 50", "topk_50", lambda x: torch.topk(x, 50), (8, 65536), (8, 50257), (1, 51)),
]


def error(result, reference, allowed):
    """What is wrong with a result, or None."""
    if result.shape != reference.shape:
        return f"has shape {tuple(result.shape)}, expected {tuple(reference.shape)}"
    # A NaN is not close either.
    wrong = ~((result.double() - reference).abs() <= allowed)
    if not wrong.any():
        return None
    place = tuple(int(i) for i in wrong.nonzero()[0])
    return (f"is wrong in {int(wrong.sum())} of {wrong.numel()} elements, first at "
            f"{place}: {float(result[place]):.9g}, expected {float(reference[place]):.9g}")
