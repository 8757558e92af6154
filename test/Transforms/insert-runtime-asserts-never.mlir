// RUN: tally-opt %s --tally-insert-runtime-asserts --split-input-file 2>/dev/null | FileCheck %s

// A check that can never hold stays an assert: the call that gets there ends
// with an error that says why.

// CHECK-LABEL: func.func @never
// CHECK:         %[[OK:.*]] = arith.cmpi eq, %[[D:.*]], %c5 : index
// CHECK-NEXT:    tally.assert %[[OK]], <d == 5> (d = %[[D]] : index) sources({d = "x.size(0)"}) required_by("linalg.add")
// Nothing behind it runs, so nothing behind it is asserted.
// CHECK-NOT:     tally.assert
func.func @never(%x: tensor<4xf32> {tally.name = "x"}, %a: index) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<4xf32>
  tally.check <d == 5> (d = %d : index) required_by("linalg.add")
  tally.check <a == 7> (a = %a : index)
  return
}

// -----

// In a branch as well; behind the branch the function goes on.

// CHECK-LABEL: func.func @never_in_branch
// CHECK:         scf.if
// CHECK:           tally.assert %{{.*}}, <d == 5>
// CHECK-NOT:       tally.assert
// CHECK:         }
// CHECK:         tally.assert %{{.*}}, <a == 7>
func.func @never_in_branch(%c: i1, %x: tensor<4xf32>, %a: index) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<4xf32>
  scf.if %c {
    tally.check <d == 5> (d = %d : index)
    tally.check <a == 7> (a = %a : index)
  }
  tally.check <a == 7> (a = %a : index)
  return
}

// -----

// Assumptions that exclude each other exclude every run.

// CHECK-LABEL: func.func @excluded
// CHECK:         tally.assume <a <= 3>
// CHECK-NEXT:    tally.assume <5 <= a>
// CHECK-NEXT:    return
func.func @excluded(%a: index, %b: index) {
  tally.assume <a <= 3> (a = %a : index)
  tally.assume <5 <= a> (a = %a : index)
  tally.check <b == 0> (b = %b : index)
  return
}
