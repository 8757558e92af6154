// The shape that tensor.reshape is given is data: it is checked.
// RUN: tally-run %s --input f32[2,3]=1,2,3,4,5,6 --input i32[2]=3,2 | FileCheck %s
// RUN: tally-run %s --input f32[2,0]=random --input i32[2]=0,7 | FileCheck %s --check-prefix=EMPTY
// RUN: not tally-run %s --input f32[2,3]=1,2,3,4,5,6 --input i32[2]=3,3 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not tally-run %s --input f32[2,3]=1,2,3,4,5,6 --input i32[2]=-3,-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// CHECK: out0: f32[3, 2] =
// EMPTY: out0: f32[0, 7] =
// PRODUCT: check failed: {{.*}}: s0 * s1 == arg1[0] * arg1[1] does not hold: 2 * 3 = 6, 3 * 3 = 9
// NEGATIVE: check failed: {{.*}}: 0 <= arg1[0] does not hold: arg1[0] = -3; needed by
func.func @main(%x: tensor<?x?xf32>, %shape: tensor<2xi32>) -> tensor<?x?xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
