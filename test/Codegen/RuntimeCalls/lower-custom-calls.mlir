// RUN: tally-opt %s --tally-lower-custom-calls | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK: %[[A:.*]] = bufferization.alloc_tensor(%[[N]]) : tensor<?x3xf32>
// CHECK: %[[B:.*]] = bufferization.alloc_tensor(%[[M]], %[[N]]) : tensor<?x?xi1>
// CHECK: %[[C:.*]] = bufferization.alloc_tensor() : tensor<2xi8>
// CHECK: %[[T:.*]]:3, %[[S:.*]]:3, %[[I:.*]]:2 = tally.custom_call_dps @f ins(%[[X]] : tensor<?xf32>)
// CHECK-SAME: outs(%[[A]], %[[B]], %[[C]] : tensor<?x3xf32>, tensor<?x?xi1>, tensor<2xi8>)
// CHECK-SAME: is_scalar [true, false, false, true, false] -> (tensor<?x3xf32>, tensor<?x?xi1>, tensor<2xi8>) sizes(index, index, index) scalars(i64, f32)
// CHECK: %[[P:.*]] = tensor.extract_slice %[[T]]#0[0, 0] [%[[S]]#0, 3] [1, 1]
// CHECK: %[[Q:.*]] = tensor.extract_slice %[[T]]#1[0, 0] [%[[S]]#1, %[[S]]#2] [1, 1]
// CHECK: return %[[I]]#0, %[[P]], %[[Q]], %[[I]]#1, %[[T]]#2
func.func @main(%x: tensor<?xf32>, %n: index, %m: index) -> (i64, tensor<?x3xf32>, tensor<?x?xi1>, f32, tensor<2xi8>) {
  %r:5 = tally.custom_call @f(%x) bounds(%n, %m, %n) : (tensor<?xf32>) -> (i64, tensor<?x3xf32>, tensor<?x?xi1>, f32, tensor<2xi8>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : i64, tensor<?x3xf32>, tensor<?x?xi1>, f32, tensor<2xi8>
}

// CHECK-LABEL: func.func @pure
// CHECK: tally.custom_call_dps @g is_scalar [true] pure scalars(f64)
func.func @pure() -> f64 {
  %r = tally.custom_call @g() pure : () -> f64
  return %r : f64
}
