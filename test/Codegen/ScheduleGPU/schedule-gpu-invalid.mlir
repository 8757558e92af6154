// RUN: tally-opt %s --split-input-file --tally-schedule-gpu --verify-diagnostics

func.func @complex(%x: memref<4xcomplex<f32>>, %y: memref<4xcomplex<f32>>, %n: index) {
  tally.kernel(%n) ins(%x : memref<4xcomplex<f32>>) outs(%y : memref<4xcomplex<f32>>) {
  ^bb0(%a: tensor<4xcomplex<f32>>, %o: tensor<4xcomplex<f32>>):
    // expected-error @below {{has elements of type 'complex<f32>', which cannot be computed on a GPU}}
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xcomplex<f32>>) outs(%o : tensor<4xcomplex<f32>>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: complex<f32>, %u: complex<f32>):
      linalg.yield %v : complex<f32>
    } -> tensor<4xcomplex<f32>>
    tally.yield %r : tensor<4xcomplex<f32>>
  }
  return
}

// -----

func.func @cast(%x: memref<?xf32>, %y: memref<4xf32>, %n: index) {
  tally.kernel(%n) ins(%x : memref<?xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<4xf32>):
    // expected-error @below {{cannot be scheduled for a GPU}}
    %b = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%b : tensor<4xf32>) outs(%o : tensor<4xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    tally.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @no_dims(%x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
  tally.kernel(%n) ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>):
    // expected-error @below {{cannot be scheduled for a GPU}}
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    tally.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @own_table(%x: memref<4xindex>, %y: memref<4xindex>, %n: index) {
  tally.kernel(%n) ins(%x : memref<4xindex>) outs(%y : memref<4xindex>) {
  ^bb0(%a: tensor<4xindex>, %o: tensor<4xindex>):
    %nowhere = ub.poison : tensor<4xindex>
    %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xindex>) outs(%nowhere : tensor<4xindex>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: index, %u: index):
      %w = arith.addi %v, %v : index
      linalg.yield %w : index
    } -> tensor<4xindex>
    // expected-error @below {{cannot be scheduled for a GPU}}
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xindex>) outs(%o : tensor<4xindex>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: index, %u: index):
      %w = tensor.extract %t[%v] : tensor<4xindex>
      linalg.yield %w : index
    } -> tensor<4xindex>
    tally.yield %r : tensor<4xindex>
  }
  return
}

// -----

func.func @empty(%y: memref<4xf32>, %n: index) {
  // expected-error @below {{writes what none of its operations makes}}
  tally.kernel(%n) outs(%y : memref<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    %r = tensor.empty() : tensor<4xf32>
    tally.yield %r : tensor<4xf32>
  }
  return
}

// -----

// Wide numbers between others: there is no arithmetic on them.
func.func @wide(%x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
  tally.kernel(%n) ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      // expected-error @below {{has elements of type 'i128', which cannot be computed on a GPU}}
      %w = arith.fptosi %v : f32 to i128
      %t = arith.sitofp %w : i128 to f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    tally.yield %r : tensor<4xf32>
  }
  return
}
