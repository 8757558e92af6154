"""Writes an exported program that asks where its product is in memory.

    ask_for_offset.py OUT.pt2 MODEL.pt2 assert|size

As PyTorch 2.11 does, it asserts that the offset is not negative; with `size` it makes a
tensor of that size, which PyTorch never does by itself.
"""

import json
import sys
import zipfile

out, model, use = sys.argv[1:]


def node(name, target, outputs, **inputs):
    return {"target": target, "name": name, "outputs": outputs, "metadata": {},
            "inputs": [{"name": key, "arg": arg, "kind": 1} for key, arg in inputs.items()]}  # fmt: skip


def extend(graph):
    nodes = graph["nodes"]
    product = next(n for n in nodes if n["target"] == "torch.ops.aten.mul.Tensor")
    tensor = product["outputs"][0]["as_tensor"]
    symbol = {"as_expr": {"expr_str": "Symbol('u9', integer=True)", "hint": None}}
    graph["tensor_values"][tensor["name"]]["storage_offset"] = symbol
    graph["sym_int_values"]["offset"] = symbol
    graph["sym_bool_values"]["ge_9"] = {
        "as_expr": {"expr_str": "GreaterThan(Symbol('u9', integer=True), Integer(0))", "hint": None}
    }
    offset = {"as_sym_int": {"as_name": "offset"}}
    asked = [
        node("offset", "torch.ops.aten.sym_storage_offset.default", [offset], self={"as_tensor": tensor}),
        node("ge_9", "_operator.ge", [{"as_sym_bool": {"as_name": "ge_9"}}], a=offset, b={"as_int": 0}),
        node("check_9", "torch.ops.aten._assert_scalar.default", [],
             self={"as_sym_bool": {"as_name": "ge_9"}}, assert_msg={"as_string": "no offset"}),
    ]  # fmt: skip
    if use == "size":
        size = {"as_sym_ints": [{"as_name": "offset"}]}
        asked.append(node("zeros_9", "torch.ops.aten.zeros.default",
                          [{"as_tensor": {"name": "zeros_9"}}], size=size))  # fmt: skip
        graph["tensor_values"]["zeros_9"] = {
            **graph["tensor_values"][tensor["name"]], "sizes": [symbol], "strides": [{"as_int": 1}]
        }  # fmt: skip
    place = nodes.index(product) + 1
    graph["nodes"] = nodes[:place] + asked + nodes[place:]


with zipfile.ZipFile(model) as archive:
    members = {name: archive.read(name) for name in archive.namelist()}
for name, content in members.items():
    if name.endswith("models/model.json"):
        program = json.loads(content)
        extend(program["graph_module"]["graph"])
        members[name] = json.dumps(program).encode()
with zipfile.ZipFile(out, "w") as archive:
    for name, content in members.items():
        archive.writestr(name, content)
