// Fifty times: x = sin(x) + mean(x).
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
#map2 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s33>}) -> (tensor<?xf32> {tally.shape = #tally.shape<s33>}) attributes {tally.symbols = #tally.symbols<s33>} {
    %0 = tally.size <s33> : index
    %1 = tensor.empty(%0) : tensor<?xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg0 : tensor<?xf32>) outs(%1 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst = arith.constant 0.000000e+00 : f64
    %3 = tensor.empty() : tensor<f64>
    %4 = linalg.fill ins(%cst : f64) outs(%3 : tensor<f64>) -> tensor<f64>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%arg0 : tensor<?xf32>) outs(%4 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %6 = tensor.empty() : tensor<f32>
    %7 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%5 : tensor<f64>) outs(%6 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %8 = arith.index_cast %0 : index to i64
    %9 = arith.sitofp %8 : i64 to f32
    %10 = tensor.empty() : tensor<f32>
    %11 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%7 : tensor<f32>) outs(%10 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %9 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %12 = tensor.empty(%0) : tensor<?xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%2, %11 : tensor<?xf32>, tensor<f32>) outs(%12 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %14 = tensor.empty(%0) : tensor<?xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%13 : tensor<?xf32>) outs(%14 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f64
    %16 = tensor.empty() : tensor<f64>
    %17 = linalg.fill ins(%cst_0 : f64) outs(%16 : tensor<f64>) -> tensor<f64>
    %18 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%13 : tensor<?xf32>) outs(%17 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %19 = tensor.empty() : tensor<f32>
    %20 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%18 : tensor<f64>) outs(%19 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %21 = arith.index_cast %0 : index to i64
    %22 = arith.sitofp %21 : i64 to f32
    %23 = tensor.empty() : tensor<f32>
    %24 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%20 : tensor<f32>) outs(%23 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %22 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %25 = tensor.empty(%0) : tensor<?xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%15, %24 : tensor<?xf32>, tensor<f32>) outs(%25 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %27 = tensor.empty(%0) : tensor<?xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%26 : tensor<?xf32>) outs(%27 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_1 = arith.constant 0.000000e+00 : f64
    %29 = tensor.empty() : tensor<f64>
    %30 = linalg.fill ins(%cst_1 : f64) outs(%29 : tensor<f64>) -> tensor<f64>
    %31 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%26 : tensor<?xf32>) outs(%30 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %32 = tensor.empty() : tensor<f32>
    %33 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%31 : tensor<f64>) outs(%32 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %34 = arith.index_cast %0 : index to i64
    %35 = arith.sitofp %34 : i64 to f32
    %36 = tensor.empty() : tensor<f32>
    %37 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%33 : tensor<f32>) outs(%36 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %35 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %38 = tensor.empty(%0) : tensor<?xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%28, %37 : tensor<?xf32>, tensor<f32>) outs(%38 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %40 = tensor.empty(%0) : tensor<?xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%39 : tensor<?xf32>) outs(%40 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_2 = arith.constant 0.000000e+00 : f64
    %42 = tensor.empty() : tensor<f64>
    %43 = linalg.fill ins(%cst_2 : f64) outs(%42 : tensor<f64>) -> tensor<f64>
    %44 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%39 : tensor<?xf32>) outs(%43 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %45 = tensor.empty() : tensor<f32>
    %46 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%44 : tensor<f64>) outs(%45 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %47 = arith.index_cast %0 : index to i64
    %48 = arith.sitofp %47 : i64 to f32
    %49 = tensor.empty() : tensor<f32>
    %50 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%46 : tensor<f32>) outs(%49 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %48 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %51 = tensor.empty(%0) : tensor<?xf32>
    %52 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%41, %50 : tensor<?xf32>, tensor<f32>) outs(%51 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %53 = tensor.empty(%0) : tensor<?xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%52 : tensor<?xf32>) outs(%53 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_3 = arith.constant 0.000000e+00 : f64
    %55 = tensor.empty() : tensor<f64>
    %56 = linalg.fill ins(%cst_3 : f64) outs(%55 : tensor<f64>) -> tensor<f64>
    %57 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%52 : tensor<?xf32>) outs(%56 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %58 = tensor.empty() : tensor<f32>
    %59 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%57 : tensor<f64>) outs(%58 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %60 = arith.index_cast %0 : index to i64
    %61 = arith.sitofp %60 : i64 to f32
    %62 = tensor.empty() : tensor<f32>
    %63 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%59 : tensor<f32>) outs(%62 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %61 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %64 = tensor.empty(%0) : tensor<?xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%54, %63 : tensor<?xf32>, tensor<f32>) outs(%64 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %66 = tensor.empty(%0) : tensor<?xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%65 : tensor<?xf32>) outs(%66 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_4 = arith.constant 0.000000e+00 : f64
    %68 = tensor.empty() : tensor<f64>
    %69 = linalg.fill ins(%cst_4 : f64) outs(%68 : tensor<f64>) -> tensor<f64>
    %70 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%65 : tensor<?xf32>) outs(%69 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %71 = tensor.empty() : tensor<f32>
    %72 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%70 : tensor<f64>) outs(%71 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %73 = arith.index_cast %0 : index to i64
    %74 = arith.sitofp %73 : i64 to f32
    %75 = tensor.empty() : tensor<f32>
    %76 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%72 : tensor<f32>) outs(%75 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %74 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %77 = tensor.empty(%0) : tensor<?xf32>
    %78 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%67, %76 : tensor<?xf32>, tensor<f32>) outs(%77 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %79 = tensor.empty(%0) : tensor<?xf32>
    %80 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%78 : tensor<?xf32>) outs(%79 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_5 = arith.constant 0.000000e+00 : f64
    %81 = tensor.empty() : tensor<f64>
    %82 = linalg.fill ins(%cst_5 : f64) outs(%81 : tensor<f64>) -> tensor<f64>
    %83 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%78 : tensor<?xf32>) outs(%82 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %84 = tensor.empty() : tensor<f32>
    %85 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%83 : tensor<f64>) outs(%84 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %86 = arith.index_cast %0 : index to i64
    %87 = arith.sitofp %86 : i64 to f32
    %88 = tensor.empty() : tensor<f32>
    %89 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%85 : tensor<f32>) outs(%88 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %87 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %90 = tensor.empty(%0) : tensor<?xf32>
    %91 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%80, %89 : tensor<?xf32>, tensor<f32>) outs(%90 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %92 = tensor.empty(%0) : tensor<?xf32>
    %93 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%91 : tensor<?xf32>) outs(%92 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_6 = arith.constant 0.000000e+00 : f64
    %94 = tensor.empty() : tensor<f64>
    %95 = linalg.fill ins(%cst_6 : f64) outs(%94 : tensor<f64>) -> tensor<f64>
    %96 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%91 : tensor<?xf32>) outs(%95 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %97 = tensor.empty() : tensor<f32>
    %98 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%96 : tensor<f64>) outs(%97 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %99 = arith.index_cast %0 : index to i64
    %100 = arith.sitofp %99 : i64 to f32
    %101 = tensor.empty() : tensor<f32>
    %102 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%98 : tensor<f32>) outs(%101 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %100 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %103 = tensor.empty(%0) : tensor<?xf32>
    %104 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%93, %102 : tensor<?xf32>, tensor<f32>) outs(%103 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %105 = tensor.empty(%0) : tensor<?xf32>
    %106 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%104 : tensor<?xf32>) outs(%105 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_7 = arith.constant 0.000000e+00 : f64
    %107 = tensor.empty() : tensor<f64>
    %108 = linalg.fill ins(%cst_7 : f64) outs(%107 : tensor<f64>) -> tensor<f64>
    %109 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%104 : tensor<?xf32>) outs(%108 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %110 = tensor.empty() : tensor<f32>
    %111 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%109 : tensor<f64>) outs(%110 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %112 = arith.index_cast %0 : index to i64
    %113 = arith.sitofp %112 : i64 to f32
    %114 = tensor.empty() : tensor<f32>
    %115 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%111 : tensor<f32>) outs(%114 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %113 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %116 = tensor.empty(%0) : tensor<?xf32>
    %117 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%106, %115 : tensor<?xf32>, tensor<f32>) outs(%116 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %118 = tensor.empty(%0) : tensor<?xf32>
    %119 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%117 : tensor<?xf32>) outs(%118 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_8 = arith.constant 0.000000e+00 : f64
    %120 = tensor.empty() : tensor<f64>
    %121 = linalg.fill ins(%cst_8 : f64) outs(%120 : tensor<f64>) -> tensor<f64>
    %122 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%117 : tensor<?xf32>) outs(%121 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %123 = tensor.empty() : tensor<f32>
    %124 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%122 : tensor<f64>) outs(%123 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %125 = arith.index_cast %0 : index to i64
    %126 = arith.sitofp %125 : i64 to f32
    %127 = tensor.empty() : tensor<f32>
    %128 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%124 : tensor<f32>) outs(%127 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %126 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %129 = tensor.empty(%0) : tensor<?xf32>
    %130 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%119, %128 : tensor<?xf32>, tensor<f32>) outs(%129 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %131 = tensor.empty(%0) : tensor<?xf32>
    %132 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%130 : tensor<?xf32>) outs(%131 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_9 = arith.constant 0.000000e+00 : f64
    %133 = tensor.empty() : tensor<f64>
    %134 = linalg.fill ins(%cst_9 : f64) outs(%133 : tensor<f64>) -> tensor<f64>
    %135 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%130 : tensor<?xf32>) outs(%134 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %136 = tensor.empty() : tensor<f32>
    %137 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%135 : tensor<f64>) outs(%136 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %138 = arith.index_cast %0 : index to i64
    %139 = arith.sitofp %138 : i64 to f32
    %140 = tensor.empty() : tensor<f32>
    %141 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%137 : tensor<f32>) outs(%140 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %139 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %142 = tensor.empty(%0) : tensor<?xf32>
    %143 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%132, %141 : tensor<?xf32>, tensor<f32>) outs(%142 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %144 = tensor.empty(%0) : tensor<?xf32>
    %145 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%143 : tensor<?xf32>) outs(%144 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_10 = arith.constant 0.000000e+00 : f64
    %146 = tensor.empty() : tensor<f64>
    %147 = linalg.fill ins(%cst_10 : f64) outs(%146 : tensor<f64>) -> tensor<f64>
    %148 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%143 : tensor<?xf32>) outs(%147 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %149 = tensor.empty() : tensor<f32>
    %150 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%148 : tensor<f64>) outs(%149 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %151 = arith.index_cast %0 : index to i64
    %152 = arith.sitofp %151 : i64 to f32
    %153 = tensor.empty() : tensor<f32>
    %154 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%150 : tensor<f32>) outs(%153 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %152 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %155 = tensor.empty(%0) : tensor<?xf32>
    %156 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%145, %154 : tensor<?xf32>, tensor<f32>) outs(%155 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %157 = tensor.empty(%0) : tensor<?xf32>
    %158 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%156 : tensor<?xf32>) outs(%157 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_11 = arith.constant 0.000000e+00 : f64
    %159 = tensor.empty() : tensor<f64>
    %160 = linalg.fill ins(%cst_11 : f64) outs(%159 : tensor<f64>) -> tensor<f64>
    %161 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%156 : tensor<?xf32>) outs(%160 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %162 = tensor.empty() : tensor<f32>
    %163 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%161 : tensor<f64>) outs(%162 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %164 = arith.index_cast %0 : index to i64
    %165 = arith.sitofp %164 : i64 to f32
    %166 = tensor.empty() : tensor<f32>
    %167 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%163 : tensor<f32>) outs(%166 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %165 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %168 = tensor.empty(%0) : tensor<?xf32>
    %169 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%158, %167 : tensor<?xf32>, tensor<f32>) outs(%168 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %170 = tensor.empty(%0) : tensor<?xf32>
    %171 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%169 : tensor<?xf32>) outs(%170 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_12 = arith.constant 0.000000e+00 : f64
    %172 = tensor.empty() : tensor<f64>
    %173 = linalg.fill ins(%cst_12 : f64) outs(%172 : tensor<f64>) -> tensor<f64>
    %174 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%169 : tensor<?xf32>) outs(%173 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %175 = tensor.empty() : tensor<f32>
    %176 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%174 : tensor<f64>) outs(%175 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %177 = arith.index_cast %0 : index to i64
    %178 = arith.sitofp %177 : i64 to f32
    %179 = tensor.empty() : tensor<f32>
    %180 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%176 : tensor<f32>) outs(%179 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %178 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %181 = tensor.empty(%0) : tensor<?xf32>
    %182 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%171, %180 : tensor<?xf32>, tensor<f32>) outs(%181 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %183 = tensor.empty(%0) : tensor<?xf32>
    %184 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%182 : tensor<?xf32>) outs(%183 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_13 = arith.constant 0.000000e+00 : f64
    %185 = tensor.empty() : tensor<f64>
    %186 = linalg.fill ins(%cst_13 : f64) outs(%185 : tensor<f64>) -> tensor<f64>
    %187 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%182 : tensor<?xf32>) outs(%186 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %188 = tensor.empty() : tensor<f32>
    %189 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%187 : tensor<f64>) outs(%188 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %190 = arith.index_cast %0 : index to i64
    %191 = arith.sitofp %190 : i64 to f32
    %192 = tensor.empty() : tensor<f32>
    %193 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%189 : tensor<f32>) outs(%192 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %191 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %194 = tensor.empty(%0) : tensor<?xf32>
    %195 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%184, %193 : tensor<?xf32>, tensor<f32>) outs(%194 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %196 = tensor.empty(%0) : tensor<?xf32>
    %197 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%195 : tensor<?xf32>) outs(%196 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_14 = arith.constant 0.000000e+00 : f64
    %198 = tensor.empty() : tensor<f64>
    %199 = linalg.fill ins(%cst_14 : f64) outs(%198 : tensor<f64>) -> tensor<f64>
    %200 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%195 : tensor<?xf32>) outs(%199 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %201 = tensor.empty() : tensor<f32>
    %202 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%200 : tensor<f64>) outs(%201 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %203 = arith.index_cast %0 : index to i64
    %204 = arith.sitofp %203 : i64 to f32
    %205 = tensor.empty() : tensor<f32>
    %206 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%202 : tensor<f32>) outs(%205 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %204 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %207 = tensor.empty(%0) : tensor<?xf32>
    %208 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%197, %206 : tensor<?xf32>, tensor<f32>) outs(%207 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %209 = tensor.empty(%0) : tensor<?xf32>
    %210 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%208 : tensor<?xf32>) outs(%209 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_15 = arith.constant 0.000000e+00 : f64
    %211 = tensor.empty() : tensor<f64>
    %212 = linalg.fill ins(%cst_15 : f64) outs(%211 : tensor<f64>) -> tensor<f64>
    %213 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%208 : tensor<?xf32>) outs(%212 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %214 = tensor.empty() : tensor<f32>
    %215 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%213 : tensor<f64>) outs(%214 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %216 = arith.index_cast %0 : index to i64
    %217 = arith.sitofp %216 : i64 to f32
    %218 = tensor.empty() : tensor<f32>
    %219 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%215 : tensor<f32>) outs(%218 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %217 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %220 = tensor.empty(%0) : tensor<?xf32>
    %221 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%210, %219 : tensor<?xf32>, tensor<f32>) outs(%220 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %222 = tensor.empty(%0) : tensor<?xf32>
    %223 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%221 : tensor<?xf32>) outs(%222 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_16 = arith.constant 0.000000e+00 : f64
    %224 = tensor.empty() : tensor<f64>
    %225 = linalg.fill ins(%cst_16 : f64) outs(%224 : tensor<f64>) -> tensor<f64>
    %226 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%221 : tensor<?xf32>) outs(%225 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %227 = tensor.empty() : tensor<f32>
    %228 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%226 : tensor<f64>) outs(%227 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %229 = arith.index_cast %0 : index to i64
    %230 = arith.sitofp %229 : i64 to f32
    %231 = tensor.empty() : tensor<f32>
    %232 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%228 : tensor<f32>) outs(%231 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %230 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %233 = tensor.empty(%0) : tensor<?xf32>
    %234 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%223, %232 : tensor<?xf32>, tensor<f32>) outs(%233 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %235 = tensor.empty(%0) : tensor<?xf32>
    %236 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%234 : tensor<?xf32>) outs(%235 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_17 = arith.constant 0.000000e+00 : f64
    %237 = tensor.empty() : tensor<f64>
    %238 = linalg.fill ins(%cst_17 : f64) outs(%237 : tensor<f64>) -> tensor<f64>
    %239 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%234 : tensor<?xf32>) outs(%238 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %240 = tensor.empty() : tensor<f32>
    %241 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%239 : tensor<f64>) outs(%240 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %242 = arith.index_cast %0 : index to i64
    %243 = arith.sitofp %242 : i64 to f32
    %244 = tensor.empty() : tensor<f32>
    %245 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%241 : tensor<f32>) outs(%244 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %243 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %246 = tensor.empty(%0) : tensor<?xf32>
    %247 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%236, %245 : tensor<?xf32>, tensor<f32>) outs(%246 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %248 = tensor.empty(%0) : tensor<?xf32>
    %249 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%247 : tensor<?xf32>) outs(%248 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_18 = arith.constant 0.000000e+00 : f64
    %250 = tensor.empty() : tensor<f64>
    %251 = linalg.fill ins(%cst_18 : f64) outs(%250 : tensor<f64>) -> tensor<f64>
    %252 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%247 : tensor<?xf32>) outs(%251 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %253 = tensor.empty() : tensor<f32>
    %254 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%252 : tensor<f64>) outs(%253 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %255 = arith.index_cast %0 : index to i64
    %256 = arith.sitofp %255 : i64 to f32
    %257 = tensor.empty() : tensor<f32>
    %258 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%254 : tensor<f32>) outs(%257 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %256 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %259 = tensor.empty(%0) : tensor<?xf32>
    %260 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%249, %258 : tensor<?xf32>, tensor<f32>) outs(%259 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %261 = tensor.empty(%0) : tensor<?xf32>
    %262 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%260 : tensor<?xf32>) outs(%261 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_19 = arith.constant 0.000000e+00 : f64
    %263 = tensor.empty() : tensor<f64>
    %264 = linalg.fill ins(%cst_19 : f64) outs(%263 : tensor<f64>) -> tensor<f64>
    %265 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%260 : tensor<?xf32>) outs(%264 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %266 = tensor.empty() : tensor<f32>
    %267 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%265 : tensor<f64>) outs(%266 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %268 = arith.index_cast %0 : index to i64
    %269 = arith.sitofp %268 : i64 to f32
    %270 = tensor.empty() : tensor<f32>
    %271 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%267 : tensor<f32>) outs(%270 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %269 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %272 = tensor.empty(%0) : tensor<?xf32>
    %273 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%262, %271 : tensor<?xf32>, tensor<f32>) outs(%272 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %274 = tensor.empty(%0) : tensor<?xf32>
    %275 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%273 : tensor<?xf32>) outs(%274 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_20 = arith.constant 0.000000e+00 : f64
    %276 = tensor.empty() : tensor<f64>
    %277 = linalg.fill ins(%cst_20 : f64) outs(%276 : tensor<f64>) -> tensor<f64>
    %278 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%273 : tensor<?xf32>) outs(%277 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %279 = tensor.empty() : tensor<f32>
    %280 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%278 : tensor<f64>) outs(%279 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %281 = arith.index_cast %0 : index to i64
    %282 = arith.sitofp %281 : i64 to f32
    %283 = tensor.empty() : tensor<f32>
    %284 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%280 : tensor<f32>) outs(%283 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %282 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %285 = tensor.empty(%0) : tensor<?xf32>
    %286 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%275, %284 : tensor<?xf32>, tensor<f32>) outs(%285 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %287 = tensor.empty(%0) : tensor<?xf32>
    %288 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%286 : tensor<?xf32>) outs(%287 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_21 = arith.constant 0.000000e+00 : f64
    %289 = tensor.empty() : tensor<f64>
    %290 = linalg.fill ins(%cst_21 : f64) outs(%289 : tensor<f64>) -> tensor<f64>
    %291 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%286 : tensor<?xf32>) outs(%290 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %292 = tensor.empty() : tensor<f32>
    %293 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%291 : tensor<f64>) outs(%292 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %294 = arith.index_cast %0 : index to i64
    %295 = arith.sitofp %294 : i64 to f32
    %296 = tensor.empty() : tensor<f32>
    %297 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%293 : tensor<f32>) outs(%296 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %295 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %298 = tensor.empty(%0) : tensor<?xf32>
    %299 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%288, %297 : tensor<?xf32>, tensor<f32>) outs(%298 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %300 = tensor.empty(%0) : tensor<?xf32>
    %301 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%299 : tensor<?xf32>) outs(%300 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_22 = arith.constant 0.000000e+00 : f64
    %302 = tensor.empty() : tensor<f64>
    %303 = linalg.fill ins(%cst_22 : f64) outs(%302 : tensor<f64>) -> tensor<f64>
    %304 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%299 : tensor<?xf32>) outs(%303 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %305 = tensor.empty() : tensor<f32>
    %306 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%304 : tensor<f64>) outs(%305 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %307 = arith.index_cast %0 : index to i64
    %308 = arith.sitofp %307 : i64 to f32
    %309 = tensor.empty() : tensor<f32>
    %310 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%306 : tensor<f32>) outs(%309 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %308 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %311 = tensor.empty(%0) : tensor<?xf32>
    %312 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%301, %310 : tensor<?xf32>, tensor<f32>) outs(%311 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %313 = tensor.empty(%0) : tensor<?xf32>
    %314 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%312 : tensor<?xf32>) outs(%313 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_23 = arith.constant 0.000000e+00 : f64
    %315 = tensor.empty() : tensor<f64>
    %316 = linalg.fill ins(%cst_23 : f64) outs(%315 : tensor<f64>) -> tensor<f64>
    %317 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%312 : tensor<?xf32>) outs(%316 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %318 = tensor.empty() : tensor<f32>
    %319 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%317 : tensor<f64>) outs(%318 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %320 = arith.index_cast %0 : index to i64
    %321 = arith.sitofp %320 : i64 to f32
    %322 = tensor.empty() : tensor<f32>
    %323 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%319 : tensor<f32>) outs(%322 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %321 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %324 = tensor.empty(%0) : tensor<?xf32>
    %325 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%314, %323 : tensor<?xf32>, tensor<f32>) outs(%324 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %326 = tensor.empty(%0) : tensor<?xf32>
    %327 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%325 : tensor<?xf32>) outs(%326 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_24 = arith.constant 0.000000e+00 : f64
    %328 = tensor.empty() : tensor<f64>
    %329 = linalg.fill ins(%cst_24 : f64) outs(%328 : tensor<f64>) -> tensor<f64>
    %330 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%325 : tensor<?xf32>) outs(%329 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %331 = tensor.empty() : tensor<f32>
    %332 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%330 : tensor<f64>) outs(%331 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %333 = arith.index_cast %0 : index to i64
    %334 = arith.sitofp %333 : i64 to f32
    %335 = tensor.empty() : tensor<f32>
    %336 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%332 : tensor<f32>) outs(%335 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %334 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %337 = tensor.empty(%0) : tensor<?xf32>
    %338 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%327, %336 : tensor<?xf32>, tensor<f32>) outs(%337 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %339 = tensor.empty(%0) : tensor<?xf32>
    %340 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%338 : tensor<?xf32>) outs(%339 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_25 = arith.constant 0.000000e+00 : f64
    %341 = tensor.empty() : tensor<f64>
    %342 = linalg.fill ins(%cst_25 : f64) outs(%341 : tensor<f64>) -> tensor<f64>
    %343 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%338 : tensor<?xf32>) outs(%342 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %344 = tensor.empty() : tensor<f32>
    %345 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%343 : tensor<f64>) outs(%344 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %346 = arith.index_cast %0 : index to i64
    %347 = arith.sitofp %346 : i64 to f32
    %348 = tensor.empty() : tensor<f32>
    %349 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%345 : tensor<f32>) outs(%348 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %347 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %350 = tensor.empty(%0) : tensor<?xf32>
    %351 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%340, %349 : tensor<?xf32>, tensor<f32>) outs(%350 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %352 = tensor.empty(%0) : tensor<?xf32>
    %353 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%351 : tensor<?xf32>) outs(%352 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_26 = arith.constant 0.000000e+00 : f64
    %354 = tensor.empty() : tensor<f64>
    %355 = linalg.fill ins(%cst_26 : f64) outs(%354 : tensor<f64>) -> tensor<f64>
    %356 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%351 : tensor<?xf32>) outs(%355 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %357 = tensor.empty() : tensor<f32>
    %358 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%356 : tensor<f64>) outs(%357 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %359 = arith.index_cast %0 : index to i64
    %360 = arith.sitofp %359 : i64 to f32
    %361 = tensor.empty() : tensor<f32>
    %362 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%358 : tensor<f32>) outs(%361 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %360 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %363 = tensor.empty(%0) : tensor<?xf32>
    %364 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%353, %362 : tensor<?xf32>, tensor<f32>) outs(%363 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %365 = tensor.empty(%0) : tensor<?xf32>
    %366 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%364 : tensor<?xf32>) outs(%365 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_27 = arith.constant 0.000000e+00 : f64
    %367 = tensor.empty() : tensor<f64>
    %368 = linalg.fill ins(%cst_27 : f64) outs(%367 : tensor<f64>) -> tensor<f64>
    %369 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%364 : tensor<?xf32>) outs(%368 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %370 = tensor.empty() : tensor<f32>
    %371 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%369 : tensor<f64>) outs(%370 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %372 = arith.index_cast %0 : index to i64
    %373 = arith.sitofp %372 : i64 to f32
    %374 = tensor.empty() : tensor<f32>
    %375 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%371 : tensor<f32>) outs(%374 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %373 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %376 = tensor.empty(%0) : tensor<?xf32>
    %377 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%366, %375 : tensor<?xf32>, tensor<f32>) outs(%376 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %378 = tensor.empty(%0) : tensor<?xf32>
    %379 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%377 : tensor<?xf32>) outs(%378 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_28 = arith.constant 0.000000e+00 : f64
    %380 = tensor.empty() : tensor<f64>
    %381 = linalg.fill ins(%cst_28 : f64) outs(%380 : tensor<f64>) -> tensor<f64>
    %382 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%377 : tensor<?xf32>) outs(%381 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %383 = tensor.empty() : tensor<f32>
    %384 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%382 : tensor<f64>) outs(%383 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %385 = arith.index_cast %0 : index to i64
    %386 = arith.sitofp %385 : i64 to f32
    %387 = tensor.empty() : tensor<f32>
    %388 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%384 : tensor<f32>) outs(%387 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %386 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %389 = tensor.empty(%0) : tensor<?xf32>
    %390 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%379, %388 : tensor<?xf32>, tensor<f32>) outs(%389 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %391 = tensor.empty(%0) : tensor<?xf32>
    %392 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%390 : tensor<?xf32>) outs(%391 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_29 = arith.constant 0.000000e+00 : f64
    %393 = tensor.empty() : tensor<f64>
    %394 = linalg.fill ins(%cst_29 : f64) outs(%393 : tensor<f64>) -> tensor<f64>
    %395 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%390 : tensor<?xf32>) outs(%394 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %396 = tensor.empty() : tensor<f32>
    %397 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%395 : tensor<f64>) outs(%396 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %398 = arith.index_cast %0 : index to i64
    %399 = arith.sitofp %398 : i64 to f32
    %400 = tensor.empty() : tensor<f32>
    %401 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%397 : tensor<f32>) outs(%400 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %399 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %402 = tensor.empty(%0) : tensor<?xf32>
    %403 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%392, %401 : tensor<?xf32>, tensor<f32>) outs(%402 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %404 = tensor.empty(%0) : tensor<?xf32>
    %405 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%403 : tensor<?xf32>) outs(%404 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_30 = arith.constant 0.000000e+00 : f64
    %406 = tensor.empty() : tensor<f64>
    %407 = linalg.fill ins(%cst_30 : f64) outs(%406 : tensor<f64>) -> tensor<f64>
    %408 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%403 : tensor<?xf32>) outs(%407 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %409 = tensor.empty() : tensor<f32>
    %410 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%408 : tensor<f64>) outs(%409 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %411 = arith.index_cast %0 : index to i64
    %412 = arith.sitofp %411 : i64 to f32
    %413 = tensor.empty() : tensor<f32>
    %414 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%410 : tensor<f32>) outs(%413 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %412 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %415 = tensor.empty(%0) : tensor<?xf32>
    %416 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%405, %414 : tensor<?xf32>, tensor<f32>) outs(%415 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %417 = tensor.empty(%0) : tensor<?xf32>
    %418 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%416 : tensor<?xf32>) outs(%417 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_31 = arith.constant 0.000000e+00 : f64
    %419 = tensor.empty() : tensor<f64>
    %420 = linalg.fill ins(%cst_31 : f64) outs(%419 : tensor<f64>) -> tensor<f64>
    %421 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%416 : tensor<?xf32>) outs(%420 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %422 = tensor.empty() : tensor<f32>
    %423 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%421 : tensor<f64>) outs(%422 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %424 = arith.index_cast %0 : index to i64
    %425 = arith.sitofp %424 : i64 to f32
    %426 = tensor.empty() : tensor<f32>
    %427 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%423 : tensor<f32>) outs(%426 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %425 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %428 = tensor.empty(%0) : tensor<?xf32>
    %429 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%418, %427 : tensor<?xf32>, tensor<f32>) outs(%428 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %430 = tensor.empty(%0) : tensor<?xf32>
    %431 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%429 : tensor<?xf32>) outs(%430 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_32 = arith.constant 0.000000e+00 : f64
    %432 = tensor.empty() : tensor<f64>
    %433 = linalg.fill ins(%cst_32 : f64) outs(%432 : tensor<f64>) -> tensor<f64>
    %434 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%429 : tensor<?xf32>) outs(%433 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %435 = tensor.empty() : tensor<f32>
    %436 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%434 : tensor<f64>) outs(%435 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %437 = arith.index_cast %0 : index to i64
    %438 = arith.sitofp %437 : i64 to f32
    %439 = tensor.empty() : tensor<f32>
    %440 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%436 : tensor<f32>) outs(%439 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %438 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %441 = tensor.empty(%0) : tensor<?xf32>
    %442 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%431, %440 : tensor<?xf32>, tensor<f32>) outs(%441 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %443 = tensor.empty(%0) : tensor<?xf32>
    %444 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%442 : tensor<?xf32>) outs(%443 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_33 = arith.constant 0.000000e+00 : f64
    %445 = tensor.empty() : tensor<f64>
    %446 = linalg.fill ins(%cst_33 : f64) outs(%445 : tensor<f64>) -> tensor<f64>
    %447 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%442 : tensor<?xf32>) outs(%446 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %448 = tensor.empty() : tensor<f32>
    %449 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%447 : tensor<f64>) outs(%448 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %450 = arith.index_cast %0 : index to i64
    %451 = arith.sitofp %450 : i64 to f32
    %452 = tensor.empty() : tensor<f32>
    %453 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%449 : tensor<f32>) outs(%452 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %451 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %454 = tensor.empty(%0) : tensor<?xf32>
    %455 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%444, %453 : tensor<?xf32>, tensor<f32>) outs(%454 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %456 = tensor.empty(%0) : tensor<?xf32>
    %457 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%455 : tensor<?xf32>) outs(%456 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_34 = arith.constant 0.000000e+00 : f64
    %458 = tensor.empty() : tensor<f64>
    %459 = linalg.fill ins(%cst_34 : f64) outs(%458 : tensor<f64>) -> tensor<f64>
    %460 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%455 : tensor<?xf32>) outs(%459 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %461 = tensor.empty() : tensor<f32>
    %462 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%460 : tensor<f64>) outs(%461 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %463 = arith.index_cast %0 : index to i64
    %464 = arith.sitofp %463 : i64 to f32
    %465 = tensor.empty() : tensor<f32>
    %466 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%462 : tensor<f32>) outs(%465 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %464 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %467 = tensor.empty(%0) : tensor<?xf32>
    %468 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%457, %466 : tensor<?xf32>, tensor<f32>) outs(%467 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %469 = tensor.empty(%0) : tensor<?xf32>
    %470 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%468 : tensor<?xf32>) outs(%469 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_35 = arith.constant 0.000000e+00 : f64
    %471 = tensor.empty() : tensor<f64>
    %472 = linalg.fill ins(%cst_35 : f64) outs(%471 : tensor<f64>) -> tensor<f64>
    %473 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%468 : tensor<?xf32>) outs(%472 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %474 = tensor.empty() : tensor<f32>
    %475 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%473 : tensor<f64>) outs(%474 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %476 = arith.index_cast %0 : index to i64
    %477 = arith.sitofp %476 : i64 to f32
    %478 = tensor.empty() : tensor<f32>
    %479 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%475 : tensor<f32>) outs(%478 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %477 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %480 = tensor.empty(%0) : tensor<?xf32>
    %481 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%470, %479 : tensor<?xf32>, tensor<f32>) outs(%480 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %482 = tensor.empty(%0) : tensor<?xf32>
    %483 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%481 : tensor<?xf32>) outs(%482 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_36 = arith.constant 0.000000e+00 : f64
    %484 = tensor.empty() : tensor<f64>
    %485 = linalg.fill ins(%cst_36 : f64) outs(%484 : tensor<f64>) -> tensor<f64>
    %486 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%481 : tensor<?xf32>) outs(%485 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %487 = tensor.empty() : tensor<f32>
    %488 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%486 : tensor<f64>) outs(%487 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %489 = arith.index_cast %0 : index to i64
    %490 = arith.sitofp %489 : i64 to f32
    %491 = tensor.empty() : tensor<f32>
    %492 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%488 : tensor<f32>) outs(%491 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %490 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %493 = tensor.empty(%0) : tensor<?xf32>
    %494 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%483, %492 : tensor<?xf32>, tensor<f32>) outs(%493 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %495 = tensor.empty(%0) : tensor<?xf32>
    %496 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%494 : tensor<?xf32>) outs(%495 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_37 = arith.constant 0.000000e+00 : f64
    %497 = tensor.empty() : tensor<f64>
    %498 = linalg.fill ins(%cst_37 : f64) outs(%497 : tensor<f64>) -> tensor<f64>
    %499 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%494 : tensor<?xf32>) outs(%498 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %500 = tensor.empty() : tensor<f32>
    %501 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%499 : tensor<f64>) outs(%500 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %502 = arith.index_cast %0 : index to i64
    %503 = arith.sitofp %502 : i64 to f32
    %504 = tensor.empty() : tensor<f32>
    %505 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%501 : tensor<f32>) outs(%504 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %503 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %506 = tensor.empty(%0) : tensor<?xf32>
    %507 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%496, %505 : tensor<?xf32>, tensor<f32>) outs(%506 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %508 = tensor.empty(%0) : tensor<?xf32>
    %509 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%507 : tensor<?xf32>) outs(%508 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_38 = arith.constant 0.000000e+00 : f64
    %510 = tensor.empty() : tensor<f64>
    %511 = linalg.fill ins(%cst_38 : f64) outs(%510 : tensor<f64>) -> tensor<f64>
    %512 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%507 : tensor<?xf32>) outs(%511 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %513 = tensor.empty() : tensor<f32>
    %514 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%512 : tensor<f64>) outs(%513 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %515 = arith.index_cast %0 : index to i64
    %516 = arith.sitofp %515 : i64 to f32
    %517 = tensor.empty() : tensor<f32>
    %518 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%514 : tensor<f32>) outs(%517 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %516 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %519 = tensor.empty(%0) : tensor<?xf32>
    %520 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%509, %518 : tensor<?xf32>, tensor<f32>) outs(%519 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %521 = tensor.empty(%0) : tensor<?xf32>
    %522 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%520 : tensor<?xf32>) outs(%521 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_39 = arith.constant 0.000000e+00 : f64
    %523 = tensor.empty() : tensor<f64>
    %524 = linalg.fill ins(%cst_39 : f64) outs(%523 : tensor<f64>) -> tensor<f64>
    %525 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%520 : tensor<?xf32>) outs(%524 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %526 = tensor.empty() : tensor<f32>
    %527 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%525 : tensor<f64>) outs(%526 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %528 = arith.index_cast %0 : index to i64
    %529 = arith.sitofp %528 : i64 to f32
    %530 = tensor.empty() : tensor<f32>
    %531 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%527 : tensor<f32>) outs(%530 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %529 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %532 = tensor.empty(%0) : tensor<?xf32>
    %533 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%522, %531 : tensor<?xf32>, tensor<f32>) outs(%532 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %534 = tensor.empty(%0) : tensor<?xf32>
    %535 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%533 : tensor<?xf32>) outs(%534 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_40 = arith.constant 0.000000e+00 : f64
    %536 = tensor.empty() : tensor<f64>
    %537 = linalg.fill ins(%cst_40 : f64) outs(%536 : tensor<f64>) -> tensor<f64>
    %538 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%533 : tensor<?xf32>) outs(%537 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %539 = tensor.empty() : tensor<f32>
    %540 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%538 : tensor<f64>) outs(%539 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %541 = arith.index_cast %0 : index to i64
    %542 = arith.sitofp %541 : i64 to f32
    %543 = tensor.empty() : tensor<f32>
    %544 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%540 : tensor<f32>) outs(%543 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %542 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %545 = tensor.empty(%0) : tensor<?xf32>
    %546 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%535, %544 : tensor<?xf32>, tensor<f32>) outs(%545 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %547 = tensor.empty(%0) : tensor<?xf32>
    %548 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%546 : tensor<?xf32>) outs(%547 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_41 = arith.constant 0.000000e+00 : f64
    %549 = tensor.empty() : tensor<f64>
    %550 = linalg.fill ins(%cst_41 : f64) outs(%549 : tensor<f64>) -> tensor<f64>
    %551 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%546 : tensor<?xf32>) outs(%550 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %552 = tensor.empty() : tensor<f32>
    %553 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%551 : tensor<f64>) outs(%552 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %554 = arith.index_cast %0 : index to i64
    %555 = arith.sitofp %554 : i64 to f32
    %556 = tensor.empty() : tensor<f32>
    %557 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%553 : tensor<f32>) outs(%556 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %555 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %558 = tensor.empty(%0) : tensor<?xf32>
    %559 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%548, %557 : tensor<?xf32>, tensor<f32>) outs(%558 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %560 = tensor.empty(%0) : tensor<?xf32>
    %561 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%559 : tensor<?xf32>) outs(%560 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_42 = arith.constant 0.000000e+00 : f64
    %562 = tensor.empty() : tensor<f64>
    %563 = linalg.fill ins(%cst_42 : f64) outs(%562 : tensor<f64>) -> tensor<f64>
    %564 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%559 : tensor<?xf32>) outs(%563 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %565 = tensor.empty() : tensor<f32>
    %566 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%564 : tensor<f64>) outs(%565 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %567 = arith.index_cast %0 : index to i64
    %568 = arith.sitofp %567 : i64 to f32
    %569 = tensor.empty() : tensor<f32>
    %570 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%566 : tensor<f32>) outs(%569 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %568 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %571 = tensor.empty(%0) : tensor<?xf32>
    %572 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%561, %570 : tensor<?xf32>, tensor<f32>) outs(%571 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %573 = tensor.empty(%0) : tensor<?xf32>
    %574 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%572 : tensor<?xf32>) outs(%573 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_43 = arith.constant 0.000000e+00 : f64
    %575 = tensor.empty() : tensor<f64>
    %576 = linalg.fill ins(%cst_43 : f64) outs(%575 : tensor<f64>) -> tensor<f64>
    %577 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%572 : tensor<?xf32>) outs(%576 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %578 = tensor.empty() : tensor<f32>
    %579 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%577 : tensor<f64>) outs(%578 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %580 = arith.index_cast %0 : index to i64
    %581 = arith.sitofp %580 : i64 to f32
    %582 = tensor.empty() : tensor<f32>
    %583 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%579 : tensor<f32>) outs(%582 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %581 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %584 = tensor.empty(%0) : tensor<?xf32>
    %585 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%574, %583 : tensor<?xf32>, tensor<f32>) outs(%584 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %586 = tensor.empty(%0) : tensor<?xf32>
    %587 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%585 : tensor<?xf32>) outs(%586 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_44 = arith.constant 0.000000e+00 : f64
    %588 = tensor.empty() : tensor<f64>
    %589 = linalg.fill ins(%cst_44 : f64) outs(%588 : tensor<f64>) -> tensor<f64>
    %590 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%585 : tensor<?xf32>) outs(%589 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %591 = tensor.empty() : tensor<f32>
    %592 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%590 : tensor<f64>) outs(%591 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %593 = arith.index_cast %0 : index to i64
    %594 = arith.sitofp %593 : i64 to f32
    %595 = tensor.empty() : tensor<f32>
    %596 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%592 : tensor<f32>) outs(%595 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %594 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %597 = tensor.empty(%0) : tensor<?xf32>
    %598 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%587, %596 : tensor<?xf32>, tensor<f32>) outs(%597 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %599 = tensor.empty(%0) : tensor<?xf32>
    %600 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%598 : tensor<?xf32>) outs(%599 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_45 = arith.constant 0.000000e+00 : f64
    %601 = tensor.empty() : tensor<f64>
    %602 = linalg.fill ins(%cst_45 : f64) outs(%601 : tensor<f64>) -> tensor<f64>
    %603 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%598 : tensor<?xf32>) outs(%602 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %604 = tensor.empty() : tensor<f32>
    %605 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%603 : tensor<f64>) outs(%604 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %606 = arith.index_cast %0 : index to i64
    %607 = arith.sitofp %606 : i64 to f32
    %608 = tensor.empty() : tensor<f32>
    %609 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%605 : tensor<f32>) outs(%608 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %607 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %610 = tensor.empty(%0) : tensor<?xf32>
    %611 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%600, %609 : tensor<?xf32>, tensor<f32>) outs(%610 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %612 = tensor.empty(%0) : tensor<?xf32>
    %613 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%611 : tensor<?xf32>) outs(%612 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_46 = arith.constant 0.000000e+00 : f64
    %614 = tensor.empty() : tensor<f64>
    %615 = linalg.fill ins(%cst_46 : f64) outs(%614 : tensor<f64>) -> tensor<f64>
    %616 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%611 : tensor<?xf32>) outs(%615 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %617 = tensor.empty() : tensor<f32>
    %618 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%616 : tensor<f64>) outs(%617 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %619 = arith.index_cast %0 : index to i64
    %620 = arith.sitofp %619 : i64 to f32
    %621 = tensor.empty() : tensor<f32>
    %622 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%618 : tensor<f32>) outs(%621 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %620 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %623 = tensor.empty(%0) : tensor<?xf32>
    %624 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%613, %622 : tensor<?xf32>, tensor<f32>) outs(%623 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %625 = tensor.empty(%0) : tensor<?xf32>
    %626 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%624 : tensor<?xf32>) outs(%625 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_47 = arith.constant 0.000000e+00 : f64
    %627 = tensor.empty() : tensor<f64>
    %628 = linalg.fill ins(%cst_47 : f64) outs(%627 : tensor<f64>) -> tensor<f64>
    %629 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%624 : tensor<?xf32>) outs(%628 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %630 = tensor.empty() : tensor<f32>
    %631 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%629 : tensor<f64>) outs(%630 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %632 = arith.index_cast %0 : index to i64
    %633 = arith.sitofp %632 : i64 to f32
    %634 = tensor.empty() : tensor<f32>
    %635 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%631 : tensor<f32>) outs(%634 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %633 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %636 = tensor.empty(%0) : tensor<?xf32>
    %637 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%626, %635 : tensor<?xf32>, tensor<f32>) outs(%636 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %638 = tensor.empty(%0) : tensor<?xf32>
    %639 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%637 : tensor<?xf32>) outs(%638 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = math.sin %in : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    %cst_48 = arith.constant 0.000000e+00 : f64
    %640 = tensor.empty() : tensor<f64>
    %641 = linalg.fill ins(%cst_48 : f64) outs(%640 : tensor<f64>) -> tensor<f64>
    %642 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%637 : tensor<?xf32>) outs(%641 : tensor<f64>) {
    ^bb0(%in: f32, %out: f64):
      %651 = arith.extf %in : f32 to f64
      %652 = arith.addf %out, %651 : f64
      linalg.yield %652 : f64
    } -> tensor<f64>
    %643 = tensor.empty() : tensor<f32>
    %644 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%642 : tensor<f64>) outs(%643 : tensor<f32>) {
    ^bb0(%in: f64, %out: f32):
      %651 = arith.truncf %in : f64 to f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %645 = arith.index_cast %0 : index to i64
    %646 = arith.sitofp %645 : i64 to f32
    %647 = tensor.empty() : tensor<f32>
    %648 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%644 : tensor<f32>) outs(%647 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %651 = arith.divf %in, %646 : f32
      linalg.yield %651 : f32
    } -> tensor<f32>
    %649 = tensor.empty(%0) : tensor<?xf32>
    %650 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel"]} ins(%639, %648 : tensor<?xf32>, tensor<f32>) outs(%649 : tensor<?xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %651 = arith.addf %in, %in_49 : f32
      linalg.yield %651 : f32
    } -> tensor<?xf32>
    return %650 : tensor<?xf32>
  }
}
