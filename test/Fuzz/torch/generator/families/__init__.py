"""Templates of PyTorch programs, by family."""

from . import (contractions, control_flow, creation, elementwise, gradients,
               indexing, items, joins, layers, mutation, normalizations, others,
               reductions, searches, views, windows)
from .table import TEMPLATES

__all__ = ["TEMPLATES", "contractions", "control_flow", "creation",
           "elementwise", "gradients", "indexing", "items", "joins", "layers", "mutation",
           "normalizations", "others", "reductions", "searches", "views",
           "windows"]
