// A transformer encoder layer, normalized after each half as PyTorch's default
// is: 8 heads of 64, an inner width of 2048, f32. Weights are arguments, stored as
// input width by output width.
#bias_map = affine_map<(r, j) -> (j)>
#row = affine_map<(r, j) -> (r)>
#element = affine_map<(r, j) -> (r, j)>
#score_row = affine_map<(g, i, j) -> (g, i)>
#score = affine_map<(g, i, j) -> (g, i, j)>

func.func @main(
    %x: tensor<?x?x512xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1, 512>},
    %in_weight: tensor<512x1536xf32> {tally.name = "in_weight"},
    %in_bias: tensor<1536xf32> {tally.name = "in_bias"},
    %out_weight: tensor<512x512xf32> {tally.name = "out_weight"},
    %out_bias: tensor<512xf32> {tally.name = "out_bias"},
    %norm1_weight: tensor<512xf32> {tally.name = "norm1_weight"},
    %norm1_bias: tensor<512xf32> {tally.name = "norm1_bias"},
    %up_weight: tensor<512x2048xf32> {tally.name = "up_weight"},
    %up_bias: tensor<2048xf32> {tally.name = "up_bias"},
    %down_weight: tensor<2048x512xf32> {tally.name = "down_weight"},
    %down_bias: tensor<512xf32> {tally.name = "down_bias"},
    %norm2_weight: tensor<512xf32> {tally.name = "norm2_weight"},
    %norm2_bias: tensor<512xf32> {tally.name = "norm2_bias"})
    -> (tensor<?x?x512xf32> {tally.shape = #tally.shape<s0, s1, 512>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %b = tally.size <s0> : index
  %t = tally.size <s1> : index
  %rows = tally.size <s0 * s1> : index
  %groups = tally.size <s0 * 8> : index
  %zero = arith.constant 0.0 : f32
  %width = arith.constant 512.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %narrow = tensor.empty(%rows) : tensor<?x512xf32>
  %narrow_zeros = linalg.fill ins(%zero : f32) outs(%narrow : tensor<?x512xf32>) -> tensor<?x512xf32>
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x512xf32> into tensor<?x512xf32>

  // Queries, keys and values: [3, batch, head, position, 64].
  %wide = tensor.empty(%rows) : tensor<?x1536xf32>
  %wide_zeros = linalg.fill ins(%zero : f32) outs(%wide : tensor<?x1536xf32>) -> tensor<?x1536xf32>
  %projected = linalg.matmul ins(%flat, %in_weight : tensor<?x512xf32>, tensor<512x1536xf32>)
      outs(%wide_zeros : tensor<?x1536xf32>) -> tensor<?x1536xf32>
  %qkv_flat = linalg.generic {indexing_maps = [#element, #bias_map, #element], iterator_types = ["parallel", "parallel"]}
      ins(%projected, %in_bias : tensor<?x1536xf32>, tensor<1536xf32>) outs(%wide : tensor<?x1536xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %sum = arith.addf %in, %bias : f32
    linalg.yield %sum : f32
  } -> tensor<?x1536xf32>
  %qkv = tensor.expand_shape %qkv_flat [[0, 1], [2, 3, 4]] output_shape [%b, %t, 3, 8, 64]
      : tensor<?x1536xf32> into tensor<?x?x3x8x64xf32>
  %by_head = tensor.empty(%b, %t) : tensor<3x?x8x?x64xf32>
  %split = linalg.transpose ins(%qkv : tensor<?x?x3x8x64xf32>) outs(%by_head : tensor<3x?x8x?x64xf32>) permutation = [2, 0, 3, 1, 4]
  %q_slice = tensor.extract_slice %split[0, 0, 0, 0, 0] [1, %b, 8, %t, 64] [1, 1, 1, 1, 1]
      : tensor<3x?x8x?x64xf32> to tensor<?x8x?x64xf32>
  %k_slice = tensor.extract_slice %split[1, 0, 0, 0, 0] [1, %b, 8, %t, 64] [1, 1, 1, 1, 1]
      : tensor<3x?x8x?x64xf32> to tensor<?x8x?x64xf32>
  %v_slice = tensor.extract_slice %split[2, 0, 0, 0, 0] [1, %b, 8, %t, 64] [1, 1, 1, 1, 1]
      : tensor<3x?x8x?x64xf32> to tensor<?x8x?x64xf32>
  %q = tensor.collapse_shape %q_slice [[0, 1], [2], [3]] : tensor<?x8x?x64xf32> into tensor<?x?x64xf32>
  %k = tensor.collapse_shape %k_slice [[0, 1], [2], [3]] : tensor<?x8x?x64xf32> into tensor<?x?x64xf32>
  %v = tensor.collapse_shape %v_slice [[0, 1], [2], [3]] : tensor<?x8x?x64xf32> into tensor<?x?x64xf32>

  // softmax(q k' / 8) for each group, which is a head of one element of the batch.
  %square = tensor.empty(%groups, %t, %t) : tensor<?x?x?xf32>
  %line = tensor.empty(%groups, %t) : tensor<?x?xf32>
  %square_zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %scores = linalg.generic {indexing_maps = [affine_map<(g, i, j, k) -> (g, i, k)>, affine_map<(g, i, j, k) -> (g, j, k)>, affine_map<(g, i, j, k) -> (g, i, j)>],
                            iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x64xf32>, tensor<?x?x64xf32>) outs(%square_zeros : tensor<?x?x?xf32>) {
  ^bb0(%left: f32, %right: f32, %out: f32):
    %product = arith.mulf %left, %right : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<?x?x?xf32>
  %scaled = linalg.generic {indexing_maps = [#score, #score], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<?x?x?xf32>) outs(%square : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %scale = arith.constant 0.125 : f32
    %product = arith.mulf %in, %scale : f32
    linalg.yield %product : f32
  } -> tensor<?x?x?xf32>
  %line_lowest = linalg.fill ins(%lowest : f32) outs(%line : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.generic {indexing_maps = [#score, #score_row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scaled : tensor<?x?x?xf32>) outs(%line_lowest : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %larger = arith.maximumf %out, %in : f32
    linalg.yield %larger : f32
  } -> tensor<?x?xf32>
  %exp = linalg.generic {indexing_maps = [#score, #score_row, #score], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scaled, %max : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%square : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %most: f32, %out: f32):
    %difference = arith.subf %in, %most : f32
    %power = math.exp %difference : f32
    linalg.yield %power : f32
  } -> tensor<?x?x?xf32>
  %line_zeros = linalg.fill ins(%zero : f32) outs(%line : tensor<?x?xf32>) -> tensor<?x?xf32>
  %total = linalg.generic {indexing_maps = [#score, #score_row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exp : tensor<?x?x?xf32>) outs(%line_zeros : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  %weights = linalg.generic {indexing_maps = [#score, #score_row, #score], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%exp, %total : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%square : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %all: f32, %out: f32):
    %quotient = arith.divf %in, %all : f32
    linalg.yield %quotient : f32
  } -> tensor<?x?x?xf32>
  %head = tensor.empty(%groups, %t) : tensor<?x?x64xf32>
  %head_zeros = linalg.fill ins(%zero : f32) outs(%head : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %attended = linalg.batch_matmul ins(%weights, %v : tensor<?x?x?xf32>, tensor<?x?x64xf32>)
      outs(%head_zeros : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>

  // Heads side by side again, and the output projection.
  %attended_heads = tensor.expand_shape %attended [[0, 1], [2], [3]] output_shape [%b, 8, %t, 64]
      : tensor<?x?x64xf32> into tensor<?x8x?x64xf32>
  %by_position = tensor.empty(%b, %t) : tensor<?x?x8x64xf32>
  %joined = linalg.transpose ins(%attended_heads : tensor<?x8x?x64xf32>) outs(%by_position : tensor<?x?x8x64xf32>) permutation = [0, 2, 1, 3]
  %joined_flat = tensor.collapse_shape %joined [[0, 1], [2, 3]] : tensor<?x?x8x64xf32> into tensor<?x512xf32>
  %attention = linalg.matmul ins(%joined_flat, %out_weight : tensor<?x512xf32>, tensor<512x512xf32>)
      outs(%narrow_zeros : tensor<?x512xf32>) -> tensor<?x512xf32>
  %first = linalg.generic {indexing_maps = [#element, #bias_map, #element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%attention, %out_bias, %flat : tensor<?x512xf32>, tensor<512xf32>, tensor<?x512xf32>) outs(%narrow : tensor<?x512xf32>) {
  ^bb0(%in: f32, %bias: f32, %skip: f32, %out: f32):
    %sum = arith.addf %in, %bias : f32
    %both = arith.addf %sum, %skip : f32
    linalg.yield %both : f32
  } -> tensor<?x512xf32>
  %line_of_rows = tensor.empty(%rows) : tensor<?xf32>
  %row_zeros = linalg.fill ins(%zero : f32) outs(%line_of_rows : tensor<?xf32>) -> tensor<?xf32>

  // Layer norm 1.
  %sum1 = linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%first : tensor<?x512xf32>) outs(%row_zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %squares1 = linalg.generic {indexing_maps = [#element, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%first, %sum1 : tensor<?x512xf32>, tensor<?xf32>) outs(%row_zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %all: f32, %out: f32):
    %mean = arith.divf %all, %width : f32
    %difference = arith.subf %in, %mean : f32
    %squared = arith.mulf %difference, %difference : f32
    %sum = arith.addf %out, %squared : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %norm1 = linalg.generic {indexing_maps = [#element, #row, #row, #bias_map, #bias_map, #element], iterator_types = ["parallel", "parallel"]}
      ins(%first, %sum1, %squares1, %norm1_weight, %norm1_bias : tensor<?x512xf32>, tensor<?xf32>, tensor<?xf32>, tensor<512xf32>, tensor<512xf32>)
      outs(%narrow : tensor<?x512xf32>) {
  ^bb0(%in: f32, %all: f32, %squares: f32, %weight: f32, %bias: f32, %out: f32):
    %mean = arith.divf %all, %width : f32
    %variance = arith.divf %squares, %width : f32
    %positive = arith.addf %variance, %epsilon : f32
    %factor = math.rsqrt %positive : f32
    %difference = arith.subf %in, %mean : f32
    %normal = arith.mulf %difference, %factor : f32
    %weighted = arith.mulf %normal, %weight : f32
    %sum = arith.addf %weighted, %bias : f32
    linalg.yield %sum : f32
  } -> tensor<?x512xf32>

  // relu(y up + bias) down + bias + y.
  %inner = tensor.empty(%rows) : tensor<?x2048xf32>
  %inner_zeros = linalg.fill ins(%zero : f32) outs(%inner : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %up = linalg.matmul ins(%norm1, %up_weight : tensor<?x512xf32>, tensor<512x2048xf32>)
      outs(%inner_zeros : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %active = linalg.generic {indexing_maps = [#element, #bias_map, #element], iterator_types = ["parallel", "parallel"]}
      ins(%up, %up_bias : tensor<?x2048xf32>, tensor<2048xf32>) outs(%inner : tensor<?x2048xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %sum = arith.addf %in, %bias : f32
    %positive = arith.maximumf %sum, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<?x2048xf32>
  %down = linalg.matmul ins(%active, %down_weight : tensor<?x2048xf32>, tensor<2048x512xf32>)
      outs(%narrow_zeros : tensor<?x512xf32>) -> tensor<?x512xf32>
  %second = linalg.generic {indexing_maps = [#element, #bias_map, #element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%down, %down_bias, %norm1 : tensor<?x512xf32>, tensor<512xf32>, tensor<?x512xf32>) outs(%narrow : tensor<?x512xf32>) {
  ^bb0(%in: f32, %bias: f32, %skip: f32, %out: f32):
    %sum = arith.addf %in, %bias : f32
    %both = arith.addf %sum, %skip : f32
    linalg.yield %both : f32
  } -> tensor<?x512xf32>

  // Layer norm 2.
  %sum2 = linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%second : tensor<?x512xf32>) outs(%row_zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %squares2 = linalg.generic {indexing_maps = [#element, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%second, %sum2 : tensor<?x512xf32>, tensor<?xf32>) outs(%row_zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %all: f32, %out: f32):
    %mean = arith.divf %all, %width : f32
    %difference = arith.subf %in, %mean : f32
    %squared = arith.mulf %difference, %difference : f32
    %sum = arith.addf %out, %squared : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %norm2 = linalg.generic {indexing_maps = [#element, #row, #row, #bias_map, #bias_map, #element], iterator_types = ["parallel", "parallel"]}
      ins(%second, %sum2, %squares2, %norm2_weight, %norm2_bias : tensor<?x512xf32>, tensor<?xf32>, tensor<?xf32>, tensor<512xf32>, tensor<512xf32>)
      outs(%narrow : tensor<?x512xf32>) {
  ^bb0(%in: f32, %all: f32, %squares: f32, %weight: f32, %bias: f32, %out: f32):
    %mean = arith.divf %all, %width : f32
    %variance = arith.divf %squares, %width : f32
    %positive = arith.addf %variance, %epsilon : f32
    %factor = math.rsqrt %positive : f32
    %difference = arith.subf %in, %mean : f32
    %normal = arith.mulf %difference, %factor : f32
    %weighted = arith.mulf %normal, %weight : f32
    %sum = arith.addf %weighted, %bias : f32
    linalg.yield %sum : f32
  } -> tensor<?x512xf32>
  %result = tensor.expand_shape %norm2 [[0, 1], [2]] output_shape [%b, %t, 512] : tensor<?x512xf32> into tensor<?x?x512xf32>
  return %result : tensor<?x?x512xf32>
}
