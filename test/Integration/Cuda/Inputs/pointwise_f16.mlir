// (x + y) * x in f16, each operation rounded.
func.func @main(%x: tensor<?xf16> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf16> {tally.name = "y", tally.shape = #tally.shape<s0>})
    -> (tensor<?xf16> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size <s0> : index
  %empty = tensor.empty(%n) : tensor<?xf16>
  %sum = linalg.add ins(%x, %y : tensor<?xf16>, tensor<?xf16>) outs(%empty : tensor<?xf16>) -> tensor<?xf16>
  %product = linalg.mul ins(%sum, %x : tensor<?xf16>, tensor<?xf16>) outs(%empty : tensor<?xf16>) -> tensor<?xf16>
  return %product : tensor<?xf16>
}
