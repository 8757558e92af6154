// The sizes of an argument that are not 0 have a product of at most 2^48.
// RUN: tally-run %s --input f32[281474976710656,0]= | FileCheck %s
// RUN: tally-run %s --input f32[0,281474976710656]= | FileCheck %s --check-prefix=NONE
// RUN: not tally-run %s --input f32[281474976710657,0]= 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not tally-run %s --input f32[0,281474976710657]= 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not tally-run %s --input f32[4611686018427387904,0]= 2>&1 | FileCheck %s --check-prefix=WRAPS

// CHECK: out0: i64 =
// CHECK-NEXT: 1125899906842624
// NONE: out0: i64 =
// NONE-NEXT: 0
// ROWS: check failed: {{.*}}x.size(0) <= 281474976710656 does not hold: x.size(0) = 281474976710657{{.*}}declared by x
// COLUMNS: check failed: {{.*}}x.size(1) <= 281474976710656 does not hold: x.size(1) = 281474976710657
// WRAPS: check failed: {{.*}}x.size(0) <= 281474976710656 does not hold: x.size(0) = 4611686018427387904
func.func @main(%x: tensor<?x?xf32> {tally.name = "x"}) -> index {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %r = arith.muli %n, %c4 : index
  return %r : index
}
