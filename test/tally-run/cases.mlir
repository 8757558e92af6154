// RUN: split-file %s %t
// RUN: tally-run %t/double.mlir --cases %t/good.json | FileCheck %s --check-prefix=GOOD
// RUN: not tally-run %t/double.mlir --cases %t/bad.json | FileCheck %s --check-prefix=BAD

// Files of cases: what is expected may have the form of an input, and a case
// may say what an argument holds after the call.

// GOOD: PASS inline
// GOOD-NEXT: PASS unchanged
// BAD: FAIL wrong result: {{.*}}differs in 1 of 2 elements, first at [1]: 4, expected 5
// BAD-NEXT: FAIL wrong argument: argument 0 differs in 1 of 2 elements, first at [1]: 2, expected 3
// BAD-NEXT: FAIL no such argument: there is no argument 1

//--- double.mlir
func.func @main(%x: tensor<?xf32> {tally.name = "x"}) -> tensor<?xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- good.json
[{"name": "inline", "inputs": ["f32[2]=1,2"], "expect": ["f32[2]=2,4"]},
 {"name": "unchanged", "inputs": ["f32[2]=1,2"], "expect": ["f32[2]=2,4"],
  "mutated": {"0": "f32[2]=1,2"}}]
//--- bad.json
[{"name": "wrong result", "inputs": ["f32[2]=1,2"], "expect": ["f32[2]=2,5"]},
 {"name": "wrong argument", "inputs": ["f32[2]=1,2"], "expect": ["f32[2]=2,4"],
  "mutated": {"0": "f32[2]=1,3"}},
 {"name": "no such argument", "inputs": ["f32[2]=1,2"],
  "expect": ["f32[2]=2,4"], "mutated": {"1": "f32[2]=1,3"}}]
