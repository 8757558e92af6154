// RUN: tally-opt %s --tally-lower-matmul --split-input-file --verify-diagnostics

func.func @no_context(%a: memref<4x4xf32>) {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  return
}

// -----

func.func @no_fallback(%ctx: !llvm.ptr, %a: memref<4x4xf32>) {
  // expected-error @below {{has no kernel to fall back on; run 'tally-add-matmul-fallbacks' first}}
  tally.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  return
}

// -----

func.func @prologue(%ctx: !llvm.ptr, %a: memref<4x4xf32>, %b: memref<4x4xi8>) {
  // expected-error @below {{has a prologue, which only 'tally-lower-host-matmul' lowers; do not run 'tally-fuse-prologues'}}
  tally.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xi8>) outs(%a : memref<4x4xf32>) prologue {
  ^bb0(%x: i8):
    %f = arith.sitofp %x : i8 to f32
    tally.yield %f : f32
  }
  return
}

// -----

func.func @gaps(%ctx: !llvm.ptr, %a: memref<4x4xf32, strided<[8, 2]>>) {
  // expected-error @below {{has an operand of type 'memref<4x4xf32, strided<[8, 2]>>' whose rows, or whose matrices, are not at one distance; run 'tally-place-on-device' first}}
  tally.matmul ins(%a, %a : memref<4x4xf32, strided<[8, 2]>>, memref<4x4xf32, strided<[8, 2]>>) outs(%a : memref<4x4xf32, strided<[8, 2]>>)
  return
}

// -----

func.func @tensors(%ctx: !llvm.ptr, %a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %c = tally.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

#w = affine_map<(n, o, x, c, i) -> (o, c, i)>
#x = affine_map<(n, o, x, c, i) -> (n, c, x + i)>
#r = affine_map<(n, o, x, c, i) -> (n, o, x)>
func.func @no_context(%w: memref<4x4x1xf32>, %a: memref<4x4x4xf32>) {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.contract ins(%w, %a : memref<4x4x1xf32>, memref<4x4x4xf32>) outs(%a : memref<4x4x4xf32>) maps [#w, #x, #r]
  return
}

// -----

#w = affine_map<(n, o, x, c, i) -> (o, c, i)>
#x = affine_map<(n, o, x, c, i) -> (n, c, x + i)>
#r = affine_map<(n, o, x, c, i) -> (n, o, x)>
func.func @no_fallbacks(%ctx: !llvm.ptr, %w: memref<4x4x1xf32>, %a: memref<4x4x4xf32>) {
  // expected-error @below {{has no kernels to fall back on; run 'tally-add-matmul-fallbacks' first}}
  tally.contract ins(%w, %a : memref<4x4x1xf32>, memref<4x4x4xf32>) outs(%a : memref<4x4x4xf32>) maps [#w, #x, #r]
  return
}

// -----

#w = affine_map<(n, o, x, c, i) -> (o, c, i)>
#x = affine_map<(n, o, x, c, i) -> (n, c, x + i)>
#r = affine_map<(n, o, x, c, i) -> (n, o, x)>
func.func @gaps(%ctx: !llvm.ptr, %w: memref<4x4x1xf32>, %a: memref<4x4x4xf32, strided<[32, 8, 1]>>, %c: memref<4x4x4xf32>) {
  // expected-error @below {{has an operand of type 'memref<4x4x4xf32, strided<[32, 8, 1]>>' with gaps; run 'tally-place-on-device' first}}
  tally.contract ins(%w, %a : memref<4x4x1xf32>, memref<4x4x4xf32, strided<[32, 8, 1]>>) outs(%c : memref<4x4x4xf32>) maps [#w, #x, #r]
  return
}

// -----

#w = affine_map<(n, o, x, c, i) -> (o, c, i)>
#x = affine_map<(n, o, x, c, i) -> (n, c, x + i)>
#r = affine_map<(n, o, x, c, i) -> (n, o, x)>
func.func @tensors(%ctx: !llvm.ptr, %w: tensor<4x4x1xf32>, %a: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %c = tally.contract ins(%w, %a : tensor<4x4x1xf32>, tensor<4x4x4xf32>) outs(%a : tensor<4x4x4xf32>) maps [#w, #x, #r] -> tensor<4x4x4xf32>
  return %c : tensor<4x4x4xf32>
}
