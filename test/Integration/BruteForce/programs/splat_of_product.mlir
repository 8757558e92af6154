// A size that is a difference of products.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<a, b>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<c>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<a, b, c>} {
  %one = arith.constant 1.0 : f32
  %n = tally.size <a * b - 2 * c> : index
  %r = tensor.splat %one[%n] : tensor<?xf32>
  return %r : tensor<?xf32>
}
