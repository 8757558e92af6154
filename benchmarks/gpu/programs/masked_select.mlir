// The elements of x that the mask selects.
module {
  func.func @main(%arg0: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s31>}, %arg1: tensor<?xi1> {tally.name = "mask", tally.shape = #tally.shape<s31>}) -> (tensor<?xf32> {tally.shape = #tally.shape<u0>}) attributes {tally.symbols = #tally.symbols<s31, u0 : unbacked [0, inf]>} {
    %0 = tally.masked_select %arg0, %arg1 : tensor<?xf32>, tensor<?xi1> bind #tally.bindings<u0 = result(0).size(0)>
    return %0 : tensor<?xf32>
  }
}

