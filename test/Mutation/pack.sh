#!/usr/bin/env bash
# Packs a copy of the project that `./dev mutate --stop-after-build` has built, with the tools
# of LLVM that tests call, for a machine that has neither a compiler nor MLIR:
#
#   pack.sh ARCHIVE.tar.xz [COPY]        COPY: by default build-mutate/
#
# It needs the libraries of benchmarks/gpu/pack.sh there, and run.sh, which is in it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 1; }
copy=$(cd "${2:-$here/../../build-mutate}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
llvm=$(sed -n 's/^config.llvm_tools_dir = .*"\(.*\)".*/\1/p' "$copy/build/test/lit.site.cfg.py")

# The sources as they were before they were mutated, and what is built of the mutated ones.
mkdir -p "$work/mutants/project" "$work/mutants/copy/build/test/Unit" "$work/mutants/llvm/bin" \
  "$work/mutants/llvm/utils" "$work/mutants/lib"
git -C "$here/../.." ls-files -z | tar -C "$here/../.." --null -T - -cf - | tar -C "$work/mutants/project" -xf -
cp "$copy/mutations.json" "$work/mutants/copy/"
sed -n 's/^config.tally_src_root = "\(.*\)"/\1/p' "$copy/build/test/lit.site.cfg.py" >"$work/mutants/place"
(cd "$copy" && find build/bin build/lib build/test -maxdepth 1 \( -type f -o -type l \) ! -name 'libTally*.a' \
  ! -name '*.txt' ! -name '*.cmake' && find build/test/Unit -maxdepth 2 -name Output -prune -o \
  \( -name 'Tally*Tests' -o -name '*.so' -o -name lit.site.cfg.py \) -print) |
  tar -C "$copy" -T - -cf - | tar -C "$work/mutants/copy" -xf -
# Two tests call mlir-translate, which would be a third of the archive.
for tool in FileCheck not split-file count llvm-nm llvm-objdump mlir-opt lit; do
  cp -L "$llvm/$tool" "$work/mutants/llvm/bin/"
done
cp -rL "$llvm/../utils/lit" "$work/mutants/llvm/utils/"
include=$llvm/../include target=$work/mutants/llvm/include
mkdir -p "$target"/mlir/Dialect/{Arith,Math}/IR
cp -rL "$include/mlir-c" "$target/"
for dialect in Arith Math; do cp "$include/mlir/Dialect/$dialect/IR/${dialect}Ops.td" "$target/mlir/Dialect/$dialect/IR/"; done
# Tests ask Z3, of which the packed libraries have only the names.
cp -L "$(ldconfig -p | sed -n 's/.*libz3.so.4 (.*x86-64.*=> //p' | head -1)" "$work/mutants/lib/libz3.so.4"
find "$work/mutants" -type f ! -name '*.py' -size +20k -exec sh -c 'file -b "$1" | grep -q "^ELF.*\(executable\|shared\)"' sh {} \; \
  -exec strip --strip-unneeded {} \;
cp "$here/run.sh" "$work/mutants/"
tar -C "$work" --owner=0 --group=0 -cf - mutants | xz -T2 --x86 --lzma2=preset=9,dict=192MiB >"$1"
ls -l "$1"
