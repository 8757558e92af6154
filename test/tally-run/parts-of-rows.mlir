// Few long rows in parts (tally-schedule-cpu) beside the interpreter: of nothing, of one element, on either side of where parts
// begin and of where rows are many.
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry softmax --rtol 1e-5 --atol 1e-7 --cases %S/Inputs/parts-of-rows.json | FileCheck %s
// RUN: tally-run %s --compare --entry least --rtol 0 --atol 0 --cases %S/Inputs/parts-of-rows.json | FileCheck %s
// CHECK-COUNT-9: PASS

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %lowests = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %most = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%lowests : tensor<?xf32>) {
  ^bb0(%v: f32, %best: f32):
    %t = arith.maximumf %best, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %exps = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%x, %most : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %best: f32, %unused: f32):
    %d = arith.subf %v, %best : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %sums = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%exps : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%exps, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %sum: f32, %unused: f32):
    %t = arith.divf %v, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// What is found is a result as well, and starts from something.
func.func @least(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = arith.constant 0.75 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %least = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %best: f32):
    %t = arith.minimumf %best, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %g = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%x, %least : tensor<?x?xf32>, tensor<?xf32>) outs(%g : tensor<?x?xf32>) {
  ^bb0(%v: f32, %best: f32, %unused: f32):
    %t = arith.subf %v, %best : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r, %least : tensor<?x?xf32>, tensor<?xf32>
}
