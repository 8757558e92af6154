// The elements of a matrix under a mask are split into two halves.
func.func @main(%x: tensor<?x?xi64> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %m: tensor<?x?xi1> {tally.name = "m", tally.shape = #tally.shape<s0, s1>}) -> tensor<2x?xi64>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked % 2>} {
  %v = tally.masked_select %x, %m : tensor<?x?xi64>, tensor<?x?xi1> bind #tally.bindings<u0 = result(0).size(0)>
  %n = tally.size <u0 floordiv 2> : index
  %r = tensor.expand_shape %v [[0, 1]] output_shape [2, %n] : tensor<?xi64> into tensor<2x?xi64>
  return %r : tensor<2x?xi64>
}
