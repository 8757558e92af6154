// Repeats each element of x as often as counts says.
#map = affine_map<(d0) -> (d0)>
module {
  func.func @main(%arg0: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s28>}, %arg1: tensor<?xi64> {tally.name = "counts", tally.shape = #tally.shape<s28>}) -> (tensor<?xf32> {tally.shape = #tally.shape<u0>}) attributes {tally.symbols = #tally.symbols<s28, u0 : unbacked [0, inf]>} {
    %0 = tally.repeat_interleave %arg1 : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
    %1 = tally.size <s28> : index
    %2 = tally.size <u0> : index
    %3 = tensor.empty(%2) : tensor<?xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%0 : tensor<?xi64>) outs(%3 : tensor<?xf32>) {
    ^bb0(%in: i64, %out: f32):
      %5 = linalg.index 0 : index
      %6 = arith.index_cast %in : i64 to index
      %c0 = arith.constant 0 : index
      %7 = arith.cmpi slt, %6, %c0 : index
      %8 = arith.addi %6, %1 : index
      %9 = arith.select %7, %8, %6 : index
      %extracted = tensor.extract %arg0[%9] : tensor<?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?xf32>
    return %4 : tensor<?xf32>
  }
}

