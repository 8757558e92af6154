// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-form-kernels))' | FileCheck %s
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-form-kernels{rows-only=true}))' | FileCheck %s --check-prefix=CPU

// What comes before a reduction is computed again for each that comes later. A GPU computes expensive operations again six
// times at most: four sines are in one kernel, where a fifth would make it ten times. The CPU has no such limit.
// CHECK-LABEL: func.func @sine_means(
// CHECK: tally.kernel(
// CHECK-COUNT-4: math.sin
// CHECK: tally.kernel(
// CHECK: math.sin
// CHECK-NOT: tally.kernel(
// CHECK: return
// CPU-LABEL: func.func @sine_means(
// CPU: tally.kernel(
// CPU-COUNT-5: math.sin
// CPU-NOT: tally.kernel(
// CPU: return
func.func @sine_means(%x0: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x0, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x0, %c1 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %elements = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %s0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x0 : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %x1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %s0 : tensor<?x?xf32>, tensor<?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %sine = math.sin %in : f32
    %t = arith.addf %sine, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x1 : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %x2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %s1 : tensor<?x?xf32>, tensor<?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %sine = math.sin %in : f32
    %t = arith.addf %sine, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x2 : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %x3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x2, %s2 : tensor<?x?xf32>, tensor<?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %sine = math.sin %in : f32
    %t = arith.addf %sine, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %s3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x3 : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %x4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x3, %s3 : tensor<?x?xf32>, tensor<?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %sine = math.sin %in : f32
    %t = arith.addf %sine, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %s4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x4 : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %x5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x4, %s4 : tensor<?x?xf32>, tensor<?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %sine = math.sin %in : f32
    %t = arith.addf %sine, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %x5 : tensor<?x?xf32>
}
