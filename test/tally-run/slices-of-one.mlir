// Slices that drop a dimension of one element and keep another: which one is
// which does not change once a constant is known.
// RUN: split-file %s %t
// RUN: tally-opt %t/main.mlir --tally-check-pipeline | FileCheck %s --check-prefix=IR
// RUN: tally-run %t/main.mlir --cases %t/cases.json | FileCheck %s
// RUN: tally-run %t/static.mlir --input i64[1,2,2]=1,2,3,4 | FileCheck %s --check-prefix=STATIC
// RUN: tally-run %t/steps.mlir --input f32[2,1,1]=1,2 | FileCheck %s --check-prefix=STEPS
// RUN: not tally-run %t/steps.mlir --input f32[1,1,1]=1 2>&1 | FileCheck %s --check-prefix=STEPS-BAD

// IR-LABEL: func.func @main
// IR:         tensor.extract_slice %{{.*}}[0, 0, 0] [1, %[[N:.*]], 1] [1, 1, 1] : tensor<1x?x?xi64> to tensor<?xi64>
// IR:         tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [1, %[[N]]] : tensor<?xi64> into tensor<1x?xi64>
// IR:         tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<1x?xi64> into tensor<?xi64>
// IR:         tensor.insert_slice %{{.*}} : tensor<?xi64> into tensor<1x?x?xi64>

// CHECK: PASS two
// CHECK: PASS one
// CHECK: PASS none
//--- main.mlir
func.func @main(%x: tensor<1x?x?xi64>, %y: tensor<1x?xi64>) -> (tensor<1x?xi64>, tensor<1x?x?xi64>, tensor<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<1x?x?xi64>
  %first = tensor.extract_slice %x[0, 0, %c0] [1, %n, 1] [1, 1, 1] : tensor<1x?x?xi64> to tensor<1x?xi64>
  %written = tensor.insert_slice %y into %x[0, 0, %c0] [1, %n, 1] [1, 1, 1] : tensor<1x?xi64> into tensor<1x?x?xi64>
  %corner = tensor.extract_slice %x[0, 0, %c0] [1, 1, 1] [1, 2, 1] : tensor<1x?x?xi64> to tensor<1xi64>
  return %first, %written, %corner : tensor<1x?xi64>, tensor<1x?x?xi64>, tensor<1xi64>
}
//--- static.mlir
// STATIC: out0: i64[1, 2] =
// STATIC-NEXT: {{\[\[}}1 3]]
func.func @main(%x: tensor<1x2x2xi64>) -> tensor<1x2xi64> {
  %c0 = arith.constant 0 : index
  %r = tensor.extract_slice %x[0, 0, %c0] [1, 2, 1] [1, 1, 1] : tensor<1x2x2xi64> to tensor<1x2xi64>
  return %r : tensor<1x2xi64>
}
//--- steps.mlir
// STEPS: out0: f32[1, 1] =
// STEPS-NEXT: {{\[\[}}1.]]
// STEPS: out1: f32[1] =
// STEPS-NEXT: [1.]
// STEPS-BAD: check failed
func.func @main(%x: tensor<?x1x1xf32>) -> (tensor<?x1xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d = tensor.dim %x, %c0 : tensor<?x1x1xf32>
  %half = arith.divui %d, %c2 : index
  %r = tensor.extract_slice %x[0, 0, 0] [%half, 1, 1] [2, 1, 1] : tensor<?x1x1xf32> to tensor<?x1xf32>
  %s = tensor.extract_slice %x[0, 0, 0] [%c1, 1, 1] [%c2, 1, 1] : tensor<?x1x1xf32> to tensor<?xf32>
  %t = tensor.cast %s : tensor<?xf32> to tensor<1xf32>
  %row = tensor.extract %x[%c1, %c0, %c0] : tensor<?x1x1xf32>
  return %r, %t : tensor<?x1xf32>, tensor<1xf32>
}
//--- cases.json
[
 {"name": "two", "inputs": ["i64[1,2,3]=1,2,3,4,5,6", "i64[1,2]=7,8"], "expect": ["i64[1,2]=1,4", "i64[1,2,3]=7,2,3,8,5,6", "i64[1]=1"]},
 {"name": "one", "inputs": ["i64[1,1,1]=3", "i64[1,1]=7"], "expect": ["i64[1,1]=3", "i64[1,1,1]=7", "i64[1]=3"]},
 {"name": "none", "inputs": ["i64[1,0,1]=", "i64[1,0]="], "raises": "0 < s0"}
]
