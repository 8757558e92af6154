// RUN: tally-opt %s --tally-tensorify-scalars | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// An element of a tensor that goes into tensors stays in one: arithmetic on it
// is done on tensors of rank 0, with scalars from elsewhere as operands.

// CHECK-LABEL: func.func @uses
// CHECK-SAME:    %[[T:.*]]: tensor<f32>, %[[U:.*]]: tensor<1x1xf64>, %[[G:.*]]: f32, %[[X:.*]]: tensor<?xf32>, %[[N:.*]]: index
// CHECK-NOT:     tally.item
// CHECK:         %[[W:.*]] = tensor.collapse_shape %[[U]] [] : tensor<1x1xf64> into tensor<f64>
// CHECK-NEXT:    %[[W32:.*]] = arith.truncf %[[W]] : tensor<f64> to tensor<f32>
// CHECK:         %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[A:.*]] = arith.mulf %[[T]], %[[C]] fastmath<nnan> : tensor<f32>
// CHECK-NEXT:    %[[B:.*]] = arith.addf %[[A]], %[[W32]] : tensor<f32>
// CHECK-NEXT:    %[[FROM:.*]] = tensor.from_elements %[[G]] : tensor<f32>
// CHECK-NEXT:    %[[D:.*]] = arith.divf %[[B]], %[[FROM]] : tensor<f32>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[D]] : tensor<f32>) outs(%[[X]] : tensor<?xf32>)
// CHECK:         %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[A]] : tensor<f32>) outs(%[[E]] : tensor<?xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[ID:.*]], #[[NONE:.*]], #[[NONE]], #[[ID]]], iterator_types = ["parallel"]}
// CHECK-SAME:      ins(%[[X]], %[[D]], %[[T]] : tensor<?xf32>, tensor<f32>, tensor<f32>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %[[D0:.*]]: f32, %[[T0:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[IN]], %[[T0]] : f32
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[M]], %[[D0]] : f32
// CHECK-NEXT:      arith.addf %[[S]], %[[D0]] : f32
// CHECK:         tensor.expand_shape %[[B]] [] output_shape [1] : tensor<f32> into tensor<1xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : tensor<f32>)
func.func @uses(%t: tensor<f32>, %u: tensor<1x1xf64>, %g: f32, %x: tensor<?xf32>, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<1xf32>, tensor<?xf32>) {
  %v = tally.item %t : tensor<f32>
  %w = tally.item %u : tensor<1x1xf64>
  %w32 = arith.truncf %w : f64 to f32
  %c = arith.constant 2.0 : f32
  %a = arith.mulf %v, %c fastmath<nnan> : f32
  %b = arith.addf %a, %w32 : f32
  %d = arith.divf %b, %g : f32
  %fill = linalg.fill ins(%d : f32) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %splat = tensor.splat %a[%n] : tensor<?xf32>
  %captured = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.mulf %in, %v : f32
    %2 = arith.addf %1, %d : f32
    %3 = arith.addf %2, %d : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  %elements = tensor.from_elements %b : tensor<1xf32>
  %input = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel"]} ins(%v : f32) outs(%x : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  return %fill, %splat, %captured, %elements, %input : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<1xf32>, tensor<?xf32>
}

// A name that an expression of floats was computed from is in no way.

// CHECK-LABEL: func.func @named
// CHECK-SAME:    %[[T:.*]]: tensor<f32>
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extf %[[T]] : tensor<f32> to tensor<f64>
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[WIDE]], %[[WIDE]] : tensor<f64>
// CHECK-NEXT:    %[[R:.*]] = arith.truncf %[[P]] : tensor<f64> to tensor<f32>
// CHECK-NEXT:    return %[[R]]
func.func @named(%t: tensor<f32>) -> tensor<f32> {
  %v = tensor.extract %t[] : tensor<f32>
  %w = arith.extf %v : f32 to f64
  %zuf0 = tally.symbol "zuf0" = %w from "t.item()" : f64
  %p = arith.mulf %zuf0, %zuf0 : f64
  %q = arith.truncf %p : f64 to f32
  %r = tensor.from_elements %q : tensor<f32>
  return %r : tensor<f32>
}

// What a check or a return uses stays a scalar, and so does what is computed
// from it, and from scalars.

// CHECK-LABEL: func.func @stays
// CHECK-NEXT:    %[[V:.*]] = tally.item
// CHECK:         arith.cmpf olt, %[[V]]
// CHECK:         %[[E:.*]] = math.exp %[[V]] : f32
// CHECK-NEXT:    linalg.fill ins(%[[E]] : f32)
// CHECK-NEXT:    %[[H:.*]] = math.exp %arg1 : f32
// CHECK-NEXT:    linalg.fill ins(%[[H]] : f32)
// CHECK-NEXT:    return
func.func @stays(%t: tensor<f32>, %g: f32, %x: tensor<?xf32>) -> (tensor<?xf32>, f32, tensor<?xf32>) {
  %v = tally.item %t : tensor<f32>
  %c = arith.constant 2.0 : f32
  %ok = arith.cmpf olt, %v, %c : f32
  tally.assert %ok message("too large")
  %e = math.exp %v : f32
  %fill = linalg.fill ins(%e : f32) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %h = math.exp %g : f32
  %fill2 = linalg.fill ins(%h : f32) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %fill, %v, %fill2 : tensor<?xf32>, f32, tensor<?xf32>
}

// Control flow, an integer, and a slot of a larger tensor use scalars.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: tally.item
// CHECK-NOT:     tally.item
func.func @others(%t: tensor<f32>, %p: i1, %x: tensor<?xf32>) -> (tensor<?xf32>, i64, tensor<2xf32>) {
  %a = tally.item %t : tensor<f32>
  %s = scf.if %p -> f32 {
    scf.yield %a : f32
  } else {
    %n = arith.negf %a : f32
    scf.yield %n : f32
  }
  %fill = linalg.fill ins(%s : f32) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %b = tally.item %t : tensor<f32>
  %i = arith.fptosi %b : f32 to i64
  %c = tally.item %t : tensor<f32>
  %pair = tensor.from_elements %c, %c : tensor<2xf32>
  return %fill, %i, %pair : tensor<?xf32>, i64, tensor<2xf32>
}
