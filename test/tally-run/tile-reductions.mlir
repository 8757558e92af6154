// All rows of one operand with all of another, in tiles (tally-tile-reductions), beside the interpreter.
// RUN: tally-run %s --compare --entry squares --cases %S/Inputs/tile-reductions-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry largest --cases %S/Inputs/tile-reductions-f64.json | FileCheck %s
// RUN: tally-run %s --compare --entry batches --cases %S/Inputs/tile-reductions-batch.json | FileCheck %s
// CHECK-COUNT-15: PASS

func.func @squares(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %y, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%start : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %gap = arith.subf %a, %b : f32
    %square = arith.mulf %gap, %gap : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A choice among elements, and what started as something else than what changes nothing.
func.func @largest(%x: tensor<?x?xf64>, %y: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %n = tensor.dim %y, %c0 : tensor<?x?xf64>
  %e = tensor.empty(%m, %n) : tensor<?x?xf64>
  %start = linalg.fill ins(%one : f64) outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?xf64>, tensor<?x?xf64>) outs(%start : tensor<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %best: f64):
    %gap = arith.subf %a, %b : f64
    %isLess = arith.cmpf olt, %gap, %b : f64
    %choice = arith.select %isLess, %a, %gap : f64
    %next = arith.maximumf %best, %choice : f64
    linalg.yield %next : f64
  } -> tensor<?x?xf64>
  return %r : tensor<?x?xf64>
}

// The rows of a batch, of which one operand lies along its columns.
func.func @batches(%x: tensor<3x?x?xf32>, %y: tensor<3x?x?xf32>) -> tensor<3x?x?xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c1 : tensor<3x?x?xf32>
  %k = tensor.dim %x, %c2 : tensor<3x?x?xf32>
  %n = tensor.dim %y, %c1 : tensor<3x?x?xf32>
  %t = tensor.empty(%k, %m) : tensor<3x?x?xf32>
  %turned = linalg.transpose ins(%x : tensor<3x?x?xf32>) outs(%t : tensor<3x?x?xf32>) permutation = [0, 2, 1]
  %e = tensor.empty(%m, %n) : tensor<3x?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<3x?x?xf32>) -> tensor<3x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (b, k, i)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%turned, %y : tensor<3x?x?xf32>, tensor<3x?x?xf32>) outs(%start : tensor<3x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %gap = arith.subf %a, %b : f32
    %size = math.absf %gap : f32
    %next = arith.addf %sum, %size : f32
    linalg.yield %next : f32
  } -> tensor<3x?x?xf32>
  return %r : tensor<3x?x?xf32>
}
