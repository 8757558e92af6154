// RUN: tally-opt %s --tally-lower-host-matmul --split-input-file --verify-diagnostics

func.func @on_tensors(%ctx: !llvm.ptr, %a: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %c = tally.matmul ins(%a, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// -----

func.func @no_context(%a: memref<?x?xf32>, %c: memref<?x?xf32>) {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.matmul ins(%a, %a : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// -----

func.func @contraction_on_tensors(%ctx: !llvm.ptr, %a: tensor<?x?xf32>, %b: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %c = tally.contract ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>)
      maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>] -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// -----

func.func @contraction_without_context(%a: memref<?x?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.contract ins(%a, %b : memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
      maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>]
  return
}

// -----

func.func @padded(%ctx: !llvm.ptr, %w: memref<?x?x3xf32>, %x: memref<?x?x?xf32>, %r: memref<?x?x?xf32>) {
  // expected-error @below {{has a padded operand, which only a library of a GPU pads; do not run 'tally-recognize-contractions' with 'convolutions-only'}}
  tally.contract ins(%w, %x : memref<?x?x3xf32>, memref<?x?x?xf32>) outs(%r : memref<?x?x?xf32>)
      maps [affine_map<(n, o, x, c, i) -> (o, c, i)>, affine_map<(n, o, x, c, i) -> (n, c, x + i - 1)>,
            affine_map<(n, o, x, c, i) -> (n, o, x)>]
  return
}

// -----

func.func @transposed(%ctx: !llvm.ptr, %w: memref<?x?x3xf32>, %x: memref<?x?x?xf32>, %r: memref<?x?x?xf32>) {
  // expected-error @below {{has windows that move over its result, which only a library of a GPU computes; do not run 'tally-recognize-contractions' with 'convolutions-only'}}
  tally.contract ins(%w, %x : memref<?x?x3xf32>, memref<?x?x?xf32>) outs(%r : memref<?x?x?xf32>)
      maps [affine_map<(n, c, o, x, i) -> (o, c, i)>, affine_map<(n, c, o, x, i) -> (n, o, x)>,
            affine_map<(n, c, o, x, i) -> (n, c, x + i)>]
  return
}

// -----

func.func @bias(%ctx: !llvm.ptr, %a: memref<?x?xf32>, %v: memref<?xf32>, %c: memref<?x?xf32>) {
  // expected-error @below {{has a bias or 'relu', which only a library of a GPU computes; do not run 'tally-fuse-epilogues'}}
  tally.matmul ins(%a, %a : memref<?x?xf32>, memref<?x?xf32>) bias(%v : memref<?xf32>) outs(%c : memref<?x?xf32>)
  return
}
