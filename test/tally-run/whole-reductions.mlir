// Reductions of all elements (tally-split-reductions) beside the interpreter: of nothing, of one element, of a block, of a
// part, of several parts. Sums of integers, minima and maxima are exact.
// RUN: tally-run %s --compare --entry sum --rtol 1e-5 --cases %S/Inputs/whole-reductions-f32.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry wide --rtol 1e-6 --atol 1e-5 --cases %S/Inputs/whole-reductions-f32.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry largest --rtol 0 --cases %S/Inputs/whole-reductions-f32.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry count --rtol 0 --cases %S/Inputs/whole-reductions-i64.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry largest --rtol 0 --input f32[2,2]=1,nan,3,2 | FileCheck %s --check-prefix=NAN
// RUN: tally-run %s --compare --entry row_sums --rtol 1e-4 --cases %S/Inputs/long-rows.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry row_maxima --rtol 0 --cases %S/Inputs/long-rows.json | FileCheck %s --check-prefix=SAME
// SAME-COUNT-7: PASS
// NAN: nan

#ij = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
#i = affine_map<(i, j) -> (i)>

func.func @sum(%x: tensor<?x?xf32>) -> tensor<f32> {
  %zero = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%v: f32, %s: f32):
    %p = math.absf %v : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

func.func @wide(%x: tensor<?x?xf32>) -> tensor<f64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<f64>) {
  ^bb0(%v: f32, %s: f64):
    %a = math.absf %v : f32
    %w = arith.extf %a : f32 to f64
    %t = arith.addf %s, %w : f64
    linalg.yield %t : f64
  } -> tensor<f64>
  return %r : tensor<f64>
}

func.func @largest(%x: tensor<?x?xf32>) -> tensor<f32> {
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%v: f32, %s: f32):
    %t = arith.maximumf %s, %v : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

func.func @count(%x: tensor<?x?xi64>) -> tensor<i64> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<i64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<i64>) -> tensor<i64>
  %r = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xi64>) outs(%f : tensor<i64>) {
  ^bb0(%v: i64, %s: i64):
    %is = arith.cmpi sgt, %v, %zero : i64
    %n = arith.extui %is : i1 to i64
    %t = arith.addi %n, %s : i64
    linalg.yield %t : i64
  } -> tensor<i64>
  return %r : tensor<i64>
}

func.func @row_sums(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %start = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %s: f32):
    %p = math.absf %v : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @row_maxima(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %s: f32):
    %t = arith.maximumf %s, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
