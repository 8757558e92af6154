// A loop that starts with a column starts with a copy of it.

// RUN: tally-opt %s --tally-keep-inits | FileCheck %s --check-prefix=IR
// RUN: tally-run %s --input i64[3,2]=1,2,3,4,5,6 --input i64=2 --compare | FileCheck %s
// RUN: tally-run %s --input i64[3,2]=1,2,3,4,5,6 --input i64=0 --compare | FileCheck %s --check-prefix=NONE
// RUN: tally-run %s --input i64[0,2]= --input i64=1 --compare | FileCheck %s --check-prefix=EMPTY

// IR: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<1x?xi64>
// IR: scf.while (%{{.*}} = %[[COPY]],
// CHECK{LITERAL}: [[ 4 12 20]]
// NONE{LITERAL}: [[1 3 5]]
// EMPTY: i64[1, 0]
func.func @main(%x: tensor<?x2xi64>, %times: index) -> tensor<1x?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xi64>
  %column = tensor.extract_slice %x[0, 0] [%n, 1] [1, 1] : tensor<?x2xi64> to tensor<?x1xi64>
  %flat = tensor.collapse_shape %column [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %row = tensor.expand_shape %flat [[0, 1]] output_shape [1, %n] : tensor<?xi64> into tensor<1x?xi64>
  %r:2 = scf.while (%a = %row, %i = %c0) : (tensor<1x?xi64>, index) -> (tensor<1x?xi64>, index) {
    %goes = arith.cmpi slt, %i, %times : index
    scf.condition(%goes) %a, %i : tensor<1x?xi64>, index
  } do {
  ^bb0(%a: tensor<1x?xi64>, %i: index):
    %m = tensor.dim %a, %c1 : tensor<1x?xi64>
    %e = tensor.empty(%m) : tensor<1x?xi64>
    %twice = linalg.add ins(%a, %a : tensor<1x?xi64>, tensor<1x?xi64>) outs(%e : tensor<1x?xi64>) -> tensor<1x?xi64>
    %next = arith.addi %i, %c1 : index
    scf.yield %twice, %next : tensor<1x?xi64>, index
  }
  return %r#0 : tensor<1x?xi64>
}
