// RUN: tally-opt %s --tally-elide-copies --split-input-file | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i) -> (i)>

// Both results are written where they go, side by side.
// CHECK-LABEL: func.func @pair(
// CHECK: %[[ALL:.*]] = memref.alloc({{.*}}) : memref<?x2xf32>
// CHECK: %[[A:.*]] = memref.subview %[[ALL]][0, 0]
// CHECK: %[[B:.*]] = memref.subview %[[ALL]][0, 1]
// CHECK: tally.kernel{{.*}} outs(%[[A]], %[[B]] :
// CHECK-NOT: memref.copy
// CHECK: return %[[ALL]]
func.func @pair(%x: memref<?x1xf32>, %n: index) -> memref<?x2xf32> {
  %c1 = arith.constant 1 : index
  %own = memref.alloc(%n) : memref<?x1xf32>
  %all = memref.alloc(%n) : memref<?x2xf32>
  %first = memref.subview %all[0, 0] [%n, 1] [1, 1] : memref<?x2xf32> to memref<?x1xf32, strided<[2, 1]>>
  tally.kernel(%n, %c1) ins(%x : memref<?x1xf32>) outs(%first, %own : memref<?x1xf32, strided<[2, 1]>>, memref<?x1xf32>) {
  ^bb0(%a: tensor<?x1xf32>, %o: tensor<?x1xf32>, %p: tensor<?x1xf32>):
    %s:2 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x1xf32>) outs(%o, %p : tensor<?x1xf32>, tensor<?x1xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb1(%v: f32, %u0: f32, %u1: f32):
      %t = arith.negf %v : f32
      linalg.yield %v, %t : f32, f32
    } -> (tensor<?x1xf32>, tensor<?x1xf32>)
    tally.yield %s#0, %s#1 : tensor<?x1xf32>, tensor<?x1xf32>
  }
  %second = memref.subview %all[0, 1] [%n, 1] [1, 1] : memref<?x2xf32> to memref<?x1xf32, strided<[2, 1], offset: 1>>
  memref.copy %own, %second : memref<?x1xf32> to memref<?x1xf32, strided<[2, 1], offset: 1>>
  return %all : memref<?x2xf32>
}

// -----

#i = affine_map<(i) -> (i)>

// A dimension of one element is left out of the part; what the part depends on goes up.
// CHECK-LABEL: func.func @edge(
// CHECK: %[[ALL:.*]] = memref.alloc(
// CHECK: %[[LAST:.*]] = arith.subi
// CHECK: %[[PART:.*]] = memref.subview %[[ALL]][0, %[[LAST]]] [%{{.*}}, 1] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[?], offset: ?>>
// CHECK-NEXT: tally.kernel{{.*}} outs(%[[PART]] :
// CHECK-NOT: memref.copy
func.func @edge(%x: memref<?xf32>, %n: index, %w: index) -> memref<?x?xf32> {
  %c1 = arith.constant 1 : index
  %own = memref.alloc(%n) : memref<?xf32>
  tally.kernel(%n) ins(%x : memref<?xf32>) outs(%own : memref<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  %wide = memref.expand_shape %own [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %last = arith.subi %w, %c1 : index
  %all = memref.alloc(%n, %w) : memref<?x?xf32>
  %part = memref.subview %all[0, %last] [%n, 1] [1, 1] : memref<?x?xf32> to memref<?x1xf32, strided<[?, 1], offset: ?>>
  memref.copy %wide, %part : memref<?x1xf32> to memref<?x1xf32, strided<[?, 1], offset: ?>>
  return %all : memref<?x?xf32>
}

// -----

#i = affine_map<(i) -> (i)>

// What others read, what goes to an argument, and what an assert stands before is copied.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-3: memref.copy
func.func @stays(%x: memref<?xf32>, %n: index, %argument: memref<?xf32>, %p: i1) -> (memref<?xf32>, memref<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %own = memref.alloc(%n) : memref<?xf32>
  %all = memref.alloc(%n) : memref<?xf32>
  tally.kernel(%n) ins(%x : memref<?xf32>) outs(%own : memref<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  %part = memref.subview %all[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.copy %own, %part : memref<?xf32> to memref<?xf32, strided<[1]>>
  %f = memref.load %own[%c0] : memref<?xf32>
  %own1 = memref.alloc(%n) : memref<?xf32>
  tally.kernel(%n) ins(%x : memref<?xf32>) outs(%own1 : memref<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      %t = arith.addf %v, %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  %part1 = memref.subview %argument[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.copy %own1, %part1 : memref<?xf32> to memref<?xf32, strided<[1]>>
  %own2 = memref.alloc(%n) : memref<?xf32>
  %all2 = memref.alloc(%n) : memref<?xf32>
  tally.kernel(%n) ins(%x : memref<?xf32>) outs(%own2 : memref<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  tally.assert %p message("too few")
  %part2 = memref.subview %all2[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.copy %own2, %part2 : memref<?xf32> to memref<?xf32, strided<[1]>>
  return %all, %all2, %f : memref<?xf32>, memref<?xf32>, f32
}

// -----

#i = affine_map<(i) -> (i)>

// The kernel reads the part, or another one does in between, at a place that may be the same.
// CHECK-LABEL: func.func @read(
// CHECK-COUNT-2: memref.copy
func.func @read(%n: index, %k: index) -> memref<?xf32> {
  %all = memref.alloc(%n) : memref<?xf32>
  %view = memref.subview %all[0] [%k] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %own = memref.alloc(%k) : memref<?xf32>
  tally.kernel(%k) ins(%view : memref<?xf32, strided<[1]>>) outs(%own : memref<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  %part = memref.subview %all[1] [%k] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>
  memref.copy %own, %part : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>
  %own1 = memref.alloc(%k) : memref<?xf32>
  tally.kernel(%k) outs(%own1 : memref<?xf32>) {
  ^bb0(%o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb1(%u: f32):
      %t = arith.constant 1.0 : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  %f = memref.load %all[%k] : memref<?xf32>
  memref.store %f, %all[%k] : memref<?xf32>
  %part1 = memref.subview %all[0] [%k] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.copy %own1, %part1 : memref<?xf32> to memref<?xf32, strided<[1]>>
  return %all : memref<?xf32>
}
