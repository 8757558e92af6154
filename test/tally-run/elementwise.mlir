// Arithmetic on whole tensors is compiled.
// RUN: tally-run %s --input f32[3]=1,2,3 --input f32[3]=1,0,-3 | FileCheck %s
// RUN: tally-run %s --input f32[0]=random --input f32[0]=random | FileCheck %s --check-prefix=EMPTY
// RUN: not tally-run %s --input f32[3]=1,2,3 --input f32[1]=1 2>&1 | FileCheck %s --check-prefix=SIZE

// CHECK: out0: f32[3] =
// CHECK-NEXT: [2. 2. 3.]
// EMPTY: out0: f32[0] =
// SIZE: check failed: {{.*}}: s0 == s1 does not hold: s0 = 3, s1 = 1 {{.*}}; needed by arith.addf
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %sum = arith.addf %x, %y : tensor<?xf32>
  %more = arith.cmpf ogt, %sum, %x : tensor<?xf32>
  %r = arith.select %more, %sum, %x : tensor<?xi1>, tensor<?xf32>
  return %r : tensor<?xf32>
}
