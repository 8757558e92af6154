"""Writes an exported program whose subgraph computes a size from a stride.

    size_from_stride.py OUT.pt2

As PyTorch 2.11 does where a caller knows the size of an argument as 3 * (s1 // 3), and the
stride as s1: the subgraph's arange has the size of its argument.
"""

import json
import sys
import zipfile

S0, S1 = ("Symbol('s0', integer=True)", "Symbol('s1', integer=True)")
CUT = f"Mul(Integer(3), FloorDiv({S1}, Integer(3)))"


def number(text):
    return {"as_expr": {"expr_str": text, "hint": None}}


def describe(sizes, strides, dtype=7):
    return {"dtype": dtype, "sizes": list(map(number, sizes)), "strides": strides, "storage_offset": {"as_int": 0}}


def tensor(name):
    return {"as_tensor": {"name": name}}


def integer(name):
    return {"as_sym_int": {"as_name": name}}


def node(target, output, **inputs):
    return {"target": target, "outputs": [output], "metadata": {},
            "inputs": [{"name": key, "arg": arg, "kind": 1} for key, arg in inputs.items()]}  # fmt: skip


def graph(inputs, nodes, outputs, tensors, ints):
    return {"inputs": inputs, "nodes": nodes, "outputs": outputs, "tensor_values": tensors,
            "sym_int_values": {name: number(text) for name, text in ints.items()},
            "sym_float_values": {}, "sym_bool_values": {}}  # fmt: skip


three, rows = {"as_int": 3}, [number(S1), {"as_int": 1}]
body = graph(
    [tensor("a")],
    [
        node("torch.ops.aten.sym_stride.int", integer("stride"), self=tensor("a"), dim={"as_int": 0}),
        node("_operator.floordiv", integer("thirds"), a=integer("stride"), b=three),
        node("_operator.mul", integer("size"), a=three, b=integer("thirds")),
        node("torch.ops.aten.arange.default", tensor("places"), end=integer("size")),
    ],
    [tensor("places")],
    {"a": describe([S0, CUT], rows), "places": describe([CUT], [{"as_int": 1}], 5)},
    {"stride": S1, "thirds": f"FloorDiv({S1}, Integer(3))", "size": CUT},
)
call = node("torch.ops.higher_order.invoke_subgraph", {"as_tensors": [{"name": "result"}]})
call["inputs"] = [
    {"name": "", "arg": {"as_graph": {"name": "body", "graph": body}}, "kind": 1},
    {"name": "", "arg": {"as_string": "body"}, "kind": 1},
    {"name": "", "arg": tensor("cut"), "kind": 1},
]
main = graph(
    [tensor("x")],
    [
        node("torch.ops.aten.sym_size.int", integer("n"), self=tensor("x"), dim={"as_int": 1}),
        node("_operator.floordiv", integer("thirds"), a=integer("n"), b=three),
        node("_operator.mul", integer("length"), a=three, b=integer("thirds")),
        node("torch.ops.aten.narrow.default", tensor("cut"), self=tensor("x"),
             dim={"as_int": 1}, start={"as_int": 0}, length=integer("length")),
        call,
    ],
    [tensor("result")],
    {"x": describe([S0, S1], rows), "cut": describe([S0, CUT], rows), "result": describe([CUT], [{"as_int": 1}], 5)},
    {"n": S1, "thirds": f"FloorDiv({S1}, Integer(3))", "length": CUT},
)  # fmt: skip
signature = {
    "input_specs": [{"user_input": {"arg": tensor("x")}}],
    "output_specs": [{"user_output": {"arg": tensor("result")}}],
}
program = {"graph_module": {"graph": main, "signature": signature}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 8}}
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    archive.writestr("m/models/model.json", json.dumps(program))
    archive.writestr("m/data/weights/model_weights_config.json", '{"config": {}}')
    archive.writestr("m/data/constants/model_constants_config.json", '{"config": {}}')
