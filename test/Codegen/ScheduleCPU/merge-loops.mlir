// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-merge-loops))' --split-input-file | FileCheck %s

// Rows and columns are one dimension of each operand that has them.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func.func @channels(
// CHECK-SAME: %[[X:.*]]: memref<?x8x?x?xf32>, %[[W:.*]]: memref<8xf32>, %[[Y:.*]]: memref<?x8x?x?xf32>
// CHECK-DAG: %[[A:.*]] = memref.collapse_shape %[[X]] {{\[}}[0], [1], [2, 3]] : memref<?x8x?x?xf32> into memref<?x8x?xf32>
// CHECK-DAG: %[[B:.*]] = memref.collapse_shape %[[Y]] {{\[}}[0], [1], [2, 3]] : memref<?x8x?x?xf32> into memref<?x8x?xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[CHANNEL]], #[[ALL]]], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[A]], %[[W]] : {{.*}}) outs(%[[B]]
// CHECK-SAME: attrs = {kept}
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
func.func @channels(%x: memref<?x8x?x?xf32>, %w: memref<8xf32>, %y: memref<?x8x?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(b, c, i, j) -> (b, c, i, j)>, affine_map<(b, c, i, j) -> (c)>, affine_map<(b, c, i, j) -> (b, c, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %w : memref<?x8x?x?xf32>, memref<8xf32>) outs(%y : memref<?x8x?x?xf32>) attrs = {kept} {
  ^bb0(%v: f32, %s: f32, %unused: f32):
    %t = arith.mulf %v, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// What is all of one piece has one loop.
// CHECK-LABEL: func.func @all(
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2]] : memref<?x3x?xf32> into memref<?xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
func.func @all(%x: memref<?x3x?xf32>, %n: f32) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> ()>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%n : f32) outs(%x : memref<?x3x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}

// -----

// Reductions are merged with reductions.
// CHECK-LABEL: func.func @sums(
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1], [2, 3]]
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1]]
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @sums(%x: memref<?x?x?x?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(b, c, i, j) -> (b, c, i, j)>, affine_map<(b, c, i, j) -> (b, c)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x : memref<?x?x?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %s: f32):
    %t = arith.addf %v, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Rows that are apart in memory, another order, indices, windows and tensors keep their loops.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: collapse_shape
