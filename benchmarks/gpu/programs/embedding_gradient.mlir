// The gradient of an embedding whose table has 50000 rows.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "gradient", tally.shape = #tally.shape<s91, s69>}, %arg1: tensor<?xi64> {tally.name = "index", tally.shape = #tally.shape<s91>}) -> (tensor<50000x?xf32> {tally.shape = #tally.shape<50000, s69>}) attributes {tally.symbols = #tally.symbols<s91, s69>} {
    %c50000_i64 = arith.constant 50000 : i64
    %0 = tally.size <s91> : index
    %1 = tensor.empty(%0) : tensor<?xi64>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg1 : tensor<?xi64>) outs(%1 : tensor<?xi64>) {
    ^bb0(%in: i64, %out: i64):
      %c0_i64_0 = arith.constant 0 : i64
      %10 = arith.cmpi sge, %in, %c0_i64_0 : i64
      %11 = arith.cmpi slt, %in, %c50000_i64 : i64
      %12 = arith.andi %10, %11 : i1
      %c-1_i64 = arith.constant -1 : i64
      %13 = arith.cmpi ne, %in, %c-1_i64 : i64
      %14 = arith.andi %12, %13 : i1
      %15 = arith.select %14, %in, %c50000_i64 : i64
      linalg.yield %15 : i64
    } -> tensor<?xi64>
    %c50001_i64 = arith.constant 50001 : i64
    %c0_i64 = arith.constant 0 : i64
    %true = arith.constant true
    %3 = tensor.empty() : tensor<i1>
    %4 = linalg.fill ins(%true : i1) outs(%3 : tensor<i1>) -> tensor<i1>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%2 : tensor<?xi64>) outs(%4 : tensor<i1>) {
    ^bb0(%in: i64, %out: i1):
      %10 = arith.cmpi sge, %in, %c0_i64 : i64
      %11 = arith.cmpi slt, %in, %c50001_i64 : i64
      %12 = arith.andi %10, %11 : i1
      %13 = arith.andi %12, %out : i1
      linalg.yield %13 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %5[] : tensor<i1>
    tally.check <ok>, "aten.embedding_dense_backward.default: an index is out of range" (ok = %extracted : i1)
    %collapsed = tensor.collapse_shape %arg0 [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
    %6 = tally.size <s69> : index
    %expanded = tensor.expand_shape %collapsed [[0, 1]] output_shape [%0, %6] : tensor<?xf32> into tensor<?x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %7 = tensor.empty(%6) : tensor<50001x?xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<50001x?xf32>) -> tensor<50001x?xf32>
    %c50001 = arith.constant 50001 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %9 = scf.for %arg2 = %c0 to %0 step %c1 iter_args(%arg3 = %8) -> (tensor<50001x?xf32>) {
      %10 = scf.for %arg4 = %c0 to %6 step %c1 iter_args(%arg5 = %arg3) -> (tensor<50001x?xf32>) {
        %extracted_0 = tensor.extract %expanded[%arg2, %arg4] : tensor<?x?xf32>
        %extracted_1 = tensor.extract %2[%arg2] : tensor<?xi64>
        %11 = arith.index_cast %extracted_1 : i64 to index
        %extracted_2 = tensor.extract %arg5[%11, %arg4] : tensor<50001x?xf32>
        %12 = arith.addf %extracted_2, %extracted_0 : f32
        %inserted = tensor.insert %12 into %arg5[%11, %arg4] : tensor<50001x?xf32>
        scf.yield %inserted : tensor<50001x?xf32>
      }
      scf.yield %10 : tensor<50001x?xf32>
    }
    %extracted_slice = tensor.extract_slice %9[0, 0] [50000, %6] [1, 1] : tensor<50001x?xf32> to tensor<50000x?xf32>
    return %extracted_slice : tensor<50000x?xf32>
  }
}

