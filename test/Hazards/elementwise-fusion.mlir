// What upstream's elementwise fusion, and patterns that come with it, get
// wrong; the pass has the same effect without that.
// RUN: tally-opt %s --split-input-file --tally-fuse-elementwise | FileCheck %s

// Would add once for each column.

// CHECK-LABEL: func.func @accumulates_in_rows(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[SUM:.*]]: tensor<?xf32>, %[[E:.*]]: tensor<?x?xf32>)
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[X]], %[[Y]], %[[SUM]] : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>)
// CHECK:         return %[[R]]
func.func @accumulates_in_rows(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %sum: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<?xf32>) outs(%sum : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %out, %in : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// The same into a reduction, and with an index.

// CHECK-LABEL: func.func @accumulates_under_a_reduction(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[SUM:.*]]: tensor<?xf32>, %[[E:.*]]: tensor<?xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "reduction"]
// CHECK-SAME:      ins(%[[X]], %[[Y]], %[[SUM]] : {{.*}}) outs(%[[E]] : tensor<?xf32>)
// CHECK-NOT:     linalg.generic
func.func @accumulates_under_a_reduction(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %sum: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<?xf32>) outs(%sum : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.mulf %out, %in : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A result that nobody needs, of a producer that reads its init, stays out of
// the fused operation.

// CHECK-LABEL: func.func @two_results(
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK-SAME:      outs(%{{.*}} : tensor<?x?xf32>)
// CHECK:         return %[[R]]
func.func @two_results(%y: tensor<?xf32>, %p: tensor<?xf32>, %q: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %s:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<?xf32>) outs(%p, %q : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%in: f32, %o1: f32, %o2: f32):
    %1 = arith.addf %o1, %in : f32
    %2 = arith.addf %o2, %1 : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s#1 : tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%b: f32, %out: f32):
    linalg.yield %b : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A reduction over nothing gives its init, although the body never reads it.

// CHECK-LABEL: func.func @keeps_the_last(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK:         outs(%[[Y]] : tensor<?xf32>)
func.func @keeps_the_last(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// One over four elements does not.

// CHECK-LABEL: func.func @keeps_the_fourth(
// CHECK:         tensor.empty
func.func @keeps_the_fourth(%x: tensor<?x4xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x4xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A column is written; the others are what they were.

// CHECK-LABEL: func.func @writes_a_column(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?x?xf32>)
// CHECK:         outs(%[[Y]] : tensor<?x?xf32>)
func.func @writes_a_column(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// What copies a diagonal, or a column, is no copy of everything.

// CHECK-LABEL: func.func @copies_a_diagonal(
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK:         return %[[R]]
func.func @copies_a_diagonal(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @copies_everything(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>,
// CHECK-NEXT:    %[[R:.*]] = tensor.cast %[[X]]
// CHECK-NEXT:    return %[[R]]
func.func @copies_everything(%x: tensor<?x4xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x4xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// The size of the second loop is that of what is fused: it has to stay.

// CHECK-LABEL: func.func @tells_a_size(
// CHECK:         linalg.generic
// CHECK:         linalg.generic
func.func @tells_a_size(%y: f32, %e: tensor<?xf32>, %f: tensor<f32>) -> tensor<f32> {
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : f32) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%s : tensor<?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%in: f32, %o: f32):
    %1 = arith.addf %o, %in : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// What a loop reads is computed before it.

// CHECK-LABEL: func.func @before_a_loop(
// CHECK:         math.exp
// CHECK:         scf.for
// CHECK-NOT:       math.exp
func.func @before_a_loop(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %o: f32):
    %1 = math.exp %in : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?xf32> {
    %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%s : tensor<?xf32>) outs(%a : tensor<?xf32>) {
    ^bb0(%in: f32, %o: f32):
      %1 = arith.addf %in, %o : f32
      linalg.yield %1 : f32
    } -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// In a branch it is computed only where it is needed.

// CHECK-LABEL: func.func @in_a_branch(
// CHECK-NOT:     math.exp
// CHECK:         scf.if
// CHECK:           math.exp
func.func @in_a_branch(%x: tensor<?xf32>, %p: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %o: f32):
    %1 = math.exp %in : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %r = scf.if %p -> tensor<?xf32> {
    %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %s : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%in: f32, %y: f32, %o: f32):
      %1 = arith.addf %in, %y : f32
      linalg.yield %1 : f32
    } -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// The sizes of the expansion are computed behind the padding.

// CHECK-LABEL: func.func @pad_then_expand(
// CHECK:         tensor.pad
// CHECK:         tensor.expand_shape
func.func @pad_then_expand(%x: tensor<?x?xf32>, %l: index, %t: tensor<2xindex>) -> tensor<?x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[%l, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %d0 = tensor.extract %t[%c0] : tensor<2xindex>
  %d1 = tensor.extract %t[%c1] : tensor<2xindex>
  %e = tensor.expand_shape %p [[0], [1, 2]] output_shape [%d0, %d1, 4] : tensor<?x?xf32> into tensor<?x?x4xf32>
  return %e : tensor<?x?x4xf32>
}

// -----

// That there is one element is asserted behind the fill.

// CHECK-LABEL: func.func @cast_behind_an_assert(
// CHECK:         linalg.generic
// CHECK:         -> tensor<?xf32>
// CHECK:         tally.assert
// CHECK:         tensor.cast
func.func @cast_behind_an_assert(%x: tensor<?xf32>, %p: i1) -> (tensor<?xf32>, tensor<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<?xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  } -> tensor<?xf32>
  tally.assert %p message("one element")
  %c = tensor.cast %f : tensor<?xf32> to tensor<1xf32>
  return %f, %c : tensor<?xf32>, tensor<1xf32>
}
