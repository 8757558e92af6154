// A number comes out of a branch; its range makes a slice right.
func.func @main(%n: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %s0 = tally.size <s0> : index
  %below = arith.cmpi slt, %n, %s0 : index
  %k = scf.if %below -> index {
    scf.yield %n : index
  } else {
    scf.yield %s0 : index
  }
  %r = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
