"""Writes an exported program that says float32 of all int64 tensors.

    misrecord.py OUT.pt2 MODEL.pt2 [OPERATOR REPLACEMENT]
"""

import json
import sys
import zipfile

out, model, *replaced = sys.argv[1:]
with zipfile.ZipFile(model) as archive:
    members = {name: archive.read(name) for name in archive.namelist()}
for name, content in members.items():
    if not name.endswith("models/model.json"):
        continue
    program = json.loads(content)
    graph = program["graph_module"]["graph"]
    for meta in graph["tensor_values"].values():
        if meta["dtype"] == 5:
            meta["dtype"] = 7
    for node in graph["nodes"]:
        if replaced and node["target"] == f"torch.ops.{replaced[0]}":
            node["target"] = f"torch.ops.{replaced[1]}"
            node["inputs"].append({"name": "dim", "arg": {"as_int": 0}, "kind": 1})
    members[name] = json.dumps(program).encode()
with zipfile.ZipFile(out, "w") as archive:
    for name, content in members.items():
        archive.writestr(name, content)
