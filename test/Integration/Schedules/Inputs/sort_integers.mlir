// Columns of all types of integers in order: some descending, some unsigned.
func.func @main(%a: tensor<?x?xi1> {tally.name = "a", tally.shape = #tally.shape<s0, s1>},
                %b: tensor<?x?xi8> {tally.name = "b", tally.shape = #tally.shape<s0, s1>},
                %c: tensor<?x?xi16> {tally.name = "c", tally.shape = #tally.shape<s0, s1>},
                %d: tensor<?x?xi64> {tally.name = "d", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xi1> {tally.shape = #tally.shape<s0, s1>}, tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1>},
        tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1>}, tensor<?x?xi16> {tally.shape = #tally.shape<s0, s1>},
        tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %s0 = tally.size <s0> : index
  %s1 = tally.size <s1> : index
  %av = tensor.empty(%s0, %s1) : tensor<?x?xi1>
  %cv = tensor.empty(%s0, %s1) : tensor<?x?xi16>
  %i = tensor.empty(%s0, %s1) : tensor<?x?xi64>
  %ra:2 = tally.sort ins(%a : tensor<?x?xi1>) values(%av : tensor<?x?xi1>) indices(%i : tensor<?x?xi64>) dim 0
      {descending} -> tensor<?x?xi1>, tensor<?x?xi64>
  %rb = tally.sort ins(%b : tensor<?x?xi8>) indices(%i : tensor<?x?xi64>) dim 0 {is_unsigned} -> tensor<?x?xi64>
  %rc = tally.sort ins(%c : tensor<?x?xi16>) values(%cv : tensor<?x?xi16>) dim 0 {descending} -> tensor<?x?xi16>
  %rd = tally.sort ins(%d : tensor<?x?xi64>) values(%i : tensor<?x?xi64>) dim 0 -> tensor<?x?xi64>
  return %ra#0, %ra#1, %rb, %rc, %rd : tensor<?x?xi1>, tensor<?x?xi64>, tensor<?x?xi64>, tensor<?x?xi16>, tensor<?x?xi64>
}
