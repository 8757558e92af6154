// RUN: tally-opt %s --tally-lower-deallocations --verify-diagnostics

func.func @unranked(%a: memref<*xf32>, %c: i1) {
  // expected-error @below {{has operands without a rank; cast them to the rank that they were allocated with}}
  bufferization.dealloc (%a : memref<*xf32>) if (%c)
  return
}
