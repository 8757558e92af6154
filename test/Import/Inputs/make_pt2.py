"""Writes an exported program of one node.

    make_pt2.py OUT.pt2 OPERATOR 'NAME=VALUE'... RESULT-RANK

A value is what PyTorch would be given; T(2, 3) is an argument of the program, a float32
tensor of that shape.
"""

import json
import sys
import zipfile

path, target, *arguments, rank = sys.argv[1:]
tensors = {}


def describe(sizes):
    strides = [1] * len(sizes)
    for dim in reversed(range(len(sizes) - 1)):
        strides[dim] = strides[dim + 1] * max(sizes[dim + 1], 1)
    wrap = lambda numbers: [{"as_int": number} for number in numbers]
    return {"dtype": 7, "sizes": wrap(sizes), "strides": wrap(strides), "storage_offset": {"as_int": 0}}


def T(*sizes):
    name = f"x{len(tensors)}"
    tensors[name] = describe(sizes)
    return {"as_tensor": {"name": name}}


def I(*sizes):
    tensor = T(*sizes)
    tensors[tensor["as_tensor"]["name"]]["dtype"] = 5
    return tensor


def encode(value):
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        if value and isinstance(value[0], dict):
            return {"as_tensors": [element["as_tensor"] for element in value]}
        return {"as_floats" if value and isinstance(value[0], float) else "as_ints": value}
    return {{bool: "as_bool", int: "as_int", float: "as_float", str: "as_string"}[type(value)]: value}


inputs = []
for argument in arguments:
    name, _, text = argument.partition("=")
    inputs.append({"name": name, "arg": encode(eval(text))})
names = list(tensors)
node = {"target": f"torch.ops.{target}", "inputs": inputs, "outputs": [{"as_tensor": {"name": "y"}}], "name": "y"}
graph = {
    "inputs": [{"as_tensor": {"name": name}} for name in names],
    "outputs": node["outputs"],
    "nodes": [node],
    "tensor_values": {**tensors, "y": describe([2] * int(rank))},
    "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {}, "is_single_tensor_return": False,
}  # fmt: skip
signature = {
    "input_specs": [{"user_input": {"arg": {"as_tensor": {"name": name}}}} for name in names],
    "output_specs": [{"user_output": {"arg": node["outputs"][0]}}],
}
model = {
    "graph_module": {"graph": graph, "signature": signature},
    "range_constraints": {},
    "schema_version": {"major": 8, "minor": 20},
}
with zipfile.ZipFile(path, "w") as archive:
    archive.writestr("model/models/model.json", json.dumps(model))
    for member in ("weights/model_weights", "constants/model_constants"):
        archive.writestr(f"model/data/{member}_config.json", '{"config": {}}')
