"""Damages each file of a folder: damage.py FOLDER OFFSET turns the bits of a byte, damage.py FOLDER =SIZE cuts it."""

import os
import pathlib
import sys

for path in pathlib.Path(sys.argv[1]).iterdir():
    if sys.argv[2].startswith("="):
        os.truncate(path, int(sys.argv[2][1:]))
        continue
    with open(path, "r+b") as file:
        file.seek(int(sys.argv[2]))
        byte = file.read(1)[0]
        file.seek(int(sys.argv[2]))
        file.write(bytes([255 - byte]))
