// RUN: tally-opt %s --tally-note-operators --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @named(
// CHECK: linalg.add {{.*}} loc(fused<{tally.operator = "linalg.add"}>["f.mlir":3:8])
// What a front end has noted stays.
// CHECK: linalg.exp {{.*}} loc(fused<{tally.operator = "exp"}>["model.py":7:1])
// A loop that was written out has no other name.
// CHECK: } -> tensor<?xf32> loc("f.mlir":5:8)
func.func @named(%x: tensor<?xf32>, %y: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32> loc("f.mlir":3:8)
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32> loc(fused<{tally.operator = "exp"}>["model.py":7:1])
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%1 : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %t = arith.negf %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32> loc("f.mlir":5:8)
  return %2 : tensor<?xf32>
}
