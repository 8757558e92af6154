// Sums of rows of integers, which a shuffle takes in two halves, and of all.
#all = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xi64> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?xi64> {tally.shape = #tally.shape<s0>}, tensor<?xi64> {tally.shape = #tally.shape<s1>}, tensor<i64>)
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s0> : index
  %m = tally.size <s1> : index
  %z = arith.constant 0 : i64
  %e = tensor.empty(%n) : tensor<?xi64>
  %g = tensor.empty(%m) : tensor<?xi64>
  %h = tensor.empty() : tensor<i64>
  %zn = linalg.fill ins(%z : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %zm = linalg.fill ins(%z : i64) outs(%g : tensor<?xi64>) -> tensor<?xi64>
  %zz = linalg.fill ins(%z : i64) outs(%h : tensor<i64>) -> tensor<i64>
  %rows = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xi64>) outs(%zn : tensor<?xi64>) {
  ^bb0(%in: i64, %out: i64):
    %s = arith.addi %out, %in : i64
    linalg.yield %s : i64
  } -> tensor<?xi64>
  %columns = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xi64>) outs(%zm : tensor<?xi64>) {
  ^bb0(%in: i64, %out: i64):
    %s = arith.addi %out, %in : i64
    linalg.yield %s : i64
  } -> tensor<?xi64>
  %all = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x?xi64>) outs(%zz : tensor<i64>) {
  ^bb0(%in: i64, %out: i64):
    %s = arith.addi %out, %in : i64
    linalg.yield %s : i64
  } -> tensor<i64>
  return %rows, %columns, %all : tensor<?xi64>, tensor<?xi64>, tensor<i64>
}
