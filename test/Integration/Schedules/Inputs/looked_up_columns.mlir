// Sums of columns of elements of x that are looked up; each index is checked where it is used.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>},
                %i: tensor<?x?xi64> {tally.name = "i", tally.shape = #tally.shape<m, k>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<k>})
    attributes {tally.symbols = #tally.symbols<n, m, k>} {
  %k = tally.size <k> : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%k) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%i : tensor<?x?xi64>) outs(%z : tensor<?xf32>) {
  ^bb0(%at: i64, %sofar: f32):
    %c = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%c] : tensor<?xf32>
    %s = arith.addf %sofar, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
