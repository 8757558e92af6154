// RUN: tally-opt %s --tally-separate-empty-tensors --canonicalize | FileCheck %s

// What CSE has made one has a tensor for each use.
// CHECK-LABEL: func.func @two
// CHECK: %[[A:.*]] = tensor.empty
// CHECK: linalg.exp {{.*}} outs(%[[A]] :
// CHECK: %[[B:.*]] = tensor.empty
// CHECK: linalg.log {{.*}} outs(%[[B]] :
func.func @two(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b = linalg.log ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// So has a reshape of one, and a reshape of that.
// CHECK-LABEL: func.func @reshaped
// CHECK: %[[A:.*]] = tensor.empty
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[A]]
// CHECK: %[[E:.*]] = tensor.expand_shape %[[C]]
// CHECK: linalg.exp {{.*}} outs(%[[E]] :
// CHECK: %[[B:.*]] = tensor.empty
// CHECK: %[[D:.*]] = tensor.collapse_shape %[[B]]
// CHECK: %[[F:.*]] = tensor.expand_shape %[[D]]
// CHECK: linalg.log {{.*}} outs(%[[F]] :
// CHECK-NOT: tensor.empty
// CHECK: return
func.func @reshaped(%x: tensor<1x?xf32>, %n: index) -> (tensor<1x?xf32>, tensor<1x?xf32>) {
  %e = tensor.empty(%n) : tensor<?x4x1xf32>
  %c = tensor.collapse_shape %e [[0, 1, 2]] : tensor<?x4x1xf32> into tensor<?xf32>
  %f = tensor.expand_shape %c [[0, 1]] output_shape [1, %n] : tensor<?xf32> into tensor<1x?xf32>
  %a = linalg.exp ins(%x : tensor<1x?xf32>) outs(%f : tensor<1x?xf32>) -> tensor<1x?xf32>
  %b = linalg.log ins(%x : tensor<1x?xf32>) outs(%f : tensor<1x?xf32>) -> tensor<1x?xf32>
  return %a, %b : tensor<1x?xf32>, tensor<1x?xf32>
}

// A part that was computed in its place stays there.
// CHECK-LABEL: func.func @parts
// CHECK: %[[WHOLE:.*]] = tensor.empty
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[WHOLE]]
// CHECK: %[[PART:.*]] = linalg.exp {{.*}} outs(%[[PLACE]] :
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[PART]] into %[[WHOLE]]
// CHECK: %[[OTHER:.*]] = tensor.empty
// CHECK: linalg.log {{.*}} outs(%[[OTHER]] :
func.func @parts(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index, %m: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%m) : tensor<?xf32>
  %s = tensor.extract_slice %e[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %p = linalg.exp ins(%x : tensor<?xf32>) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.insert_slice %p into %e[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %q = linalg.log ins(%y : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r, %q : tensor<?xf32>, tensor<?xf32>
}

// Where a tensor has one use, nothing changes.
// CHECK-LABEL: func.func @inserted
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>,
// CHECK: linalg.exp {{.*}} outs(%{{.*}} :
// CHECK-NOT: tensor.extract_slice
func.func @inserted(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: index, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.insert_slice %a into %y[%i] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
