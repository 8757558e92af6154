// Writes the number index[i] to place index[i] of x: any of several may stay, as they are equal.
func.func @main(%x: tensor<?xf16> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %index: tensor<?xi64> {tally.name = "index", tally.shape = #tally.shape<s1>})
    -> (tensor<?xf16> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s1> : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %written = scf.for %i = %c0 to %m step %c1 iter_args(%now = %x) -> (tensor<?xf16>) {
    %place = tensor.extract %index[%i] : tensor<?xi64>
    %value = arith.sitofp %place : i64 to f16
    %to = arith.index_cast %place : i64 to index
    %inserted = tensor.insert %value into %now[%to] : tensor<?xf16>
    scf.yield %inserted : tensor<?xf16>
  }
  return %written : tensor<?xf16>
}
