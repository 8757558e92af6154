#!/usr/bin/env bash
# Packs the targets of the preset `fuzzer` that are built, with seeds and run.sh, for a
# machine that has no compiler, into an archive:
#
#   pack.sh ARCHIVE.tar.xz [BUILD]       BUILD: the build tree, by default build-fuzzer/
#
# It needs the libraries of benchmarks/gpu/pack.sh there, in the folder that it makes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 1; }
build=$(cd "${2:-$here/../../../build-fuzzer}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/fuzzers/bin"
for tool in "$build"/bin/tally-*-fuzzer; do
  target=$(basename "$tool" | sed 's/tally-\(.*\)-fuzzer/\1/')
  strip -o "$work/fuzzers/bin/$(basename "$tool")" "$tool"
  python3 "$here/Inputs/seeds.py" "$target" "${TALLY_OPT:-$build/bin/tally-opt}" "$work/fuzzers/seeds/$target"
done
cp -r "$here/Inputs" "$here"/*.dict "$here/run.sh" "$work/fuzzers/"
tar -C "$work" --owner=0 --group=0 -cf - fuzzers | xz -T1 --x86 --lzma2=preset=9,dict=256MiB >"$1"
ls -l "$1"
