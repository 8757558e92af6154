"""Workloads whose work indices, masks or a loop's condition decide; see workloads.py."""

import torch
import torch.nn.functional as F
from torch._higher_order_ops.while_loop import while_loop

from workloads import SCANS, Workload, exactly, nbytes, normal


def indices(limit, count, generator):
    return torch.randint(limit, (count,), generator=generator, device=generator.device)


def indexed_inputs(limit, highest=None, in_order=False, dtype=torch.float32):
    """Elements, then as many indices below `limit` (or `highest`), repeated ones too, and as many values."""
    def build(generator, shape):
        count, *row = shape
        index = indices(highest or limit, count, generator)
        return (normal(generator, limit, *row, dtype=dtype), index.sort().values if in_order else index,
                normal(generator, count, *row, dtype=dtype))
    return build


def permuted_inputs(dtype=torch.float32):
    """Elements, as many indices without repetition, and as many values."""
    def build(generator, shape):
        index = torch.randperm(shape[0], generator=generator, device=generator.device)
        return normal(generator, *shape, dtype=dtype), index, normal(generator, *shape, dtype=dtype)
    return build


def sums_of_terms(inputs, reference):
    """As large as a sum of as many terms as an element has."""
    x, index, y = inputs
    return [x.square().mean().sqrt() + y.square().mean().sqrt() * y.shape[0] / max(1, index.unique().numel())]


def nonzero_gather(mask, x):
    return (x[torch.nonzero(mask).squeeze(1)],)


def nonzero_inputs(generator, shape):
    return normal(generator, shape[0]) > 0, normal(generator, *shape)


def count_down(x, limit):
    """Goes on while a counter that is a tensor is below another."""
    def goes_on(count, x):
        return count < limit

    def step(count, x):
        return count + 1, torch.cos(x) * 0.5 + x * 0.25

    count = torch.zeros((), dtype=torch.int64, device=x.device)
    if torch.compiler.is_compiling():
        return (while_loop(goes_on, step, (count, x))[1],)
    while goes_on(count, x):
        count, x = step(count, x)
    return (x,)


def looked_up(inputs, results):
    """Indices are read, and as many rows of a table as they tell; results are written."""
    index, table = inputs
    return nbytes([index]) + index.numel() * table.shape[1] * table.element_size() + nbytes(results)


SELECTS = [
    # Reads of x only the rows that it writes.
    Workload("nonzero+gather", "nonzero_gather", torch.float32,
             {"aligned": (131072, 512), "odd": (131071, 513), "tiny": (17, 3)}, nonzero_gather, nonzero_inputs,
             moved=lambda inputs, results: nbytes(inputs[:1]) + 2 * nbytes(results), aim=SCANS, waits=True),
    Workload("nonzero+gather+pointwise", "select_pointwise", torch.float32,
             {"aligned": (1 << 26,), "odd": ((1 << 26) - 1,), "tiny": (17,)},
             lambda x: (F.silu(x[torch.nonzero(x > 0).squeeze(1)] * 2),),
             lambda generator, shape: (normal(generator, *shape),), aim=SCANS, waits=True),
    *(Workload(name, "masked_select", torch.float32, shapes, lambda x, mask: (torch.masked_select(x, mask),),
               lambda generator, shape: (normal(generator, *shape), normal(generator, *shape) > 0),
               terms=exactly, tolerance=0, aim=SCANS, waits=True)
      for name, shapes in (("masked_select", {"aligned": (1 << 20,), "odd": ((1 << 20) - 1,), "tiny": (17,)}),
                           ("masked_select, large", {"aligned": (1 << 26,), "odd": ((1 << 26) - 1,)}))),
    Workload("repeat_interleave", "repeat_interleave", torch.float32,
             {"aligned": (1 << 23,), "odd": ((1 << 23) - 1,), "tiny": (17,)},
             lambda x, counts: (torch.repeat_interleave(x, counts),),
             lambda generator, shape: (normal(generator, *shape), indices(4, shape[0], generator)),
             terms=exactly, tolerance=0, aim=SCANS, waits=True),
    Workload("unique", "unique", torch.int64, {"aligned": (1 << 20,), "odd": ((1 << 20) - 1,), "tiny": (17,)},
             lambda x: (torch.unique(x),), lambda generator, shape: (indices(1 << 19, shape[0], generator),),
             terms=exactly, tolerance=0, bandwidth_bound=False, waits=True),
    Workload("while_loop of 100", "while_loop", torch.float32, {"aligned": (65536,), "odd": (65537,), "tiny": (17,)},
             count_down, lambda generator, shape: (normal(generator, *shape),),
             weights=lambda generator: (torch.tensor(100, device=generator.device),),
             tolerance=1e-4, bandwidth_bound=False, waits=True),
]

