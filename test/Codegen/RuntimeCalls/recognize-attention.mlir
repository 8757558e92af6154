// RUN: tally-opt %s --tally-decompose-tensor-ops --tally-recognize-attention --canonicalize | FileCheck %s

// CHECK-DAG: #[[Q:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>
// CHECK-DAG: #[[V:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, 0, d2)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-DAG: #[[KT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[Q2:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3)>
// CHECK-DAG: #[[O2:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>
// CHECK-DAG: #[[TO:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d0)>

#all = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, 0, j)>

// Scores are scaled, and get a bias that all queries share.
// CHECK-LABEL: func.func @biased(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x8xf32>, %[[Y:[a-z0-9]+]]: tensor<?x8x?xf32>, %[[Z:[a-z0-9]+]]: tensor<?x?x8xf32>, %[[BIAS:[a-z0-9]+]]: tensor<?x1x?xf32>, %[[SCALE:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index
// CHECK-NEXT:    %[[E:.*]] = tensor.empty(%[[B]], %[[M]]) : tensor<?x?x8xf32>
// CHECK-NEXT:    %[[R:.*]] = tally.attention ins(%[[X]], %[[Y]], %[[Z]] : {{.*}}) elements(%[[BIAS]] : tensor<?x1x?xf32>) outs(%[[E]] : tensor<?x?x8xf32>) maps [#[[Q]], #[[KT]], #[[V]], #[[ROW]], #[[O]]] strict score {
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index, %[[P:.*]]: f32, %[[BIASED:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.mulf %[[P]], %[[SCALE]] : f32
// CHECK-NEXT:      %[[T:.*]] = arith.addf %[[S]], %[[BIASED]] : f32
// CHECK-NEXT:      tally.yield %[[T]] : f32
// CHECK-NEXT:    } -> tensor<?x?x8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @biased(%q: tensor<?x?x8xf32>, %k: tensor<?x8x?xf32>, %v: tensor<?x?x8xf32>, %bias: tensor<?x1x?xf32>, %scale: f32, %b: index, %m: index, %n: index) -> tensor<?x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.batch_matmul ins(%q, %k : tensor<?x?x8xf32>, tensor<?x8x?xf32>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %bias : tensor<?x?x?xf32>, tensor<?x1x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %c: f32, %o: f32):
    %y = arith.addf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %w = linalg.softmax dimension(2) ins(%t : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %a = tensor.empty(%b, %m) : tensor<?x?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%a : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %r = linalg.batch_matmul ins(%w, %v : tensor<?x?x?xf32>, tensor<?x?x8xf32>) outs(%z : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// Halves: the region rounds where the program did, but weights are not rounded.
// Positions are those of queries and keys; keys stand in the rows of scores,
// and the result has its dimensions in another order.
// CHECK-LABEL: func.func @rounded(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x4xf16>, %[[Y:[a-z0-9]+]]: tensor<?x?x4xf16>, %[[Z:[a-z0-9]+]]: tensor<?x?x6xf16>
// CHECK:         %[[R:.*]] = tally.attention ins(%[[X]], %[[Y]], %[[Z]] : {{.*}}) outs(%{{.*}} : tensor<?x6x?xf16>) maps [#[[Q]], #[[K]], #[[V]], #[[TO]]] strict score {
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index, %[[P:.*]]: f32):
// CHECK-NEXT:      %[[HALF:.*]] = arith.truncf %[[P]] : f32 to f16
// CHECK-NEXT:      %[[SEES:.*]] = arith.cmpi sle, %[[J]], %[[I]] : index
// CHECK-NEXT:      %[[S:.*]] = arith.select %[[SEES]], %[[HALF]], %{{.*}} : f16
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[S]] : f16 to f32
// CHECK-NEXT:      tally.yield %[[WIDE]] : f32
// CHECK-NEXT:    } -> tensor<?x6x?xf16>
// CHECK-NEXT:    return %[[R]]
func.func @rounded(%q: tensor<?x?x4xf16>, %k: tensor<?x?x4xf16>, %v: tensor<?x?x6xf16>, %b: index, %m: index, %n: index) -> tensor<?x6x?xf16> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant -65504.0 : f16
  %e = tensor.empty(%b, %n, %m) : tensor<?x?x?xf32>
  %h = tensor.empty(%b, %n, %m) : tensor<?x?x?xf16>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.contract
      indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>, affine_map<(b, i, j, d) -> (b, j, d)>, affine_map<(b, i, j, d) -> (b, j, i)>]
      ins(%q, %k : tensor<?x?x4xf16>, tensor<?x?x4xf16>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<?x?x?xf32>) outs(%h : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?x?xf16>
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x?xf16>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%x: f16, %o: f32):
    %j = linalg.index 1 : index
    %i = linalg.index 2 : index
    %sees = arith.cmpi sle, %j, %i : index
    %y = arith.select %sees, %x, %lowest : f16
    %z = arith.extf %y : f16 to f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  %w = linalg.softmax dimension(1) ins(%t : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %u = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<?x?x?xf32>) outs(%h : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?x?xf16>
  %a = tensor.empty(%m, %b) : tensor<?x6x?xf32>
  %g = tensor.empty(%m, %b) : tensor<?x6x?xf16>
  %z = linalg.fill ins(%zero : f32) outs(%a : tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
  %l = linalg.contract
      indexing_maps = [affine_map<(b, i, c, j) -> (b, j, c)>, affine_map<(b, i, c, j) -> (b, j, i)>, affine_map<(b, i, c, j) -> (i, c, b)>]
      ins(%v, %u : tensor<?x?x6xf16>, tensor<?x?x?xf16>) outs(%z : tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%l : tensor<?x6x?xf32>) outs(%g : tensor<?x6x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x6x?xf16>
  return %r : tensor<?x6x?xf16>
}

// A mask is added where heads are a dimension of their own; products do not
// tell them apart. What merged the two before is undone, behind a transpose too.
// CHECK-LABEL: func.func @split(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x4x?x8xf32>, %[[Y:[a-z0-9]+]]: tensor<?x4x?x8xf32>, %[[Z:[a-z0-9]+]]: tensor<?x?x8xf32>, %[[MASK:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK:         %[[VALUES:.*]] = tensor.expand_shape %[[Z]] {{\[\[}}0, 1], [2], [3]]
// CHECK:         %[[R:.*]] = tally.attention ins(%[[X]], %[[Y]], %[[VALUES]] : {{.*}}) elements(%[[MASK]] : tensor<?x?xf32>) outs(%{{.*}} : tensor<?x4x?x8xf32>) maps [#[[Q2]], #{{.*}}, #{{.*}}, #[[M2]], #[[O2]]] strict
// CHECK:         %[[ALL:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0, 1], [2], [3]]
// CHECK:         return %[[ALL]]
func.func @split(%q: tensor<?x4x?x8xf32>, %k: tensor<?x4x?x8xf32>, %v: tensor<?x?x8xf32>, %mask: tensor<?x?xf32>, %b: index, %m: index, %n: index) -> tensor<?x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  %bh = arith.muli %b, %c4 : index
  %e = tensor.empty(%bh, %m, %n) : tensor<?x?x?xf32>
  %x = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<?x4x?x8xf32> into tensor<?x?x8xf32>
  %y = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<?x4x?x8xf32> into tensor<?x?x8xf32>
  %ye = tensor.empty(%bh, %n) : tensor<?x8x?xf32>
  %yt = linalg.transpose ins(%y : tensor<?x?x8xf32>) outs(%ye : tensor<?x8x?xf32>) permutation = [0, 2, 1]
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.batch_matmul ins(%x, %yt : tensor<?x?x8xf32>, tensor<?x8x?xf32>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = tensor.expand_shape %p [[0, 1], [2], [3]] output_shape [%b, 4, %m, %n] : tensor<?x?x?xf32> into tensor<?x4x?x?xf32>
  %g = tensor.empty(%b, %m, %n) : tensor<?x4x?x?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<?x4x?x?xf32>, tensor<?x?xf32>) outs(%g : tensor<?x4x?x?xf32>) {
  ^bb0(%c: f32, %d: f32, %o: f32):
    %u = arith.addf %c, %d : f32
    linalg.yield %u : f32
  } -> tensor<?x4x?x?xf32>
  %w = linalg.softmax dimension(3) ins(%t : tensor<?x4x?x?xf32>) outs(%g : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %u = tensor.collapse_shape %w [[0, 1], [2], [3]] : tensor<?x4x?x?xf32> into tensor<?x?x?xf32>
  %a = tensor.empty(%bh, %m) : tensor<?x?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%a : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %r = linalg.batch_matmul ins(%u, %v : tensor<?x?x?xf32>, tensor<?x?x8xf32>) outs(%z : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// The tensor that scores are multiplied with is a score of its own.
// CHECK-LABEL: func.func @squared(
// CHECK:         tally.attention ins({{[^)]*}}) outs(
// CHECK:           %[[S:.*]] = arith.mulf %[[P:.*]], %[[P]] : f32
// CHECK-NEXT:      tally.yield %[[S]]
func.func @squared(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %m: index, %n: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.contract
      indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>]
      ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.mul ins(%p, %p : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = tensor.empty(%m) : tensor<?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// The softmax runs over queries; what is multiplied are not its weights over
// keys.
// CHECK-LABEL: func.func @other_dimension(
// CHECK-NOT:     tally.attention
// CHECK:         return
func.func @other_dimension(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %m: index, %n: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.contract
      indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>]
      ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = linalg.softmax dimension(0) ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = tensor.empty(%m) : tensor<?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Weights are changed after the softmax; scores start at something else.
// CHECK-LABEL: func.func @changed(
// CHECK-NOT:     tally.attention
// CHECK:         return
func.func @changed(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %bias: tensor<?x?xf32>, %m: index, %n: index) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = tensor.empty(%m) : tensor<?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.contract
      indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>]
      ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %x = linalg.mul ins(%w, %bias : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  %o = linalg.contract
      indexing_maps = [affine_map<(i, j, d) -> (i, d)>, affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>]
      ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%bias : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.softmax dimension(1) ins(%o : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul ins(%y, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r, %s : tensor<?x8xf32>, tensor<?x8xf32>
}

// Both dimensions of the scores are of one operand.
// CHECK-LABEL: func.func @one_sided(
// CHECK-NOT:     tally.attention
// CHECK:         return
func.func @one_sided(%q: tensor<?x?x8xf32>, %k: tensor<8xf32>, %v: tensor<?x8xf32>, %m: index, %n: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.contract
      indexing_maps = [affine_map<(i, j, d) -> (i, j, d)>, affine_map<(i, j, d) -> (d)>, affine_map<(i, j, d) -> (i, j)>]
      ins(%q, %k : tensor<?x?x8xf32>, tensor<8xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = tensor.empty(%m) : tensor<?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
