"""A graph of torch.fx in the schema of exported programs, which the importer reads.

Written from the nodes themselves, not through `torch.export`, whose serializer takes no
graph of AOTAutograd: it refuses lists among the results of higher-order operators, sums of
many sizes, arguments that mix numbers with tensors, and constants.
"""

import json
import math
import operator
import os
import re
import tempfile
import zipfile

import sympy
import torch
from torch.utils import _pytree

from .. import compiler

#: The version of the schema, as `torch._export.serde.schema` numbers it.
VERSION = {"major": 8, "minor": 20}

_TYPES = {
    torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5,
    torch.float16: 6, torch.float32: 7, torch.float64: 8, torch.complex32: 9,
    torch.complex64: 10, torch.complex128: 11, torch.bool: 12, torch.bfloat16: 13,
}
#: The number that torch.fx gives to code that it has made, which differs from process to process.
_GENERATED_CODE = re.compile(r"<eval_with_key>\.\d+")
_LAYOUTS = {torch.strided: 7}
_MEMORY_FORMATS = {
    torch.contiguous_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3,
    torch.preserve_format: 4,
}
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


class Number:
    """The value of an input that is a number, where PyTorch has a tensor without dimensions on the CPU."""

    #: What the schema calls numbers of the data types of such tensors.
    KINDS = {torch.int64: "int", torch.float64: "float"}

    def __init__(self, dtype):
        self.kind = self.KINDS[dtype]


_KINDS = {
    bool: "bool", torch.SymBool: "bool", int: "int", torch.SymInt: "int", float: "float",
    torch.SymFloat: "float",
}


class UnsupportedGraph(Exception):
    """What a graph holds that the schema has no words for."""


def _expression(number):
    """The expression of a symbolic number; None where it is a constant."""
    expression = number.node.expr
    return expression if expression.free_symbols else None


def _write_number(number):
    kind = _KINDS[type(number)]
    if isinstance(number, _SYMBOLIC):
        expression = _expression(number)
        if expression is not None:
            return {"as_expr": {"expr_str": sympy.srepr(expression), "hint": None}}
        number = {"int": int, "float": float, "bool": bool}[kind](number.node.expr)
    if kind == "float" and not math.isfinite(number):
        number = "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return {f"as_{kind}": number}


def write_tensor(tensor):
    """The type, the sizes and the place of a tensor."""
    if tensor.layout not in _LAYOUTS:
        raise UnsupportedGraph(f"a tensor of layout {tensor.layout}")
    device = tensor.device
    return {
        "dtype": _TYPES[tensor.dtype],
        "sizes": [_write_number(size) for size in tensor.shape],
        "requires_grad": False,
        "device": {"type": device.type, "index": device.index},
        "layout": _LAYOUTS[tensor.layout],
        "strides": [_write_number(stride) for stride in tensor.stride()],
        "storage_offset": _write_number(tensor.storage_offset()),
    }


def value_of(node):
    """What a node gave when the graph was traced: fake tensors and symbolic numbers."""
    return node.meta.get("val", node.meta.get("example_value"))


def _attribute(module, target):
    for part in target.split("."):
        module = getattr(module, part)
    return module


