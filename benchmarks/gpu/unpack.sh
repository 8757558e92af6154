#!/usr/bin/env bash
# Unpacks what pack.sh has packed beside this file into DIR and prints the settings that
# make the tools run:
#
#   eval "$(./unpack.sh DIR)"
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 1; }
mkdir -p "$1"
target=$(cd "$1" && pwd)
for archive in "$here"/tally-tools.tar.xz "$here"/tally-libraries.tar.xz; do
  if command -v xz >/dev/null; then
    tar -xJf "$archive" -C "$target"
  else
    python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2], filter="data")' \
      "$archive" "$target"
  fi
done
# tally-compile looks for the runtime in ../lib.
mv "$target"/archive/* "$target/lib/"
# The tools, and the linker that tally-compile starts, see all of the packed libraries;
# Python does not.
mkdir -p "$target/bin"
for tool in "$target"/tools/*; do
  wrapper=$target/bin/$(basename "$tool")
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%q${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\nexec %q "$@"\n' \
    "$target/lib:$target/runtime" "$tool" >"$wrapper"
  chmod +x "$wrapper"
done
printf 'export PATH=%q:"$PATH"\n' "$target/bin"
# Compiled programs are linked with, and find, the thread pool.
printf 'export LIBRARY_PATH=%q${LIBRARY_PATH:+:$LIBRARY_PATH}\n' "$target/runtime"
printf 'export LD_LIBRARY_PATH=%q${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n' "$target/runtime"
