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

// Complex numbers have a dimension of parts, but for singular values.
// CHECK-LABEL: func.func @complex(
// CHECK:         tally.linear_algebra svd ins(%{{.*}} : memref<?x3x2xf64>) outs(%{{.*}} : memref<?xf64>) {complex}
// CHECK:         tally.linear_algebra eig ins(%{{.*}} : memref<3x3xf64>) outs(%{{.*}}, %{{.*}} : memref<3x2xf64>, memref<3x3x2xf64>)
// CHECK:         tally.linear_algebra ldl ins(%{{.*}} : memref<?x?x2xf64>) outs(%{{.*}}, %{{.*}}, %{{.*}} : memref<?x?x2xf64>, memref<?xi32>, memref<i32>) {complex, hermitian}
// CHECK:         tally.linear_algebra reflections ins(%{{.*}}, %{{.*}} : memref<3x3xf64>, memref<?xf64>) outs(%{{.*}} : memref<3x3xf64>)
func.func @complex(%m: memref<?x3x2xf64>, %s: memref<?xf64>, %t: memref<3x3xf64>, %w: memref<3x2xf64>, %v: memref<3x3x2xf64>,
                   %a: memref<?x?x2xf64>, %p: memref<?xi32>, %i: memref<i32>) {
  tally.linear_algebra svd ins(%m : memref<?x3x2xf64>) outs(%s : memref<?xf64>) {complex}
  tally.linear_algebra eig ins(%t : memref<3x3xf64>) outs(%w, %v : memref<3x2xf64>, memref<3x3x2xf64>)
  tally.linear_algebra ldl ins(%a : memref<?x?x2xf64>) outs(%a, %p, %i : memref<?x?x2xf64>, memref<?xi32>, memref<i32>) {complex, hermitian}
  tally.linear_algebra reflections ins(%t, %s : memref<3x3xf64>, memref<?xf64>) outs(%t : memref<3x3xf64>)
  return
}

// The parts of a number are two.
// SHAPES-LABEL: func.func @parts(
// SHAPES:        tally.check <s{{[0-9]+}} == 2> {{.*}}required_by("tally.linear_algebra")
func.func @parts(%a: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = tally.linear_algebra matrix_exp ins(%a : tensor<?x?x?xf32>) outs(%a : tensor<?x?x?xf32>) {complex} -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
