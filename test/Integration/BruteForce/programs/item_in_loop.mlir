// A number is read in every iteration and checked there.
func.func @main(%n: index, %t: tensor<?xi64> {tally.name = "t", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> index {
    %one = tensor.extract_slice %t[%i] [1] [1] : tensor<?xi64> to tensor<1xi64>
    %v = tally.item %one : tensor<1xi64> bind #tally.bindings<u0 = result(0)>
    tally.check <0 <= u0 and u0 < s0>, "an index"
    tally.check <i + u0 <= s0 + 1>, "not far behind" (i = %i : index)
    %k = tally.size <u0 + 1> : index
    %next = arith.addi %sum, %k : index
    scf.yield %next : index
  }
  return %r : index
}
