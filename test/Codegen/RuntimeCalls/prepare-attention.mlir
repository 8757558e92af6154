// RUN: tally-opt %s --tally-prepare-attention | FileCheck %s

// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK-DAG: #[[KMAP:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>
// CHECK-DAG: #[[V:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>

// CHECK-LABEL: func.func @masked(
// CHECK:         tally.attention
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index, %[[P:.*]]: f32):
// CHECK:           %[[S:.*]] = arith.addf %[[P]], %[[P]]
// CHECK:           %[[LAST:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK:           %[[SEES:.*]] = arith.cmpi sle, %[[J]], %[[LAST]]
// CHECK:           %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK:           %[[MASKED:.*]] = arith.select %[[SEES]], %[[S]], %[[LOWEST]]
// CHECK:           tally.yield %[[MASKED]]
// CHECK-NEXT:    } -> tensor<?x?x?xf32>
func.func @masked(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) -> tensor<?x?x?xf32> {
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%e : tensor<?x?x?xf32>)
      maps [affine_map<(b, i, j, e, c) -> (b, i, e)>, affine_map<(b, i, j, e, c) -> (b, j, e)>,
            affine_map<(b, i, j, e, c) -> (b, j, c)>, affine_map<(b, i, j, e, c) -> (b, i, c)>]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        %s = arith.addf %p, %p : f32
        tally.yield %s : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index):
        %last = arith.addi %i, %n : index
        %sees = arith.cmpi sle, %j, %last : index
        tally.yield %sees : i1
      } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x5x?xf16>, %[[K:[a-z0-9]+]]: tensor<?x7x?xf16>, %{{[a-z0-9]+}}: tensor<?x7x?xf16>, %[[E:[a-z0-9]+]]: tensor<?x?x5xf16>
// CHECK:         %[[KEPT:.*]] = linalg.transpose ins(%[[K]]
// CHECK-DAG:     %[[COLUMNS:.*]] = tensor.dim %[[E]], %c0
// CHECK-DAG:     %[[BATCH:.*]] = tensor.dim %[[E]], %c1
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[BATCH]], %[[COLUMNS]]) : tensor<?x5x?xf16>
// CHECK:         %[[R:.*]] = tally.attention ins(%[[Q]], %[[K]], %[[K]] : {{.*}}) outs(%[[EMPTY]] : tensor<?x5x?xf16>) maps [#[[B]], #[[KMAP]], #[[V]], #[[O]]]
// CHECK:         return %[[R]], %[[KEPT]]
func.func @transposed(%q: tensor<?x5x?xf16>, %k: tensor<?x7x?xf16>, %v: tensor<?x7x?xf16>, %e: tensor<?x?x5xf16>, %w: tensor<?x?x7xf16>, %x: tensor<?x?x5xf16>, %y: tensor<?x5x?xf16>) -> (tensor<?x5x?xf16>, tensor<?x?x7xf16>) {
  %t = linalg.transpose ins(%q : tensor<?x5x?xf16>) outs(%x : tensor<?x?x5xf16>) permutation = [2, 0, 1]
  %u = linalg.transpose ins(%k : tensor<?x7x?xf16>) outs(%w : tensor<?x?x7xf16>) permutation = [2, 0, 1]
  %r = tally.attention ins(%t, %u, %u : tensor<?x?x5xf16>, tensor<?x?x7xf16>, tensor<?x?x7xf16>)
      outs(%e : tensor<?x?x5xf16>)
      maps [affine_map<(b, i, j, e, c) -> (e, b, i)>, affine_map<(b, i, j, e, c) -> (e, b, j)>,
            affine_map<(b, i, j, e, c) -> (c, b, j)>, affine_map<(b, i, j, e, c) -> (c, b, i)>]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<?x?x5xf16>
  %s = linalg.transpose ins(%r : tensor<?x?x5xf16>) outs(%y : tensor<?x5x?xf16>) permutation = [1, 2, 0]
  return %s, %u : tensor<?x5x?xf16>, tensor<?x?x7xf16>
}

// Both the result and what it becomes are asked for.
// CHECK-LABEL: func.func @kept(
// CHECK:         %[[R:.*]] = tally.attention
// CHECK:         %[[S:.*]] = linalg.transpose ins(%[[R]]
// CHECK:         return %[[R]], %[[S]]
func.func @kept(%q: tensor<?x?xf64>, %e: tensor<?x?xf64>, %w: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %r = tally.attention ins(%q, %q, %q : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) outs(%e : tensor<?x?xf64>)
      maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (j, e)>,
            affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>]
      score {
      ^bb0(%i: index, %j: index, %p: f64):
        tally.yield %p : f64
      } -> tensor<?x?xf64>
  %s = linalg.transpose ins(%r : tensor<?x?xf64>) outs(%w : tensor<?x?xf64>) permutation = [1, 0]
  return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>
}

