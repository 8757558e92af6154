// Weights of 256 KB as they are and transposed, of bytes with scales, and of a convolution.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @main(%x: tensor<?x256xf32> {tally.shape = #tally.shape<m, 256>}, %image: tensor<1x16x80xf32>)
    -> (tensor<?x256xf32>, tensor<?x256xf32>, tensor<?x256xf32>, tensor<1x256x65xf32>) attributes {tally.symbols = #tally.symbols<m>} {
  %w = tally.constant "weights.bin" [0] : tensor<256x256xf32>
  %b = tally.constant "weights.bin" [0] : tensor<256x256xi8>
  %f = tally.constant "weights.bin" [4096] : tensor<256x16x16xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x256xf32>
  %e = tensor.empty(%m) : tensor<?x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
  %plain = linalg.matmul ins(%x, %w : tensor<?x256xf32>, tensor<256x256xf32>) outs(%init : tensor<?x256xf32>) -> tensor<?x256xf32>
  %turned = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%x, %w : tensor<?x256xf32>, tensor<256x256xf32>) outs(%init : tensor<?x256xf32>) -> tensor<?x256xf32>
  %floats = tensor.empty() : tensor<256x256xf32>
  %computed = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<256x256xi8>) outs(%floats : tensor<256x256xf32>) {
  ^bb0(%in: i8, %out: f32):
    %float = arith.sitofp %in : i8 to f32
    linalg.yield %float : f32
  } -> tensor<256x256xf32>
  %quantized = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%x, %computed : tensor<?x256xf32>, tensor<256x256xf32>) outs(%init : tensor<?x256xf32>) -> tensor<?x256xf32>
  %ee = tensor.empty() : tensor<1x256x65xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%ee : tensor<1x256x65xf32>) -> tensor<1x256x65xf32>
  %filtered = linalg.conv_1d_ncw_fcw ins(%image, %f : tensor<1x16x80xf32>, tensor<256x16x16xf32>) outs(%zeros : tensor<1x256x65xf32>) -> tensor<1x256x65xf32>
  return %plain, %turned, %quantized, %filtered : tensor<?x256xf32>, tensor<?x256xf32>, tensor<?x256xf32>, tensor<1x256x65xf32>
}
