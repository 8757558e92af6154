// RUN: tally-opt %s --tally-lower-host-sort --split-input-file --verify-diagnostics

func.func @on_tensors(%ctx: !llvm.ptr, %x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %v = tally.sort ins(%x : tensor<?xf32>) values(%e : tensor<?xf32>) dim 0 -> tensor<?xf32>
  return %v : tensor<?xf32>
}

// -----

func.func @no_context(%x: memref<?xf32>, %v: memref<?xf32>) {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.sort ins(%x : memref<?xf32>) values(%v : memref<?xf32>) dim 0
  return
}

// -----

func.func @unknown_type(%ctx: !llvm.ptr, %x: memref<?xi5>, %v: memref<?xi5>) {
  // expected-error @below {{sorts elements of type 'i5', which the runtime does not know; run 'tally-lower-sort' first}}
  tally.sort ins(%x : memref<?xi5>) values(%v : memref<?xi5>) dim 0
  return
}
