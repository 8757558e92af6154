// The sum of the weights of each number that is in x.
module {
  func.func @main(%arg0: tensor<?xi64> {tally.name = "x", tally.shape = #tally.shape<s7>}, %arg1: tensor<?xf32> {tally.name = "weights", tally.shape = #tally.shape<s7>}) -> (tensor<?xf32> {tally.shape = #tally.shape<u0>}) attributes {tally.symbols = #tally.symbols<s7, u0 : unbacked [0, inf]>} {
    %c0 = arith.constant 0 : index
    %0 = tally.bincount %arg0 minlength %c0 weights %arg1 : tensor<?xi64>, tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)>
    return %0 : tensor<?xf32>
  }
}

