// The sums of the weights of each number, of which there have to be four.
func.func @main(%v: tensor<?xi64> {tally.name = "v", tally.shape = #tally.shape<s0>},
                %w: tensor<?xf32> {tally.name = "w", tally.shape = #tally.shape<s1>}, %y: tensor<4xf32>) -> tensor<4xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %c3 = arith.constant 3 : index
  %r = tally.bincount %v minlength %c3 weights %w : tensor<?xi64>, tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <3 <= u0>, "follows"
  %four = tensor.cast %r : tensor<?xf32> to tensor<4xf32>
  %s = arith.addf %four, %y : tensor<4xf32>
  return %s : tensor<4xf32>
}
