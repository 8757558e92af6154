// RUN: tally-opt %s --tally-lower-custom-calls --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize --cse | FileCheck %s

// Results are written to their buffers; an input with gaps is copied, one without is not.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?xi64>, %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK-DAG:     %[[PART:.*]] = memref.subview %[[X]][0, 1]
// CHECK-DAG:     %[[A:.*]] = memref.alloc(%[[N]]) {{.*}}: memref<?x3xf32>
// CHECK-DAG:     %[[B:.*]] = memref.alloc(%[[M]], %[[N]]) {{.*}}: memref<?x?xi1>
// CHECK:         %[[COPY:.*]] = memref.alloc(%{{.*}}, %{{.*}}) {{.*}}: memref<?x?xf32>
// CHECK:         memref.copy %[[PART]], %[[COPY]]
// CHECK-NOT:     memref.copy
// CHECK:         %[[S:.*]]:3, %[[I:.*]]:2 = tally.custom_call_dps @f ins(%[[COPY]], %[[Y]] : memref<?x?xf32>, memref<?xi64>)
// CHECK-SAME:      outs(%[[A]], %[[B]] : memref<?x3xf32>, memref<?x?xi1>)
// CHECK:         %[[P:.*]] = memref.subview %[[A]][0, 0] [%[[S]]#0, 3]
// CHECK:         %[[Q:.*]] = memref.subview %[[B]][0, 0] [%[[S]]#1, %[[S]]#2]
// CHECK-NOT:     memref.copy
// CHECK:         %[[P2:.*]] = memref.cast %[[P]]
// CHECK:         %[[Q2:.*]] = memref.cast %[[Q]]
// CHECK:         return %[[I]]#0, %[[P2]], %[[Q2]], %[[I]]#1
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xi64>, %n: index, %m: index) -> (i64, tensor<?x3xf32>, tensor<?x?xi1>, f32) {
  %part = tensor.extract_slice %x[0, 1] [%n, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %r:4 = tally.custom_call @f(%part, %y) bounds(%n, %m, %n) : (tensor<?x?xf32>, tensor<?xi64>) -> (i64, tensor<?x3xf32>, tensor<?x?xi1>, f32)
  return %r#0, %r#1, %r#2, %r#3 : i64, tensor<?x3xf32>, tensor<?x?xi1>, f32
}
