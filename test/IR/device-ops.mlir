// RUN: tally-opt %s | tally-opt | FileCheck %s
// RUN: tally-opt %s --mlir-print-op-generic | tally-opt | FileCheck %s

// CHECK: #[[BACK:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, -d4 + 2)>
// CHECK-LABEL: func.func @kernel_on_tensors(
// CHECK: tally.kernel(%{{.*}}, %{{.*}}) reduces [1] ins(%{{.*}}, %{{.*}} : tensor<?x?xf32>, f32) outs(%{{.*}} : tensor<?xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<?x?xf32>, %{{.*}}: f32, %{{.*}}: tensor<?xf32>):
// CHECK: attrs = {tally.dims = array<i64: 0, 1>}
// CHECK: tally.yield %{{.*}} : tensor<?xf32>
// CHECK-NEXT: } -> tensor<?xf32>
func.func @kernel_on_tensors(%m: index, %n: index, %x: tensor<?x?xf32>, %v: f32, %e: tensor<?xf32>) -> tensor<?xf32> {
  %r = tally.kernel(%m, %n) reduces [1] ins(%x, %v : tensor<?x?xf32>, f32) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: f32, %o: tensor<?xf32>):
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    %start = tensor.cast %zero : tensor<4xf32> to tensor<?xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x?xf32>) outs(%start : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%p: f32, %q: f32):
      %t = arith.addf %p, %q : f32
      %u = arith.mulf %t, %b : f32
      linalg.yield %u : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// The body sees a memref as a tensor of its contents, whatever its layout, and
