// Writes element i of y to place index[i] of x; of several, the last one stays.
func.func @main(%x: tensor<?xbf16> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %index: tensor<?xi64> {tally.name = "index", tally.shape = #tally.shape<s1>},
                %y: tensor<?xbf16> {tally.name = "y", tally.shape = #tally.shape<s1>})
    -> (tensor<?xbf16> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s1> : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %written = scf.for %i = %c0 to %m step %c1 iter_args(%now = %x) -> (tensor<?xbf16>) {
    %value = tensor.extract %y[%i] : tensor<?xbf16>
    %place = tensor.extract %index[%i] : tensor<?xi64>
    %to = arith.index_cast %place : i64 to index
    %inserted = tensor.insert %value into %now[%to] : tensor<?xbf16>
    scf.yield %inserted : tensor<?xbf16>
  }
  return %written : tensor<?xbf16>
}
