// add_equal, but an index is assumed to be right.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  tally.assume <s0 == s1>
  tally.assume <s0 == 100000>
  %c99999 = arith.constant 99999 : index
  %v = tensor.extract %x[%c99999] : tensor<?xf32>
  %w = tensor.insert %v into %y[%c99999] : tensor<?xf32>
  %r = arith.addf %x, %w : tensor<?xf32>
  return %r : tensor<?xf32>
}
