// Sums of rows of a table: neighbors in memory are elements of different sums.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
module {
  func.func @main(%arg0: tensor<?x?xi64> {tally.name = "index", tally.shape = #tally.shape<s91, s59>}, %arg1: tensor<?x?xf32> {tally.name = "table", tally.shape = #tally.shape<s70, s44>}) -> (tensor<?x?xf32> {tally.shape = #tally.shape<s91, s44>}) attributes {tally.symbols = #tally.symbols<s91, s59, s70, s44>} {
    %0 = tally.size <s70> : index
    %1 = arith.index_cast %0 : index to i64
    %c0_i64 = arith.constant 0 : i64
    %true = arith.constant true
    %2 = tensor.empty() : tensor<i1>
    %3 = linalg.fill ins(%true : i1) outs(%2 : tensor<i1>) -> tensor<i1>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "reduction"]} ins(%arg0 : tensor<?x?xi64>) outs(%3 : tensor<i1>) {
    ^bb0(%in: i64, %out: i1):
      %13 = arith.cmpi sge, %in, %c0_i64 : i64
      %14 = arith.cmpi slt, %in, %1 : i64
      %15 = arith.andi %13, %14 : i1
      %16 = arith.andi %15, %out : i1
      linalg.yield %16 : i1
    } -> tensor<i1>
    %extracted = tensor.extract %4[] : tensor<i1>
    tally.check <ok>, "aten.embedding.default: an index is out of range" (ok = %extracted : i1)
    %5 = tally.size <s91> : index
    %6 = tally.size <s59> : index
    %7 = tally.size <s44> : index
    %8 = tensor.empty(%5, %6, %7) : tensor<?x?x?xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<?x?xi64>) outs(%8 : tensor<?x?x?xf32>) {
    ^bb0(%in: i64, %out: f32):
      %13 = linalg.index 0 : index
      %14 = linalg.index 1 : index
      %15 = linalg.index 2 : index
      %16 = arith.index_cast %in : i64 to index
      %extracted_0 = tensor.extract %arg1[%16, %15] : tensor<?x?xf32>
      linalg.yield %extracted_0 : f32
    } -> tensor<?x?x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %10 = tensor.empty(%5, %7) : tensor<?x?xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction", "parallel"]} ins(%9 : tensor<?x?x?xf32>) outs(%11 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<?x?xf32>
    return %12 : tensor<?x?xf32>
  }
}

