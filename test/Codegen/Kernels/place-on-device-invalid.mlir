// RUN: tally-opt %s --tally-place-on-device --split-input-file --verify-diagnostics

func.func @atomic(%x: memref<4xf32>, %v: f32, %i: index) {
  // expected-error @below {{uses memory of the device on the host; write it with structured operations or with loops over elements, which become kernels}}
  %r = memref.atomic_rmw addf %v, %x[%i] : (f32, memref<4xf32>) -> f32
  return
}

// -----

func.func @unranked(%x: memref<*xf32>, %y: memref<*xf32>) {
  // expected-error @below {{has operands without a rank, which cannot be passed to a kernel}}
  memref.copy %x, %y : memref<*xf32> to memref<*xf32>
  return
}

// -----

func.func @stores_inside(%x: memref<4xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<4xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    // expected-error @below {{uses memory inside of a structured operation, which becomes a kernel}}
    memref.store %old, %y[%i] : memref<4xf32>
    linalg.yield %old : f32
  }
  return
}

// -----

func.func @tensors(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has an operand of type 'tensor<4xf32>' that cannot be passed to a kernel; bufferize it first}}
  %r = linalg.copy ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
