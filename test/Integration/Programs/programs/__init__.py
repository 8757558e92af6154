"""The programs, by family.  Importing this package fills the table."""

from . import demo  # noqa: F401
