// Between what the elements of tensors lie, by what makes them.

// RUN: tally-test-opt %s --test-element-ranges -o /dev/null | FileCheck %s

// CHECK-LABEL: @tensors
// CHECK-NEXT: %arg1 in [0, 1]
// CHECK-NEXT: %arg2 in [?, ?]
// CHECK-NEXT: %arg3 in [-9223372036854775808, 9223372036854775807]
// CHECK-NEXT: %arg4 in [-9223372036854775808, 9223372036854775807]
// CHECK-NEXT: %arg5 in [?, ?]
// CHECK-NEXT: %arg7 in [?, ?]
// CHECK-NEXT: %c0 in [0, 0]
// CHECK-NEXT: %c1 in [1, 1]
// CHECK-NEXT: %c0_i64 in [0, 0]
// CHECK-NEXT: %c9_i64 in [9, 9]
// CHECK-NEXT: %cst in [-2, 7]
// CHECK-NEXT: %cst_0 in [2, 8]
// CHECK-NEXT: %cst_1 in [0, 1]
// CHECK-NEXT: %cast in [-2, 7]
// CHECK-NEXT: %collapsed in [2, 8]
// CHECK-NEXT: %expanded in [-2, 7]
// CHECK-NEXT: %extracted in [-2, -2]
// CHECK-NEXT: %gather in [-2, 7]
// CHECK-NEXT: %splat in [9, 9]
// CHECK-NEXT: %extracted_slice in [-2, 7]
// CHECK-NEXT: %concat in [-2, 9]
// CHECK-NEXT: %from_elements in [-2, 9]
// CHECK-NEXT: %from_elements_2 in [9, 9]
// CHECK-NEXT: %from_elements_3 in [?, ?]
// CHECK-NEXT: %inserted in [-2, 9]
// CHECK-NEXT: %inserted_slice in [-2, 9]
// CHECK-NEXT: %scatter in [-2, 9]
// CHECK-NEXT: %generated in [7, 7]
// CHECK-NEXT: %arg8 in [0, {{%[a-z0-9]+}} - 1]
// CHECK-NEXT: %10 in [7, 7]
// CHECK-NEXT: %padded in [-2, 9]
// CHECK-NEXT: %arg8 in [0, 5]
// CHECK-NEXT: %cst_4 in [-4, 3]
// CHECK-NEXT: %cst_5 in [?, ?]
// CHECK-NEXT: %0 in [0, s0 - 1]
// CHECK-NEXT: %dim in [{{%[a-z0-9]+, %[a-z0-9]+}}]
// CHECK-NEXT: %extracted_slice_6 in [0, 4]
// CHECK-NEXT: %extracted_slice_7 in [0, s0 - 1]
// CHECK-NEXT: %extracted_slice_8 in [0, s0 - 1]
// CHECK-NEXT: %extracted_slice_9 in [0, s0 - 1]
// CHECK-NEXT: %1 in [-2, 7]
// CHECK-NEXT: %2 in [9, 9]
// CHECK-NEXT: %3 in [-2, 7]
// CHECK-NEXT: %4#1 in [0, s0 - 1]
// CHECK-NEXT: %5 in [0, 4]
// CHECK-NEXT: %6#0 in [-2, 7]
// CHECK-NEXT: %6#1 in [0, 3]
// CHECK-NEXT: %values in [-2, 7]
// CHECK-NEXT: %inverse in [0, {{%[a-z0-9]+}} - 1]
// CHECK-NEXT: %counts in [0, 4]
// CHECK-NEXT: %7 in [0, 3]
// CHECK-NEXT: %8 in [0, 4]
// CHECK-NEXT: %9 in [?, ?]
func.func @tensors(%x: tensor<5x?xf32> {tally.shape = #tally.shape<5, s0>}, %mask: tensor<?xi1>, %any: tensor<?xi64>, %i: index, %n: index, %wide: tensor<?xi128>,
    %v: tensor<5x?xf32>, %p: tensor<5x?xi64>) attributes {tally.symbols = #tally.symbols<s0 : [9, 64]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %nine = arith.constant 9 : i64
  %few = arith.constant dense<[3, -2, 7, 4]> : tensor<4xi64>
  %square = arith.constant dense<[[5, 6], [8, 2]]> : tensor<2x2xi64>
  %table = arith.constant dense<[[0], [1]]> : tensor<2x1xindex>
  %cast = tensor.cast %few : tensor<4xi64> to tensor<?xi64>
  %collapsed = tensor.collapse_shape %square [[0, 1]] : tensor<2x2xi64> into tensor<4xi64>
  %expanded = tensor.expand_shape %few [[0, 1]] output_shape [2, 2] : tensor<4xi64> into tensor<2x2xi64>
  %element = tensor.extract %few[%c1] : tensor<4xi64>
  %gathered = tensor.gather %few[%table] gather_dims([0]) : (tensor<4xi64>, tensor<2x1xindex>) -> tensor<2xi64>
  %splat = tensor.splat %nine : tensor<4xi64>
  %slice = tensor.extract_slice %few[0] [2] [1] : tensor<4xi64> to tensor<2xi64>
  %both = tensor.concat dim(0) %few, %splat : (tensor<4xi64>, tensor<4xi64>) -> tensor<8xi64>
  %listed = tensor.from_elements %zero, %nine, %element : tensor<3xi64>
  %one = tensor.from_elements %nine : tensor<1xi64>
  %none = tensor.from_elements : tensor<0xi64>
  %inserted = tensor.insert %nine into %few[%c0] : tensor<4xi64>
  %part = tensor.insert_slice %splat into %both[0] [4] [1] : tensor<4xi64> into tensor<8xi64>
  %scattered = tensor.scatter %slice into %splat[%table] scatter_dims([0]) unique : (tensor<2xi64>, tensor<4xi64>, tensor<2x1xindex>) -> tensor<4xi64>
  %generated = tensor.generate %n {
  ^bb0(%k: index):
    %sum = arith.addi %element, %nine : i64
    tensor.yield %sum : i64
  } : tensor<?xi64>
  %padded = tensor.pad %few low[1] high[1] {
  ^bb0(%k: index):
    tensor.yield %nine : i64
  } : tensor<4xi64> to tensor<6xi64>
  %data = tally.constant "w.bin"[0] in [-4, 3] : tensor<4xi64>
  %unknown = tally.constant "w.bin"[0] : tensor<4xi64>
  %rows = tally.nonzero %x : tensor<5x?xf32> -> tensor<?x2xi64>
  %count = tensor.dim %rows, %c0 : tensor<?x2xi64>
  %first = tensor.extract_slice %rows[0, 0] [%count, 1] [1, 1] : tensor<?x2xi64> to tensor<?xi64>
  %second = tensor.extract_slice %rows[0, 1] [%count, 1] [1, 1] : tensor<?x2xi64> to tensor<?xi64>
  %columns = tensor.extract_slice %rows[0, 0] [%count, 2] [1, 1] : tensor<?x2xi64> to tensor<?x2xi64>
  %some = tensor.extract_slice %rows[0, %i] [%count, 1] [1, 1] : tensor<?x2xi64> to tensor<?xi64>
  %chosen = tally.masked_select %cast, %mask : tensor<?xi64>, tensor<?xi1>
  %item = tally.item %one : tensor<1xi64>
  %picked = tally.select %few[%i] dim 0 : tensor<4xi64>
  %sorted:2 = tally.sort ins(%x : tensor<5x?xf32>) values(%v : tensor<5x?xf32>) indices(%p : tensor<5x?xi64>) dim 1 -> tensor<5x?xf32>, tensor<5x?xi64>
  %order = tally.sort ins(%x : tensor<5x?xf32>) indices(%p : tensor<5x?xi64>) dim 0 -> tensor<5x?xi64>
  %numbers:2 = tally.sort ins(%few : tensor<4xi64>) values(%few : tensor<4xi64>) indices(%few : tensor<4xi64>) dim 0 -> tensor<4xi64>, tensor<4xi64>
  %values, %inverse, %counts = tally.unique %few : tensor<4xi64>
  %repeated = tally.repeat_interleave %few : tensor<4xi64>
  %histogram = tally.bincount %few minlength %i : tensor<4xi64>
  %weighted = tally.bincount %few minlength %i weights %few : tensor<4xi64>, tensor<4xi64>
  return
}
