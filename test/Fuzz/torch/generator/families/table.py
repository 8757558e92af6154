"""The table of templates.

A template is a function of a builder that adds one or a few statements to a
program, or raises NoMatch where nothing in scope fits it.
"""

import dataclasses
from typing import Callable


@dataclasses.dataclass(frozen=True)
class Template:
    family: str
    name: str
    apply: Callable
    weight: float
    # Whether it may stand in a subgraph: it writes to nothing, reads no item.
    in_bodies: bool
    # Whether its result has the sizes of an operand: for loops' bodies.
    keeps_sizes: bool


TEMPLATES: list = []


def template(family, weight=1.0, in_bodies=True, keeps_sizes=False):
    """Adds a function to the table."""
    def add(apply):
        TEMPLATES.append(Template(family, apply.__name__, apply, weight,
                                  in_bodies, keeps_sizes))
        return apply
    return add
