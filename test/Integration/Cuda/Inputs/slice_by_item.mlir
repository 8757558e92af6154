// The first rows of x, as many as the number in count says.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %count: tensor<1xi64> {tally.name = "count", tally.shape = #tally.shape<1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<u0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %value = tally.item %count : tensor<1xi64> bind #tally.bindings<u0 = result(0)>
  %rows = tally.size <u0> : index
  %n = tally.size <s1> : index
  %slice = tensor.extract_slice %x[0, 0] [%rows, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %slice : tensor<?x?xf32>
}
