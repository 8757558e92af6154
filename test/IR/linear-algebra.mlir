// RUN: tally-opt %s | tally-opt | FileCheck %s
// RUN: tally-opt %s --tally-propagate-shapes | FileCheck %s --check-prefix=SHAPES

// CHECK-LABEL: func.func @forms(
// CHECK:         %{{.*}}:3 = tally.linear_algebra lu ins(%{{.*}} : tensor<?x?x?xf32>) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?xi32>) -> tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?xi32>
// CHECK:         tally.linear_algebra svd ins(%{{.*}} : memref<?x3xf64>) outs(%{{.*}} : memref<?xf64>) {full}
// CHECK:         tally.linear_algebra solve_triangular ins(%{{.*}}, %{{.*}} : memref<3x3xf64>, memref<3x?xf64>) outs(%{{.*}} : memref<3x?xf64>) {unit, upper}
// The lesser of rows and columns is the number of pivots.
// SHAPES-LABEL: func.func @forms(
// SHAPES:        tally.check <s{{[0-9]+}} == s{{[0-9]+}}> {{.*}}required_by("tally.linear_algebra")
// SHAPES:        tally.check <{{.*}}min({{.*}}> {{.*}}required_by("tally.linear_algebra")
func.func @forms(%a: tensor<?x?x?xf32>, %f: tensor<?x?x?xf32>, %p: tensor<?x?xi32>, %i: tensor<?xi32>, %m: memref<?x3xf64>, %s: memref<?xf64>,
                 %t: memref<3x3xf64>, %b: memref<3x?xf64>) -> (tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?xi32>) {
  %r:3 = tally.linear_algebra lu ins(%a : tensor<?x?x?xf32>) outs(%f, %p, %i : tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?xi32>)
      -> tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?xi32>
  tally.linear_algebra svd ins(%m : memref<?x3xf64>) outs(%s : memref<?xf64>) {full}
  tally.linear_algebra solve_triangular ins(%t, %b : memref<3x3xf64>, memref<3x?xf64>) outs(%b : memref<3x?xf64>) {unit, upper}
  return %r#0, %r#1, %r#2 : tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?xi32>
}
