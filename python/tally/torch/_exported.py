"""Exported programs as functions of tensors."""

import os
import tempfile

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.utils import _pytree

from ..compiler import Module
from ..program import Program, _describe_file
from ._call import TensorCall


def _is_left_out(argument):
    """Whether a compiled function has no value for an argument or a result: None, or a text. It has
    numbers, and checks those that it takes."""
    return isinstance(argument, ConstantArgument) and not isinstance(
        argument.value, (bool, int, float))


class _Call:
    """Takes and returns the trees of an exported program."""

    def __init__(self, exported, entry):
        signature = exported.graph_signature
        self._in_spec, self._out_spec = exported.call_spec.in_spec, exported.call_spec.out_spec
        self._inputs = [
            each.arg for each in signature.input_specs if each.kind == InputKind.USER_INPUT
        ]
        self._outputs = [
            each.arg for each in signature.output_specs if each.kind == OutputKind.USER_OUTPUT
        ]
        self._call = TensorCall(entry)
        # Tensors one by one in, and one tensor or a tuple of them out: no tree to walk.
        self._quick = self._call.quick if self._is_flat() else None

    def _is_flat(self):
        if any(map(_is_left_out, (*self._inputs, *self._outputs))):
            return False
        arguments = (tuple(range(len(self._inputs))), {})
        count = len(self._outputs)
        results = 0 if count == 1 else tuple(range(count))
        structures = (_pytree.tree_structure(arguments), _pytree.tree_structure(results))
        return count > 0 and (self._in_spec, self._out_spec) == structures

    def _flatten(self, args, kwargs):
        names = self._in_spec.child(1).context or []
        if set(names) != set(kwargs):
            raise TypeError(f"expected the arguments {list(names)} by name, not {list(kwargs)}")
        leaves, spec = _pytree.tree_flatten((args, {name: kwargs[name] for name in names}))
        if spec != self._in_spec:
            raise TypeError(f"expected arguments of the structure {self._in_spec}, not {spec}")
        return leaves

    def _select(self, leaves):
        """The arguments of the compiled function."""
        for argument, leaf in zip(self._inputs, leaves):
            if not _is_left_out(argument):
                yield leaf
            elif leaf != argument.value:
                raise ValueError(
                    f"{argument.name} is {argument.value!r} in this program, not {leaf!r}")

    def __call__(self, *args, **kwargs):
        if self._quick and not kwargs and len(args) == len(self._inputs):
            results = self._quick(*args)
            if results is not NotImplemented:
                return results
        results = iter(self._call(*self._select(self._flatten(args, kwargs))))
        leaves = [
            each.value if _is_left_out(each) else next(results) for each in self._outputs
        ]
        return _pytree.tree_unflatten(leaves, self._out_spec)


def compile_exported(exported, options):
    """Compiles an ExportedProgram: see `tally.compile`."""

    def save(place):
        path = os.path.join(place, "program.pt2")
        torch.export.save(exported, path)
        return path

    def read():
        with tempfile.TemporaryDirectory() as place:
            return Module.read(save(place))

    with tempfile.TemporaryDirectory() as place:
        parts = _describe_file(save(place))
    return Program(read, parts, options, lambda entry: _Call(exported, entry))
