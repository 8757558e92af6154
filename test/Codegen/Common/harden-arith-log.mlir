// The debug log has a line for each division that gets an assert.
// REQUIRES: debug-log
// RUN: tally-opt %s --tally-harden-arith --debug-only=tally-harden-arith -o /dev/null 2>&1 | FileCheck %s

// CHECK: [tally-harden-arith {{.*}}arith.divui at harden-arith-log.mlir:[[#@LINE+5]]: the divisor is not known to be harmless: asserted not to be 0{{$}}
// CHECK: [tally-harden-arith {{.*}}arith.remsi at harden-arith-log.mlir:[[#@LINE+6]]: the divisor is not known to be harmless: asserted not to be 0, replaced where it is -1{{$}}
// CHECK-NOT: tally-harden-arith
func.func @divide(%a: i64, %b: i64) -> (i64, i64, i64) {
  %c4 = arith.constant 4 : i64
  %p = arith.divui %a, %b : i64
  %q = arith.divui %a, %c4 : i64
  %r = arith.remsi %a, %b : i64
  return %p, %q, %r : i64, i64, i64
}
