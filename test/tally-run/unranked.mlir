// The rank of an unranked reshape is how many sizes it is given.
// RUN: tally-run %s --input f32[3]=5,6,7 --input i64[4]=3,1,1,1 | FileCheck %s --check-prefix=RIGHT
// RUN: not tally-run %s --input f32[3]=5,6,7 --input i64[1]=3 2>&1 | FileCheck %s
// RUN: not tally-run %s --input f32[3]=5,6,7 --input i64[3]=3,1,1 2>&1 | FileCheck %s

// RIGHT: out0: i64 =
// RIGHT-NEXT: 1
// CHECK: check failed: {{.*}}unranked.mlir:[[#@LINE+5]]:8: 3 < s1 does not hold: s1 = {{[13]}} (s1 = arg1.size(0)); needed by tensor.dim
func.func @main(%x: tensor<?xf32>, %shape: tensor<?xindex>) -> index {
  %c3 = arith.constant 3 : index
  %u = tensor.cast %x : tensor<?xf32> to tensor<*xf32>
  %r = tensor.reshape %u(%shape) : (tensor<*xf32>, tensor<?xindex>) -> tensor<*xf32>
  %d = tensor.dim %r, %c3 : tensor<*xf32>
  return %d : index
}
