// RUN: tally-opt %s --tally-lower-linear-algebra --split-input-file --verify-diagnostics

func.func @on_tensors(%ctx: !llvm.ptr, %a: tensor<?x?xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %r = tally.linear_algebra eigh ins(%a : tensor<?x?xf32>) outs(%v : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @no_context(%a: memref<?x?xf32>, %v: memref<?xf32>) {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.linear_algebra eigh ins(%a : memref<?x?xf32>) outs(%v : memref<?xf32>)
  return
}