class GraphWriter:
    """Writes the graph of a module, and of the modules that its operators run.

    `constants` gathers the tensors that the module holds, as pairs of name and tensor.
    `results` are the arguments of the graph's output: nodes and constants."""

    def __init__(self, module):
        self.module = module
        self.constants = []
        self.results = []
        self._tensors = {}
        self._numbers = {"int": {}, "float": {}, "bool": {}}
        self._nodes = []
        self._inputs = []

    # Values

    def _declare(self, name, value):
        """Gives a value its name; returns a reference to it."""
        if isinstance(value, torch.Tensor):
            self._tensors[name] = write_tensor(value)
            return {"as_tensor": {"name": name}}
        if type(value) in _KINDS:
            kind = _KINDS[type(value)]
            self._numbers[kind][name] = _write_number(value)
            return {f"as_sym_{kind}": {"as_name": name}}
        if isinstance(value, Number):
            symbol = sympy.Symbol(f"number_{name}", **{"int": {"integer": True}, "float": {"real": True}}[value.kind])
            self._numbers[value.kind][name] = {"as_expr": {"expr_str": sympy.srepr(symbol), "hint": None}}
            return {f"as_sym_{value.kind}": {"as_name": name}}
        return {"as_none": True}

    def _refer(self, node):
        if node.op == "get_attr":
            inner = _attribute(self.module, node.target)
            if isinstance(inner, torch.fx.GraphModule):
                return self._write_subgraph(node.target, inner)
        for kind, known in self._numbers.items():
            if node.name in known:
                return {f"as_sym_{kind}": {"as_name": node.name}}
        if node.name not in self._tensors:
            return {"as_none": True}
        return {"as_tensor": {"name": node.name}}

    def _write_subgraph(self, name, module):
        writer = GraphWriter(module)
        graph = writer.write()
        if writer.constants:
            raise UnsupportedGraph("a constant within the graph of a higher-order operator")
        return {"as_graph": {"name": name, "graph": graph}}

    def write_argument(self, argument, wants_float=False):
        """An argument of a node; integers become floats where the operator wants these."""
        if isinstance(argument, torch.fx.Node):
            return self._refer(argument)
        if argument is None:
            return {"as_none": True}
        if isinstance(argument, (list, tuple)):
            return self._write_list([self.write_argument(each, wants_float) for each in argument])
        if isinstance(argument, int) and not isinstance(argument, bool) and wants_float:
            return {"as_float": float(argument)}
        if type(argument) in _KINDS and not isinstance(argument, _SYMBOLIC):
            return _write_number(argument)
        if isinstance(argument, complex):
            real, imag = (_write_number(part)["as_float"] for part in (argument.real, argument.imag))
            return {"as_complex": {"real": real, "imag": imag}}
        if isinstance(argument, str):
            return {"as_string": argument}
        if isinstance(argument, torch.dtype):
            return {"as_scalar_type": _TYPES[argument]}
        if isinstance(argument, torch.device):
            return {"as_device": {"type": argument.type, "index": argument.index}}
        if isinstance(argument, torch.layout) and argument in _LAYOUTS:
            return {"as_layout": _LAYOUTS[argument]}
        if isinstance(argument, torch.memory_format):
            return {"as_memory_format": _MEMORY_FORMATS[argument]}
        raise UnsupportedGraph(f"an argument of type {type(argument).__name__}")

    @staticmethod
    def _write_list(elements):
        kinds = {kind for element in elements for kind in element}
        for kind in ("int", "float", "bool", "string", "tensor"):
            if kinds == {f"as_{kind}"}:
                return {f"as_{kind}s": [element[f"as_{kind}"] for element in elements]}
        if not elements:
            return {"as_ints": []}
        # The elements of this one tell what they are.
        return {"as_optional_tensors": elements}

    # Nodes

    def _write_outputs(self, node):
        value = value_of(node)
        if not isinstance(value, (tuple, list)):
            return [] if value is None else [self._declare(node.name, value)]
        readers = {user.args[1]: user for user in node.users if user.target is operator.getitem}
        outputs = [
            self._declare(readers[i].name if i in readers else f"{node.name}_unused_{i}", each)
            for i, each in enumerate(value)
        ]
        if isinstance(node.target, torch._ops.OpOverload) and len(node.target._schema.returns) == 1:
            return [{"as_tensors": [each["as_tensor"] for each in outputs]}]
        return outputs

    def _add_call(self, node, target, arguments):
        self._nodes.append({
            "target": target,
            "name": node.name,
            "inputs": [{"name": name, "arg": value, "kind": 1} for name, value in arguments],
            "outputs": self._write_outputs(node),
            "metadata": {"stack_trace": node.meta.get("stack_trace") or ""},
            "is_hop_single_tensor_return": isinstance(value_of(node), torch.Tensor),
        })

    def _write_operator(self, node):
        schema = node.target._schema
        arguments = []
        for i, formal in enumerate(schema.arguments):
            if i < len(node.args):
                value = node.args[i]
            elif formal.name in node.kwargs:
                value = node.kwargs[formal.name]
            else:
                continue
            kind = str(formal.real_type)
            wants_float = "float" in kind and "Scalar" not in kind
            arguments.append((formal.name, self.write_argument(value, wants_float)))
        name = schema.name.split("::")[1]
        self._add_call(node, f"torch.ops.{node.target.namespace}.{name}.{node.target._overloadname}",
                       arguments)

    def _write_higher_order(self, node):
        arguments = [("", self.write_argument(each)) for each in node.args]
        arguments += [(name, self.write_argument(each)) for name, each in node.kwargs.items()]
        self._add_call(node, f"torch.ops.higher_order.{node.target.name()}", arguments)

    def _write_sum(self, node):
        """`torch.sym_sum` of many numbers, as sums of two."""
        terms = node.args[0]
        total = self.write_argument(terms[0])
        value = value_of(terms[0]) if isinstance(terms[0], torch.fx.Node) else terms[0]
        for i, term in enumerate(terms[1:], 1):
            name = node.name if i == len(terms) - 1 else f"{node.name}_part_{i}"
            value = value + (value_of(term) if isinstance(term, torch.fx.Node) else term)
            arguments = [("a", total), ("b", self.write_argument(term))]
            total = self._declare(name, value)
            self._nodes.append({
                "target": "_operator.add", "name": name, "metadata": {}, "outputs": [total],
                "inputs": [{"name": at, "arg": each, "kind": 1} for at, each in arguments],
            })

    def _write_node(self, node):
        if node.op == "placeholder":
            self._inputs.append(self._declare(node.name, value_of(node)))
        elif node.op == "get_attr":
            value = _attribute(self.module, node.target)
            if isinstance(value, torch.Tensor):
                self.constants.append((node.name, value))
                self._declare(node.name, value)
        elif node.op == "output":
            self.results = _pytree.tree_leaves(node.args[0], is_leaf=lambda leaf: leaf is None)
        elif node.target is operator.getitem:
            pass  # The node that it reads gives its results names.
        elif node.target is torch.sym_sum and len(node.args[0]) > 1:
            self._write_sum(node)
        elif isinstance(node.target, torch._ops.OpOverload):
            self._write_operator(node)
        elif isinstance(node.target, torch._ops.HigherOrderOperator):
            self._write_higher_order(node)
        elif node.op == "call_function":
            names = zip("abc", node.args)
            self._add_call(node, f"{node.target.__module__}.{node.target.__name__}",
                           [(name, self.write_argument(each)) for name, each in names])
        else:
            raise UnsupportedGraph(f"a node that is a {node.op}")

    def write(self):
        """The graph as the schema has it."""
        for node in self.module.graph.nodes:
            self._write_node(node)
        output = self.module.graph.output_node().args[0]
        return {
            "inputs": self._inputs,
            "outputs": [self.write_argument(result) for result in self.results],
            "nodes": self._nodes,
            "tensor_values": self._tensors,
            "sym_int_values": self._numbers["int"],
            "sym_float_values": self._numbers["float"],
            "sym_bool_values": self._numbers["bool"],
            "custom_obj_values": {},
            "is_single_tensor_return": isinstance(output, torch.fx.Node),
        }


