// The largest elements of windows of 3 by 3, two apart, of a matrix with a frame of -1.
#window = affine_map<(i, j, k, l) -> (i * 2 + k, j * 2 + l)>
#size = affine_map<(i, j, k, l) -> (k, l)>
#result = affine_map<(i, j, k, l) -> (i, j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<(s0 + 1) floordiv 2, (s1 + 1) floordiv 2>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s0> : index
  %m = tally.size <s1> : index
  %rows = tally.size <s0 + 2> : index
  %columns = tally.size <s1 + 2> : index
  %n2 = tally.size <(s0 + 1) floordiv 2> : index
  %m2 = tally.size <(s1 + 1) floordiv 2> : index
  %frame = arith.constant -1.0 : f32
  %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %f = linalg.fill ins(%frame : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %padded = tensor.insert_slice %x into %f[1, 1] [%n, %m] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %least = arith.constant 0xFF800000 : f32
  %g = tensor.empty(%n2, %m2) : tensor<?x?xf32>
  %start = linalg.fill ins(%least : f32) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#window, #size, #result], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %window : tensor<?x?xf32>, tensor<3x3xf32>) outs(%start : tensor<?x?xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %s = arith.maximumf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
