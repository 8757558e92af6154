// The places of elements of x in a sorted table.
#map = affine_map<(d0) -> (d0)>
module {
  func.func @main(%arg0: tensor<?xf32> {tally.name = "table", tally.shape = #tally.shape<s70>}, %arg1: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s77>}) -> (tensor<?xi64> {tally.shape = #tally.shape<s77>}) attributes {tally.symbols = #tally.symbols<s70, s77>} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s70 + 1> : index
    %1 = tensor.empty(%0) : tensor<?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
    %3 = tally.size <s70> : index
    %inserted_slice = tensor.insert_slice %arg0 into %2[0] [%3] [1] : tensor<?xf32> into tensor<?xf32>
    %4 = tally.size <s77> : index
    %5 = tensor.empty(%4) : tensor<?xi64>
    %6 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%5 : tensor<?xi64>) {
    ^bb0(%out: i64):
      %7 = linalg.index 0 : index
      %extracted = tensor.extract %arg1[%7] : tensor<?xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %8:2 = scf.while (%arg2 = %c0, %arg3 = %3) : (index, index) -> (index, index) {
        %10 = arith.cmpi slt, %arg2, %arg3 : index
        scf.condition(%10) %arg2, %arg3 : index, index
      } do {
      ^bb0(%arg2: index, %arg3: index):
        %10 = arith.subi %arg3, %arg2 : index
        %11 = arith.shrui %10, %c1 : index
        %12 = arith.addi %arg2, %11 : index
        %c0_0 = arith.constant 0 : index
        %13 = arith.minsi %12, %3 : index
        %14 = arith.maxsi %13, %c0_0 : index
        %extracted_1 = tensor.extract %inserted_slice[%14] : tensor<?xf32>
        %15 = arith.cmpf oge, %extracted_1, %extracted : f32
        %16 = arith.addi %12, %c1 : index
        %17 = arith.select %15, %arg2, %16 : index
        %18 = arith.select %15, %12, %arg3 : index
        scf.yield %17, %18 : index, index
      }
      %9 = arith.index_cast %8#0 : index to i64
      linalg.yield %9 : i64
    } -> tensor<?xi64>
    return %6 : tensor<?xi64>
  }
}

