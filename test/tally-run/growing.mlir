// A size that a loop changes is what it is in the end, also where it starts from
// a static one.
// RUN: tally-run %s --input f32[2]=1,2 --input i64=2 --input f32[3]=5,6,7 | FileCheck %s
// RUN: tally-run %s --input f32[2]=1,2 --input i64=0 --input f32[3]=5,6,7 | FileCheck %s --check-prefix=NONE

// CHECK: out0: f32[8] =
// CHECK-NEXT: [1. 2. 5. 6. 7. 5. 6. 7.]
// NONE: out0: f32[2] =
// NONE-NEXT: [1. 2.]
func.func @main(%x: tensor<2xf32>, %n: index, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%t = %start) -> (tensor<?xf32>) {
    %longer = tensor.concat dim(0) %t, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %longer : tensor<?xf32>
  }
  return %end : tensor<?xf32>
}
