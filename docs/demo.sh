#!/usr/bin/env bash
# What ./dev demo shows: one exported PyTorch program through the three forms and
# onto the CPU. Argument: the build tree.
set -euo pipefail
bin=$(cd "$1" && pwd)/bin
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$root/test/Integration/Programs/recorded/select_rows_mlp_scatter
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

bold='' plain=''
[ ! -t 1 ] || bold=$(printf '\033[1m') plain=$(printf '\033[0m')
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
# The lines of a file that match, without what is too long to read.
show() { grep -E "$2" "$1" | sed -E 's/^ */    /; s/(.{150}).+/\1 .../' | head -"${3:-8}"; }

say "The program, in PyTorch: picks the rows of x that a mask selects, runs an MLP on them and puts them back."
sed -n '/^class SelectRowsScatter/,/return/p' "$root/test/Integration/Programs/programs/demo.py" | sed 's/^/    /'

"$bin/tally-translate" --import-pt2 "$program/model.pt2" -o named.mlir
say "NAMED form: the size table. s31 is x.size(0), as PyTorch called it; how many rows are picked is u0, defined where nonzero counts them."
grep -o 'tally\.symbols = #tally\.symbols<.*>' named.mlir | sed 's/^/    /'
show named.mlir 'tally\.nonzero|tally\.size' 5

"$bin/tally-opt" named.mlir --tally-propagate-shapes --tally-bind-symbols --tally-lift-free-symbols -o bound.mlir
say "BOUND form: every name has one value; what is declared, and what operations require, are checks."
show bound.mlir 'tally\.(symbol|check) ' 8

"$bin/tally-opt" named.mlir --pass-pipeline='builtin.module(tally-check-pipeline{explain})' -o checked.mlir 2>explained.txt
say "CHECKED form: of $(grep remark: explained.txt | grep -vc 'compared at entry') checks, $(grep -cE ': (proven|follows)' explained.txt) are proven or follow from others; these asserts are left."
show checked.mlir 'tally\.assert' 8

say "Compiled once, run at several sizes, compared with what PyTorch returned; 257 rows and the mask that is too long must be refused:"
"$bin/tally-run" "$program/model.pt2" --cases "$program/cases.json" | sed 's/^/    /'

say "A mask that is longer than x violates a guard. The call returns an error; nothing crashes:"
violation=$(python3 - "$program" <<'PY'
import json, sys
folder = sys.argv[1]
case = next(c for c in json.load(open(folder + "/cases.json")) if c["name"] == "mask longer than x")
for spec in case["inputs"]:
    print("--input", f"{folder}/{spec}" if spec.endswith(".npy") else spec)
PY
)
status=0
# shellcheck disable=SC2086
"$bin/tally-run" "$program/model.pt2" $violation >error.txt 2>&1 || status=$?
sed 's/^/    /' error.txt
echo "    (exit status $status)"
[ "$status" -eq 3 ]
