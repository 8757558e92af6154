// Writes elements of y to x at indices.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module {
  func.func @main(%arg0: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s77>}, %arg1: tensor<?xi64> {tally.name = "index", tally.shape = #tally.shape<s17>}, %arg2: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s17>}) -> (tensor<?xf32> {tally.shape = #tally.shape<s77>}) attributes {tally.symbols = #tally.symbols<s77, s17>} {
    %0 = tally.size <s77> : index
    %1 = arith.index_cast %0 : index to i64
    %c0_i64 = arith.constant 0 : i64
    %true = arith.constant true
    %2 = tensor.empty() : tensor<i1>
    %3 = linalg.fill ins(%true : i1) outs(%2 : tensor<i1>) -> tensor<i1>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%arg1 : tensor<?xi64>) outs(%3 : tensor<i1>) {
    ^bb0(%in: i64, %out: i1):
      %7 = arith.cmpi sge, %in, %c0_i64 : i64
      %8 = arith.cmpi slt, %in, %1 : i64
      %9 = arith.andi %7, %8 : i1
      %10 = arith.andi %9, %out : i1
      linalg.yield %10 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %4[] : tensor<i1>
    tally.check <ok>, "aten.scatter.src: an index is out of range" (ok = %extracted : i1)
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %5 = tally.size <s17> : index
    %6 = scf.for %arg3 = %c0 to %5 step %c1 iter_args(%arg4 = %arg0) -> (tensor<?xf32>) {
      %extracted_0 = tensor.extract %arg2[%arg3] : tensor<?xf32>
      %extracted_1 = tensor.extract %arg1[%arg3] : tensor<?xi64>
      %7 = arith.index_cast %extracted_1 : i64 to index
      %inserted = tensor.insert %extracted_0 into %arg4[%7] : tensor<?xf32>
      scf.yield %inserted : tensor<?xf32>
    }
    return %6 : tensor<?xf32>
  }
}

