// RUN: tally-opt %s --tally-lower-sort | FileCheck %s
// RUN: tally-opt %s --tally-lower-sort=unknown-types-only | FileCheck %s --check-prefix=KNOWN
// RUN: tally-opt %s --tally-lower-sort | tally-run - --interpret --entry part --input 'f32[3,2]=2,1,nan,-1,0,5' | FileCheck %s --check-prefix=RESULT
// RUN: tally-run %s --interpret --entry part --input 'f32[3,2]=2,1,nan,-1,0,5' | FileCheck %s --check-prefix=RESULT

// Rows are merged, and the places with them, there and back.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xi8>, %[[V:.*]]: tensor<?x?xi8>, %[[I:.*]]: tensor<?x?xi64>)
// CHECK:         %[[PLACES:.*]] = linalg.generic
// CHECK:         linalg.index 1
// CHECK:         %[[R:.*]]:5 = scf.while (%{{.*}} = %[[X]], %{{.*}} = %[[PLACES]], %{{.*}} = %[[X]], %{{.*}} = %[[PLACES]], %{{.*}} = %c1{{.*}})
// CHECK:         arith.cmpi slt
// CHECK:         } do {
// CHECK-COUNT-2: arith.cmpi ult
// CHECK:         return %[[R]]#0, %[[R]]#1
// KNOWN-LABEL: func.func @whole(
// KNOWN:         tally.sort
func.func @whole(%x: tensor<?x?xi8>, %v: tensor<?x?xi8>, %i: tensor<?x?xi64>) -> (tensor<?x?xi8>, tensor<?x?xi64>) {
  %r:2 = tally.sort ins(%x : tensor<?x?xi8>) values(%v : tensor<?x?xi8>) indices(%i : tensor<?x?xi64>) dim 1 {descending, is_unsigned} -> tensor<?x?xi8>, tensor<?x?xi64>
  return %r#0, %r#1 : tensor<?x?xi8>, tensor<?x?xi64>
}

// Along another dimension: it becomes the last one, and then what is asked for
// is cut out.
// CHECK-LABEL: func.func @part(
// CHECK:         %[[ROWS:.*]] = linalg.transpose ins(%{{.*}} : tensor<3x2xf32>) outs(%{{.*}} : tensor<2x3xf32>) permutation = [1, 0]
// CHECK:         %[[R:.*]]:3 = scf.while (%{{.*}} = %[[ROWS]], %{{.*}} = %[[ROWS]],
// CHECK:         %[[BACK:.*]] = linalg.transpose ins(%[[R]]#0 : tensor<2x3xf32>) outs(%{{.*}} : tensor<3x2xf32>) permutation = [1, 0]
// CHECK:         tensor.extract_slice %[[BACK]][1, 0] [2, 2] [1, 1]
// RESULT:        {{\[\[ *2. +1.\]}}
// RESULT:        {{\[ *nan +5.\]\]}}
func.func @part(%x: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<2x2xf32>
  %r = tally.sort ins(%x : tensor<3x2xf32>) values(%e : tensor<2x2xf32>) dim 0 from %c1 -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// What the runtime does not sort.
// CHECK-LABEL: func.func @odd(
// CHECK:         scf.while
// KNOWN-LABEL: func.func @odd(
// KNOWN:         scf.while
func.func @odd(%x: tensor<?xi5>, %e: tensor<?xi5>) -> tensor<?xi5> {
  %r = tally.sort ins(%x : tensor<?xi5>) values(%e : tensor<?xi5>) dim 0 -> tensor<?xi5>
  return %r : tensor<?xi5>
}
