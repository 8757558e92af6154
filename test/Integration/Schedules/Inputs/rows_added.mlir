// Adds row i of y to row index[i] of x: columns are points, rows have owners.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %index: tensor<?xi64> {tally.name = "index", tally.shape = #tally.shape<s2>},
                %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s2, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %m = tally.size <s2> : index
  %n = tally.size <s1> : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sums = scf.for %i = %c0 to %m step %c1 iter_args(%outer = %x) -> (tensor<?x?xf32>) {
    %row = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %outer) -> (tensor<?x?xf32>) {
      %value = tensor.extract %y[%i, %j] : tensor<?x?xf32>
      %place = tensor.extract %index[%i] : tensor<?xi64>
      %to = arith.index_cast %place : i64 to index
      %old = tensor.extract %inner[%to, %j] : tensor<?x?xf32>
      %new = arith.addf %old, %value : f32
      %inserted = tensor.insert %new into %inner[%to, %j] : tensor<?x?xf32>
      scf.yield %inserted : tensor<?x?xf32>
    }
    scf.yield %row : tensor<?x?xf32>
  }
  return %sums : tensor<?x?xf32>
}
