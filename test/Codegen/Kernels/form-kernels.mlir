// RUN: tally-opt %s --split-input-file --tally-form-kernels --canonicalize --mlir-print-local-scope | FileCheck %s

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// A chain is one kernel; numbers are passed, a constant is made inside.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[SCALE:.*]]: f32, %[[SHIFT:.*]]: f32, %[[E:.*]]: tensor<?xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[O:.*]] = tensor.empty(%[[N]])
// CHECK: %[[R:.*]] = tally.kernel(%[[N]]) ins(%[[X]], %[[SCALE]], %[[Y]], %[[SHIFT]] : tensor<?xf32>, f32, tensor<?xf32>, f32) outs(%[[O]] : tensor<?xf32>) {
// CHECK-NEXT: ^bb0(%[[BX:.*]]: tensor<?xf32>, %[[BSCALE:.*]]: f32, %[[BY:.*]]: tensor<?xf32>, %[[BSHIFT:.*]]: f32, %[[BO:.*]]: tensor<?xf32>):
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2.0
// CHECK-DAG: %[[NOWHERE:.*]] = ub.poison : tensor<?xf32>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[BX]], %[[BSCALE]] : tensor<?xf32>, f32) outs(%[[NOWHERE]] : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>}
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[BY]] : tensor<?xf32>, tensor<?xf32>) outs(%[[BO]] : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>}
// CHECK: arith.mulf %{{.*}}, %[[BSHIFT]]
// CHECK: arith.addf %{{.*}}, %[[TWO]]
// CHECK: tally.yield %[[S]] : tensor<?xf32>
// CHECK: return %[[R]]
func.func @chain(%x: tensor<?xf32>, %y: tensor<?xf32>, %scale: f32, %shift: f32, %e: tensor<?xf32>) -> tensor<?xf32> {
  %two = arith.constant 2.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      ins(%x, %scale : tensor<?xf32>, f32) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32, %u: f32):
    %t = arith.mulf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%0, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.mulf %a, %shift : f32
    %v = arith.addf %t, %two : f32
    %w = arith.addf %v, %b : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// What is cheap is computed again for every row.
