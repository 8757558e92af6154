"""The programs, by family.  Importing this package fills the table."""

from . import (  # noqa: F401
    conds, control_flow, control_flow_trees, convolutions, counts, creation,
    demo, edges, elementwise, empties, exactness, found, guards, indexing,
    items, loops, matmuls, models, mutation, numbers, operators, pools, reductions, regions,
    signatures, statements, unbacked, unbacked_sizes, updates, views)