// Heads that are repeated, from what they were before or from a dimension of
// one element, are read once.
// CHECK-LABEL: func.func @grouped(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<6x?x4xf32>, %[[K:[a-z0-9]+]]: tensor<2x?x4xf32>, %[[V:[a-z0-9]+]]: tensor<2x?x4xf32>, %[[U:[a-z0-9]+]]: tensor<2x1x?x4xf32>
// CHECK:         tally.attention ins(%[[Q]], %[[K]], %[[V]] : {{.*}}] grouped score
// CHECK:         %[[ONCE:.*]] = tensor.collapse_shape %[[U]] {{\[\[}}0, 1], [2], [3]] : tensor<2x1x?x4xf32> into tensor<2x?x4xf32>
// CHECK:         tally.attention ins(%[[Q]], %[[ONCE]], %[[V]] : {{.*}}] grouped score
func.func @grouped(%q: tensor<6x?x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<2x?x4xf32>, %u: tensor<2x1x?x4xf32>, %n: index, %e: tensor<6x?x4xf32>) -> (tensor<6x?x4xf32>, tensor<6x?x4xf32>) {
  %w = tensor.empty(%n) : tensor<2x3x?x4xf32>
  %x = tensor.expand_shape %k [[0], [1, 2], [3]] output_shape [2, 1, %n, 4] : tensor<2x?x4xf32> into tensor<2x1x?x4xf32>
  %kw = linalg.generic {indexing_maps = [affine_map<(h, r, j, e) -> (h, 0, j, e)>, affine_map<(h, r, j, e) -> (h, r, j, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<2x1x?x4xf32>) outs(%w : tensor<2x3x?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<2x3x?x4xf32>
  %uw = linalg.generic {indexing_maps = [affine_map<(h, r, j, e) -> (h, 0, j, e)>, affine_map<(h, r, j, e) -> (h, r, j, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%u : tensor<2x1x?x4xf32>) outs(%w : tensor<2x3x?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<2x3x?x4xf32>
  %vw = linalg.broadcast ins(%v : tensor<2x?x4xf32>) outs(%w : tensor<2x3x?x4xf32>) dimensions = [1]
  %kh = tensor.collapse_shape %kw [[0, 1], [2], [3]] : tensor<2x3x?x4xf32> into tensor<6x?x4xf32>
  %uh = tensor.collapse_shape %uw [[0, 1], [2], [3]] : tensor<2x3x?x4xf32> into tensor<6x?x4xf32>
  %vh = tensor.collapse_shape %vw [[0, 1], [2], [3]] : tensor<2x3x?x4xf32> into tensor<6x?x4xf32>
  %r = tally.attention ins(%q, %kh, %vh : tensor<6x?x4xf32>, tensor<6x?x4xf32>, tensor<6x?x4xf32>) outs(%e : tensor<6x?x4xf32>)
      maps [affine_map<(h, i, j, e, c) -> (h, i, e)>, affine_map<(h, i, j, e, c) -> (h, j, e)>,
            affine_map<(h, i, j, e, c) -> (h, j, c)>, affine_map<(h, i, j, e, c) -> (h, i, c)>]
      score {
      ^bb0(%h: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<6x?x4xf32>
  %s = tally.attention ins(%q, %uh, %vh : tensor<6x?x4xf32>, tensor<6x?x4xf32>, tensor<6x?x4xf32>) outs(%e : tensor<6x?x4xf32>)
      maps [affine_map<(h, i, j, e, c) -> (h, i, e)>, affine_map<(h, i, j, e, c) -> (h, j, e)>,
            affine_map<(h, i, j, e, c) -> (h, j, c)>, affine_map<(h, i, j, e, c) -> (h, i, c)>]
      score {
      ^bb0(%h: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<6x?x4xf32>
  return %r, %s : tensor<6x?x4xf32>, tensor<6x?x4xf32>
}

// Only keys are repeated: values have a head for each of queries.
// CHECK-LABEL: func.func @not_grouped(
// CHECK:         tally.attention
// CHECK-NOT:     grouped
// CHECK:         return
func.func @not_grouped(%q: tensor<6x?x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<6x?x4xf32>, %n: index, %e: tensor<6x?x4xf32>) -> tensor<6x?x4xf32> {
  %w = tensor.empty(%n) : tensor<2x3x?x4xf32>
  %kw = linalg.broadcast ins(%k : tensor<2x?x4xf32>) outs(%w : tensor<2x3x?x4xf32>) dimensions = [1]
  %kh = tensor.collapse_shape %kw [[0, 1], [2], [3]] : tensor<2x3x?x4xf32> into tensor<6x?x4xf32>
  %r = tally.attention ins(%q, %kh, %v : tensor<6x?x4xf32>, tensor<6x?x4xf32>, tensor<6x?x4xf32>) outs(%e : tensor<6x?x4xf32>)
      maps [affine_map<(h, i, j, e, c) -> (h, i, e)>, affine_map<(h, i, j, e, c) -> (h, j, e)>,
            affine_map<(h, i, j, e, c) -> (h, j, c)>, affine_map<(h, i, j, e, c) -> (h, i, c)>]
      score {
      ^bb0(%h: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<6x?x4xf32>
  return %r : tensor<6x?x4xf32>
}
