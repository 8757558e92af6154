// Parts without elements go from a concatenation.
// RUN: tally-opt %s --tally-check-pipeline | FileCheck %s

// CHECK-LABEL: @nothing
// CHECK: tensor.concat dim(0) %arg0, %arg2 :
func.func @nothing(%x: tensor<?xf32>, %y: tensor<0xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %r = tensor.concat dim(0) %x, %y, %z : (tensor<?xf32>, tensor<0xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
