// The largest of row index[i] of x and of row i of y, if all of them exist: some elements are NaN, infinite, or zeros of
// either sign.
#element = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %index: tensor<?xi64> {tally.name = "index", tally.shape = #tally.shape<s2>},
                %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s2, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %height = tally.size <s0> : index
  %m = tally.size <s2> : index
  %n = tally.size <s1> : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.index_cast %height : index to i64
  %true = arith.constant true
  %start = tensor.empty() : tensor<i1>
  %trues = linalg.fill ins(%true : i1) outs(%start : tensor<i1>) -> tensor<i1>
  %inside = linalg.generic {indexing_maps = [#element, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%index : tensor<?xi64>) outs(%trues : tensor<i1>) {
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
  %largest = scf.for %i = %c0 to %rows step %c1 iter_args(%outer = %x) -> (tensor<?x?xf32>) {
    %row = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %outer) -> (tensor<?x?xf32>) {
      %value = tensor.extract %y[%i, %j] : tensor<?x?xf32>
      %place = tensor.extract %index[%i] : tensor<?xi64>
      %to = arith.index_cast %place : i64 to index
      %old = tensor.extract %inner[%to, %j] : tensor<?x?xf32>
      %new = arith.maximumf %old, %value : f32
      %inserted = tensor.insert %new into %inner[%to, %j] : tensor<?x?xf32>
      scf.yield %inserted : tensor<?x?xf32>
    }
    scf.yield %row : tensor<?x?xf32>
  }
  return %largest : tensor<?x?xf32>
}
