// RUN: tally-opt %s --tally-reassociate-reductions | FileCheck %s

#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>

// Only what adds to the accumulator.
// CHECK-LABEL: func.func @sum(
// CHECK:         arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : f32
// CHECK-NEXT:    linalg.yield
func.func @sum(%x: tensor<?x?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %twice = arith.addf %a, %a : f32
    %s = arith.addf %sum, %twice : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// An accumulator that is used otherwise, and one that is no reduction's.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     reassoc
func.func @others(%x: tensor<?x?xf32>, %init: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %p = arith.mulf %a, %sum : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %z = linalg.add ins(%y, %init : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %r, %z : tensor<?xf32>, tensor<?xf32>
}
