"""Writes an exported program of one node.

    make_pt2.py OUT.pt2 OPERATOR 'NAME=VALUE'... RESULT-RANK[,RESULT-RANK]...

An operator without results has '' in the place of their ranks; '-3' is the rank of a result that
the program does not return, and 1c is that of complex64.
A value is what PyTorch would be given. T(2, 3) is an argument of the program, a float32
tensor of that shape, D one of float64, C one of complex64, H one of float16, I one of int64 and B one of booleans; a size may be
a symbol: T('s0', 3). S('s0') is an argument that is such a number. V('x') is a value of the program by its name, and G(INPUTS, NODES,
OUTPUTS) a subgraph: the sizes of its inputs a0, a1, ...; of each node n0, n1, ... the
operator, the arguments and the sizes of the result, or META(sizes, dtype), or None if they
are not recorded; names of values, or numbers.
"""

import json
import math
import sys
import zipfile

F32, F64, I64, BOOL, C64, F16 = 7, 8, 5, 12, 10, 6


def describe_size(size):
    if isinstance(size, int):
        return {"as_int": size}
    return {"as_expr": {"expr_str": f"Symbol('{size}', integer=True)", "hint": {"as_int": 2}}}


def describe_stride(sizes):
    number = math.prod(max(size, 1) for size in sizes if isinstance(size, int))
    symbols = [describe_size(size)["as_expr"]["expr_str"] for size in sizes if isinstance(size, str)]
    if not symbols:
        return {"as_int": number}
    factors = ", ".join([f"Integer({number})", *symbols])
    return {"as_expr": {"expr_str": f"Mul({factors})", "hint": None}}


def describe(sizes, dtype=F32):
    strides = [describe_stride(sizes[dim + 1 :]) for dim in range(len(sizes))]
    wrapped = [describe_size(size) for size in sizes]
    return {"dtype": dtype, "sizes": wrapped, "strides": strides, "storage_offset": {"as_int": 0}}


def make_graph(inputs, nodes, outputs):
    name = lambda text: {"as_tensor": {"name": text}}
    tensors = {f"a{i}": describe(sizes) for i, sizes in enumerate(inputs)}
    made = []
    for i, (target, arguments, sizes) in enumerate(nodes):
        if sizes is not None:
            tensors[f"n{i}"] = sizes if isinstance(sizes, dict) else describe(sizes)
        taken = [{"name": key, "arg": encode(value)} for key, value in arguments.items()]
        made.append({"target": f"torch.ops.{target}", "inputs": taken, "outputs": [name(f"n{i}")], "name": f"n{i}"})
    return {
        "inputs": [name(f"a{i}") for i in range(len(inputs))],
        "outputs": [name(output) if isinstance(output, str) else encode(output) for output in outputs],
        "nodes": made,
        "tensor_values": tensors,
        "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {}, "is_single_tensor_return": False,
    }  # fmt: skip


def encode(value):
    if isinstance(value, dict):
        return value
    if value is None:
        return {"as_none": True}
    if isinstance(value, list):
        if any(element is None for element in value):
            return {"as_optional_tensors": [encode(element) for element in value]}
        if value and isinstance(value[0], dict):
            return {"as_tensors": [element["as_tensor"] for element in value]}
        kinds = {bool: "as_bools", float: "as_floats"}
        return {kinds.get(type(value[0]), "as_ints") if value else "as_ints": value}
    return {{bool: "as_bool", int: "as_int", float: "as_float", str: "as_string"}[type(value)]: value}


def make_model(target, arguments, ranks):
    """The program's JSON."""
    tensors, numbers = {}, {}
    symbols = set()

    def add(sizes, dtype):
        name = f"x{len(tensors)}"
        symbols.update(size for size in sizes if isinstance(size, str))
        tensors[name] = describe(sizes, dtype)
        return {"as_tensor": {"name": name}}

    def add_number(symbol):
        name = f"n{len(numbers)}"
        symbols.add(symbol)
        numbers[name] = describe_size(symbol)
        return {"as_sym_int": {"as_name": name}}

    kinds = {"T": F32, "D": F64, "I": I64, "B": BOOL, "C": C64, "H": F16}
    makers = {kind: lambda *sizes, dtype=dtype: add(sizes, dtype) for kind, dtype in kinds.items()}
    makers["G"] = lambda *parts: {"as_graph": {"name": "body", "graph": make_graph(*parts)}}
    makers["META"] = describe
    makers["S"] = add_number
    makers["V"] = lambda name: {"as_tensor": {"name": name}}
    inputs = []
    for argument in arguments:
        name, _, text = argument.partition("=")
        inputs.append({"name": name, "arg": encode(eval(text, makers))})
    arguments = [{"as_tensor": {"name": name}} for name in tensors]
    arguments += [{"as_sym_int": {"as_name": name}} for name in numbers]
    given = {f"y{index or ''}": rank for index, rank in enumerate(ranks.split(",")) if rank}
    ranks = {name: int(rank.rstrip("c")) for name, rank in given.items()}
    results = {name: describe([2] * abs(rank), C64 if given[name].endswith("c") else F32) for name, rank in ranks.items()}
    wrap = lambda names: [{"as_tensor": {"name": name}} for name in names]
    outputs = wrap(name for name, rank in ranks.items() if rank >= 0)
    node = {"target": f"torch.ops.{target}", "inputs": inputs, "outputs": wrap(results), "name": "y"}
    graph = {
        "inputs": arguments,
        "outputs": outputs,
        "nodes": [node],
        "tensor_values": {**tensors, **results},
        "sym_int_values": numbers, "sym_bool_values": {}, "sym_float_values": {}, "is_single_tensor_return": False,
    }  # fmt: skip
    signature = {
        "input_specs": [{"user_input": {"arg": argument}} for argument in arguments],
        "output_specs": [{"user_output": {"arg": output}} for output in outputs],
    }
    return {
        "graph_module": {"graph": graph, "signature": signature},
        "range_constraints": {name: {"min_val": 0, "max_val": 64} for name in sorted(symbols)},
        "schema_version": {"major": 8, "minor": 20},
    }


def write(path, target, arguments, ranks):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model/models/model.json", json.dumps(make_model(target, arguments, ranks)))
        for member in ("weights/model_weights", "constants/model_constants"):
            archive.writestr(f"model/data/{member}_config.json", '{"config": {}}')


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2], sys.argv[3:-1], sys.argv[-1])
