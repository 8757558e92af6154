"""Copies an exported program and replaces text in its model.json.

    edit_pt2.py IN.pt2 OUT.pt2 OLD NEW
"""

import sys
import zipfile

source, target, old, new = sys.argv[1:]
with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
    for member in before.namelist():
        data = before.read(member)
        if member.endswith("models/model.json"):
            text = data.decode()
            assert old in text, f"{old} does not occur"
            data = text.replace(old, new).encode()
        after.writestr(member, data)
