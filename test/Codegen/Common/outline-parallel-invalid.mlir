// RUN: tally-opt %s --tally-outline-parallel --verify-diagnostics

func.func @no_context(%n: index, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %v, %m[%i] : memref<?xf32>
  }
  return
}
