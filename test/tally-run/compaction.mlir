// Elements that are kept (tally-lower-data-dependent) beside the interpreter: of nothing, of one element, all, none, and every
// so many.
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry places --cases %S/Inputs/compaction.json | FileCheck %s
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry elements --rtol 0 --cases %S/Inputs/compaction.json | FileCheck %s
// CHECK-COUNT-8: PASS

func.func @places(%x: tensor<?x?xf32>, %limit: f32) -> tensor<?x2xi64> {
  %m = call @above(%x, %limit) : (tensor<?x?xf32>, f32) -> tensor<?x?xi1>
  %r = tally.nonzero %m : tensor<?x?xi1> -> tensor<?x2xi64>
  return %r : tensor<?x2xi64>
}

func.func @elements(%x: tensor<?x?xf32>, %limit: f32) -> tensor<?xf32> {
  %m = call @above(%x, %limit) : (tensor<?x?xf32>, f32) -> tensor<?x?xi1>
  %r = tally.masked_select %x, %m : tensor<?x?xf32>, tensor<?x?xi1>
  return %r : tensor<?xf32>
}

func.func private @above(%x: tensor<?x?xf32>, %limit: f32) -> tensor<?x?xi1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xi1>) {
  ^bb0(%v: f32, %unused: i1):
    %t = arith.cmpf ogt, %v, %limit : f32
    linalg.yield %t : i1
  } -> tensor<?x?xi1>
  return %r : tensor<?x?xi1>
}
