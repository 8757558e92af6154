// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,func.func(tally-verify-form{form=checked}))' | FileCheck %s
// RUN: tally-run %s --input f32[0]=random --interpret | FileCheck %s --check-prefix=EMPTY
// RUN: tally-run %s --input f32[3]=random | FileCheck %s --check-prefix=EMPTY
// RUN: tally-run %s --input f32[4]=7,1,1,1 | FileCheck %s --check-prefix=ONE
// RUN: tally-run %s --input f32[5]=7,1,1,1,1 --interpret | FileCheck %s --check-prefix=ONE
// RUN: tally-run %s --input f32[33]=random --output-dir %t --interpret
// RUN: tally-run %s --input f32[33]=random --expect %t/out0.npy
// RUN: tally-run %s --input f32[39]=random --output-dir %t --interpret
// RUN: tally-run %s --input f32[39]=random --expect %t/out0.npy

// Patches of four, merged by pairs three times, with a patch more where there is an
// odd number: each size is the number of elements, divided once, so that no check is
// left.

// EMPTY: out0: f32[0]
// ONE: out0: f32[1]
// ONE-NEXT: [7.]

// CHECK-LABEL: func.func @main
// CHECK-SAME: #tally.shape<(s0 + 28) floordiv 32>
// CHECK-NOT: tally.assert
// CHECK: return
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %n0 = arith.divui %n, %c4 : index
  %x0 = tensor.extract_slice %x[0] [%n0] [4] : tensor<?xf32> to tensor<?xf32>

  %r0 = arith.remui %n0, %c2 : index
  %p0 = tensor.pad %x0 low[0] high[%r0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %m0 = tensor.dim %p0, %c0 : tensor<?xf32>
  %even_up0 = arith.addi %m0, %c1 : index
  %n1 = arith.divui %even_up0, %c2 : index
  %odd0 = arith.divui %m0, %c2 : index
  %a0 = tensor.extract_slice %p0[0] [%n1] [2] : tensor<?xf32> to tensor<?xf32>
  %b0 = tensor.extract_slice %p0[1] [%odd0] [2] : tensor<?xf32> to tensor<?xf32>
  %x1 = arith.addf %a0, %b0 : tensor<?xf32>

  %r1 = arith.remui %n1, %c2 : index
  %p1 = tensor.pad %x1 low[0] high[%r1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %m1 = tensor.dim %p1, %c0 : tensor<?xf32>
  %even_up1 = arith.addi %m1, %c1 : index
  %n2 = arith.divui %even_up1, %c2 : index
  %odd1 = arith.divui %m1, %c2 : index
  %a1 = tensor.extract_slice %p1[0] [%n2] [2] : tensor<?xf32> to tensor<?xf32>
  %b1 = tensor.extract_slice %p1[1] [%odd1] [2] : tensor<?xf32> to tensor<?xf32>
  %x2 = arith.addf %a1, %b1 : tensor<?xf32>

  %r2 = arith.remui %n2, %c2 : index
  %p2 = tensor.pad %x2 low[0] high[%r2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %m2 = tensor.dim %p2, %c0 : tensor<?xf32>
  %even_up2 = arith.addi %m2, %c1 : index
  %n3 = arith.divui %even_up2, %c2 : index
  %odd2 = arith.divui %m2, %c2 : index
  %a2 = tensor.extract_slice %p2[0] [%n3] [2] : tensor<?xf32> to tensor<?xf32>
  %b2 = tensor.extract_slice %p2[1] [%odd2] [2] : tensor<?xf32> to tensor<?xf32>
  %x3 = arith.addf %a2, %b2 : tensor<?xf32>
  return %x3 : tensor<?xf32>
}