// whatever of its sizes the type tells.
// CHECK-LABEL: func.func @kernel_on_memrefs(
// CHECK: tally.kernel() outs(%{{.*}} : memref<1xf32, strided<[?], offset: ?>>) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<?xf32>):
// CHECK: tally.yield %{{.*}} : tensor<?xf32>
// CHECK-NEXT: }
func.func @kernel_on_memrefs(%m: memref<1xf32, strided<[?], offset: ?>>) {
  tally.kernel() outs(%m : memref<1xf32, strided<[?], offset: ?>>) {
  ^bb0(%o: tensor<?xf32>):
    tally.yield %o : tensor<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @products(
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<?x4xbf16>, tensor<8x?xbf16>) outs(%{{.*}} : tensor<?x?xbf16>) {transpose_b} -> tensor<?x?xbf16>
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%{{.*}} : memref<?x?x?xf32>)
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : memref<?x?x?xi8>, memref<?x?x?xi8>) outs(%{{.*}} : memref<?x?x?xi32>)
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : memref<?x?x?xf64>, memref<?x?x?xf64>) outs(%{{.*}} : memref<?x?x?xf64>) {fallback = @kernels::@product, transpose_a}
func.func @products(%a: tensor<?x4xbf16>, %b: tensor<8x?xbf16>, %c: tensor<?x?xbf16>, %m: memref<?x?x?xf64>,
                    %h: memref<?x?x?xf16>, %f: memref<?x?x?xf32>, %i: memref<?x?x?xi8>, %j: memref<?x?x?xi32>) -> tensor<?x?xbf16> {
  %r = tally.matmul ins(%a, %b : tensor<?x4xbf16>, tensor<8x?xbf16>) outs(%c : tensor<?x?xbf16>) {transpose_b} -> tensor<?x?xbf16>
  tally.matmul ins(%h, %h : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%f : memref<?x?x?xf32>)
  tally.matmul ins(%i, %i : memref<?x?x?xi8>, memref<?x?x?xi8>) outs(%j : memref<?x?x?xi32>)
  tally.matmul ins(%m, %m : memref<?x?x?xf64>, memref<?x?x?xf64>) outs(%m : memref<?x?x?xf64>) {transpose_a, fallback = @kernels::@product}
  return %r : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @contractions(
// CHECK: tally.contract ins(%{{.*}}, %{{.*}} : tensor<?x?x3x3xf16>, tensor<?x?x?x?xf16>) outs(%{{.*}} : tensor<?x?x?x?xf16>) maps [#{{.*}}, #{{.*}}, #{{.*}}] -> tensor<?x?x?x?xf16>
// CHECK: tally.contract ins(%{{.*}}, %{{.*}} : memref<4x?xf64>, memref<?xf64>) outs(%{{.*}} : memref<4xf64>) maps [#{{.*}}, #{{.*}}, #{{.*}}] {note}
func.func @contractions(%w: tensor<?x?x3x3xf16>, %x: tensor<?x?x?x?xf16>, %e: tensor<?x?x?x?xf16>,
                        %a: memref<4x?xf64>, %b: memref<?xf64>, %c: memref<4xf64>) -> tensor<?x?x?x?xf16> {
  %r = tally.contract ins(%w, %x : tensor<?x?x3x3xf16>, tensor<?x?x?x?xf16>) outs(%e : tensor<?x?x?x?xf16>)
      maps [affine_map<(n, o, y, x, c, i, j) -> (o, c, i, j)>,
            affine_map<(n, o, y, x, c, i, j) -> (n, c, y * 2 + i - 1, x * 2 + j * 3)>,
            affine_map<(n, o, y, x, c, i, j) -> (n, o, y, x)>] -> tensor<?x?x?x?xf16>
  tally.contract ins(%a, %b : memref<4x?xf64>, memref<?xf64>) outs(%c : memref<4xf64>)
      maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>] {note}
  return %r : tensor<?x?x?x?xf16>
}

// A weight that is read backwards.
// CHECK-LABEL: func.func @backwards(
// CHECK: tally.contract {{.*}} maps [#[[BACK]], #{{.*}}, #{{.*}}] -> tensor<?x5x?xf32>
func.func @backwards(%w: tensor<4x5x3xf32>, %x: tensor<?x4x?xf32>, %e: tensor<?x5x?xf32>) -> tensor<?x5x?xf32> {
  %r = tally.contract ins(%w, %x : tensor<4x5x3xf32>, tensor<?x4x?xf32>) outs(%e : tensor<?x5x?xf32>)
      maps [affine_map<(n, o, x, c, i) -> (c, o, 2 - i)>, affine_map<(n, o, x, c, i) -> (n, c, x + i)>,
            affine_map<(n, o, x, c, i) -> (n, o, x)>] -> tensor<?x5x?xf32>
  return %r : tensor<?x5x?xf32>
}

// CHECK-LABEL: func.func @compaction(
// CHECK: %[[BEFORE:.*]] = tally.count_nonzero ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?xi64>) tile 1024 -> tensor<?xi64>
// CHECK: tally.write_nonzero ins(%{{.*}}, %[[BEFORE]] : tensor<?x?xf32>, tensor<?xi64>) outs(%{{.*}} : tensor<?x2xi64>) tile 1024 -> tensor<?x2xi64>
// CHECK: tally.count_nonzero ins(%{{.*}} : memref<?xi1>) outs(%{{.*}} : memref<?xi64>) tile 32
func.func @compaction(%x: tensor<?x?xf32>, %e: tensor<?xi64>, %rows: tensor<?x2xi64>, %m: memref<?xi1>, %n: memref<?xi64>) -> tensor<?x2xi64> {
  %before = tally.count_nonzero ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xi64>) tile 1024 -> tensor<?xi64>
  %r = tally.write_nonzero ins(%x, %before : tensor<?x?xf32>, tensor<?xi64>) outs(%rows : tensor<?x2xi64>) tile 1024 -> tensor<?x2xi64>
  tally.count_nonzero ins(%m : memref<?xi1>) outs(%n : memref<?xi64>) tile 32
  return %r : tensor<?x2xi64>
}

// CHECK-LABEL: func.func @host(
// CHECK: tally.read_back %{{.*}}[%{{.*}}] : memref<?xindex>
// CHECK: tally.read_back %{{.*}}[] : memref<i1>
// CHECK: tally.any_order : i1
// CHECK: tally.device_errors : memref<1xi64>
// CHECK: tally.check_device
// CHECK: tally.kernel_address @kernels::@product : !llvm.ptr
func.func @host(%x: memref<?xindex>, %p: memref<i1>, %i: index) -> (index, i1, memref<1xi64>, !llvm.ptr) {
  %0 = tally.read_back %x[%i] : memref<?xindex>
  %1 = tally.read_back %p[] : memref<i1>
  %any = tally.any_order : i1
  %2 = tally.device_errors : memref<1xi64>
  tally.check_device
  %3 = tally.kernel_address @kernels::@product : !llvm.ptr
  return %0, %1, %2, %3 : index, i1, memref<1xi64>, !llvm.ptr
}

