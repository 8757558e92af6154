// REQUIRES: z3
// RUN: tally-opt %s --tally-insert-runtime-asserts=validate | FileCheck %s
// RUN: env TALLY_VALIDATE=1 tally-opt %s --tally-insert-runtime-asserts | FileCheck %s

// Z3 confirms what was proven.

// CHECK-LABEL: func.func @proven
// CHECK-COUNT-2: tally.assert
// CHECK-NOT:     tally.assert
// CHECK-NOT:     tally.check
func.func @proven(%a: index, %b: index) {
  tally.check <2 <= a and a <= 64> (a = %a : index)
  tally.check <b == a * a - 1> (a = %a, b = %b : index, index)
  tally.check <b mod (a - 1) == 0> (a = %a, b = %b : index, index)
  tally.check <(a + 1) * (a - 1) == b> (a = %a, b = %b : index, index)
  tally.check <2 * (a floordiv 2) <= a> (a = %a : index)
  return
}
