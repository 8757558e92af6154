// RUN: tally-opt %s --split-input-file --tally-copy-rows --canonicalize --cse | FileCheck %s

#all = affine_map<(i, j, k) -> (i, j, k)>

// The last two dimensions lie in one piece in both buffers: rows of 32 n bytes.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: memref<?x?x8xf32>, %[[Y:.*]]: memref<?x?x8xf32, strided<[?, 8, 1], offset: ?>>)
// CHECK-DAG: %[[M:.*]] = memref.dim %[[Y]], %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %[[Y]], %c1
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c32
// CHECK: %[[LONG:.*]] = arith.cmpi uge, %[[BYTES]], %c512
// CHECK: scf.if %[[LONG]] {
// CHECK:   memref.extract_aligned_pointer_as_index
// CHECK:   scf.parallel (%[[I:.*]]) = (%c0) to (%[[M]]) step (%c1) {
// CHECK:     %[[TO:.*]] = llvm.inttoptr
// CHECK:     %[[FROM:.*]] = llvm.inttoptr
// CHECK:     %[[LENGTH:.*]] = arith.index_cast %[[BYTES]] : index to i64
// CHECK:     "llvm.intr.memcpy"(%[[TO]], %[[FROM]], %[[LENGTH]]) <{isVolatile = false}>
// CHECK:   } {tally.points = 128 : index}
// CHECK: } else {
// CHECK:   linalg.generic
// CHECK-SAME: ins(%[[X]]
// CHECK-SAME: outs(%[[Y]]
func.func @rows(%x: memref<?x?x8xf32>, %y: memref<?x?x8xf32, strided<[?, 8, 1], offset: ?>>) {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<?x?x8xf32>) outs(%y : memref<?x?x8xf32, strided<[?, 8, 1], offset: ?>>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>

// One piece, elements that are apart, also where they are rows of one, bits, a transpose and arithmetic stay.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: memcpy
// CHECK-COUNT-6: linalg.generic
// CHECK-NOT: memcpy
// CHECK: return
func.func @others(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %s: memref<?x?xf32, strided<[?, 2]>>, %a: memref<?x?xi1>, %b: memref<?x?xi1, strided<[?, 1], offset: ?>>,
                  %r: memref<?x?xf32, strided<[?, 1], offset: ?>>, %p: memref<?x?x1xf32>, %q: memref<?x?x1xf32, strided<[?, 2, 1]>>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : memref<?x?x1xf32>) outs(%q : memref<?x?x1xf32, strided<[?, 2, 1]>>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%s : memref<?x?xf32, strided<[?, 2]>>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x?xi1>) outs(%b : memref<?x?xi1, strided<[?, 1], offset: ?>>) {
  ^bb0(%v: i1, %unused: i1):
    linalg.yield %v : i1
  }
  linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%r : memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%r : memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  ^bb0(%v: f32, %unused: f32):
    %t = arith.addf %v, %v : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// What is written to rank 0 may be a scalar.
// CHECK-LABEL: func.func @scalar(
// CHECK-NOT: memcpy
// CHECK: linalg.generic
// CHECK-NOT: memcpy
// CHECK: return
func.func @scalar(%x: f32, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%x : f32) outs(%y : memref<f32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}

// -----

// A buffer is copied in blocks of 64 KiB, which threads share.
// CHECK-LABEL: func.func @blocks(
// CHECK-SAME: %[[X:.*]]: memref<?x3xf32>, %[[Y:.*]]: memref<?x3xf32>)
// CHECK: %[[N:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c12
// CHECK: %[[FROM:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: %[[TO:.*]] = memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK: %[[COUNT:.*]] = arith.ceildivui %[[BYTES]], %c65536
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%[[COUNT]]) step (%c1) {
// CHECK:   %[[BEGIN:.*]] = arith.muli %[[I]], %c65536
// CHECK:   %[[LEFT:.*]] = arith.subi %[[BYTES]], %[[BEGIN]]
// CHECK:   %[[LENGTH:.*]] = arith.minui %[[LEFT]], %c65536
// CHECK:   llvm.intr.memcpy
// CHECK: } {tally.points = 1024 : index}
// CHECK-NOT: memref.copy
func.func @blocks(%x: memref<?x3xf32>, %y: memref<?x3xf32>) {
  memref.copy %x, %y : memref<?x3xf32> to memref<?x3xf32>
  return
}

// -----

// A small one is not, nor what a thread does, nor bits.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: memcpy
// CHECK: memref.copy
// CHECK: scf.parallel
// CHECK: memref.copy
// CHECK: memref.copy
func.func @small(%x: memref<100x100xf32>, %y: memref<100x100xf32>, %s: memref<?xf32>, %t: memref<?xf32>, %p: memref<?xi1>, %q: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  memref.copy %x, %y : memref<100x100xf32> to memref<100x100xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.copy %s, %t : memref<?xf32> to memref<?xf32>
    scf.reduce
  }
  memref.copy %p, %q : memref<?xi1> to memref<?xi1>
  return
}