// CHECK: return
func.func @apart(%x: memref<?x?xf32, strided<[?, 1]>>, %y: memref<?x?xf32>, %z: memref<?xf32>, %t: tensor<?x?xf32>, %u: memref<?x?xindex>) -> tensor<?x?xf32> {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32, strided<[?, 1]>>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%u : memref<?x?xindex>) {
  ^bb0(%unused: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%z : memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%t : tensor<?x?xf32>) {
  ^bb0(%v: f32):
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Where nothing runs, nothing is merged.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT: collapse_shape
// CHECK: return
func.func @nothing(%x: memref<?x0x?xf32>, %n: f32) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> ()>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%n : f32) outs(%x : memref<?x0x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}

// -----

// The index of the merged loop is what the body makes of a row and a column; batches and channels have indices of their own.
// CHECK-LABEL: func.func @linear(
// CHECK: linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]} outs(%{{.*}} : memref<?x8x?xf32>) {
// CHECK-DAG: %[[B:.*]] = linalg.index 0
// CHECK-DAG: %[[C:.*]] = linalg.index 1
// CHECK-DAG: %[[N:.*]] = linalg.index 2
// CHECK-NOT: affine.apply
// CHECK: %[[PLACE:.*]] = memref.load %{{.*}}[%[[B]], %[[N]]]
// CHECK: memref.load %{{.*}}[%[[C]], %[[PLACE]]]
func.func @linear(%places: memref<?x?xindex>, %x: memref<8x?xf32>, %b: index, %h: index, %w: index) -> memref<?x8x?x?xf32> {
  %y = memref.alloc(%b, %h, %w) : memref<?x8x?x?xf32>
  linalg.generic {indexing_maps = [affine_map<(b, c, i, j) -> (b, c, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%y : memref<?x8x?x?xf32>) {
  ^bb0(%unused: f32):
    %0 = linalg.index 0 : index
    %1 = linalg.index 1 : index
    %2 = linalg.index 2 : index
    %3 = linalg.index 3 : index
    %n = affine.apply affine_map<()[row, size, column] -> (row * size + column)>()[%2, %w, %3]
    %place = memref.load %places[%0, %n] : memref<?x?xindex>
    %v = memref.load %x[%1, %place] : memref<8x?xf32>
    linalg.yield %v : f32
  }
  return %y : memref<?x8x?x?xf32>
}

// -----

// Another size, and another use of the row.
// CHECK-LABEL: func.func @not_linear(
// CHECK-COUNT-2: iterator_types = ["parallel", "parallel"]
func.func @not_linear(%x: memref<?xf32>, %h: index, %w: index) -> (memref<?x?xf32>, memref<?x?xf32>) {
  %y = memref.alloc(%h, %w) : memref<?x?xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xf32>) {
  ^bb0(%unused: f32):
    %0 = linalg.index 0 : index
    %1 = linalg.index 1 : index
    %n = affine.apply affine_map<()[row, size, column] -> (row * size + column)>()[%0, %h, %1]
    %v = memref.load %x[%n] : memref<?xf32>
    linalg.yield %v : f32
  }
  %z = memref.alloc(%h, %w) : memref<?x?xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%z : memref<?x?xf32>) {
  ^bb0(%unused: f32):
    %0 = linalg.index 0 : index
    %1 = linalg.index 1 : index
    %n = affine.apply affine_map<()[row, size, column] -> (row * size + column)>()[%0, %w, %1]
    %v = memref.load %x[%n] : memref<?xf32>
    %u = memref.load %x[%0] : memref<?xf32>
    %t = arith.addf %v, %u : f32
    linalg.yield %t : f32
  }
  return %y, %z : memref<?x?xf32>, memref<?x?xf32>
}

// -----

// Channels, rows and columns of a part with all rows and columns are one
// dimension, in what is read and in what is written.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[X:.*]]: memref<?x32x?x?xf32>
// CHECK: %[[N:.*]] = memref.dim %[[X]], %c3
// CHECK-DAG: %[[Y:.*]] = memref.alloc
// CHECK: %[[FX:.*]] = memref.collapse_shape %[[X]] {{\[}}[0], [1, 2, 3]]
// CHECK: memref.subview %[[FX]][0, %{{.*}}] [%{{.*}}, %{{.*}}] [1, 1]
// CHECK: %[[FY:.*]] = memref.collapse_shape %[[Y]] {{\[}}[0], [1, 2, 3]]
// CHECK: memref.subview %[[FY]][0, 0]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
func.func @halves(%x: memref<?x32x?x?xf32>) -> memref<?x48x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = memref.dim %x, %c0 : memref<?x32x?x?xf32>
  %m = memref.dim %x, %c2 : memref<?x32x?x?xf32>
  %n = memref.dim %x, %c3 : memref<?x32x?x?xf32>
  %y = memref.alloc(%b, %m, %n) : memref<?x48x?x?xf32>
  %from = memref.subview %x[0, 16, 0, 0] [%b, 16, %m, %n] [1, 1, 1, 1] : memref<?x32x?x?xf32> to memref<?x16x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>
  %to = memref.subview %y[0, 0, 0, 0] [%b, 16, %m, %n] [1, 1, 1, 1] : memref<?x48x?x?xf32> to memref<?x16x?x?xf32, strided<[?, ?, ?, 1]>>
  linalg.generic {indexing_maps = [affine_map<(b, c, i, j) -> (b, c, i, j)>, affine_map<(b, c, i, j) -> (b, c, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%from : memref<?x16x?x?xf32, strided<[?, ?, ?, 1], offset: ?>>) outs(%to : memref<?x16x?x?xf32, strided<[?, ?, ?, 1]>>) {
  ^bb0(%v: f32, %unused: f32):
    %t = arith.negf %v : f32
    linalg.yield %t : f32
  }
  return %y : memref<?x48x?x?xf32>
}

// -----

// Not all columns: rows are apart. Of every other row, too. Rows of a batch that
// are a part of all are not, but batches are.
// CHECK-LABEL: func.func @columns(
// CHECK: iterator_types = ["parallel", "parallel", "parallel"]
// CHECK-LABEL: func.func @steps(
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK-LABEL: func.func @rows(
// CHECK: iterator_types = ["parallel", "parallel"]
func.func @columns(%x: memref<4x?x?xf32>, %y: memref<4x?x?xf32>, %m: index, %k: index) {
  %from = memref.subview %x[0, 0, 0] [4, %m, %k] [1, 1, 1] : memref<4x?x?xf32> to memref<4x?x?xf32, strided<[?, ?, 1]>>
  linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%from : memref<4x?x?xf32, strided<[?, ?, 1]>>) outs(%y : memref<4x?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}

func.func @steps(%x: memref<8x16xf32>, %y: memref<4x16xf32>) {
  %from = memref.subview %x[0, 0] [4, 16] [2, 1] : memref<8x16xf32> to memref<4x16xf32, strided<[32, 1]>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%from : memref<4x16xf32, strided<[32, 1]>>) outs(%y : memref<4x16xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}

func.func @rows(%x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = memref.dim %x, %c0 : memref<?x?x?xf32>
  %n = memref.dim %x, %c2 : memref<?x?x?xf32>
  %from = memref.subview %x[0, %k, 0] [%b, 7, %n] [1, 1, 1] : memref<?x?x?xf32> to memref<?x7x?xf32, strided<[?, ?, 1], offset: ?>>
  %w = memref.dim %y, %c2 : memref<?x?x?xf32>
  %to = memref.subview %y[0, 0, 0] [%b, 7, %w] [1, 1, 1] : memref<?x?x?xf32> to memref<?x7x?xf32, strided<[?, ?, 1]>>
  linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%from : memref<?x7x?xf32, strided<[?, ?, 1], offset: ?>>) outs(%to : memref<?x7x?xf32, strided<[?, ?, 1]>>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}

// The real parts of complex numbers: rows are merged, but not with the only column, behind
// which each number has another one.
// CHECK-LABEL: func.func @parts(
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : memref<?x?x2xf32> into memref<?x2xf32>
// CHECK: memref.subview %{{.*}}[0, 0] [%{{.*}}, 1] [1, 1] : memref<?x2xf32> to memref<?x1xf32, strided<[2, 1]>>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
func.func @parts(%x: memref<?x?x2xf32>, %y: memref<?x?x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?x2xf32>
  %n = memref.dim %x, %c1 : memref<?x?x2xf32>
  %from = memref.subview %x[0, 0, 0] [%m, %n, 1] [1, 1, 1] : memref<?x?x2xf32> to memref<?x?x1xf32, strided<[?, 2, 1]>>
  linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%from : memref<?x?x1xf32, strided<[?, 2, 1]>>) outs(%y : memref<?x?x1xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}

// -----

// A part has all columns where its size is asserted to be theirs, which the first loop is before.
// CHECK-LABEL: func.func @asserted(
// CHECK: iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: tally.assert
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : memref<?x?x2xf32> into memref<?x2xf32>
// CHECK: iterator_types = ["parallel", "parallel"]
func.func @asserted(%x: memref<?x?x2xf32>, %y: memref<?x?x1xf32>, %m: index, %n: index) {
  %c1 = arith.constant 1 : index
  %width = memref.dim %x, %c1 : memref<?x?x2xf32>
  %early = memref.subview %x[0, 0, 0] [%m, %n, 1] [1, 1, 1] : memref<?x?x2xf32> to memref<?x?x1xf32, strided<[?, 2, 1]>>
  linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%early : memref<?x?x1xf32, strided<[?, 2, 1]>>) outs(%y : memref<?x?x1xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  %same = arith.cmpi eq, %n, %width : index
  tally.assert %same message("the widths differ")
  %from = memref.subview %x[0, 0, 0] [%m, %n, 1] [1, 1, 1] : memref<?x?x2xf32> to memref<?x?x1xf32, strided<[?, 2, 1]>>
  linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i, j)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%from : memref<?x?x1xf32, strided<[?, 2, 1]>>) outs(%y : memref<?x?x1xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}
