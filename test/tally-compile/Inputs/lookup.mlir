func.func @main(%x: tensor<?xf32> {tally.shape = #tally.shape<n>}, %i: tensor<?xi64> {tally.shape = #tally.shape<k>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<n, k>} {
  %k = tally.size <k> : index
  %e = tensor.empty(%k) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%at: i64, %unused: f32):
    %c = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%c] : tensor<?xf32>
    %t = arith.addf %v, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
