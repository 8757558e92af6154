// Goes on while a counter on the device is below a limit there.
#map = affine_map<() -> ()>
#map1 = affine_map<(d0) -> (d0)>
module {
  func.func @main(%arg0: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s77>}, %arg1: tensor<i64> {tally.name = "limit", tally.shape = #tally.shape<>}) -> (tensor<?xf32> {tally.shape = #tally.shape<s77>}) attributes {tally.symbols = #tally.symbols<s77>} {
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty() : tensor<i64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<i64>) -> tensor<i64>
    %2:2 = scf.while (%arg2 = %1, %arg3 = %arg0) : (tensor<i64>, tensor<?xf32>) -> (tensor<i64>, tensor<?xf32>) {
      %3 = tensor.empty() : tensor<i1>
      %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg2, %arg1 : tensor<i64>, tensor<i64>) outs(%3 : tensor<i1>) {
      ^bb0(%in: i64, %in_0: i64, %out: i1):
        %5 = arith.cmpi slt, %in, %in_0 : i64
        linalg.yield %5 : i1
      } -> tensor<i1>
      %extracted = tensor.extract %4[] : tensor<i1>
      scf.condition(%extracted) %arg2, %arg3 : tensor<i64>, tensor<?xf32>
    } do {
    ^bb0(%arg2: tensor<i64>, %arg3: tensor<?xf32>):
      %c1_i64 = arith.constant 1 : i64
      %3 = tensor.empty() : tensor<i64>
      %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg2 : tensor<i64>) outs(%3 : tensor<i64>) {
      ^bb0(%in: i64, %out: i64):
        %14 = arith.addi %in, %c1_i64 : i64
        linalg.yield %14 : i64
      } -> tensor<i64>
      %5 = tally.size <s77> : index
      %6 = tensor.empty(%5) : tensor<?xf32>
      %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg3 : tensor<?xf32>) outs(%6 : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %14 = math.cos %in : f32
        linalg.yield %14 : f32
      } -> tensor<?xf32>
      %cst = arith.constant 5.000000e-01 : f32
      %8 = tensor.empty(%5) : tensor<?xf32>
      %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%7 : tensor<?xf32>) outs(%8 : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %14 = arith.mulf %in, %cst : f32
        linalg.yield %14 : f32
      } -> tensor<?xf32>
      %cst_0 = arith.constant 2.500000e-01 : f32
      %10 = tensor.empty(%5) : tensor<?xf32>
      %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%arg3 : tensor<?xf32>) outs(%10 : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %14 = arith.mulf %in, %cst_0 : f32
        linalg.yield %14 : f32
      } -> tensor<?xf32>
      %12 = tensor.empty(%5) : tensor<?xf32>
      %13 = linalg.add ins(%9, %11 : tensor<?xf32>, tensor<?xf32>) outs(%12 : tensor<?xf32>) -> tensor<?xf32>
      scf.yield %4, %13 : tensor<i64>, tensor<?xf32>
    }
    return %2#1 : tensor<?xf32>
  }
}

