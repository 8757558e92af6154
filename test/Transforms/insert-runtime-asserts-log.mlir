// The debug log tells what becomes of each check.
// REQUIRES: debug-log
// RUN: tally-opt %s --tally-insert-runtime-asserts --debug-only=tally-insert-runtime-asserts -o /dev/null 2>&1 | FileCheck %s

// CHECK: [tally-insert-runtime-asserts {{.*}}8 <= s0 at insert-runtime-asserts-log.mlir:[[#@LINE+6]]: proven
// CHECK: [tally-insert-runtime-asserts {{.*}}s0 == s1 at insert-runtime-asserts-log.mlir:[[#@LINE+6]]: asserted
// CHECK: [tally-insert-runtime-asserts {{.*}}s1 mod 4 == 0 at insert-runtime-asserts-log.mlir:[[#@LINE+6]]: proven
func.func @decided(%a: index, %b: index) {
  %s0 = tally.symbol "s0" = %a in [1, 64] divisible_by 8 : index
  %s1 = tally.symbol "s1" = %b : index
  tally.check <8 <= s0> (s0 = %s0 : index)
  tally.check <s0 == s1> (s0 = %s0, s1 = %s1 : index, index)
  tally.check <s1 mod 4 == 0> (s1 = %s1 : index)
  return
}

// CHECK: [tally-insert-runtime-asserts {{.*}}tensor.extract at insert-runtime-asserts-log.mlir:[[#@LINE+9]]: has to stay in its loop, where what it requires holds
func.func @stays(%x: tensor<?xf32>, %n: index, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %f) -> f32 {
    tally.check <0 <= i> (i = %i : index)
    tally.check <i < s> (i = %i, s = %s : index, index)
    %e = tensor.extract %x[%i] : tensor<?xf32>
    %b = arith.addf %a, %e : f32
    scf.yield %b : f32
  }
  return %r : f32
}
