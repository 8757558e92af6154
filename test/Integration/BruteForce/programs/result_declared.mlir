// What a private function declares of its result has to be so.
func.func private @front(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %k: index) -> (tensor<?xf32> {tally.shape = #tally.shape<s0 - 1>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  %r = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %k: index) -> f32
    attributes {tally.symbols = #tally.symbols<s0 : [2, inf]>} {
  %last = tally.size <s0 - 2> : index
  %t = func.call @front(%x, %k) : (tensor<?xf32>, index) -> tensor<?xf32>
  %r = tensor.extract %t[%last] : tensor<?xf32>
  return %r : f32
}