LOOKUPS = [
    Workload("embedding, sum of 16", "embedding_sum", torch.float32,
             {"aligned": (16384, 16), "odd": (16383, 17), "tiny": (3, 2)},
             lambda index, table: (F.embedding(index, table).sum(1),),
             lambda generator, shape: (indices(50000, shape[0] * shape[1], generator).view(shape),),
             weights=lambda generator: (normal(generator, 50000, 256),), moved=looked_up, aim=SCANS, defers=True),
    Workload("cross entropy", "cross_entropy", torch.float32,
             {"aligned": (8192, 50304), "odd": (8192, 50257), "tiny": (3, 17)},
             lambda x, target: (F.cross_entropy(x, target),),
             lambda generator, shape: (normal(generator, *shape), indices(shape[1], shape[0], generator)), defers=True),
    Workload("searchsorted", "searchsorted", torch.float32,
             {"aligned": (1 << 22,), "odd": ((1 << 22) - 1,), "tiny": (17,)},
             lambda table, x: (torch.searchsorted(table, x),),
             lambda generator, shape: (normal(generator, 65536).sort().values, normal(generator, *shape)),
             terms=exactly, tolerance=0, aim=SCANS),
]


def scatter_add(x, index, y):
    return (x.scatter_add(0, index, y),)


def index_add(x, index, y):
    return (x.index_add(0, index, y),)


def sums(name, program, function, inputs, aligned, odd, tiny):
    """A workload that adds values at indices."""
    return Workload(name, program, torch.float32, {"aligned": aligned, "odd": odd, "tiny": tiny}, function, inputs,
                    terms=sums_of_terms, bandwidth_bound=False, defers=True)


SCATTERS = [
    sums("scatter_add", "scatter_add_elements", scatter_add, indexed_inputs(4096),
         (1 << 20,), ((1 << 20) - 1,), (17,)),
    sums("scatter_add, 16 M", "scatter_add_elements", scatter_add, indexed_inputs(4096),
         (1 << 24,), ((1 << 24) - 1,), (3,)),
    sums("scatter_add to one", "scatter_add_elements", scatter_add, indexed_inputs(4096, 1),
         (1 << 20,), ((1 << 20) - 1,), (17,)),
    sums("scatter_add in order", "scatter_add_elements", scatter_add, indexed_inputs(4096, in_order=True),
         (1 << 20,), ((1 << 20) - 1,), (17,)),
    sums("small scatter_add", "scatter_add_elements", scatter_add, indexed_inputs(300), (4096,), (1000,), (100,)),
    sums("index_add", "index_add", index_add, indexed_inputs(4096), (16384, 256), (16383, 257), (17, 3)),
    sums("index_add to 8", "index_add", index_add, indexed_inputs(8), (16384, 256), (16383, 257), (17, 3)),
    sums("index_add in order", "index_add", index_add, indexed_inputs(4096, in_order=True),
         (65536, 256), (65537, 257), (17, 3)),
    Workload("index_put, adding at pairs", "index_put_pairs", torch.float32,
             {"aligned": (1 << 20,), "odd": ((1 << 20) - 1,), "tiny": (17,)},
             lambda x, rows, columns, y: (torch.index_put(x, (rows, columns), y, accumulate=True),),
             lambda generator, shape: (normal(generator, 300, 200), indices(300, shape[0], generator),
                                       indices(200, shape[0], generator), normal(generator, *shape)),
             terms=lambda inputs, reference: [inputs[0].square().mean().sqrt() + inputs[3].square().mean().sqrt() * 32],
             bandwidth_bound=False, defers=True),
    Workload("scatter", "scatter", torch.float32,
             {"aligned": (1 << 20,), "odd": ((1 << 20) - 1,), "tiny": (17,)},
             lambda x, index, y: (x.scatter(0, index, y),), permuted_inputs(),
             terms=exactly, tolerance=0, bandwidth_bound=False, defers=True),
    Workload("index_put of rows bf16", "index_put_bf16", torch.bfloat16,
             {"aligned": (16384, 256), "odd": (16383, 257), "tiny": (17, 3)},
             lambda x, index, y: (torch.index_put(x, (index,), y),), permuted_inputs(torch.bfloat16),
             terms=exactly, tolerance=0, bandwidth_bound=False, defers=True),
    Workload("embedding gradient", "embedding_gradient", torch.float32,
             {"aligned": (16384, 512), "odd": (16383, 513), "tiny": (17, 3)},
             lambda gradient, index: (torch.ops.aten.embedding_dense_backward(gradient, index, 50000, -1, False),),
             lambda generator, shape: (normal(generator, *shape), indices(50000, shape[0], generator)),
             terms=lambda inputs, reference: [inputs[0].square().mean().sqrt()], bandwidth_bound=False, defers=True),
    Workload("bincount", "bincount", torch.int64,
             {"aligned": (1 << 24,), "odd": ((1 << 24) - 1,), "tiny": (17,)}, lambda x: (x.bincount(),),
             lambda generator, shape: (indices(1024, shape[0], generator),),
             terms=exactly, tolerance=0, aim=SCANS, waits=True),
    Workload("bincount with weights", "bincount_weights", torch.float32,
             {"aligned": (1 << 20,), "odd": ((1 << 20) - 1,), "tiny": (17,)},
             lambda x, weights: (torch.bincount(x, weights),),
             lambda generator, shape: (indices(4096, shape[0], generator), normal(generator, *shape)),
             terms=lambda inputs, reference: [16], bandwidth_bound=False, waits=True),
]

INDEXED_WORKLOADS = [*SELECTS, *LOOKUPS, *SCATTERS]
