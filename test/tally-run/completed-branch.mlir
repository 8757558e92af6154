// A size that a branch writes is proven in both halves: what was known when the
// asserts were inserted is found again in the arithmetic that is left.

// RUN: tally-run %s --compare --input 'f32[0,0]=' --input i64=0
// RUN: tally-run %s --compare --input 'f32[1,2]=1,2' --input i64=1
// RUN: tally-opt %s --tally-check-pipeline | tally-opt --tally-verify-form | FileCheck %s
// CHECK-COUNT-2: tally.assert
// CHECK: tally.cond
// CHECK-NOT: tally.assert

func.func @main(%arg0: tensor<?x?xf32>, %arg1: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %0 = tally.slice %arg0[%c1 to %arg1] dim 0 : tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %0, %c0 : tensor<?x?xf32>
  %dim_0 = tensor.dim %0, %c1 : tensor<?x?xf32>
  %true = arith.constant true
  %1 = tensor.splat %true[%dim, %dim_0] : tensor<?x?xi1>
  %2 = tally.masked_select %0, %1 : tensor<?x?xf32>, tensor<?x?xi1>
  %dim_1 = tensor.dim %2, %c0 : tensor<?xf32>
  %generated = tensor.generate %arg1, %dim_1 {
  ^bb0(%arg2: index, %arg3: index):
    %i = arith.index_cast %arg3 : index to i64
    tensor.yield %i : i64
  } : tensor<?x?xi64>
  %concat = tensor.concat dim(0) %2, %2 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = tensor.empty(%dim) : tensor<?xf32>
  %4 = linalg.mul ins(%concat, %concat : tensor<?xf32>, tensor<?xf32>) outs(%3 : tensor<?xf32>) -> tensor<?xf32>
  %5 = arith.cmpi sge, %arg1, %c1 : index
  %6 = tally.cond %5 : () -> tensor<?xf32> {
    %inserted_slice = tensor.insert_slice %2 into %4[0] [%dim_1] [1] : tensor<?xf32> into tensor<?xf32>
    tally.yield %inserted_slice : tensor<?xf32>
  } else {
    tally.yield %4 : tensor<?xf32>
  }
  return %6 : tensor<?xf32>
}
