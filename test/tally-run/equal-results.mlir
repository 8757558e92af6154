// A function that returns one tensor twice: what is written to the one is not
// seen in the other.
// RUN: tally-run %s --input f32[2]=0,1 | FileCheck %s
// RUN: tally-run %s --compare --input f32[2]=0,1
// RUN: tally-run %s --compare --input f32[3]=0,1,2

// CHECK:      out0: f32[4] =
// CHECK-NEXT: [ 0. 1. -2.5 -2.5]
// CHECK-NEXT: out1: f32[4] =
// CHECK-NEXT: [0. 1. 0. 1.]
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %cst = arith.constant -2.5 : f32
  %0:2 = call @twice(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %1 = tensor.empty() : tensor<2xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2xf32>) -> tensor<2xf32>
  %inserted = tensor.insert_slice %2 into %0#0[2] [2] [1] : tensor<2xf32> into tensor<?xf32>
  return %inserted, %0#1 : tensor<?xf32>, tensor<?xf32>
}
func.func private @twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %concat = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %concat, %concat : tensor<?xf32>, tensor<?xf32>
}
