// RUN: tally-opt %s --tally-cse | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Bodies that differ in an operation, or in what they read, are others, but not those
// whose constants are the same.
// CHECK-LABEL: func.func @bodies
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return %[[A:.*]], %[[B:.*]], %[[C:.*]], %[[A]] :
// CHECK-NOT: tally.body
func.func @bodies(%x: tensor<4xf32>, %e: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %uno = arith.constant 1.0 : f32
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %one : f32
    %d = arith.addf %s, %s : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %two : f32
    %d = arith.addf %s, %s : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %one : f32
    %d = arith.mulf %s, %s : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %same = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %uno : f32
    %d = arith.addf %s, %s : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  return %a, %b, %c, %same : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What stands in branches in each other counts, too.
// CHECK-LABEL: func.func @nested
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: return %[[A:.*]], %[[B:.*]], %[[A]] :
func.func @nested(%p: i1, %x: index, %y: index) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = scf.for %i = %c0 to %x step %c1 iter_args(%s = %c0) -> index {
    %r = scf.if %p -> index {
      %t = arith.addi %s, %y : index
      scf.yield %t : index
    } else {
      scf.yield %s : index
    }
    scf.yield %r : index
  }
  %b = scf.for %i = %c0 to %x step %c1 iter_args(%s = %c0) -> index {
    %r = scf.if %p -> index {
      %t = arith.muli %s, %y : index
      scf.yield %t : index
    } else {
      scf.yield %s : index
    }
    scf.yield %r : index
  }
  %same = scf.for %i = %c0 to %x step %c1 iter_args(%s = %c0) -> index {
    %r = scf.if %p -> index {
      %t = arith.addi %s, %y : index
      scf.yield %t : index
    } else {
      scf.yield %s : index
    }
    scf.yield %r : index
  }
  return %a, %b, %same : index, index, index
}
