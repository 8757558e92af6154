// An access behind a buffer, or before it, is a fault with guard pages there; with both, in one run.
// UNSUPPORTED: asan
// RUN: %cc -std=gnu11 -Wall -Werror -shared -fPIC %S/Inputs/reads_beside.c -I%tally_src/include -o %t.so
// RUN: echo '[{"name": "inside", "inputs": ["f32[3]=1,2,3", "i64=2"], "expect": ["f32[]=3"]}]' > %t.inside.json
// RUN: echo '[{"name": "behind", "inputs": ["f32[3]=1,2,3", "i64=16"]}]' > %t.behind.json
// RUN: echo '[{"name": "before", "inputs": ["f32[3]=1,2,3", "i64=-1"]}]' > %t.before.json

// RUN: env TALLY_GUARD_PAGES=both tally-run %s --link %t.so --compare --cases %t.inside.json | FileCheck %s --check-prefix=INSIDE
// INSIDE: PASS inside
// INSIDE-NOT: inside

// RUN: not env TALLY_GUARD_PAGES=1 tally-run %s --link %t.so --compare --cases %t.behind.json 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: not env TALLY_GUARD_PAGES=both tally-run %s --link %t.so --compare --cases %t.behind.json 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: not env TALLY_GUARD_PAGES=before tally-run %s --link %t.so --compare --cases %t.before.json 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: not env TALLY_GUARD_PAGES=both tally-run %s --link %t.so --compare --cases %t.before.json 2>&1 | FileCheck %s --check-prefix=FAULT
// FAULT: tally-run: internal error: the compiler or the compiled program crashed
func.func @main(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %at: i64) -> tensor<f32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %y = tally.custom_call @read_at(%x, %at) : (tensor<?xf32>, i64) -> tensor<f32>
  return %y : tensor<f32>
}
