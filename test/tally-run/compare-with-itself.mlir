// A tensor that is compared with itself has its own size, and no constant of an
// unknown size stands for it.
// RUN: tally-run %s --input 'i64[1,2]=3,4' | FileCheck %s
// RUN: tally-run %s --input 'i64[2,0]=' | FileCheck %s --check-prefix=EMPTY

// CHECK: out0: i1[1, 2] =
// CHECK-NEXT: {{\[\[}}False False]]
// CHECK: out1: i1[1, 2] =
// CHECK-NEXT: {{\[\[ *}}True{{ +}}True]]
// EMPTY: out0: i1[2, 0] =
func.func @main(%x: tensor<?x?xi64>) -> (tensor<?x?xi1>, tensor<?x?xi1>) {
  %a = arith.cmpi slt, %x, %x : tensor<?x?xi64>
  %b = arith.cmpi ule, %x, %x : tensor<?x?xi64>
  return %a, %b : tensor<?x?xi1>, tensor<?x?xi1>
}
