// RUN: tally-opt %s --tally-lower-fft --split-input-file --verify-diagnostics

func.func @on_tensors(%ctx: !llvm.ptr, %a: tensor<?x2xf32>, %b: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %r = tally.fft forward dim(0) scale(none) ins(%a : tensor<?x2xf32>) outs(%b : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

func.func @no_context(%a: memref<?x2xf32>, %b: memref<?x2xf32>) {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.fft forward dim(0) scale(none) ins(%a : memref<?x2xf32>) outs(%b : memref<?x2xf32>)
  return
}
