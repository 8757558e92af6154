// RUN: tally-opt %s --tally-check-pipeline | FileCheck %s

// The bounds of affine.for need not be values: its model tells them.

// CHECK-LABEL: func.func @to_a_size
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @to_a_size(%x: tensor<?xf32>, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %sum = affine.for %i = 0 to %n iter_args(%a = %zero) -> f32 {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %s = arith.addf %a, %v : f32
    affine.yield %s : f32
  }
  return %sum : f32
}

// Of several expressions it is the greatest that the loop starts from, and the
// least one that it stays below.

// CHECK-LABEL: func.func @least_of_two
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @least_of_two(%x: tensor<?xf32>, %y: tensor<?xf32>, %k: index, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %sum = affine.for %i = max affine_map<(d0) -> (0, d0)>(%k) to min affine_map<(d0, d1) -> (d0, d1)>(%n, %m)
      iter_args(%a = %zero) -> f32 {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %w = tensor.extract %y[%i] : tensor<?xf32>
    %p = arith.mulf %v, %w : f32
    %s = arith.addf %a, %p : f32
    affine.yield %s : f32
  }
  return %sum : f32
}

// A loop that may go further than the tensor keeps an assert.

// CHECK-LABEL: func.func @too_far
// CHECK:         tally.assert {{.*}}required_by("tensor.extract")
func.func @too_far(%x: tensor<?xf32>, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %sum = affine.for %i = 0 to affine_map<(d0) -> (d0 floordiv 2 + 1)>(%n) iter_args(%a = %zero) -> f32 {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %s = arith.addf %a, %v : f32
    affine.yield %s : f32
  }
  return %sum : f32
}

// What the body requires is asserted before the loop, where that runs.

// CHECK-LABEL: func.func @before_the_loop
// CHECK:       tally.assert
// CHECK-NOT:   tally.assert
// CHECK:       affine.for
func.func @before_the_loop(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = affine.for %i = 0 to %n iter_args(%a = %x) -> tensor<?xf32> {
    %s = arith.addf %a, %y : tensor<?xf32>
    affine.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
