"""The programs, by family.  Importing this package fills the table."""

from . import (  # noqa: F401
    creation, demo, elementwise, indexing, matmuls, mutation, reductions,
    unbacked, views)
