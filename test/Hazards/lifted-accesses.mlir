// RUN: tally-opt %s --tally-check-pipeline --loop-invariant-code-motion --canonicalize --cse --tally-verify-form | FileCheck %s
// RUN: tally-opt %s --tally-check-pipeline=elide=false --loop-invariant-code-motion --loop-invariant-subset-hoisting --tally-verify-form -o /dev/null

// An access that is right in every iteration stays in its loop: where there is no
// iteration it may be out of bounds.

// The bounds of the loop imply that there is a first element.

// CHECK-LABEL: func.func @first_element
// CHECK-NOT:     tally.assert
// CHECK:         scf.for
// CHECK:           %[[AT:.*]] = tally.speculation_barrier %c0
// CHECK:           tensor.extract %{{.*}}[%[[AT]]]
func.func @first_element(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %v = tensor.extract %x[%c0] : tensor<?xf32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  }
  return %r : f32
}

// What is asserted before the loop is true only if it has an iteration.

// CHECK-LABEL: func.func @asserted
// CHECK:         tally.assert %{{.*}}, <s1 < s0>
// CHECK:         scf.for
// CHECK:           tally.speculation_barrier
// CHECK:           tensor.extract
func.func @asserted(%x: tensor<?xf32>, %at: tensor<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %k = tensor.dim %at, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %v = tensor.extract %x[%k] : tensor<?xf32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  }
  return %r : f32
}

// Two tensors that must have one size, in the loop only.

// CHECK-LABEL: func.func @elementwise
// CHECK:         tally.assert %{{.*}}, <s0 == s1>
// CHECK:         scf.for
// CHECK:           %[[SIZE:.*]] = tally.speculation_barrier
// CHECK:           %[[OUT:.*]] = tensor.empty(%[[SIZE]])
// CHECK:           linalg.add {{.*}} outs(%[[OUT]]
func.func @elementwise(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %out = tensor.empty(%d) : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %s = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
    %d1 = tensor.dim %y, %c0 : tensor<?xf32>
    %last = arith.subi %d1, %c1 : index
    %v = tensor.extract %s[%last] : tensor<?xf32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  }
  return %r : f32
}

// What depends on the iteration, or requires nothing, needs no hold.

// CHECK-LABEL: func.func @no_need
// CHECK-NOT:     tally.speculation_barrier
// CHECK:         return
func.func @no_need(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  }
  return %r : f32
}
