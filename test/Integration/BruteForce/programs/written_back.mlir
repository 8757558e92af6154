// An argument is updated on success only; the check stands after what it depends on.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %i: index, %t: tensor<i64> {tally.name = "t"}) -> (tensor<?xf32> {tally.mutates = 0 : i64}, f32)
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %new = arith.constant 9.0 : f32
  %w = tensor.insert %new into %x[%i] : tensor<?xf32>
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %n = tally.size <u0> : index
  %e = tensor.extract %w[%n] : tensor<?xf32>
  return %w, %e : tensor<?xf32>, f32
}
