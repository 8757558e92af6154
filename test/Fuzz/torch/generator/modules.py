"""Programs as PyTorch modules: eager ones, and exported ones."""

import logging
import warnings

import torch
from torch import nn
from torch._dynamo import config as dynamo_config
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim
from torch.fx.experimental import _config as shape_config

from recording import plain

from . import data
from .families import control_flow

TRACED = {"torch": torch, "vmap": torch.vmap, "cond": torch.cond, "while_loop": while_loop,
          "scan": scan, "map_rows": map_rows,
          "region": torch.compiler.nested_compile_region}


# Not every version of torch has these settings. What an operator gives for
# symbolic sizes is hardly ever asked twice: to remember it takes longer.
SETTINGS = {name: value for name, value in
            {"inline_single_use_invoke_subgraph": False,
             "fake_tensor_cache_enabled": False}.items()
            if hasattr(dynamo_config, name)}


def module(program, eager):
    """The program as a module; an eager one has plain control flow."""
    names = control_flow.eager_environment(plain) if eager else dict(TRACED)
    exec(program.source(), names)  # pylint: disable=exec-used
    made = type("Generated", (nn.Module,), {"forward": names["forward"],
                                            "__module__": __name__})()
    for name, dtype, shape in program.parameters:
        made.register_buffer(name, data.parameter(program, name, dtype, shape))
    return made.eval()


def _dynamic(program, declared):
    """The dynamic shapes that torch.export wants."""
    sizes = {s.name: s for s in program.sizes}

    def dim(name):
        size = sizes[name]
        if declared == "named":
            return Dim(name, min=size.minimum, max=size.maximum)
        if declared == "range":
            return Dim.AUTO(min=size.minimum, max=size.maximum)
        return Dim.AUTO
    shapes = []
    for argument in program.inputs:
        if argument.given and argument.dims:
            shapes.append({i: Dim.AUTO for i in range(len(argument.dims))})
        else:
            shapes.append({i: dim(d) for i, d in enumerate(argument.dims)
                           if isinstance(d, str)})
    return tuple(shapes)


def export(program, declared=None):
    """The exported program, from its first call."""
    call, sizes = program.calls[0]
    inputs = tuple(data.arguments(program, call, dict(sizes)))
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), torch.no_grad(), \
                shape_config.patch(backed_size_oblivious=program.oblivious), \
                dynamo_config.patch(SETTINGS):
            warnings.simplefilter("ignore")
            return torch.export.export(
                module(program, eager=False), inputs,
                dynamic_shapes=_dynamic(program, declared or program.declared),
                strict=program.strict,
                prefer_deferred_runtime_asserts_over_guards=program.deferred)
    finally:
        logging.disable(logging.NOTSET)
        torch._dynamo.reset()


