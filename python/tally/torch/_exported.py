"""Exported programs as functions of tensors."""

import copy
import ctypes
import dataclasses
import math
import operator
import os
import tempfile
from typing import Any

import torch
from torch._export.serde import serialize
from torch.export.graph_signature import ConstantArgument, InputKind, InputSpec, OutputKind, TensorArgument
from torch.utils import _pytree

from ..compiler import Module
from ..program import Program, _describe_file
from ..errors import DeviceError, InvalidArgument
from ..state import State
from . import _foreach, _random
from ._call import TensorCall
from ._devices import find_device, find_options
from ._partitions import is_draw


def _is_left_out(argument):
    """Whether a compiled function has no value for an argument or a result: None, or a text. It has
    numbers, and checks those that it takes."""
    return isinstance(argument, ConstantArgument) and not isinstance(
        argument.value, (bool, int, float))


def _describe_structure(spec):
    """`[*, {'x': *}]`: a structure with a star for each value."""
    return str(_pytree.tree_unflatten(["*"] * spec.num_leaves, spec)).replace("'*'", "*")


def _describe_difference(name, value, expected):
    """What is wrong with the structure of an argument; None where nothing is."""
    spec = _pytree.tree_structure(value)
    if spec == expected:
        return None
    texts = [
        text if len(text) <= 100 else text[:100] + "..."
        for text in map(_describe_structure, (expected, spec))
    ]
    return f"argument {name} was {texts[0]} when the program was exported, and is {texts[1]}"


class TensorState(State):
    """State as tensors of PyTorch."""

    def __getitem__(self, name: str) -> torch.Tensor:
        capsule = _make_capsule(self._read(name), b"dltensor", None)
        return _wait_for(torch.utils.dlpack.from_dlpack(capsule))

    def __setitem__(self, name: str, value: Any) -> None:
        current = self[name]
        if not isinstance(value, torch.Tensor):
            try:
                value = torch.as_tensor(value, dtype=current.dtype)
            except (TypeError, ValueError, RuntimeError) as error:
                raise InvalidArgument(f"state {name!r}: {error}") from error
        value = value.detach().resolve_neg().to(current.device)
        capsule = torch.utils.dlpack.to_dlpack(_wait_for(value))
        # A managed tensor begins with the tensor.
        self._write(name, _open_capsule(capsule, b"dltensor"))


def _wait_for(tensor):
    """The tensor, when what was queued before is done."""
    if tensor.is_cuda:
        torch.cuda.synchronize(tensor.device)
    return tensor


_make_capsule = ctypes.pythonapi.PyCapsule_New
_make_capsule.restype = ctypes.py_object
_make_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_open_capsule = ctypes.pythonapi.PyCapsule_GetPointer
_open_capsule.restype = ctypes.c_void_p
_open_capsule.argtypes = [ctypes.py_object, ctypes.c_char_p]


class _Call:
    """Takes and returns the trees of an exported program."""

    def __init__(self, exported, draw, entry):
        self.state = TensorState(entry._library, entry._entry)
        signature = exported.graph_signature
        self._in_spec, self._out_spec = exported.call_spec.in_spec, exported.call_spec.out_spec
        self._inputs = [
            each.arg for each in signature.input_specs if each.kind == InputKind.USER_INPUT
        ]
        self._outputs = [
            each.arg for each in signature.output_specs if each.kind == OutputKind.USER_OUTPUT
        ]
        self._call = TensorCall(entry)
        self._draw, self._num_draws = draw, len(entry._names) - sum(not _is_left_out(each) for each in self._inputs)
        # Tensors one by one in, and one tensor or a tuple of them out: no tree to walk.
        self._quick = self._call.quick if not draw and self._is_flat() else None

    def _is_flat(self):
        if any(map(_is_left_out, (*self._inputs, *self._outputs))):
            return False
        arguments = (tuple(range(len(self._inputs))), {})
        count = len(self._outputs)
        results = 0 if count == 1 else tuple(range(count))
        structures = (_pytree.tree_structure(arguments), _pytree.tree_structure(results))
        return count > 0 and (self._in_spec, self._out_spec) == structures

    def _flatten(self, args, kwargs):
        by_place, by_name = self._in_spec.child(0), self._in_spec.child(1)
        names = by_name.context or []
        if len(args) != by_place.num_children or set(names) != set(kwargs):
            count = by_place.num_children
            expected, given = f"{count} argument{'s' * (count != 1)}", f"{len(args)}"
            if names or kwargs:
                expected += f" by position and {list(names)} by name"
                given += f" and {list(kwargs)}"
            raise TypeError(f"expected {expected}, not {given}")
        named = {name: kwargs[name] for name in names}
        leaves, spec = _pytree.tree_flatten((args, named))
        if spec != self._in_spec:
            given = [*zip(range(len(args)), args, by_place.children())]
            given += [*zip(map(repr, names), named.values(), by_name.children())]
            raise TypeError(next(filter(None, (_describe_difference(*each) for each in given))))
        return leaves

    def _select(self, leaves):
        """The arguments of the compiled function."""
        for argument, leaf in zip(self._inputs, leaves):
            if not _is_left_out(argument):
                yield leaf
            elif leaf != argument.value:
                raise ValueError(
                    f"{argument.name} is {argument.value!r} in this program, not {leaf!r}")

    def _find_draws(self, leaves):
        """What is drawn for a call, and what keeps it from that, if the arguments do: the function tells what is wrong with
        them."""
        if not self._draw:
            return [], None
        try:
            return self._draw(leaves), None
        except (AttributeError, IndexError) as error:
            return [torch.empty(0)] * self._num_draws, error

    def __call__(self, *args, **kwargs):
        if self._quick and not kwargs and len(args) == len(self._inputs):
            results = self._quick(*args)
            if results is not NotImplemented:
                return results
        given = self._flatten(args, kwargs)
        drawn, error = self._find_draws(given)
        results = iter(self._call(*self._select(given), *drawn))
        if error:
            raise error
        leaves = [
            each.value if _is_left_out(each) else next(results) for each in self._outputs
        ]
        return _pytree.tree_unflatten(leaves, self._out_spec)


