// A tensor that is compared with itself has its own size, and no constant of an
// unknown size stands for it, also where the two become one only later.
// RUN: tally-run %s --input 'i64[1,2]=3,4' | FileCheck %s
// RUN: tally-run %s --input 'i64[2,0]=' | FileCheck %s --check-prefix=EMPTY

// CHECK: out0: i1[1, 2] =
// CHECK-NEXT: {{\[\[}}False False]]
// CHECK: out1: i1[1, 2] =
// CHECK-NEXT: {{\[\[ *}}True{{ +}}True]]
// CHECK: out2: i1[1, 2] =
// CHECK-NEXT: {{\[\[}}False False]]
// CHECK: out3: i64[1, 2] =
// CHECK-NEXT: {{\[\[}}0 0]]
// EMPTY: out0: i1[2, 0] =
// EMPTY: out3: i64[2, 0] =
func.func @main(%x: tensor<?x?xi64>) -> (tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi64>) {
  %a = arith.cmpi slt, %x, %x : tensor<?x?xi64>
  %b = arith.cmpi ule, %x, %x : tensor<?x?xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xi64>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> (tensor<?x?xi64>) {
    %same = tensor.collapse_shape %z [[0], [1]] : tensor<?x?xi64> into tensor<?x?xi64>
    scf.yield %same : tensor<?x?xi64>
  }
  %c = arith.cmpi slt, %x, %y : tensor<?x?xi64>
  %d = arith.xori %x, %y : tensor<?x?xi64>
  return %a, %b, %c, %d : tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi64>
}
