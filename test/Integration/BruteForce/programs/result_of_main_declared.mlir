// And what the program declares of its own.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %k: index) -> (tensor<?xf32> {tally.shape = #tally.shape<2 * s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  %e = tensor.empty(%k) : tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %r = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
