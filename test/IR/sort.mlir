// RUN: tally-opt %s | tally-opt | FileCheck %s
// RUN: tally-opt %s --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: tally-opt %s --tally-propagate-shapes | FileCheck %s --check-prefix=SHAPES

// All sizes agree; a part is inside.
// CHECK-LABEL: func.func @forms(
// CHECK:         %{{.*}}:2 = tally.sort ins(%{{.*}} : tensor<?x?xf32>) values(%{{.*}} : tensor<?x?xf32>) indices(%{{.*}} : tensor<?x?xi64>) dim 1 -> tensor<?x?xf32>, tensor<?x?xi64>
// CHECK:         tally.sort ins(%{{.*}} : tensor<?x?xf32>) values(%{{.*}} : tensor<?x?xf32>) dim 0 from %{{.*}} {descending} -> tensor<?x?xf32>
// CHECK:         tally.sort ins(%{{.*}} : memref<?xi8>) indices(%{{.*}} : memref<?xi64>) dim 0 {is_unsigned}
// SHAPES-LABEL: func.func @forms(
// SHAPES:        tally.check <s2 == s4> required_by("tally.sort")
// SHAPES:        tally.check <s3 == s5> required_by("tally.sort")
func.func @forms(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>, %i: tensor<?x?xi64>, %b: memref<?xi8>, %p: memref<?xi64>, %n: index) -> (tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>) {
  %r:2 = tally.sort ins(%x : tensor<?x?xf32>) values(%v : tensor<?x?xf32>) indices(%i : tensor<?x?xi64>) dim 1 -> tensor<?x?xf32>, tensor<?x?xi64>
  %s = tally.sort ins(%x : tensor<?x?xf32>) values(%v : tensor<?x?xf32>) dim 0 from %n {descending} -> tensor<?x?xf32>
  tally.sort ins(%b : memref<?xi8>) indices(%p : memref<?xi64>) dim 0 {is_unsigned}
  return %r#0, %r#1, %s : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>
}

// What nobody asks for is not made.
// CANON-LABEL: func.func @unused(
// CANON:         %[[V:.*]] = tally.sort ins(%{{.*}} : tensor<?xf32>) values(%{{.*}} : tensor<?xf32>) dim 0 -> tensor<?xf32>
// CANON:         %[[I:.*]] = tally.sort ins(%{{.*}} : tensor<?xf32>) indices(%{{.*}} : tensor<?xi64>) dim 0 from %{{.*}} {descending} -> tensor<?xi64>
// CANON-NOT:     tally.sort
// CANON:         return %[[V]], %[[I]]
func.func @unused(%x: tensor<?xf32>, %v: tensor<?xf32>, %i: tensor<?xi64>, %n: index) -> (tensor<?xf32>, tensor<?xi64>) {
  %a:2 = tally.sort ins(%x : tensor<?xf32>) values(%v : tensor<?xf32>) indices(%i : tensor<?xi64>) dim 0 -> tensor<?xf32>, tensor<?xi64>
  %b:2 = tally.sort ins(%x : tensor<?xf32>) values(%v : tensor<?xf32>) indices(%i : tensor<?xi64>) dim 0 from %n {descending} -> tensor<?xf32>, tensor<?xi64>
  %c:2 = tally.sort ins(%x : tensor<?xf32>) values(%v : tensor<?xf32>) indices(%i : tensor<?xi64>) dim 0 -> tensor<?xf32>, tensor<?xi64>
  return %a#0, %b#1 : tensor<?xf32>, tensor<?xi64>
}
