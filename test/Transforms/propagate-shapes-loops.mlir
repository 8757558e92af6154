// RUN: tally-opt %s --tally-propagate-shapes | FileCheck %s

// Nothing is left to check of a step of 1, whatever the bounds are.

// CHECK-LABEL: func.func @by_one
// CHECK-NOT:     tally.check
// CHECK:         return
func.func @by_one(%lo: index, %hi: index) -> index {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %lo to %hi step %c1 iter_args(%t = %lo) -> index {
    scf.yield %i : index
  }
  return %r : index
}

// Nor where the bound is a size: a step by 4 cannot wrap below 2^63.

// CHECK-LABEL: func.func @over_a_size
// CHECK-NOT:     tally.check
// CHECK:         return
func.func @over_a_size(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c4 iter_args(%t = %c0) -> index {
    scf.yield %i : index
  }
  return %r : index
}

// CHECK-LABEL: func.func @any_step
// CHECK:         tally.check <1 <= {{.*}}>, "the step of the loop is positive" {{.*}}required_by("scf.for")
// CHECK-NEXT:    tally.check <{{.*}}>, "the loop variable stays below 2^63" {{.*}}required_by("scf.for")
// CHECK-NEXT:    scf.for
func.func @any_step(%lo: index, %hi: index, %step: index) -> index {
  %r = scf.for %i = %lo to %hi step %step iter_args(%t = %lo) -> index {
    scf.yield %i : index
  }
  return %r : index
}

// In a region, of what is known there alone.

// CHECK-LABEL: func.func @nested
// CHECK:         scf.for
// CHECK:           tally.check <1 <= {{.*}}required_by("scf.for")
// CHECK:           scf.for
func.func @nested(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c0) -> index {
    %s = scf.for %j = %c0 to %n step %i iter_args(%u = %t) -> index {
      scf.yield %j : index
    }
    scf.yield %s : index
  }
  return %r : index
}

// CHECK-LABEL: func.func @small
// CHECK:         tally.check <1 <= {{.*}} mod 256>, {{.*}} required_by("scf.for")
// CHECK-NEXT:    tally.check <{{.*}}>, "the loop variable stays below 2^8" {{.*}}required_by("scf.for")
// CHECK-NEXT:    scf.for unsigned
func.func @small(%lo: i8, %hi: i8, %step: i8) -> i8 {
  %r = scf.for unsigned %i = %lo to %hi step %step iter_args(%t = %lo) -> i8 : i8 {
    scf.yield %i : i8
  }
  return %r : i8
}

// The iterations of a parallel loop are counted first.

// CHECK-LABEL: func.func @parallel
// CHECK:         tally.check <1 <= {{.*}}required_by("scf.parallel")
// CHECK-NEXT:    tally.check {{.*}}, "the loop variable stays below 2^63" {{.*}}required_by("scf.parallel")
// CHECK-NEXT:    tally.check {{.*}}, "the loop has less than 2^63 iterations" {{.*}}required_by("scf.parallel")
// CHECK-NEXT:    scf.parallel
func.func @parallel(%lo: index, %hi: index, %step: index) {
  scf.parallel (%i) = (%lo) to (%hi) step (%step) {
  }
  return
}

// CHECK-LABEL: func.func @forall
// CHECK-COUNT-3: required_by("scf.forall")
// CHECK:         scf.forall
func.func @forall(%lo: index, %hi: index, %step: index) {
  scf.forall (%i) = (%lo) to (%hi) step (%step) {
  }
  return
}
