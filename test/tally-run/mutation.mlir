// A result that is written back is shown after the others; the caller's memory is
// not touched before the call has succeeded.
// RUN: tally-run %s --input f32[3]=1,2,3 --input i64=1 --repeat 3 | FileCheck %s
// RUN: not tally-run %s --input f32[3]=1,2,3 --input i64=3 2>&1 | FileCheck %s --check-prefix=RANGE

// CHECK: out1: f32 =
// CHECK-NEXT: 2.
// CHECK: x: f32[3] =
// CHECK-NEXT: [1. 7. 3.]
// RANGE: check failed: {{.*}}u0 < s0 does not hold: u0 = 3, s0 = 3; index out of range
func.func @main(%x: tensor<?xf32> {tally.name = "x"}, %k: i64) -> (tensor<?xf32> {tally.mutates = 0 : i64}, f32) {
  %c0 = arith.constant 0 : index
  %new = arith.constant 7.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %k : i64 to index
  %ok = arith.cmpi ult, %i, %n : index
  %j = tally.assert %ok, <u0 < s0> (u0 = %i, s0 = %n : index, index) message("index out of range") guards(%i : index)
  %old = tensor.extract %x[%j] : tensor<?xf32>
  %r = tensor.insert %new into %x[%j] : tensor<?xf32>
  return %r, %old : tensor<?xf32>, f32
}
