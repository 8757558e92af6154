"""The programs, by family.  Importing this package fills the table."""

from . import (  # noqa: F401
    control_flow, control_flow_trees, creation, demo, elementwise, guards,
    indexing, matmuls, models, mutation, reductions, unbacked, unbacked_sizes,
    views)
