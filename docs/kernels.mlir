// Adds a residual and normalizes rows, then picks the rows that a mask selects.
func.func @main(%x: tensor<?x256xf32> {tally.name = "x", tally.shape = #tally.shape<s0, 256>},
                %residual: tensor<?x256xf32> {tally.name = "residual", tally.shape = #tally.shape<s0, 256>},
                %weight: tensor<256xf32> {tally.name = "weight", tally.shape = #tally.shape<256>},
                %keep: tensor<?xi1> {tally.name = "keep", tally.shape = #tally.shape<s0>}) -> tensor<?x256xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %zero = arith.constant 0.0 : f32
  %width = arith.constant 256.0 : f32
  %small = arith.constant 1.0e-6 : f32
  %s0 = tally.size <s0> : index
  %e = tensor.empty(%s0) : tensor<?x256xf32>
  %r = tensor.empty(%s0) : tensor<?xf32>

  %h = linalg.add ins(%x, %residual : tensor<?x256xf32>, tensor<?x256xf32>) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
  %start = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %squares = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<?x256xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %square = arith.mulf %v, %v : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %normal = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%h, %squares, %weight : tensor<?x256xf32>, tensor<?xf32>, tensor<256xf32>) outs(%e : tensor<?x256xf32>) {
  ^bb0(%v: f32, %sum: f32, %w: f32, %unused: f32):
    %mean = arith.divf %sum, %width : f32
    %shifted = arith.addf %mean, %small : f32
    %scale = math.rsqrt %shifted : f32
    %scaled = arith.mulf %v, %scale : f32
    %result = arith.mulf %scaled, %w : f32
    linalg.yield %result : f32
  } -> tensor<?x256xf32>

  %rows = tally.nonzero %keep : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %u0 = tally.size <u0> : index
  %picked = tensor.empty(%u0) : tensor<?x256xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<?x1xi64>) outs(%picked : tensor<?x256xf32>) {
  ^bb0(%row: i64, %unused: f32):
    %i = arith.index_cast %row : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %normal[%i, %j] : tensor<?x256xf32>
    linalg.yield %v : f32
  } -> tensor<?x256xf32>
  return %result : tensor<?x256xf32>
}
