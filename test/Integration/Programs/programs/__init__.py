"""The programs, by family.  Importing this package fills the table."""

from . import (  # noqa: F401
    demo, elementwise, matmuls, reductions)