def _find_shape_env(module):
    for node in module.graph.nodes:
        for value in _pytree.tree_leaves(value_of(node)):
            numbers = [value] if isinstance(value, _SYMBOLIC) else []
            if isinstance(value, torch.Tensor):
                numbers = [each for each in value.shape if isinstance(each, _SYMBOLIC)]
            if numbers:
                return numbers[0].node.shape_env
    return None


def _write_ranges(module):
    """The least and the greatest value of each integer symbol, as what traced the graph has them:
    it checks them before each call."""
    environment = _find_shape_env(module)
    if environment is None:
        return {}

    def finite(bound):
        return int(bound) if bound.is_Integer else None

    ranges = {
        str(symbol): {"min_val": finite(each.lower), "max_val": finite(each.upper)}
        for symbol, each in environment.var_to_range.items() if each.is_int
    }
    # The range of a size never ends below 2, whatever a guard says.
    for guard in environment.guards:
        left, right = (guard.expr.args + (None, None))[:2]
        if isinstance(guard.expr, sympy.Eq) and left.is_Symbol and right.is_Integer:
            if str(left) in ranges:
                ranges[str(left)] = {"min_val": int(right), "max_val": int(right)}
    return ranges


class Program:
    """A graph as an exported program.

    `inputs` are the inputs of the graph that the program takes, `num_inputs` how many there
    are. `results` tells for each result of the graph where it is: a number, the index among
    those of the program, or a constant in a tuple of one."""

    def __init__(self, module):
        writer = GraphWriter(module)
        graph = writer.write()
        self.constants = writer.constants
        self.results = []
        outputs = []
        for result, written in zip(writer.results, graph["outputs"]):
            if isinstance(result, torch.fx.Node) and "as_none" not in written:
                self.results.append(len(outputs))
                outputs.append(written)
            else:
                self.results.append((None if isinstance(result, torch.fx.Node) else result,))
        graph["outputs"] = outputs
        self.num_inputs = len(graph["inputs"])
        self.inputs = [i for i, each in enumerate(graph["inputs"]) if "as_none" not in each]
        graph["inputs"] = [graph["inputs"][i] for i in self.inputs]
        specs = [{"user_input": {"arg": each}} for each in graph["inputs"]]
        for name, _ in self.constants:
            graph["inputs"].append({"as_tensor": {"name": name}})
            specs.append({"tensor_constant": {"arg": {"name": name}, "tensor_constant_name": name}})
        self.num_outputs = len(outputs)
        self.text = {
            "graph_module": {
                "graph": graph,
                "signature": {
                    "input_specs": specs,
                    "output_specs": [{"user_output": {"arg": each}} for each in outputs],
                },
                "module_call_graph": [],
            },
            "opset_version": {"aten": 10},
            "range_constraints": _write_ranges(module),
            "verifiers": [],
            "guards_code": [],
            "schema_version": VERSION,
            "torch_version": torch.__version__,
        }

    def constant_bytes(self):
        """The elements of each constant, row by row, under its name."""
        for name, tensor in self.constants:
            with torch.utils._python_dispatch._disable_current_modes():
                data = tensor.detach().cpu().resolve_neg().resolve_conj().contiguous()
                yield name, data, data.reshape(-1).view(torch.uint8).numpy().tobytes()

    def describe(self):
        """What the program is in bytes: its text, with the lines of its sources, which its errors
        name, and its constants."""
        yield _GENERATED_CODE.sub("", json.dumps(self.text)).encode()
        for name, tensor, data in self.constant_bytes():
            yield f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode()
            yield data

    def read(self):
        """The program as a module of the compiler."""
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "program.pt2")
            self.save(path)
            return compiler.Module.read(path)

    def save(self, path):
        """Writes the archive that `torch.export.load` and the importer read."""
        config = {}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("program/archive_format", "pt2")
            archive.writestr("program/models/model.json", json.dumps(self.text))
            for i, (name, tensor, data) in enumerate(self.constant_bytes()):
                archive.writestr(f"program/data/constants/tensor_{i}", data)
                config[name] = {"path_name": f"tensor_{i}", "is_param": False, "use_pickle": False,
                                "tensor_meta": write_tensor(tensor)}
            archive.writestr("program/data/constants/model_constants_config.json",
                             json.dumps({"config": config}))
            archive.writestr("program/data/weights/model_weights_config.json",
                             json.dumps({"config": {}}))
