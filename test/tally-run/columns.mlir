// Reductions of columns (tally-split-columns) beside the interpreter: of nothing, around parts of 128 rows and groups of rows of
// 512 elements. A sum of 17 million ones is exact, which one after the other it is not in f32.
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry weighted --rtol 2e-6 --atol 2e-5 --cases %S/Inputs/columns.json | FileCheck %s
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry largest --rtol 0 --atol 0 --cases %S/Inputs/columns.json | FileCheck %s
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry batch --rtol 0 --atol 0 --cases %S/Inputs/columns-batch.json | FileCheck %s --check-prefix=BATCH
// RUN: tally-run %s --entry weighted --input f32[17000003,1]=1 --input f32[1]=1 --expect f32[1]=17000004 --rtol 0 --atol 0
// CHECK-COUNT-11: PASS
// BATCH-COUNT-6: PASS

#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
#abc = affine_map<(a, b, c) -> (a, b, c)>
#ac = affine_map<(a, b, c) -> (a, c)>

func.func @weighted(%x: tensor<?x?xf32> {tally.shape = #tally.shape<m, n>}, %w: tensor<?xf32> {tally.shape = #tally.shape<n>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<m, n>} {
  %c1 = arith.constant 1 : index
  %start = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #j, #j], iterator_types = ["reduction", "parallel"]} ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %u: f32, %sum: f32):
    %p = arith.mulf %v, %u : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @largest(%x: tensor<?x?xf32> {tally.shape = #tally.shape<m, n>}, %w: tensor<?xf32> {tally.shape = #tally.shape<n>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<m, n>} {
  %c1 = arith.constant 1 : index
  %start = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #j, #j], iterator_types = ["reduction", "parallel"]} ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %u: f32, %most: f32):
    %p = arith.mulf %v, %u : f32
    %t = arith.maximumf %most, %p : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @batch(%x: tensor<?x?x?xi64>) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %m = tensor.dim %x, %c0 : tensor<?x?x?xi64>
  %n = tensor.dim %x, %c2 : tensor<?x?x?xi64>
  %e = tensor.empty(%m, %n) : tensor<?x?xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<?x?xi64>) -> tensor<?x?xi64>
  %r = linalg.generic {indexing_maps = [#abc, #ac], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<?x?x?xi64>) outs(%f : tensor<?x?xi64>) {
  ^bb0(%v: i64, %sum: i64):
    %t = arith.addi %sum, %v : i64
    linalg.yield %t : i64
  } -> tensor<?x?xi64>
  return %r : tensor<?x?xi64>
}
