// What is checked in a loop is not known behind it: there may have been no iteration.
func.func @main(%n: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<3xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tally.check <s0 <= 3>, "three at most"
  }
  tally.check <s0 >= 3>, "three at least"
  %r = tensor.cast %x : tensor<?xf32> to tensor<3xf32>
  return %r : tensor<3xf32>
}
