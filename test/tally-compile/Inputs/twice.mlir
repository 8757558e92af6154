// Two tensors of n elements are made at one line; a third one has taken in a constant with a name.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<n>}, tensor<?xf32> {tally.shape = #tally.shape<n>}, tensor<?xf32> {tally.shape = #tally.shape<n>})
    attributes {tally.symbols = #tally.symbols<n : from "x.size(0)">} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %a = tensor.empty(%n) : tensor<?xf32> loc("model.py":3:1)
  %b = tensor.empty(%n) : tensor<?xf32> loc("model.py":3:1)
  %u = linalg.exp ins(%x : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32> loc("model.py":3:1)
  %v = linalg.negf ins(%x : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32> loc("model.py":3:1)
  %w = linalg.abs ins(%x : tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32> loc(fused["bias", "model.py":5:1])
  return %u, %v, %w : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
