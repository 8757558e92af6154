// What is declared of a number that is read is checked when it is read.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %t: tensor<i64> {tally.name = "t"}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [4, 9], u0 : unbacked [0, 6] % 2>} {
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  tally.check <u0 <= 8>, "follows from the range"
  tally.check <u0 <= s0>, "no more than there are"
  %n = tally.size <u0 floordiv 2> : index
  %r = tensor.extract_slice %x[%n] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
