"""Copies an exported program and replaces text in its model.json, or in another member.

    edit_pt2.py IN.pt2 OUT.pt2 OLD NEW [MEMBER]
"""

import sys
import zipfile

source, target, old, new = sys.argv[1:5]
name = sys.argv[5] if len(sys.argv) > 5 else "models/model.json"
with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
    for member in before.namelist():
        data = before.read(member)
        if member.endswith(name):
            text = data.decode()
            assert old in text, f"{old} does not occur"
            data = text.replace(old, new).encode()
        after.writestr(member, data)
