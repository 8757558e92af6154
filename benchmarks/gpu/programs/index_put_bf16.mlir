// Writes rows of y to x at indices.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module {
  func.func @main(%arg0: tensor<?x?xbf16> {tally.name = "x", tally.shape = #tally.shape<s77, s27>}, %arg1: tensor<?xi64> {tally.name = "index", tally.shape = #tally.shape<s17>}, %arg2: tensor<?x?xbf16> {tally.name = "y", tally.shape = #tally.shape<s17, s27>}) -> (tensor<?x?xbf16> {tally.shape = #tally.shape<s77, s27>}) attributes {tally.symbols = #tally.symbols<s77, s27, s17>} {
    tally.check <s17 == 0 or 1 <= s77 or 1 <= s27>, "aten.index_put.default: an index into an empty dimension"
    %0 = tally.size <s77> : index
    %1 = arith.index_cast %0 : index to i64
    %2 = tally.size <-s77> : index
    %3 = arith.index_cast %2 : index to i64
    %true = arith.constant true
    %4 = tensor.empty() : tensor<i1>
    %5 = linalg.fill ins(%true : i1) outs(%4 : tensor<i1>) -> tensor<i1>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%arg1 : tensor<?xi64>) outs(%5 : tensor<i1>) {
    ^bb0(%in: i64, %out: i1):
      %12 = arith.cmpi sge, %in, %3 : i64
      %13 = arith.cmpi slt, %in, %1 : i64
      %14 = arith.andi %12, %13 : i1
      %15 = arith.andi %14, %out : i1
      linalg.yield %15 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %6[] : tensor<i1>
    %7 = tally.size <s27 == 0> : i1
    %8 = arith.ori %extracted, %7 : i1
    tally.check <ok>, "aten.index_put.default: an index is out of range" (ok = %8 : i1)
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %9 = tally.size <s17> : index
    %10 = tally.size <s27> : index
    %11 = scf.for %arg3 = %c0 to %9 step %c1 iter_args(%arg4 = %arg0) -> (tensor<?x?xbf16>) {
      %12 = scf.for %arg5 = %c0 to %10 step %c1 iter_args(%arg6 = %arg4) -> (tensor<?x?xbf16>) {
        %extracted_0 = tensor.extract %arg1[%arg3] : tensor<?xi64>
        %13 = arith.index_cast %extracted_0 : i64 to index
        %c0_1 = arith.constant 0 : index
        %14 = arith.cmpi slt, %13, %c0_1 : index
        %15 = arith.addi %13, %0 : index
        %16 = arith.select %14, %15, %13 : index
        %extracted_2 = tensor.extract %arg2[%arg3, %arg5] : tensor<?x?xbf16>
        %inserted = tensor.insert %extracted_2 into %arg6[%16, %arg5] : tensor<?x?xbf16>
        scf.yield %inserted : tensor<?x?xbf16>
      }
      scf.yield %12 : tensor<?x?xbf16>
    }
    return %11 : tensor<?x?xbf16>
  }
}