def _find_options(exported, given):
    """The options for the device of a program's tensors."""
    def refuse(problem):
        raise DeviceError(f"the program cannot be compiled: {problem}")

    values = [node.meta.get("val") for node in exported.graph.nodes if node.op != "output"]
    tensors = [each for each in _pytree.tree_leaves(values) if isinstance(each, torch.Tensor)]
    return find_options(find_device(tensors, refuse), given)


def _drops(node):
    return node.target in _random.COMPOSITES and node.args[2] and node.args[1] > 0


def _is_for_a_trace(node):
    """Whether an operator stands for what it becomes where it is traced: a region of autocast for conversions,
    an operator on lists for one on each element, one that draws random numbers for what draws them and the rest."""
    name = getattr(node.target, "__name__", "")
    is_many = name.startswith("_foreach_") or name == "wrap_with_autocast"
    return node.op == "call_function" and (is_many or is_draw(node) or _drops(node))


def _trace_again(exported):
    """The program with such operators as what they stand for."""
    graphs = [each.graph for each in exported.graph_module.modules() if isinstance(each, torch.fx.GraphModule)]
    if any(_is_for_a_trace(node) for graph in graphs for node in graph.nodes):
        return exported.run_decompositions(
            {**_foreach.DECOMPOSITIONS, **_random.COMPOSITES, **_random.DECOMPOSITIONS})
    return exported


def _draw_before(exported):
    """The program with what it draws as arguments after its own, and a function that gives these; None for the function, where
    it draws nothing."""
    signature = exported.graph_signature
    names = [each.arg.name for each in signature.input_specs if each.kind == InputKind.USER_INPUT]
    module, draw = _random.draw_before(exported.graph_module, set(names))
    if not draw:
        return exported, None
    places = [node.name for node in module.graph.find_nodes(op="placeholder")]
    added = [TensorArgument(name) for name in places[len(signature.input_specs):]]
    signature = dataclasses.replace(
        signature, input_specs=[*signature.input_specs, *(InputSpec(InputKind.USER_INPUT, each, None) for each in added)])
    program = exported._update(module, signature)
    whole = program.module_call_graph[0]
    inner = dataclasses.replace(whole.signature, inputs=[*whole.signature.inputs, *added])
    program._module_call_graph = [dataclasses.replace(whole, signature=inner), *program.module_call_graph[1:]]
    return _flatten_trees(program), draw


def _flatten_trees(exported):
    """The program with its arguments one by one, and a tuple of its results: PyTorch saves no trees of classes that it
    does not know by a name, such as a NamedTuple of the program's."""
    whole = exported.module_call_graph[0]
    signature = whole.signature
    flat = dataclasses.replace(
        signature, in_spec=_pytree.tree_structure((tuple(signature.inputs), {})),
        out_spec=_pytree.tree_structure(tuple(signature.outputs)), forward_arg_names=None)
    program = copy.copy(exported)
    program._module_call_graph = [dataclasses.replace(whole, signature=flat), *exported.module_call_graph[1:]]
    return program


#: Operators on sizes that Tally knows, and that PyTorch has no names for in files.
_ON_SIZES = {math.ceil, math.floor, operator.abs, torch.sym_sum, *(
    getattr(torch, f"_sym_{name}") for name in ("sqrt", "log2", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"))}


def _save(program, path):
    known = serialize._SYM_OPS
    serialize._SYM_OPS = known | _ON_SIZES
    try:
        torch.export.save(program, path)
    finally:
        serialize._SYM_OPS = known


def compile_exported(exported, options):
    """Compiles an ExportedProgram: see `tally.compile`."""
    exported = _trace_again(exported)
    program, draw = _draw_before(exported)
    options = {**_find_options(exported, options), **options}

    def save(place):
        path = os.path.join(place, "program.pt2")
        _save(_flatten_trees(program), path)
        return path

    def read():
        with tempfile.TemporaryDirectory() as place:
            return Module.read(save(place))

    with tempfile.TemporaryDirectory() as place:
        parts = _describe_file(save(place))
    return Program(read, parts, options, lambda entry: _Call(exported, draw, entry))
