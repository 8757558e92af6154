// RUN: tally-opt %s --tally-join-lookups --cse --canonicalize --split-input-file | FileCheck %s

// Columns that are repeated, and those inside, are one operation: each element is looked up where its part has it.
// What all parts compute alike is computed once.
// CHECK-LABEL: func.func @pad(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>, %[[M:[^:]*]]: index, %[[N:[^:]*]]: index, %[[LAST:[^:]*]]: index
// CHECK-DAG: %[[END:.*]] = affine.apply {{.*}}()[%[[N]]]
// CHECK-DAG: %[[ALL:.*]] = affine.apply {{.*}}()[%[[N]]]
// CHECK: %[[E:.*]] = tensor.empty(%[[M]], %[[ALL]])
// CHECK: %[[R:.*]] = linalg.generic {{.*}} outs(%[[E]] :
// CHECK-DAG: %[[I:.*]] = linalg.index 0
// CHECK-DAG: %[[J:.*]] = linalg.index 1
// CHECK: %[[ROW:.*]] = arith.minsi %[[I]], %c7
// CHECK-NOT: arith.minsi
// CHECK: %[[AT:.*]] = arith.subi %[[J]], %c2
// CHECK: %[[LEFT:.*]] = arith.cmpi slt, %[[J]], %c2
// CHECK: %[[A:.*]] = arith.select %[[LEFT]], %c0, %[[AT]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[J]], %[[END]]
// CHECK: %[[B:.*]] = arith.select %[[INSIDE]], %[[A]], %[[LAST]]
// CHECK: tensor.extract %[[X]][%[[ROW]], %[[B]]]
// CHECK-NOT: tensor.extract
// CHECK: return %[[R]]
#all = affine_map<(i, j) -> (i, j)>
func.func @pad(%x: tensor<?x?xf32>, %m: index, %n: index, %last: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %e = tensor.empty(%m) : tensor<?x2xf32>
  %left = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %row = arith.minsi %i, %c7 : index
    %v = tensor.extract %x[%row, %c0] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x2xf32>
  %f = tensor.empty(%m, %n) : tensor<?x?xf32>
  %inside = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<?x?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.minsi %i, %c7 : index
    %v = tensor.extract %x[%row, %j] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %right = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %row = arith.minsi %i, %c7 : index
    %v = tensor.extract %x[%row, %last] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x2xf32>
  %r = tensor.concat dim(1) %left, %inside, %right : (tensor<?x2xf32>, tensor<?x?xf32>, tensor<?x2xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Parts stay that look up two tensors, that others read, that compute more than an index, and that may fail.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: tensor.concat
#all = affine_map<(i) -> (i)>
func.func @others(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %of_x = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %of_y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %y[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %a = tensor.concat dim(0) %of_x, %of_y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %read = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %v = tensor.extract %x[%n] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %b = tensor.concat dim(0) %read, %read : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %more = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %v = tensor.extract %x[%n] : tensor<?xf32>
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  %c = tensor.concat dim(0) %more, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %fails = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %at = arith.divsi %i, %n : index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %front = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%out: f32):
    %v = tensor.extract %x[%n] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %d = tensor.concat dim(0) %front, %fails : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %a, %b, %c, %d, %read : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
