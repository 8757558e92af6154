// What nobody uses stays unless it is pure; what is equal is merged only then.
// RUN: tally-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s

// CHECK-LABEL: func.func @effects
// CHECK-NEXT: tally.custom_call @f() : () -> i64
// CHECK-NEXT: tally.custom_call @f() : () -> i64
// CHECK-NEXT: return
func.func @effects() {
  %a = tally.custom_call @f() : () -> i64
  %b = tally.custom_call @f() : () -> i64
  return
}

// CHECK-LABEL: func.func @pure
// CHECK-NEXT: %[[A:.*]] = tally.custom_call @f() pure : () -> i64
// CHECK-NEXT: return %[[A]], %[[A]]
func.func @pure() -> (i64, i64) {
  %a = tally.custom_call @f() pure : () -> i64
  %b = tally.custom_call @f() pure : () -> i64
  %c = tally.custom_call @g() pure : () -> i64
  return %a, %b : i64, i64
}

// It may fail: not before it is certain that the loop runs.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK-NEXT: tally.custom_call @f() pure
func.func @loop(%n: index, %m: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = tally.custom_call @f() pure : () -> i64
    memref.store %a, %m[%i] : memref<?xi64>
  }
  return
}
