"""Writes an .npy file without numpy: npy.py FILE DTYPE SHAPE BYTES-AS-HEX [fortran]."""

import sys

path, dtype, shape, data = sys.argv[1:5]
order = len(sys.argv) > 5
header = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (dtype, order, shape)
header = header.ljust(128 - 10 - 1) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little"))
    file.write(header.encode() + bytes.fromhex(data))
