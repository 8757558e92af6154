// On the CPU: operations of a group that is no kernel run as one where they have an element for each point.
// RUN: tally-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(linalg-generalize-named-ops,tally-form-kernels{rows-only},canonicalize))' | FileCheck %s

// One reads what another makes, which is a result as well.
// CHECK-LABEL: func.func @several_uses(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[E:.*]]: tensor<?xf32>
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK-SAME: ins(%[[X]], %[[Y]] : tensor<?xf32>, tensor<?xf32>) outs(%[[E]], %[[E]] : tensor<?xf32>, tensor<?xf32>)
// CHECK-NEXT: ^bb0(%[[V:.*]]: f32, %[[W:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[V]], %[[W]]
// CHECK-NEXT: %[[T:.*]] = arith.mulf %[[S]], %[[V]]
// CHECK-NEXT: linalg.yield %[[S]], %[[T]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @several_uses(%x: tensor<?xf32>, %y: tensor<?xf32>, %e: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %s = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %t = linalg.mul ins(%s, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %s, %t : tensor<?xf32>, tensor<?xf32>
}

// -----

// Both read the same elements. The loops are in the order of the results, and an
// index is that of the dimension. What one starts from is nothing that another makes.
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
// CHECK: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @same_input(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?xf32>, %[[E:.*]]: tensor<?x?xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[COLUMN]], #[[ALL]], #[[ALL]]]
// CHECK-SAME: ins(%[[X]], %[[B]] : tensor<?x?xf32>, tensor<?xf32>) outs(%[[E]], %[[E]] :
// CHECK: linalg.index 1
// CHECK: linalg.yield
// CHECK-NOT: linalg.generic
func.func @same_input(%x: tensor<?x?xf32>, %b: tensor<?xf32>, %e: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %s = linalg.generic {indexing_maps = [#ji, affine_map<(i, j) -> (i)>, #ji], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %w: f32, %unused: f32):
    %t = arith.addf %v, %w : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%s : tensor<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    %t = arith.mulf %v, %f : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %s, %r : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// One that needs a sum waits for it: those before are one, and those behind.
#i = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>
// CHECK-LABEL: func.func @around_a_sum(
// CHECK: %[[BEFORE:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]{{.*}} ins(%[[BEFORE]]#{{[01]}}
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]{{.*}} ins(%[[BEFORE]]#{{[01]}}, %[[SUM]]
// CHECK-NOT: linalg.generic
func.func @around_a_sum(%x: tensor<?xf32>, %zero: tensor<f32>, %e: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.abs ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#i, #none], iterator_types = ["reduction"]}
      ins(%0 : tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%v: f32, %s: f32):
    %t = arith.addf %s, %v : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %2 = linalg.generic {indexing_maps = [#i, #none, #i], iterator_types = ["parallel"]}
      ins(%0, %sum : tensor<?xf32>, tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %s: f32, %unused: f32):
    %t = arith.divf %v, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %3 = linalg.negf ins(%2 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// A transposition is a matter of tiles, and an init that is read one of accumulation.
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-3: linalg.generic
func.func @apart(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = linalg.exp ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#ij, #ji], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %t = arith.negf %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%v: f32, %old: f32):
    %t = arith.addf %v, %old : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Each part of a tensor is computed in its place.
// CHECK-LABEL: func.func @parts(
// CHECK-COUNT-2: linalg.generic
// CHECK: tensor.insert_slice
func.func @parts(%x: tensor<8xf32>, %e: tensor<8xf32>, %f: tensor<16xf32>) -> tensor<16xf32> {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.abs ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %2 = tensor.insert_slice %0 into %f[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
  %3 = tensor.insert_slice %1 into %2[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %3 : tensor<16xf32>
}
