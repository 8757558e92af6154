// The mean cross entropy of the rows of x and target classes.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<(d0, d1) -> (0, d1)>
#map6 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s48, s27>}, %arg1: tensor<?xi64> {tally.name = "target", tally.shape = #tally.shape<s48>}) -> (tensor<f32> {tally.shape = #tally.shape<>}) attributes {tally.symbols = #tally.symbols<s48, s27>} {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tally.size <s48> : index
    %1 = tensor.empty(%0) : tensor<?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x?xf32>) outs(%2 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.maximumf %out, %in : f32
      linalg.yield %48 : f32
    } -> tensor<?xf32>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [%0, 1] : tensor<?xf32> into tensor<?x1xf32>
    %4 = tally.size <s27> : index
    %5 = tensor.empty(%0, %4) : tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<?x?xf32>, tensor<?x1xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %48 = arith.subf %in, %in_10 : f32
      linalg.yield %48 : f32
    } -> tensor<?x?xf32>
    %7 = tensor.empty(%0, %4) : tensor<?x?xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<?x?xf32>) outs(%7 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = math.exp %in : f32
      linalg.yield %48 : f32
    } -> tensor<?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %9 = tensor.empty(%0) : tensor<?xf32>
    %10 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<?xf32>) -> tensor<?xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<?x?xf32>) outs(%10 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.addf %out, %in : f32
      linalg.yield %48 : f32
    } -> tensor<?xf32>
    %expanded_1 = tensor.expand_shape %11 [[0, 1]] output_shape [%0, 1] : tensor<?xf32> into tensor<?x1xf32>
    %12 = tensor.empty(%0, %4) : tensor<?x?xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%6, %expanded_1 : tensor<?x?xf32>, tensor<?x1xf32>) outs(%12 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %48 = math.log %in_10 : f32
      %49 = arith.subf %in, %48 : f32
      linalg.yield %49 : f32
    } -> tensor<?x?xf32>
    %14 = arith.index_cast %4 : index to i64
    %true = arith.constant true
    %15 = tensor.empty() : tensor<i1>
    %16 = linalg.fill ins(%true : i1) outs(%15 : tensor<i1>) -> tensor<i1>
    %17 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%arg1 : tensor<?xi64>) outs(%16 : tensor<i1>) {
    ^bb0(%in: i64, %out: i1):
      %c0_i64 = arith.constant 0 : i64
      %48 = arith.cmpi sge, %in, %c0_i64 : i64
      %49 = arith.cmpi slt, %in, %14 : i64
      %50 = arith.andi %48, %49 : i1
      %c-100_i64 = arith.constant -100 : i64
      %51 = arith.cmpi eq, %in, %c-100_i64 : i64
      %52 = arith.ori %50, %51 : i1
      %53 = arith.andi %52, %out : i1
      linalg.yield %53 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %17[] : tensor<i1>
    tally.check <ok>, "aten.cross_entropy_loss.default: a class is out of range" (ok = %extracted : i1)
    %18 = tensor.empty(%4) : tensor<?xi64>
    %19 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%18 : tensor<?xi64>) {
    ^bb0(%out: i64):
      %48 = linalg.index 0 : index
      %49 = arith.index_cast %48 : index to i64
      linalg.yield %49 : i64
    } -> tensor<?xi64>
    %expanded_2 = tensor.expand_shape %19 [[0, 1]] output_shape [1, %4] : tensor<?xi64> into tensor<1x?xi64>
    %expanded_3 = tensor.expand_shape %arg1 [[0, 1]] output_shape [%0, 1] : tensor<?xi64> into tensor<?x1xi64>
    %20 = tensor.empty(%0) : tensor<?x1xi1>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_3 : tensor<?x1xi64>) outs(%20 : tensor<?x1xi1>) {
    ^bb0(%in: i64, %out: i1):
      %c-100_i64 = arith.constant -100 : i64
      %48 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %48 : i1
    } -> tensor<?x1xi1>
    %22 = tensor.empty(%0, %4) : tensor<?x?xi1>
    %23 = linalg.generic {indexing_maps = [#map2, #map5, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_3, %expanded_2, %21 : tensor<?x1xi64>, tensor<1x?xi64>, tensor<?x1xi1>) outs(%22 : tensor<?x?xi1>) {
    ^bb0(%in: i64, %in_10: i64, %in_11: i1, %out: i1):
      %48 = arith.extui %in_11 : i1 to i64
      %49 = arith.cmpi eq, %in, %in_10 : i64
      %c0_i64 = arith.constant 0 : i64
      %50 = arith.cmpi ne, %48, %c0_i64 : i64
      %51 = arith.andi %49, %50 : i1
      linalg.yield %51 : i1
    } -> tensor<?x?xi1>
    %cst_4 = arith.constant 1.000000e+00 : f32
    %24 = tensor.empty(%0, %4) : tensor<?x?xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<?x?xi1>) outs(%24 : tensor<?x?xf32>) {
    ^bb0(%in: i1, %out: f32):
      %cst_10 = arith.constant 0.000000e+00 : f32
      %48 = arith.select %in, %cst_4, %cst_10 : f32
      linalg.yield %48 : f32
    } -> tensor<?x?xf32>
    %26 = arith.index_cast %4 : index to i64
    %27 = arith.sitofp %26 : i64 to f32
    %cst_5 = arith.constant 1.000000e+00 : f32
    %28 = tensor.empty(%0, %4) : tensor<?x?xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%13, %23, %21 : tensor<?x?xf32>, tensor<?x?xi1>, tensor<?x1xi1>) outs(%28 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_10: i1, %in_11: i1, %out: f32):
      %48 = arith.mulf %in, %cst_5 : f32
      %49 = arith.negf %48 : f32
      %cst_12 = arith.constant 0.000000e+00 : f32
      %50 = arith.select %in_10, %49, %cst_12 : f32
      linalg.yield %50 : f32
    } -> tensor<?x?xf32>
    %cst_6 = arith.constant 0.000000e+00 : f32
    %30 = tensor.empty(%0) : tensor<?xf32>
    %31 = linalg.fill ins(%cst_6 : f32) outs(%30 : tensor<?xf32>) -> tensor<?xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%29 : tensor<?x?xf32>) outs(%31 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.addf %out, %in : f32
      linalg.yield %48 : f32
    } -> tensor<?xf32>
    %cst_7 = arith.constant 0.000000e+00 : f32
    %33 = tensor.empty(%0) : tensor<?xf32>
    %34 = linalg.fill ins(%cst_7 : f32) outs(%33 : tensor<?xf32>) -> tensor<?xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%25 : tensor<?x?xf32>) outs(%34 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.addf %out, %in : f32
      linalg.yield %48 : f32
    } -> tensor<?xf32>
    %cst_8 = arith.constant 0.000000e+00 : f64
    %36 = tensor.empty() : tensor<f64>
    %37 = linalg.fill ins(%cst_8 : f64) outs(%36 : tensor<f64>) -> tensor<f64>
    %38 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%32 : tensor<?xf32>) outs(%37 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %48 = arith.extf %in : f32 to f64
      %49 = arith.addf %out, %48 : f64
      linalg.yield %49 : f64
    } -> tensor<f64>
    %39 = tensor.empty() : tensor<f32>
    %40 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%38 : tensor<f64>) outs(%39 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %48 = arith.truncf %in : f64 to f32
      linalg.yield %48 : f32
    } -> tensor<f32>
    %cst_9 = arith.constant 0.000000e+00 : f64
    %41 = tensor.empty() : tensor<f64>
    %42 = linalg.fill ins(%cst_9 : f64) outs(%41 : tensor<f64>) -> tensor<f64>
    %43 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%35 : tensor<?xf32>) outs(%42 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %48 = arith.extf %in : f32 to f64
      %49 = arith.addf %out, %48 : f64
      linalg.yield %49 : f64
    } -> tensor<f64>
    %44 = tensor.empty() : tensor<f32>
    %45 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%43 : tensor<f64>) outs(%44 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %48 = arith.truncf %in : f64 to f32
      linalg.yield %48 : f32
    } -> tensor<f32>
    %46 = tensor.empty() : tensor<f32>
    %47 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = []} ins(%40, %45 : tensor<f32>, tensor<f32>) outs(%46 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %48 = arith.divf %in, %in_10 : f32
      linalg.yield %48 : f32
    } -> tensor<f32>
    return %47 : tensor<f32>
  }
}

