// The positive elements of x, and the SiLU of twice each.
#map = affine_map<(d0) -> (d0)>
module {
  func.func @main(%arg0: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s77>}) -> (tensor<?xf32> {tally.shape = #tally.shape<u0>}) attributes {tally.symbols = #tally.symbols<s77, u0 : unbacked [0, inf]>} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s77> : index
    %1 = tensor.empty(%0) : tensor<?xi1>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg0 : tensor<?xf32>) outs(%1 : tensor<?xi1>) {
    ^bb0(%in: f32, %out: i1):
      %11 = arith.cmpf ogt, %in, %cst : f32
      linalg.yield %11 : i1
    } -> tensor<?xi1>
    %3 = tally.nonzero %2 : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
    %collapsed = tensor.collapse_shape %3 [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
    %4 = tally.size <u0> : index
    %5 = tensor.empty(%4) : tensor<?xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%collapsed : tensor<?xi64>) outs(%5 : tensor<?xf32>) {
    ^bb0(%in: i64, %out: f32):
      %11 = linalg.index 0 : index
      %12 = arith.index_cast %in : i64 to index
      %c0 = arith.constant 0 : index
      %13 = arith.cmpi slt, %12, %c0 : index
      %14 = arith.addi %12, %0 : index
      %15 = arith.select %13, %14, %12 : index
      %extracted = tensor.extract %arg0[%15] : tensor<?xf32>
      linalg.yield %extracted : f32
    } -> tensor<?xf32>
    %cst_0 = arith.constant 2.000000e+00 : f32
    %7 = tensor.empty(%4) : tensor<?xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%6 : tensor<?xf32>) outs(%7 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.mulf %in, %cst_0 : f32
      linalg.yield %11 : f32
    } -> tensor<?xf32>
    %9 = tensor.empty(%4) : tensor<?xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%8 : tensor<?xf32>) outs(%9 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.negf %in : f32
      %12 = math.exp %11 : f32
      %cst_1 = arith.constant 1.000000e+00 : f32
      %13 = arith.addf %cst_1, %12 : f32
      %14 = arith.divf %in, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<?xf32>
    return %10 : tensor<?xf32>
  }
}

