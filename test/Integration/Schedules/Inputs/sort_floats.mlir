// The bits of the largest floats of each row, and where they were: the largest is left out.
func.func @main(%a: tensor<?x?xf16> {tally.name = "a", tally.shape = #tally.shape<s0, s1>},
                %b: tensor<?x?xbf16> {tally.name = "b", tally.shape = #tally.shape<s0, s1>},
                %c: tensor<?x?xf64> {tally.name = "c", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xi16> {tally.shape = #tally.shape<s0, s1 - 1>}, tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1 - 1>},
        tensor<?x?xi16> {tally.shape = #tally.shape<s0, s1 - 1>}, tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1 - 1>})
    attributes {tally.symbols = #tally.symbols<s0, s1 : [1, 9223372036854775807]>} {
  %one = arith.constant 1 : index
  %s0 = tally.size <s0> : index
  %m = tally.size <s1 - 1> : index
  %av = tensor.empty(%s0, %m) : tensor<?x?xf16>
  %bv = tensor.empty(%s0, %m) : tensor<?x?xbf16>
  %cv = tensor.empty(%s0, %m) : tensor<?x?xf64>
  %i = tensor.empty(%s0, %m) : tensor<?x?xi64>
  %ra = tally.sort ins(%a : tensor<?x?xf16>) values(%av : tensor<?x?xf16>) dim 1 from %one {descending} -> tensor<?x?xf16>
  %rb:2 = tally.sort ins(%b : tensor<?x?xbf16>) values(%bv : tensor<?x?xbf16>) indices(%i : tensor<?x?xi64>) dim 1 from %one
      {descending} -> tensor<?x?xbf16>, tensor<?x?xi64>
  %rc = tally.sort ins(%c : tensor<?x?xf64>) values(%cv : tensor<?x?xf64>) dim 1 from %one {descending} -> tensor<?x?xf64>
  %abits = arith.bitcast %ra : tensor<?x?xf16> to tensor<?x?xi16>
  %bbits = arith.bitcast %rb#0 : tensor<?x?xbf16> to tensor<?x?xi16>
  %cbits = arith.bitcast %rc : tensor<?x?xf64> to tensor<?x?xi64>
  return %abits, %cbits, %bbits, %rb#1 : tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi16>, tensor<?x?xi64>
}
