// RUN: tally-opt %s -loop-invariant-code-motion | FileCheck %s
// RUN: tally-opt %s -int-range-optimizations -sccp -canonicalize -cse | FileCheck %s
// RUN: tally-opt %s -canonicalize -loop-invariant-code-motion -int-range-optimizations -cse -sccp -remove-dead-values | FileCheck %s

// A symbol that declares something stays behind the check of what it declares,
// inside of a loop that may run no iteration.
// CHECK-LABEL: func.func @behind_check(
// CHECK:       scf.for
// CHECK-NOT:   scf.yield
// CHECK:         tally.check <s0 <= 64>
// CHECK-NEXT:    %[[S:.*]] = tally.symbol "s0" {{.*}} in [0, 64]
// CHECK-NEXT:    arith.addi %{{.*}}, %[[S]]
func.func @behind_check(%x: tensor<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> index {
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    tally.check <s0 <= 64> (s0 = %d : index) declared_by("x")
    %s = tally.symbol "s0" = %d in [0, 64] : index
    %z = arith.addi %acc, %s : index
    scf.yield %z : index
  }
  return %r : index
}

// CHECK-LABEL: func.func @behind_assert(
// CHECK:       scf.for
// CHECK-NOT:   scf.yield
// CHECK:         tally.assert
// CHECK-NEXT:    %[[S:.*]] = tally.symbol "s0" {{.*}} in [0, 64]
// CHECK-NEXT:    arith.addi %{{.*}}, %[[S]]
func.func @behind_assert(%x: tensor<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> index {
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %ok = arith.cmpi ule, %d, %c64 : index
    tally.assert %ok, <s0 <= 64> (s0 = %d : index)
    %s = tally.symbol "s0" = %d in [0, 64] : index
    %z = arith.addi %acc, %s : index
    scf.yield %z : index
  }
  return %r : index
}

// A declared range is no reason to take the check of it for true, on the raw
// value or on the symbol.
// CHECK-LABEL: func.func @no_self_proof(
// CHECK:       %[[RAW:.*]] = arith.cmpi ule, %[[D:.*]], %{{.*}} : index
// CHECK:       tally.assert %[[RAW]], <s0 <= 64>
// CHECK:       %[[S:.*]] = tally.symbol "s0" = %[[D]]
// CHECK:       %[[AGAIN:.*]] = arith.cmpi ule, %[[S]], %{{.*}} : index
// CHECK:       tally.assert %[[AGAIN]] message("again")
func.func @no_self_proof(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %in = arith.cmpi ule, %d, %c64 : index
  tally.assert %in, <s0 <= 64> (s0 = %d : index)
  %s = tally.symbol "s0" = %d in [0, 64] : index
  %q = arith.cmpi ule, %s, %c64 : index
  tally.assert %q message("again")
  return %s : index
}

// An unused symbol may go, its check stays.
// CHECK-LABEL: func.func @unused_symbol(
// CHECK:       tally.check <2 <= s0 and s0 <= 64>
func.func @unused_symbol(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  tally.check <2 <= s0 and s0 <= 64> (s0 = %d : index) declared_by("x")
  %s = tally.symbol "s0" = %d in [2, 64] : index
  return %x : tensor<?xf32>
}

// Two names of one size stay two values with their names.
// CHECK-LABEL: func.func @two_names(
// CHECK:       %[[S:.*]] = tally.symbol "s0" = %[[D:.*]] : index
// CHECK:       %[[T:.*]] = tally.symbol "s1" = %[[D]] : index
// CHECK:       tally.check <s0 == s1> (s0 = %[[S]], s1 = %[[T]] : index, index)
// CHECK:       tally.assume <s1 <= 4> (s1 = %[[T]] : index)
// CHECK:       return %[[S]], %[[T]]
func.func @two_names(%x: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tally.symbol "s0" = %d : index
  %t = tally.symbol "s1" = %d : index
  tally.check <s0 == s1> (s0 = %s, s1 = %t : index, index)
  tally.assume <s1 <= 4> (s1 = %t : index)
  return %s, %t : index, index
}
