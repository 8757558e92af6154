// Tensors of no dimension that are declared to be symbols.
func.func @main(%t: tensor<i64> {tally.name = "t", tally.value = #tally.expr<s0>},
                %f: tensor<f32> {tally.name = "f", tally.value = #tally.expr<zf0>},
                %q: tensor<i1> {tally.name = "q", tally.value = #tally.expr<b0>},
                %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [-1, 6], zf0 : float, b0 : bool, s1>} {
  tally.check <"b0 or zf0 > 0.5">, "true or large"
  tally.check <s0 <= s1>, "a prefix"
  %n = tally.size <max(s0, 0)> : index
  %r = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
