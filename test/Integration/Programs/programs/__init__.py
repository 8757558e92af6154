"""The programs, by family.  Importing this package fills the table."""

from . import (  # noqa: F401
    complex_numbers, conds, control_flow, control_flow_trees, convolutions, counts, creation,
    decomposed, demo, edges, elementwise, empties, exactness, found, found_memory,
    found_numbers, found_sizes, fourier, gradients, guards, images, indexing, items, linear_algebra,
    linear_algebra_complex, loops, losses,
    matmuls, models, mutation, numbers, operators, pools, rare, recurrent, reductions, regions, scalars, signatures, special,
    statements, unbacked, unbacked_sizes, updates, views)
