// Adds elements of y to x at pairs of indices.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s77, s27>}, %arg1: tensor<?xi64> {tally.name = "rows", tally.shape = #tally.shape<s10>}, %arg2: tensor<?xi64> {tally.name = "columns", tally.shape = #tally.shape<s10>}, %arg3: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s10>}) -> (tensor<?x?xf32> {tally.shape = #tally.shape<s77, s27>}) attributes {tally.symbols = #tally.symbols<s77, s27, s10>} {
    %0 = tally.size <s77> : index
    %1 = tally.size <s27> : index
    %2 = arith.index_cast %0 : index to i64
    %3 = tally.size <-s77> : index
    %4 = arith.index_cast %3 : index to i64
    %true = arith.constant true
    %5 = tensor.empty() : tensor<i1>
    %6 = linalg.fill ins(%true : i1) outs(%5 : tensor<i1>) -> tensor<i1>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%arg1 : tensor<?xi64>) outs(%6 : tensor<i1>) {
    ^bb0(%in: i64, %out: i1):
      %16 = arith.cmpi sge, %in, %4 : i64
      %17 = arith.cmpi slt, %in, %2 : i64
      %18 = arith.andi %16, %17 : i1
      %19 = arith.andi %18, %out : i1
      linalg.yield %19 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %7[] : tensor<i1>
    tally.check <ok>, "aten.index_put.default: an index is out of range" (ok = %extracted : i1)
    %8 = arith.index_cast %1 : index to i64
    %9 = tally.size <-s27> : index
    %10 = arith.index_cast %9 : index to i64
    %true_0 = arith.constant true
    %11 = tensor.empty() : tensor<i1>
    %12 = linalg.fill ins(%true_0 : i1) outs(%11 : tensor<i1>) -> tensor<i1>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%arg2 : tensor<?xi64>) outs(%12 : tensor<i1>) {
    ^bb0(%in: i64, %out: i1):
      %16 = arith.cmpi sge, %in, %10 : i64
      %17 = arith.cmpi slt, %in, %8 : i64
      %18 = arith.andi %16, %17 : i1
      %19 = arith.andi %18, %out : i1
      linalg.yield %19 : i1
    } -> tensor<i1>
    %extracted_1 = tensor.extract %13[] : tensor<i1>
    tally.check <ok>, "aten.index_put.default: an index is out of range" (ok = %extracted_1 : i1)
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %14 = tally.size <s10> : index
    %15 = scf.for %arg4 = %c0 to %14 step %c1 iter_args(%arg5 = %arg0) -> (tensor<?x?xf32>) {
      %extracted_2 = tensor.extract %arg1[%arg4] : tensor<?xi64>
      %extracted_3 = tensor.extract %arg2[%arg4] : tensor<?xi64>
      %16 = arith.index_cast %extracted_2 : i64 to index
      %c0_4 = arith.constant 0 : index
      %17 = arith.cmpi slt, %16, %c0_4 : index
      %18 = arith.addi %16, %0 : index
      %19 = arith.select %17, %18, %16 : index
      %20 = arith.index_cast %extracted_3 : i64 to index
      %c0_5 = arith.constant 0 : index
      %21 = arith.cmpi slt, %20, %c0_5 : index
      %22 = arith.addi %20, %1 : index
      %23 = arith.select %21, %22, %20 : index
      %extracted_6 = tensor.extract %arg3[%arg4] : tensor<?xf32>
      %extracted_7 = tensor.extract %arg5[%19, %23] : tensor<?x?xf32>
      %24 = arith.addf %extracted_7, %extracted_6 : f32
      %inserted = tensor.insert %24 into %arg5[%19, %23] : tensor<?x?xf32>
      scf.yield %inserted : tensor<?x?xf32>
    }
    return %15 : tensor<?x?xf32>
  }
}

