// RUN: tally-opt %s --split-input-file --tally-mark-accesses | FileCheck %s

// What is read at positions that tally.unique returns is in bounds; so is the
// position itself, which a check has found, and which loops do not hide.

// CHECK-LABEL: @unique
// CHECK: tensor.extract %{{.*}}[%arg1] : tensor<?xi64>
// CHECK: tensor.extract %{{.*}}[%{{.*}}] {tally.checked} : tensor<?xf32>
func.func @unique(%x: tensor<?xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %v, %at, %counts = tally.unique %x : tensor<?xf32>
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %inside = arith.cmpi ult, %i, %n : index
  tally.assert %inside, <i < n> (i = %i, n = %n : index, index)
  %p = tensor.extract %at[%i] : tensor<?xi64>
  %q = arith.index_cast %p : i64 to index
  %e = tensor.extract %v[%q] : tensor<?xf32>
  return %e : f32
}

// -----

// What is not in bounds is not marked.

// CHECK-LABEL: @other_tensor
// CHECK-NOT: tally.checked
func.func @other_tensor(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %at = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64>
  %n = tensor.dim %at, %c0 : tensor<?x1xi64>
  %inside = arith.cmpi ult, %i, %n : index
  tally.assert %inside, <i < n> (i = %i, n = %n : index, index)
  %p = tensor.extract %at[%i, %c0] : tensor<?x1xi64>
  %q = arith.index_cast %p : i64 to index
  %e = tensor.extract %y[%q] : tensor<?xf32>
  return %e : f32
}

// -----

// A function without such operations stays as it is.

// CHECK-LABEL: @nothing
// CHECK-NOT: tally.checked
func.func @nothing(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %x[%c0] : tensor<?xf32>
  return %e : f32
}
