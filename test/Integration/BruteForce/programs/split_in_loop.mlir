// Halves of a vector whose border moves in a loop.
func.func @main(%n: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s0 = tally.size <s0> : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %at = arith.muli %i, %c2 : index
    %rest = arith.subi %s0, %at : index
    %a, %b = tally.split %t[%at, %rest] dim 0 : tensor<?xf32>
    %u = tensor.concat dim(0) %b, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
