"""Checks what each of some tools prints for --help: its own options and their defaults, and
none of the hundreds that LLVM has."""

import os
import re
import subprocess
import sys

# What may be given several times, or has to be given once, has no default.
WITHOUT = set(
    "--import-pt2 --list-supported --cases --expect --input --header -o".split()
)
wrong = 0
for tool in sys.argv[1:]:
    text = subprocess.run([tool, "--help"], text=True, check=True, capture_output=True).stdout
    tool = os.path.basename(tool)
    own = text.split(f"{tool} options:")[1]
    # An option begins with two blanks; what follows deeper belongs to it.
    options = re.findall(r"^  (-[-\w]+)(.*\n(?:    .*\n)*)", own, re.M)
    if not 1 <= len(options) <= 40 or "devirtualization" in text:
        wrong += 1
        print(f"{tool}: {len(options)} options")
    for name, description in options:
        if name not in WITHOUT and "(default" not in description:
            wrong += 1
            print(f"{tool}: {name} tells no default")
print(f"{wrong} wrong")
sys.exit(wrong != 0)
