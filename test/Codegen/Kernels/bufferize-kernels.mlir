// RUN: tally-opt %s --split-input-file --tally-bufferize-kernels --canonicalize --mlir-print-local-scope | FileCheck %s

// Bodies stay on tensors. An input is never written in place, nor is an argument
// that must not be; a fresh tensor is.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index) -> memref<?xf32>
// CHECK-DAG: %[[A:.*]] = memref.alloc(%[[N]])
// CHECK-DAG: %[[B:.*]] = memref.alloc(%[[N]])
// CHECK: tally.kernel(%[[N]]) ins(%[[X]] : memref<?xf32>) outs(%[[A]] : memref<?xf32>) {
// CHECK-NEXT: ^bb0(%[[IN:.*]]: tensor<?xf32>, %[[OUT:.*]]: tensor<?xf32>):
// CHECK: linalg.generic {{.*}} ins(%[[IN]] : tensor<?xf32>) outs(%[[OUT]] : tensor<?xf32>)
// CHECK: tally.yield %{{.*}} : tensor<?xf32>
// CHECK: tally.kernel(%[[N]]) ins(%[[A]] : memref<?xf32>) outs(%[[B]] : memref<?xf32>)
// CHECK: return %[[B]]
func.func @chain(%x: tensor<?xf32> {bufferization.writable = false}, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %0 = tally.kernel(%n) ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  %1 = tally.kernel(%n) ins(%0 : tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      %t = math.absf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A kernel may read a tensor that it is also the destination of, at other places:
// it gets a buffer of its own.
// CHECK-LABEL: func.func @reversed(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>,
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: tally.kernel(%{{.*}}) ins(%[[X]] : memref<8xf32>) outs(%[[A]] : memref<8xf32>)
func.func @reversed(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %0 = tally.kernel(%n) ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%o : tensor<8xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%u: f32):
      %c7 = arith.constant 7 : index
      %i = linalg.index 0 : index
      %j = arith.subi %c7, %i : index
      %v = tensor.extract %a[%j] : tensor<8xf32>
      linalg.yield %v : f32
    } -> tensor<8xf32>
    tally.yield %s : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Halves of a result are made where they belong.
// CHECK-LABEL: func.func @halves(
// CHECK: %[[R:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-NOT: memref.alloc
// CHECK: %[[LOW:.*]] = memref.subview %[[R]][0] [4] [1]
// CHECK: tally.kernel({{.*}} outs(%[[LOW]] :
// CHECK: return %[[R]]
func.func @halves(%v: f32, %n: index, %x: tensor<4xf32> {bufferization.writable = false}) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<4xf32>
  %0 = tally.kernel(%n) ins(%v : f32) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %o: tensor<4xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : f32) outs(%o : tensor<4xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%w: f32, %u: f32):
      linalg.yield %w : f32
    } -> tensor<4xf32>
    tally.yield %s : tensor<4xf32>
  } -> tensor<4xf32>
  %1 = tensor.insert_slice %0 into %e[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %2 = tensor.insert_slice %x into %1[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// So are products.
// CHECK-LABEL: func.func @product(
// CHECK: %[[R:.*]] = memref.alloc
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : memref<4x4xf32>, memref<4x4xf32>) outs(%[[R]] : memref<4x4xf32>) {transpose_b}
// CHECK: return %[[R]]
func.func @product(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %c = tally.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {transpose_b} -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
