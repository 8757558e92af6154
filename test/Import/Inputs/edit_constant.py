"""Copies an exported program and changes what it says of its first constant.

    edit_constant.py IN.pt2 OUT.pt2 FIELD=INTEGER[,INTEGER]...
"""

import json
import sys
import zipfile

source, target, *edits = sys.argv[1:]
with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
    for member in before.namelist():
        data = before.read(member)
        if member.endswith("model_constants_config.json"):
            table = json.loads(data)
            meta = next(iter(table["config"].values()))["tensor_meta"]
            for edit in edits:
                field, _, text = edit.partition("=")
                numbers = [{"as_int": int(n)} for n in text.split(",") if n]
                is_list = isinstance(meta[field], list)
                meta[field] = numbers if is_list else numbers[0]
            data = json.dumps(table).encode()
        after.writestr(member, data)
