// The program of Sizes.md.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<2 * s0, s0 + s1>},
                %mask: tensor<?x?xi1> {tally.name = "mask", tally.shape = #tally.shape<2 * s0, s0 + s1>},
                %count: tensor<i64> {tally.name = "count", tally.value = #tally.expr<s2>},
                %scale: f32 {tally.name = "scale", tally.value = #tally.expr<zf0>},
                %row: index {tally.hidden = #tally.path<argument(0).stride(0)>, tally.value = #tally.expr<s3>})
    -> (tensor<?xf32>, tensor<?xf32>, index)
    attributes {tally.symbols = #tally.symbols<s0, s1, s2 : [0, 64], zf0 : float, s3, u0 : unbacked, u1 : unbacked>} {
  tally.check <"zf0 > 0.0">, "the scale must be positive"
  // As many elements as the mask has true ones.
  %chosen = tally.masked_select %x, %mask : tensor<?x?xf32>, tensor<?x?xi1> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <s2 <= u0>, "more are wanted than are chosen"
  // The first s2 of them.
  %wanted = tally.size <s2> : index
  %first = tensor.extract_slice %chosen[0] [%wanted] [1] : tensor<?xf32> to tensor<?xf32>
  // Each value once.
  %values, %inverse, %counts = tally.unique %chosen : tensor<?xf32> bind #tally.bindings<u1 = result(0).size(0)>
  return %first, %values, %row : tensor<?xf32>, tensor<?xf32>, index
}
