// RUN: tally-opt %s --tally-lower-device-fft --split-input-file --verify-diagnostics

func.func @tensors(%ctx: !llvm.ptr, %x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{is on tensors; bufferize it first}}
  %r = tally.fft forward dim(0) scale(none) ins(%x : tensor<4x2xf32>) outs(%y : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

func.func @columns(%ctx: !llvm.ptr, %x: memref<4x4x2xf32>, %y: memref<4x4x2xf32>) {
  // expected-error @+1 {{transforms a dimension that is not the last, or divides; run 'tally-prepare-fft' before bufferization}}
  tally.fft forward dim(0) scale(none) ins(%x : memref<4x4x2xf32>) outs(%y : memref<4x4x2xf32>)
  return
}

// -----

func.func @divides(%ctx: !llvm.ptr, %x: memref<4x2xf32>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{transforms a dimension that is not the last, or divides; run 'tally-prepare-fft' before bufferization}}
  tally.fft forward dim(0) scale(root) ins(%x : memref<4x2xf32>) outs(%y : memref<4x2xf32>)
  return
}

// -----

func.func @gaps(%ctx: !llvm.ptr, %x: memref<4x2xf32, strided<[4, 1]>>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{has an operand of type 'memref<4x2xf32, strided<[4, 1]>>' with gaps; run 'tally-place-on-device' first}}
  tally.fft forward dim(0) scale(none) ins(%x : memref<4x2xf32, strided<[4, 1]>>) outs(%y : memref<4x2xf32>)
  return
}

// -----

func.func @context(%x: memref<4x2xf32>, %y: memref<4x2xf32>) {
  // expected-error @+1 {{run 'tally-add-context'}}
  tally.fft forward dim(0) scale(none) ins(%x : memref<4x2xf32>) outs(%y : memref<4x2xf32>)
  return
}
