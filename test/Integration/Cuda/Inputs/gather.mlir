// Element (i, j) of the result is x[i, index[i, j]].
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %index: tensor<?x?xi64> {tally.name = "index", tally.shape = #tally.shape<s0, s2>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s2>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %m = tally.size <s0> : index
  %width = tally.size <s1> : index
  %n = tally.size <s2> : index
  %limit = arith.index_cast %width : index to i64
  %true = arith.constant true
  %start = tensor.empty() : tensor<i1>
  %trues = linalg.fill ins(%true : i1) outs(%start : tensor<i1>) -> tensor<i1>
  %inside = linalg.generic {indexing_maps = [#element, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%index : tensor<?x?xi64>) outs(%trues : tensor<i1>) {
  ^bb0(%in: i64, %out: i1):
    %zero = arith.constant 0 : i64
    %positive = arith.cmpi sge, %in, %zero : i64
    %below = arith.cmpi slt, %in, %limit : i64
    %both = arith.andi %positive, %below : i1
    %all = arith.andi %both, %out : i1
    linalg.yield %all : i1
  } -> tensor<i1>
  %ok = tensor.extract %inside[] : tensor<i1>
  %rows = tally.assert %ok message("an index is out of range") guards(%m : index)
  %empty = tensor.empty(%rows, %n) : tensor<?x?xf32>
  %gathered = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%index : tensor<?x?xi64>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = linalg.index 0 : index
    %column = arith.index_cast %in : i64 to index
    %element = tensor.extract %x[%row, %column] : tensor<?x?xf32>
    linalg.yield %element : f32
  } -> tensor<?x?xf32>
  return %gathered : tensor<?x?xf32>
}
