// The place of the largest element of each row.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s77, s27>}) -> (tensor<?xi64> {tally.shape = #tally.shape<s77>}) attributes {tally.symbols = #tally.symbols<s77, s27>} {
    tally.check <1 <= s27>, "aten.argmax.default: the reduced dimension must not be empty"
    %cst = arith.constant 0xFF800000 : f32
    %0 = tally.size <s77> : index
    %1 = tensor.empty(%0) : tensor<?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
    %c0_i64 = arith.constant 0 : i64
    %3 = tensor.empty(%0) : tensor<?xi64>
    %4 = linalg.fill ins(%c0_i64 : i64) outs(%3 : tensor<?xi64>) -> tensor<?xi64>
    %5:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x?xf32>) outs(%2, %4 : tensor<?xf32>, tensor<?xi64>) {
    ^bb0(%in: f32, %out: f32, %out_0: i64):
      %6 = arith.cmpf ogt, %in, %out : f32
      %7 = arith.cmpf oeq, %out, %out : f32
      %8 = arith.cmpf uno, %in, %in : f32
      %9 = arith.andi %8, %7 : i1
      %10 = arith.ori %6, %9 : i1
      %11 = linalg.index 1 : index
      %12 = arith.index_cast %11 : index to i64
      %13 = arith.select %10, %in, %out : f32
      %14 = arith.select %10, %12, %out_0 : i64
      linalg.yield %13, %14 : f32, i64
    } -> (tensor<?xf32>, tensor<?xi64>)
    return %5#1 : tensor<?xi64>
  }
}

