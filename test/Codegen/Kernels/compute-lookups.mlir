// RUN: tally-opt %s --tally-compute-lookups --split-input-file | FileCheck %s

#i = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Rows are taken, then columns: one operation computes both places.
// CHECK-LABEL: func.func @resize(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>
// CHECK-COUNT-1: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[COLUMN:.*]] = arith.muli %[[J]]
// CHECK: %[[ROW:.*]] = arith.muli %[[I]]
// CHECK: tensor.extract %[[X]][%[[ROW]], %[[COLUMN]]]
// CHECK-NOT: linalg.generic
func.func @resize(%x: tensor<?x?xf32>, %m: index, %n: index, %w: index) -> tensor<?x?xf32> {
  %two = arith.constant 2 : index
  %e0 = tensor.empty(%m) : tensor<?xindex>
  %rows = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%e0 : tensor<?xindex>) {
  ^bb0(%unused: index):
    %k = linalg.index 0 : index
    %t = arith.muli %k, %two : index
    linalg.yield %t : index
  } -> tensor<?xindex>
  %e1 = tensor.empty(%m, %w) : tensor<?x?xf32>
  %taken = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e1 : tensor<?x?xf32>) {
  ^bb0(%unused: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %at = tensor.extract %rows[%a] : tensor<?xindex>
    %t = tensor.extract %x[%at, %b] : tensor<?x?xf32>
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %e2 = tensor.empty(%n) : tensor<?xindex>
  %columns = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%e2 : tensor<?xindex>) {
  ^bb0(%unused: index):
    %k = linalg.index 0 : index
    %t = arith.muli %k, %two : index
    linalg.yield %t : index
  } -> tensor<?xindex>
  %e3 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e3 : tensor<?x?xf32>) {
  ^bb0(%unused: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %at = tensor.extract %columns[%b] : tensor<?xindex>
    %t = tensor.extract %taken[%a, %at] : tensor<?x?xf32>
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#i = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Numbers that depend on the row alone are computed in a reduction of its elements; the
// sizes that others ask for are those of the init.
// CHECK-LABEL: func.func @starts(
// CHECK: %[[E:.*]] = tensor.empty
// CHECK-COUNT-1: linalg.generic
// CHECK: linalg.index 0
// CHECK: arith.muli
// CHECK-NOT: linalg.generic
// CHECK: tensor.dim %[[E]]
func.func @starts(%x: tensor<?x?xi64>, %m: index, %init: tensor<?xi64>) -> (tensor<?xi64>, index) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i64
  %e = tensor.empty(%m) : tensor<?xi64>
  %starts = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%e : tensor<?xi64>) {
  ^bb0(%unused: i64):
    %k = linalg.index 0 : index
    %c = arith.index_cast %k : index to i64
    %t = arith.muli %c, %three : i64
    linalg.yield %t : i64
  } -> tensor<?xi64>
  %r = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %starts : tensor<?x?xi64>, tensor<?xi64>) outs(%init : tensor<?xi64>) {
  ^bb0(%a: i64, %s: i64, %sum: i64):
    %t = arith.muli %a, %s : i64
    %u = arith.addi %sum, %t : i64
    linalg.yield %u : i64
  } -> tensor<?xi64>
  %n = tensor.dim %starts, %c0 : tensor<?xi64>
  return %r, %n : tensor<?xi64>, index
}

// -----

#i = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A function is computed once for each element, and what a reduction looks up is as well; two
// operands are read once. What somebody else needs is stored.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-8: linalg.generic
func.func @stays(%x: tensor<?xf32>, %y: tensor<?xf32>, %p: tensor<?xindex>, %n: index, %init: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %sine = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %t = math.sin %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]} ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %twice = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %returned = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%y : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %t = arith.addf %a, %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%p : tensor<?xindex>) outs(%e : tensor<?xf32>) {
  ^bb0(%at: index, %unused: f32):
    %t = tensor.extract %sine[%at] : tensor<?xf32>
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%p : tensor<?xindex>) outs(%e : tensor<?xf32>) {
  ^bb0(%at: index, %unused: f32):
    %t = tensor.extract %sum[%at] : tensor<?xf32>
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [#i, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%p : tensor<?xindex>) outs(%init : tensor<f32>) {
  ^bb0(%at: index, %s: f32):
    %t = tensor.extract %twice[%at] : tensor<?xf32>
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<f32>
  %3 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%p : tensor<?xindex>) outs(%e : tensor<?xf32>) {
  ^bb0(%at: index, %unused: f32):
    %t = tensor.extract %returned[%at] : tensor<?xf32>
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %0, %1, %3, %2, %returned : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<?xf32>
}

// -----

#i = affine_map<(i) -> (i)>
#swapped = affine_map<(i, j) -> (j, i)>
#column = affine_map<(i, j) -> (0, j)>

// The loops of an element are found through the maps of the result and of what it reads.
// CHECK-LABEL: func.func @maps(
// CHECK-SAME: %[[X:.*]]: tensor<1x?xf32>
// CHECK-COUNT-1: linalg.generic
// CHECK: ^bb0(%[[P:.*]]: index, %{{.*}}: f32)
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: tensor.extract %[[X]][%[[ZERO]], %[[P]]]
func.func @maps(%x: tensor<1x?xf32>, %p: tensor<?xindex>, %q: index, %m: index, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %wide = linalg.generic {indexing_maps = [#column, #swapped], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %t = arith.negf %a : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%p : tensor<?xindex>) outs(%e1 : tensor<?xf32>) {
  ^bb0(%at: index, %unused: f32):
    %t = tensor.extract %wide[%at, %q] : tensor<?x?xf32>
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
