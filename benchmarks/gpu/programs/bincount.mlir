// How often each number occurs.
module {
  func.func @main(%arg0: tensor<?xi64> {tally.name = "x", tally.shape = #tally.shape<s77>}) -> (tensor<?xi64> {tally.shape = #tally.shape<u0>}) attributes {tally.symbols = #tally.symbols<s77, u0 : unbacked [0, inf]>} {
    %c0 = arith.constant 0 : index
    %0 = tally.bincount %arg0 minlength %c0 : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
    return %0 : tensor<?xi64>
  }
}