// CHECK-LABEL: func.func @cheap(
// CHECK: tally.kernel(
// CHECK: attrs = {tally.dims = array<i64: 0>}
// CHECK: attrs = {tally.dims = array<i64: 1, 0>}
// CHECK-NOT: tally.kernel(
// What takes long is not.
// CHECK-LABEL: func.func @costly(
// CHECK: %[[W:.*]] = tally.kernel(%{{[^,]*}}) ins
// CHECK: math.exp
// CHECK: tally.kernel(%{{.*}}, %{{.*}}) ins(%{{.*}}, %[[W]] :
// Nor is what somebody else needs as well.
// CHECK-LABEL: func.func @needed_elsewhere(
// CHECK: %[[W:.*]] = tally.kernel(%{{[^,]*}}) ins
// CHECK: %[[R:.*]] = tally.kernel(%{{.*}}, %{{.*}}) ins(%{{.*}}, %[[W]] :
// CHECK: return %[[W]], %[[R]]
func.func @cheap(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %e: tensor<?xf32>, %f: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%w : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = arith.negf %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
func.func @costly(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %e: tensor<?xf32>, %f: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%w : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = math.exp %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
func.func @needed_elsewhere(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %e: tensor<?xf32>, %f: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%w : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = arith.negf %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?x?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// A softmax: two reductions over the same rows, what lies between, and what
// comes after, with the fills that they start from. The second sum starts from
// what is passed.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[START:.*]]: tensor<?xf32>,
// CHECK: tally.kernel(%{{.*}}, %{{.*}}) reduces [1] ins(%[[X]], %[[START]] : tensor<?x?xf32>, tensor<?xf32>)
// CHECK: ^bb0(%[[A:.*]]: tensor<?x?xf32>, %[[BSTART:.*]]: tensor<?xf32>, %[[O:.*]]: tensor<?x?xf32>):
// CHECK: %[[LEAST:.*]] = linalg.generic
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<?x?xf32>) outs(%[[LEAST]] : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>}
// CHECK: arith.maximumf
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[MAX]] : tensor<?x?xf32>, tensor<?xf32>)
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<?x?xf32>) outs(%[[BSTART]] : tensor<?xf32>)
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[SUM]] : tensor<?x?xf32>, tensor<?xf32>) outs(%[[O]] : tensor<?x?xf32>)
// CHECK: tally.yield %[[Q]]
// CHECK-NOT: tally.kernel(
func.func @softmax(%x: tensor<?x?xf32>, %start: tensor<?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %least = arith.constant 0xFF800000 : f32
  %r = tensor.empty(%n) : tensor<?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %f = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel"]}
      ins(%least : f32) outs(%r : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.maximumf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.subf %a, %b : f32
    %v = math.exp %t : f32
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %q : tensor<?x?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// Sums of rows and of columns of one tensor are two kernels.
// CHECK-LABEL: func.func @both_ways(
// CHECK: tally.kernel({{.*}} reduces [1]
// CHECK: tally.kernel({{.*}} reduces [1]
// Two sums of rows are one, whichever way each names its loops.
// CHECK-LABEL: func.func @siblings(
// CHECK: tally.kernel({{.*}} reduces [1]
// CHECK: attrs = {tally.dims = array<i64: 0, 1>}
// CHECK: attrs = {tally.dims = array<i64: 1, 0>}
// CHECK-NOT: tally.kernel(
// A sum that is read for each column, though it belongs to a row.
// CHECK-LABEL: func.func @another_row(
// CHECK: %[[S:.*]] = tally.kernel({{.*}} reduces [1]
// CHECK: tally.kernel(%{{.*}}) ins(%{{.*}}, %[[S]] :
func.func @both_ways(%x: tensor<?x?xf32>, %e: tensor<?xf32>, %f: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#swap, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
func.func @siblings(%x: tensor<?x?xf32>, %e: tensor<?xf32>, %f: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#swap, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.mulf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
func.func @another_row(%x: tensor<4x4xf32>, %e: tensor<4xf32>, %f: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (3)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %0 : tensor<4x4xf32>, tensor<4xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.subf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>

// The reader swaps what the maker made: the point is the same.
// CHECK-LABEL: func.func @swapped(
// CHECK: tally.kernel(
// CHECK: attrs = {tally.dims = array<i64: 0, 1>}
// CHECK: attrs = {tally.dims = array<i64: 1, 0>}
// CHECK-NOT: tally.kernel(
// Here one reader wants it swapped and plain, so it is made before.
// CHECK-LABEL: func.func @plain_and_swapped(
// CHECK: %[[T:.*]] = tally.kernel(
// CHECK: tally.kernel({{.*}} ins(%[[T]] :
func.func @swapped(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = math.exp %a : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#swap, #all], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = arith.negf %a : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
func.func @plain_and_swapped(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = math.exp %a : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#swap, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%0, %0 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#id = affine_map<(i) -> (i)>

// An operation that shares something with a group, and reads what an operation
// of it made at another point, stays out of it.
// CHECK-LABEL: func.func @first_row_of_sibling(
// CHECK: %[[T:.*]]:2 = tally.kernel(
// CHECK: %[[C:.*]] = tally.kernel({{.*}} ins(%[[T]]#0,
// CHECK: return %[[C]], %[[T]]#1
// So does one that looks something up in it.
// CHECK-LABEL: func.func @table_of_sibling(
// CHECK: %[[T:.*]] = tally.kernel(
// CHECK: tally.kernel({{.*}} ins(%{{.*}}, %[[T]] :
func.func @first_row_of_sibling(%x: tensor<4x4xf32>, %z: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %u: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, j)>, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%t, %z : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %b = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  return %c, %b : tensor<4x4xf32>, tensor<4x4xf32>
}
func.func @table_of_sibling(%x: tensor<?xindex>, %e: tensor<?xindex>) -> tensor<?xindex> {
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xindex>) outs(%e : tensor<?xindex>) {
  ^bb0(%a: index, %u: index):
    %0 = arith.addi %a, %a : index
    linalg.yield %0 : index
  } -> tensor<?xindex>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xindex>) outs(%e : tensor<?xindex>) {
  ^bb0(%a: index, %u: index):
    %0 = tensor.extract %t[%a] : tensor<?xindex>
    linalg.yield %0 : index
  } -> tensor<?xindex>
  return %c : tensor<?xindex>
}

// -----

#id = affine_map<(i) -> (i)>

// An access stays behind the assert that it stands behind; what comes before
// may join it there.
// CHECK-LABEL: func.func @behind_assert(
// CHECK-NOT: tally.kernel(
// CHECK: tally.assert
// CHECK: tally.kernel({{.*}} ins(%{{.*}}, %[[TABLE:.*]], %[[AT:.*]] : tensor<?xf32>, tensor<?xf32>, index)
// CHECK: ^bb0(%{{.*}}: tensor<?xf32>, %[[T:.*]]: tensor<?xf32>, %[[I:.*]]: index,
// CHECK: arith.negf
// CHECK: tensor.extract %[[T]][%[[I]]]
// CHECK-NOT: tally.kernel(
// Where somebody needs it before, it stays there.
// CHECK-LABEL: func.func @used_before_assert(
// CHECK: %[[A:.*]] = tally.kernel(
// CHECK: call @effect(%[[A]])
// CHECK: tally.kernel({{.*}} ins(%[[A]] :
func.func private @effect(tensor<?xf32>)
func.func @behind_assert(%x: tensor<?xf32>, %table: tensor<?xf32>, %i: index, %ok: i1, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = arith.negf %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  tally.assert %ok message("i is inside")
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %v = tensor.extract %table[%i] : tensor<?xf32>
    %t = arith.addf %a, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @used_before_assert(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = arith.negf %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  call @effect(%0) : (tensor<?xf32>) -> ()
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    %t = math.exp %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Both read a row of their own of %w. That the rest is of one size is not known
// in one function, and asserted in the other.
// CHECK-LABEL: func.func @unknown(
// CHECK: tally.kernel(
// CHECK: tally.kernel(
// CHECK-LABEL: func.func @asserted(
// CHECK: tally.kernel(
// CHECK-NOT: tally.kernel(
// CHECK: return
func.func @unknown(%w: tensor<?xf32>, %x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %e: tensor<?x?xf32>, %f: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}
func.func @asserted(%w: tensor<?xf32>, %x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %e: tensor<?x?xf32>, %f: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = tensor.dim %y, %c1 : tensor<?x?xf32>
  %s0 = tally.symbol "s0" = %m : index
  %s1 = tally.symbol "s1" = %n : index
  %ok = arith.cmpi eq, %s0, %s1 : index
  tally.assert %ok, <s0 == s1> (s0 = %s0, s1 = %s1 : index, index)
  %0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.mulf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Every kernel makes a fill for itself; where it is a result, it is a kernel of
// its own as well.
// CHECK-LABEL: func.func @fill(
// CHECK-SAME: %{{.*}}: tensor<?x?xf32>, %[[V:.*]]: f32,
// CHECK: %[[FILL:.*]] = tally.kernel(%{{[^,]*}}) ins(%[[V]] : f32)
// CHECK: tally.kernel({{.*}} reduces [1] ins(%{{.*}}, %[[V]] :
// CHECK: call @effect
// CHECK: tally.kernel({{.*}} reduces [1] ins(%{{.*}}, %[[V]] :
// CHECK: return %[[FILL]]
func.func private @effect()
func.func @fill(%x: tensor<?x?xf32>, %v: f32, %y: tensor<?x?xf32>, %e: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %f = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel"]}
      ins(%v : f32) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %u: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  call @effect() : () -> ()
  %1 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.mulf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %f, %0, %1 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Blocks of branches and loops have kernels of their own.
// CHECK-LABEL: func.func @regions(
// CHECK: scf.if
// CHECK: tally.kernel(
// CHECK: arith.negf
// CHECK: else
// CHECK: scf.for
// CHECK: tally.kernel(
// CHECK: math.exp
// CHECK: scf.yield
func.func @regions(%x: tensor<?xf32>, %e: tensor<?xf32>, %p: i1, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %p -> tensor<?xf32> {
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%a: f32, %u: f32):
      %t = arith.negf %a : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    scf.yield %0 : tensor<?xf32>
  } else {
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<?xf32> {
      %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%y : tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%a: f32, %u: f32):
        %t = math.exp %a : f32
        linalg.yield %t : f32
      } -> tensor<?xf32>
      scf.yield %0 : tensor<?xf32>
    }
    scf.yield %l : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

#rows = affine_map<(w, k) -> (w * 2 + k)>
#k = affine_map<(w, k) -> (k)>
#w = affine_map<(w, k) -> (w)>
#id = affine_map<(i) -> (i)>

// What is filled may be an input too, of which only the shape counts.
// CHECK-LABEL: func.func @window_of_the_fill(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK: tally.kernel(%{{.*}}, %{{.*}}) reduces [1] ins(%[[X]], %{{.*}} : tensor<4xf32>, tensor<2xf32>)
// CHECK-NEXT: ^bb0(%[[BX:.*]]: tensor<4xf32>, %[[WINDOW:.*]]: tensor<2xf32>, %{{.*}}: tensor<2xf32>):
// CHECK: linalg.generic {{.*}} ins(%[[BX]], %[[WINDOW]] : tensor<4xf32>, tensor<2xf32>)
func.func @window_of_the_fill(%x: tensor<4xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<2xf32>) {
  ^bb0(%u: f32):
    linalg.yield %zero : f32
  } -> tensor<2xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #k, #w], iterator_types = ["parallel", "reduction"]}
      ins(%x, %e : tensor<4xf32>, tensor<2xf32>) outs(%0 : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %t = arith.addf %u, %a : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// A body asks for a size of a tensor: the kernel gets the number.
// CHECK-LABEL: func.func @size_in_body(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[TABLE:.*]]: tensor<?xf32>
// CHECK-DAG: %[[COUNT:.*]] = tensor.dim %[[TABLE]], %c0
// CHECK: tally.kernel({{.*}}) ins({{.*}}%[[COUNT]]
// CHECK-NOT: tensor.dim
// CHECK: return
func.func @size_in_body(%x: tensor<?x?xf32>, %table: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %count = tensor.dim %table, %c0 : tensor<?xf32>
    %last = arith.subi %count, %c1 : index
    %at = arith.minui %i, %last : index
    %b = tensor.extract %table[%at] : tensor<?xf32>
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
