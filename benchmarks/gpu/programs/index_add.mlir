// Adds rows of y to rows of x at indices.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s77, s27>}, %arg1: tensor<?xi64> {tally.name = "index", tally.shape = #tally.shape<s17>}, %arg2: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s17, s27>}) -> (tensor<?x?xf32> {tally.shape = #tally.shape<s77, s27>}) attributes {tally.symbols = #tally.symbols<s77, s27, s17>} {
    %0 = tally.size <s77> : index
    %1 = arith.index_cast %0 : index to i64
    %c0_i64 = arith.constant 0 : i64
    %true = arith.constant true
    %2 = tensor.empty() : tensor<i1>
    %3 = linalg.fill ins(%true : i1) outs(%2 : tensor<i1>) -> tensor<i1>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%arg1 : tensor<?xi64>) outs(%3 : tensor<i1>) {
    ^bb0(%in: i64, %out: i1):
      %10 = arith.cmpi sge, %in, %c0_i64 : i64
      %11 = arith.cmpi slt, %in, %1 : i64
      %12 = arith.andi %10, %11 : i1
      %13 = arith.andi %12, %out : i1
      linalg.yield %13 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %4[] : tensor<i1>
    %5 = tally.size <s27 == 0> : i1
    %6 = arith.ori %extracted, %5 : i1
    tally.check <ok>, "aten.index_add.default: an index is out of range" (ok = %6 : i1)
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %7 = tally.size <s17> : index
    %8 = tally.size <s27> : index
    %9 = scf.for %arg3 = %c0 to %7 step %c1 iter_args(%arg4 = %arg0) -> (tensor<?x?xf32>) {
      %10 = scf.for %arg5 = %c0 to %8 step %c1 iter_args(%arg6 = %arg4) -> (tensor<?x?xf32>) {
        %extracted_0 = tensor.extract %arg2[%arg3, %arg5] : tensor<?x?xf32>
        %extracted_1 = tensor.extract %arg1[%arg3] : tensor<?xi64>
        %11 = arith.index_cast %extracted_1 : i64 to index
        %extracted_2 = tensor.extract %arg6[%11, %arg5] : tensor<?x?xf32>
        %12 = arith.addf %extracted_2, %extracted_0 : f32
        %inserted = tensor.insert %12 into %arg6[%11, %arg5] : tensor<?x?xf32>
        scf.yield %inserted : tensor<?x?xf32>
      }
      scf.yield %10 : tensor<?x?xf32>
    }
    return %9 : tensor<?x?xf32>
  }
}

