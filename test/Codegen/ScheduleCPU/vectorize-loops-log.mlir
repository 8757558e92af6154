// The debug log has a line for each loop that is vectorized.
// REQUIRES: debug-log
// RUN: tally-opt %s --tally-vectorize-loops --debug-only=tally-vectorize-loops -o /dev/null 2>&1 | FileCheck %s

// CHECK: [tally-vectorize-loops {{.*}}scf.parallel at vectorize-loops-log.mlir:[[#@LINE+6]]: by 64 lanes
// CHECK-NOT: tally-vectorize-loops
func.func @scan(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %last = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %t = arith.addf %sum, %v : f32
      memref.store %t, %y[%i, %j] : memref<?x?xf32>
      scf.yield %t : f32
    }
    scf.reduce
  }
  // LLVM vectorizes this one.
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%c0, %j] : memref<?x?xf32>
    memref.store %v, %y[%c0, %j] : memref<?x?xf32>
    scf.reduce
  }
  return
}
