#!/usr/bin/env bash
# Runs every fuzz target for so long, beside each other, and goes on after what is found:
#
#   run.sh MINUTES JOBS OUT [SEED]
#
# with JOBS processes for each target. It prints a line for each target and leaves in OUT:
# summary.txt, findings.tar.gz (inputs and ends of logs), corpora.tar.gz (what libFuzzer
# keeps as new). It lies beside bin/ (the targets), seeds/, Inputs/ and the dictionaries, as
# pack.sh makes it; where the libraries of benchmarks/gpu/pack.sh are unpacked beside it
# (lib/, runtime/), the targets use these. TARGETS chooses some: TARGETS='pt2 mlir'.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 3 ] || { sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 1; }
mkdir -p "$3"
jobs=$2 out=$(cd "$3" && pwd) seed=${4:-$RANDOM}
over=$(($(date +%s) + $1 * 60))
read -ra targets <<<"${TARGETS:-prove npy pt2 mlir bytecode}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export ASAN_OPTIONS=allow_user_poisoning=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
[ ! -d "$here/lib" ] || export LD_LIBRARY_PATH=$here/lib:$here/runtime

# One process after the other, each after the first because of something that was found.
run() { # run TARGET NUMBER
  local target=$1 folder=$work/$1 round=0 left options
  options=(-max_len=16384 -timeout=60 -report_slow_units=60 -rss_limit_mb=4096 -print_final_stats=1)
  [ ! -f "$here/$target.dict" ] || options+=("-dict=$here/$target.dict")
  # What reads first tells whose a large allocation is.
  [[ $target != mlir && $target != bytecode ]] || options+=(-malloc_limit_mb=1000000)
  while left=$((over - $(date +%s))) && [ "$left" -gt 5 ] && [ "$round" -lt 100 ]; do
    timeout -k 5 $((left + 15)) "$here/bin/tally-$target-fuzzer" "${options[@]}" \
      "-seed=$((seed + $2 * 1000 + round + 1))" "-max_total_time=$left" \
      "-artifact_prefix=$folder/found/" "$folder/corpus" "$here/seeds/$target" \
      $(find "$here/Inputs" -maxdepth 1 -name "$target") >"$folder/$2-$round.log" 2>&1 || true
    round=$((round + 1))
  done
}

echo "seed $seed, $jobs processes for each of: ${targets[*]}"
for target in "${targets[@]}"; do
  mkdir -p "$work/$target/corpus" "$work/$target/found"
  for ((job = 0; job < jobs; ++job)); do
    run "$target" "$job" &
  done
done
wait

for target in "${targets[@]}"; do
  cd "$work/$target"
  executions=$(cat ./*.log | awk '/number_of_executed_units/ { sum += $2 } END { print sum + 0 }')
  # A process that ended for another reason than time has found something, too.
  for log in *.log; do
    grep -q -E 'Done [0-9]* runs in|Test unit written|run interrupted' "$log" ||
      cp "$log" "found/no-input-$log"
    tail -n 120 "$log" >"$log.end" && mv "$log.end" "$log"
  done
  new=$(find corpus -type f | wc -l)
  echo "$target: $executions executions, $new inputs kept, $(find found -type f | wc -l) findings"
  grep -h -o -E 'ERROR: (AddressSanitizer|libFuzzer): [a-z A-Z-]*|runtime error: .*|SUMMARY: .*|Assertion .*|invalid IR after .*' \
    ./*.log | sort | uniq -c | sort -rn | head -8 || true
done | tee "$out/summary.txt"
cd "$work"
tar -czf "$out/findings.tar.gz" ./*/found ./*/*.log
tar -czf "$out/corpora.tar.gz" ./*/corpus
