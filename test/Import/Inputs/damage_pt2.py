"""Copies an exported program and damages how one of its members is stored.

    damage_pt2.py IN.pt2 OUT.pt2 MEMBER data|size|method
"""

import struct
import sys
import zipfile

source, target, member, damage = sys.argv[1:]
with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
    for name in before.namelist():
        hit = name.endswith(member)
        after.writestr(name, before.read(name), zipfile.ZIP_DEFLATED if damage == "data" else zipfile.ZIP_STORED)
        if hit:
            info = after.getinfo(name)
with open(target, "r+b") as file:
    content = bytearray(file.read())
    local = info.header_offset
    data = local + 30 + len(info.filename.encode())
    central = content.rindex(b"PK\x01\x02", 0, content.rindex(info.filename.encode()))
    if damage == "data":
        content[data : data + 8] = bytes(8)
    elif damage == "size":
        struct.pack_into("<I", content, central + 24, info.file_size + 8)
        struct.pack_into("<I", content, local + 22, info.file_size + 8)
    else:
        struct.pack_into("<H", content, central + 10, 97)
        struct.pack_into("<H", content, local + 8, 97)
    file.seek(0)
    file.write(content)
