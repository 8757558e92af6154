// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-fuse-prologues))' --split-input-file | FileCheck %s

#nk = affine_map<(n, k) -> (n, k)>
#n = affine_map<(n, k) -> (n, 0)>
#none = affine_map<(n, k) -> ()>

// Bytes with a scale for each column, and a number that all share.
// CHECK: #[[N:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK: #[[NONE:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x4xf32>, %[[W:[a-z0-9]+]]: tensor<8x4xi8>, %[[S:[a-z0-9]+]]: tensor<8x1xf32>, %[[Z:[a-z0-9]+]]: f32
// CHECK-NOT:     linalg.generic
// CHECK:         %[[R:.*]] = tally.matmul ins(%[[X]], %[[W]] : tensor<?x4xf32>, tensor<8x4xi8>)
// CHECK-SAME:      elements(%[[S]], %[[Z]] : tensor<8x1xf32>, f32) maps [#[[N]], #[[NONE]]] outs(%{{.*}} : tensor<?x8xf32>) prologue {
// CHECK-NEXT:    ^bb0(%[[BYTE:.*]]: i8, %[[SCALE:.*]]: f32, %[[ZERO:.*]]: f32):
// CHECK-NEXT:      %[[F:.*]] = arith.sitofp %[[BYTE]] : i8 to f32
// CHECK-NEXT:      %[[D:.*]] = arith.subf %[[F]], %[[ZERO]] : f32
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[D]], %[[SCALE]] : f32
// CHECK-NEXT:      tally.yield %[[P]] : f32
// CHECK-NEXT:    } {transpose_b} -> tensor<?x8xf32>
// CHECK:         return %[[R]]
func.func @linear(%x: tensor<?x4xf32>, %w: tensor<8x4xi8>, %s: tensor<8x1xf32>, %z: f32, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [#nk, #n, #none, #nk], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %z : tensor<8x4xi8>, tensor<8x1xf32>, f32) outs(%f : tensor<8x4xf32>) {
  ^bb0(%byte: i8, %scale: f32, %zero: f32, %o: f32):
    %number = arith.sitofp %byte : i8 to f32
    %difference = arith.subf %number, %zero : f32
    %r = arith.mulf %difference, %scale : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %r = tally.matmul ins(%x, %d : tensor<?x4xf32>, tensor<8x4xf32>) outs(%e : tensor<?x8xf32>) {transpose_b} -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

#kn = affine_map<(k, n) -> (k, n)>
#nk = affine_map<(k, n) -> (n, k)>
#n = affine_map<(k, n) -> (n)>

// What is transposed while it is computed, is read transposed.
// CHECK: #[[N:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @transposed(
// CHECK:         tally.matmul ins(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<8x4xi8>) elements(%{{.*}} : tensor<8xf32>) maps [#[[N]]]
// CHECK:         } {transpose_b}
func.func @transposed(%x: tensor<?x4xf32>, %w: tensor<8x4xi8>, %s: tensor<8xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %f = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {indexing_maps = [#nk, #n, #kn], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<8x4xi8>, tensor<8xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%byte: i8, %scale: f32, %o: f32):
    %number = arith.sitofp %byte : i8 to f32
    %r = arith.mulf %number, %scale : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %r = tally.matmul ins(%x, %d : tensor<?x4xf32>, tensor<4x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

#nk = affine_map<(n, k) -> (n, k)>

// Nothing is saved where elements are as wide as their source.
// CHECK-LABEL: func.func @wide(
// CHECK:         linalg.generic
// CHECK:         tally.matmul
// CHECK-NOT:     prologue
// CHECK:         return
func.func @wide(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %f = tensor.empty() : tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [#nk, #nk], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x4xf32>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %r = tally.matmul ins(%x, %d : tensor<?x4xf32>, tensor<8x4xf32>) outs(%e : tensor<?x8xf32>) {transpose_b} -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

#nk = affine_map<(n, k) -> (n, k)>

// What is needed elsewhere is computed once.
// CHECK-LABEL: func.func @used_twice(
// CHECK:         linalg.generic
// CHECK-NOT:     prologue
// CHECK:         return
func.func @used_twice(%x: tensor<?x4xf32>, %w: tensor<8x4xi8>, %e: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<8x4xf32>) {
  %f = tensor.empty() : tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [#nk, #nk], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x4xi8>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %r = arith.sitofp %a : i8 to f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %r = tally.matmul ins(%x, %d : tensor<?x4xf32>, tensor<8x4xf32>) outs(%e : tensor<?x8xf32>) {transpose_b} -> tensor<?x8xf32>
  return %r, %d : tensor<?x8xf32>, tensor<8x4xf32>
}

// -----

#nk = affine_map<(n, k) -> (n, k)>

// A position, and what is looked up, are not there when an element is computed.
// CHECK-LABEL: func.func @positions(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:     prologue
// CHECK:         return
func.func @positions(%x: tensor<?x4xf32>, %w: tensor<8x4xi8>, %book: tensor<256xf32>, %e: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %f = tensor.empty() : tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [#nk, #nk], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x4xi8>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %i = arith.index_castui %a : i8 to index
    %r = tensor.extract %book[%i] : tensor<256xf32>
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %r = tally.matmul ins(%x, %d : tensor<?x4xf32>, tensor<8x4xf32>) outs(%e : tensor<?x8xf32>) {transpose_b} -> tensor<?x8xf32>
  %d2 = linalg.generic {indexing_maps = [#nk, #nk], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<8x4xi8>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%a: i8, %o: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i8
    %k = arith.addi %a, %j : i8
    %n = arith.sitofp %k : i8 to f32
    linalg.yield %n : f32
  } -> tensor<8x4xf32>
  %r2 = tally.matmul ins(%x, %d2 : tensor<?x4xf32>, tensor<8x4xf32>) outs(%e : tensor<?x8xf32>) {transpose_b} -> tensor<?x8xf32>
  return %r, %r2 : tensor<?x8xf32>, tensor<?x8xf32>
}
