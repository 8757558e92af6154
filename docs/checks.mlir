// The program of Checks.md.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s2>},
                %at: tensor<?xi64> {tally.name = "at", tally.shape = #tally.shape<s3>},
                %k: index {tally.name = "k", tally.value = #tally.expr<s4>}) -> (tensor<?xf32>, f32)
    attributes {tally.symbols = #tally.symbols<s0 : [0, 4096], s1 : [0, 65536] % 8, s2, s3, s4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // Two rows that must fit.
  %n = tally.size <s0 * s1> : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %sum = linalg.add ins(%flat, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  %twice = linalg.mul ins(%sum, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  // The elements of y that `at` names.
  %size = tally.size <s3> : index
  %none = tensor.empty(%size) : tensor<?xf32>
  %taken = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%none : tensor<?xf32>) {
  ^bb0(%i: i64, %out: f32):
    %j = arith.index_cast %i : i64 to index
    %v = tensor.extract %y[%j] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  // Element k of them, once for each column of x.
  %columns = tally.size <s1> : index
  %total = scf.for %c = %c0 to %columns step %c1 iter_args(%sofar = %zero) -> f32 {
    %v = tensor.extract %taken[%k] : tensor<?xf32>
    %next = arith.addf %sofar, %v : f32
    scf.yield %next : f32
  }
  return %twice, %total : tensor<?xf32>, f32
}
