// What is read behind an effect is checked behind it.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %t: tensor<i64> {tally.name = "t"}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [2, inf], u0 : unbacked>} {
  %one = arith.constant 1 : i64
  tally.custom_call @log_number(%one) : (i64) -> ()
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %n = tally.size <u0> : index
  %r = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
