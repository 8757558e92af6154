// What is checked or assumed in a branch is not known behind it.
func.func @main(%p: i1, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<3xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %three = tally.size <s0 == 3> : i1
  scf.if %three {
    tally.assume <s0 == 3>
  } else {
    scf.if %p {
      tally.check <s0 <= 3>, "three at most"
    }
  }
  tally.check <s0 >= 2>, "two at least"
  %r = tensor.cast %x : tensor<?xf32> to tensor<3xf32>
  return %r : tensor<3xf32>
}
