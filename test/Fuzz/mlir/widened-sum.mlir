// RUN: tally-fuzz --replay %s | FileCheck %s

// Sums of f32 that are returned as f64 are as exact as f32.
// CHECK: right: 1 calls right
// call: f32[2,2]=-1,-1,-3.7539999485015869,2
#map = affine_map<(d0, d1, d2) -> (d2, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1, d0)>
module {
  func.func @main(%arg0: tensor<?x?xf32>) -> tensor<?x?x?xf64> {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xf32>
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xf32>
    %0 = linalg.matmul ins(%arg0, %arg0 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%arg0 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %1 = tensor.empty(%dim, %dim_0, %dim_0) : tensor<?x?x?xf64>
    %2 = tensor.empty(%dim, %dim_0, %dim_0) : tensor<?x?x?xf32>
    %3:2 = linalg.generic {indexing_maps = [#map, #map, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %0 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%1, %2 : tensor<?x?x?xf64>, tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f64, %out_2: f32):
      %4 = arith.extf %in_1 : f32 to f64
      linalg.yield %4, %in_1 : f64, f32
    } -> (tensor<?x?x?xf64>, tensor<?x?x?xf32>)
    return %3#0 : tensor<?x?x?xf64>
  }
}

