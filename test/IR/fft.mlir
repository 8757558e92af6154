// RUN: tally-opt %s | tally-opt | FileCheck %s
// RUN: tally-opt %s --tally-propagate-shapes | FileCheck %s --check-prefix=SHAPES

// CHECK-LABEL: func.func @forms(
// CHECK:         tally.fft real_to_complex dim(1) scale(none) ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
// CHECK:         tally.fft backward dim(0) scale(length) ins(%{{.*}} : memref<5x2xf64>) outs(%{{.*}} : memref<?x2xf64>)
// CHECK:         tally.fft complex_to_real dim(0) scale(root) ins(%{{.*}} : memref<5x2xf64>) outs(%{{.*}} : memref<9xf64>)
// Half of the numbers and one more.
// SHAPES-LABEL: func.func @forms(
// SHAPES-DAG:    tally.check <s{{[0-9]+}} == s{{[0-9]+}}> {{.*}}required_by("tally.fft")
// SHAPES-DAG:    tally.check <{{.*}}floordiv{{.*}}> {{.*}}required_by("tally.fft")
func.func @forms(%x: tensor<?x?xf32>, %y: tensor<?x?x2xf32>, %a: memref<5x2xf64>, %b: memref<?x2xf64>, %r: memref<9xf64>) -> tensor<?x?x2xf32> {
  %z = tally.fft real_to_complex dim(1) scale(none) ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  tally.fft backward dim(0) scale(length) ins(%a : memref<5x2xf64>) outs(%b : memref<?x2xf64>)
  tally.fft complex_to_real dim(0) scale(root) ins(%a : memref<5x2xf64>) outs(%r : memref<9xf64>)
  return %z : tensor<?x?x2xf32>
}
