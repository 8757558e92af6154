// Writes y[i] to x[index[i]], if all of them exist: the last one counts.
#element = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %index: tensor<?xi64> {tally.name = "index", tally.shape = #tally.shape<s2>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s2>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0, s2>} {
  %height = tally.size <s0> : index
  %m = tally.size <s2> : index
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
  %written = scf.for %i = %c0 to %rows step %c1 iter_args(%left = %x) -> (tensor<?xf32>) {
    %value = tensor.extract %y[%i] : tensor<?xf32>
    %place = tensor.extract %index[%i] : tensor<?xi64>
    %to = arith.index_cast %place : i64 to index
    %inserted = tensor.insert %value into %left[%to] : tensor<?xf32>
    scf.yield %inserted : tensor<?xf32>
  }
  return %written : tensor<?xf32>
}