// A matmul that computes what it multiplies with.
// CHECK-LABEL: func.func @prologue(
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<4x8xi8>) elements(%{{.*}}, %{{.*}} : tensor<1x8xf32>, f32)
// CHECK-SAME: maps [#{{.*}}, #{{.*}}] outs(%{{.*}} : tensor<?x8xf32>) prologue {
// CHECK: ^bb0(%{{.*}}: i8, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: } -> tensor<?x8xf32>
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : memref<?x4xf32>, memref<8x4xi8>) outs(%{{.*}} : memref<?x8xf32>) prologue {
// CHECK: } {transpose_b}
func.func @prologue(%a: tensor<?x4xf32>, %b: tensor<4x8xi8>, %s: tensor<1x8xf32>, %t: f32, %c: tensor<?x8xf32>,
                    %ma: memref<?x4xf32>, %mb: memref<8x4xi8>, %mc: memref<?x8xf32>) -> tensor<?x8xf32> {
  %r = tally.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x8xi8>) elements(%s, %t : tensor<1x8xf32>, f32)
      maps [affine_map<(k, n) -> (0, n)>, affine_map<(k, n) -> ()>] outs(%c : tensor<?x8xf32>) prologue {
  ^bb0(%x: i8, %y: f32, %z: f32):
    %f = arith.sitofp %x : i8 to f32
    %p = arith.mulf %f, %y : f32
    %q = arith.addf %p, %z : f32
    tally.yield %q : f32
  } -> tensor<?x8xf32>
  tally.matmul ins(%ma, %mb : memref<?x4xf32>, memref<8x4xi8>) outs(%mc : memref<?x8xf32>) prologue {
  ^bb0(%x: i8):
    %f = arith.sitofp %x : i8 to f32
    tally.yield %f : f32
  } {transpose_b}
  return %r : tensor<?x8xf32>
}

// A bias for each row, and negative elements that become 0.
// CHECK-LABEL: func.func @epilogues(
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : tensor<?x4xbf16>, tensor<8x4xbf16>) bias(%{{.*}} : tensor<8xbf16>) outs(%{{.*}} : tensor<?x8xbf16>) {relu, transpose_b} -> tensor<?x8xbf16>
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : memref<?x4xf16>, memref<4x?xf16>) bias(%{{.*}} : memref<?xf32>) outs(%{{.*}} : memref<?x?xf32>){{$}}
// CHECK: tally.matmul ins(%{{.*}}, %{{.*}} : memref<?x4xf16>, memref<4x?xf16>) outs(%{{.*}} : memref<?x?xf32>) {relu}
func.func @epilogues(%a: tensor<?x4xbf16>, %b: tensor<8x4xbf16>, %v: tensor<8xbf16>, %c: tensor<?x8xbf16>,
                     %ma: memref<?x4xf16>, %mb: memref<4x?xf16>, %mv: memref<?xf32>, %mc: memref<?x?xf32>) -> tensor<?x8xbf16> {
  %r = tally.matmul ins(%a, %b : tensor<?x4xbf16>, tensor<8x4xbf16>) bias(%v : tensor<8xbf16>)
      outs(%c : tensor<?x8xbf16>) {relu, transpose_b} -> tensor<?x8xbf16>
  tally.matmul ins(%ma, %mb : memref<?x4xf16>, memref<4x?xf16>) bias(%mv : memref<?xf32>) outs(%mc : memref<?x?xf32>)
  tally.matmul ins(%ma, %mb : memref<?x4xf16>, memref<4x?xf16>) outs(%mc : memref<?x?xf32>) {relu}
  return %r : tensor<?x8xbf16>
}
