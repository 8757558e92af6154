// Tensors that grow in a loop, a branch that differs in size, a call in nested
// loops whose assert fails with buffers live all around.
// RUN: tally-run %s --input f32[2]=1,2 --input i64=3 | FileCheck %s
// RUN: tally-run %s --input f32[0]= --input i64=3 | FileCheck %s --check-prefix=EMPTY
// RUN: not tally-run %s --input f32[2]=1,2 --input i64=9 --repeat 100 2>&1 | FileCheck %s --check-prefix=FAILS

// CHECK: out0: f32[8] =
// CHECK-NEXT: [1. 2. 1. 2. 1. 2. 1. 2.]
// CHECK: out1: f32[2] =
// CHECK: out2: f32[2] =
// CHECK-NEXT: [0. 3.]
// EMPTY: out0: f32[0] =
// FAILS: check failed: {{.*}}i < 8 does not hold: i = 8; at most eight
func.func private @checked(%i: index) -> tensor<2xindex> {
  %c8 = arith.constant 8 : index
  %ok = arith.cmpi ult, %i, %c8 : index
  tally.assert %ok, <i < 8> (i = %i : index) message("at most eight")
  %r = tensor.from_elements %i, %i : tensor<2xindex>
  return %r : tensor<2xindex>
}

func.func @main(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %grown:2 = scf.while (%a = %x, %i = %c0) : (tensor<?xf32>, index) -> (tensor<?xf32>, index) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %a, %i : tensor<?xf32>, index
  } do {
  ^bb0(%a: tensor<?xf32>, %i: index):
    %b = tensor.concat dim(0) %a, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %b, %j : tensor<?xf32>, index
  }
  %p = arith.cmpi ugt, %n, %c1 : index
  %either = scf.if %p -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %grown#0 : tensor<?xf32>
  }
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<2xf32> {
    %t = scf.for %k = %c0 to %c1 step %c1 iter_args(%u = %s) -> tensor<2xf32> {
      %v = func.call @checked(%i) : (index) -> tensor<2xindex>
      %w = tensor.extract %v[%c1] : tensor<2xindex>
      %wi = arith.index_cast %w : index to i64
      %wf = arith.sitofp %wi : i64 to f32
      %old = tensor.extract %u[%c1] : tensor<2xf32>
      %new = arith.addf %old, %wf : f32
      %next = tensor.insert %new into %u[%c1] : tensor<2xf32>
      scf.yield %next : tensor<2xf32>
    }
    scf.yield %t : tensor<2xf32>
  }
  return %grown#0, %either, %sum : tensor<?xf32>, tensor<?xf32>, tensor<2xf32>
}
