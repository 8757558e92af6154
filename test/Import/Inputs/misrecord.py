"""Writes an exported program that says float32 of all int64 tensors.

    misrecord.py OUT.pt2 MODEL.pt2
"""

import json
import sys
import zipfile

out, model = sys.argv[1:]
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
    members[name] = json.dumps(program).encode()
with zipfile.ZipFile(out, "w") as archive:
    for name, content in members.items():
        archive.writestr(name, content)
