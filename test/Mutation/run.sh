#!/usr/bin/env bash
# Tries the mutations that pack.sh has packed with this file, on a machine that is thrown
# away afterwards: it installs LLVM's tools and libraries where they were, and the copy of
# the project in the place for which it was built.
#
#   run.sh LIBRARIES OUT MINUTES [BESIDE] [JOBS] [OPTION...]
#
# LIBRARIES: where the libraries of benchmarks/gpu/pack.sh are unpacked (lib/, runtime/). So
# many mutations are tried BESIDE each other, by default one for each two processors, and
# each with so many JOBS (2). OPTION is one of mutate.py's. What is found is written to
# OUT/report.json and OUT/log.txt as it is found; a second run goes on where the first ended.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 3 ] || { sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 1; }
mkdir -p "$2"
libraries=$(cd "$1" && pwd) out=$(cd "$2" && pwd) minutes=$3
beside=${4:-$((($(nproc) + 1) / 2))} jobs=${5:-2}
shift $(($# < 5 ? $# : 5))
over=$(($(date +%s) + minutes * 60))
place=$(cat "$here/place") llvm=/usr/lib/llvm-22

install_libraries() {
  local library name
  mkdir -p "$llvm/lib" /opt/tally-libraries
  cp -P "$libraries"/lib/lib{LLVM,MLIR}.so.* "$llvm/lib/"
  for library in "$here"/lib/* "$libraries"/lib/* "$libraries"/runtime/*; do
    name=$(basename "$library")
    [[ $name = lib[LM]L[VI][MR].so.* ]] || [ -e "/opt/tally-libraries/$name" ] ||
      ldconfig -p | grep -qF "$name (libc6,x86-64)" || cp -P "$library" /opt/tally-libraries/
  done
  echo /opt/tally-libraries >/etc/ld.so.conf.d/zz-tally.conf
  ldconfig
  # Where linkers look.
  [ -e /usr/lib/x86_64-linux-gnu/libtbb.so ] || ln -s /opt/tally-libraries/libtbb.so.12 /usr/lib/x86_64-linux-gnu/libtbb.so
}

if [ ! -e "$place/mutations.json" ]; then
  [ -e "$llvm/bin/FileCheck" ] && echo "run.sh: this machine has LLVM; a machine that is thrown away is wanted" >&2 && exit 1
  install_libraries
  cp -r "$here"/llvm/* "$llvm/"
  mkdir -p "$place"
  cp -r "$here"/project/. "$here"/copy/. "$place/"
  # Tests that call a compiler take any.
  for compiler in clang-22:cc clang++-22:c++; do
    [ -e "/usr/bin/${compiler%:*}" ] || ln -s "$(command -v "${compiler#*:}" || echo /nowhere)" "/usr/bin/${compiler%:*}"
  done
fi

cd "$here/project"
lit=("python3" "$llvm/bin/lit")
# A few tests of each kind say whether anything works.
few='Analysis/arith.mlir|Strength/split.prove|tally-run/(scalar-shapes|kept-inits|mutation).mlir|IR/invalid.mlir'
few+='|TallyIRTests/0|TallyDriverTests/0|tally-prove/errors|Import/constants.test|recorded/attention/|schedule-gpu.mlir|Python/symbolic'
timeout 200 "${lit[@]}" -v --filter "$few" "$place/build/test" >"$out/few.txt" 2>&1 || true
grep -E '^(FAIL|TIMEOUT|UNRESOLVED|UNSUPPORTED)|Passed|Failed' "$out/few.txt" || true
passed=$(grep -c '^PASS' "$out/few.txt" || true)
if [ "$passed" -lt 10 ]; then
  echo "run.sh: only $passed of a few tests pass here; see few.txt"
  head -c 6000 "$out/few.txt"
  exit 1
fi

# What builds other projects, wants a GPU or PyTorch, or takes minutes is left out.
filter='^(?!.*(Integration/consumer|Integration/Cuda|Docs/|Fuzz/torch|Mutation/|long-chains|Pipelines/verified|Determinism))'
report=$place/mutants-report.json
[ ! -e "$report" ] || cp "$report" "$out/report.json"
timeout -k 5 $((over - $(date +%s))) python3 test/Mutation/mutate.py --built --project "$here/project" --copy "$place" \
  --filter "$filter" --lit "$llvm/utils/lit" --survivors test/Mutation/survivors.txt --resume --report "$out/report.json" \
  --beside "$beside" --jobs "$jobs" "$@" 2>&1 | tee "$out/log.txt" || true
cp "$out/report.json" "$report" || true
cp "$place/reached/baseline.json" "$out/" || true
