// Results never share memory: an argument, the same value twice, a slice, a
// constant, numbers; sizes 0 and 1 too.
// RUN: tally-run %s --input f32[2,3]=1,2,3,4,5,6 | FileCheck %s
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --input f32[1,1]=5 | FileCheck %s --check-prefix=ONE
// RUN: tally-run %s --input f32[0,1]=random | FileCheck %s --check-prefix=EMPTY

// CHECK: a: f32[2, 3] =
// CHECK-NEXT: {{\[\[}}1. 2. 3.]
// CHECK-NEXT: [4. 5. 6.]]
// CHECK-NEXT: out1: f32[2, 3] =
// CHECK: out2: f32[2] =
// CHECK-NEXT: [0.5 2. ]
// CHECK-NEXT: out3: f32[2] =
// CHECK-NEXT: [1. 4.]
// CHECK-NEXT: out4: i64 =
// CHECK-NEXT: 2
// CHECK-NEXT: out5: i1 =
// CHECK-NEXT: True
// ONE: out3: f32[1] =
// ONE-NEXT: [5.]
// ONE-NEXT: out4: i64 =
// ONE-NEXT: 1
// ONE: False
// EMPTY: a: f32[0, 1] =
// EMPTY-NEXT: []
// EMPTY: out4: i64 =
// EMPTY-NEXT: 0
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf32> {tally.name = "a"}, tensor<?x?xf32>, tensor<2xf32>, tensor<?xf32>, index, i1) {
  %c = arith.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %s = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  %several = arith.cmpi ugt, %n, %c1 : index
  return %x, %x, %c, %s, %n, %several : tensor<?x?xf32>, tensor<?x?xf32>, tensor<2xf32>, tensor<?xf32>, index, i1
}
