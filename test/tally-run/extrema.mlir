// The largest and the smallest element of rows (tally-carry-reductions, in kernels tally-schedule-cpu) and of everything
// (tally-split-reductions), beside the interpreter: of nothing, of one element, of fewer than a vector has lanes, of as many, of a block and one more, with
// NaN, infinities and zeros of both signs.
// RUN: tally-run %s --compare --entry largest_f32 --rtol 0 --cases %S/Inputs/extrema-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry smallest_f32 --rtol 0 --cases %S/Inputs/extrema-f32.json | FileCheck %s
// RUN: tally-run %s --compare --entry smallest_f64 --rtol 0 --cases %S/Inputs/extrema-f64.json | FileCheck %s
// RUN: tally-run %s --compare --entry largest_f64 --rtol 0 --cases %S/Inputs/extrema-f64.json | FileCheck %s
// RUN: tally-run %s --compare --entry smallest_f16 --rtol 0 --cases %S/Inputs/extrema-f16.json | FileCheck %s
// RUN: tally-run %s --compare --entry largest_bf16 --rtol 0 --cases %S/Inputs/extrema-bf16.json | FileCheck %s
// RUN: tally-run %s --compare --entry shifted_f32 --rtol 0 --cases %S/Inputs/extrema-f32.json | FileCheck %s
// CHECK-COUNT-19: PASS
// Of channels.
// RUN: tally-run %s --compare --entry channels --rtol 0 --cases %S/Inputs/extrema-channels.json | FileCheck %s --check-prefix=CHANNELS
// CHANNELS-COUNT-7: PASS
// RUN: tally-run %s --entry channels --input f32[1,3,2]=-0.0,-0.0,0.0,-0.0,-0.0,-0.0 | FileCheck %s --check-prefix=ZEROS
// ZEROS: [ 0. -0.]
// The sign of a zero.
// RUN: tally-run %s --entry largest_f32 --input f32[2,17]=-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0 | FileCheck %s --check-prefix=LARGEST
// LARGEST: [-0.  0.]
// RUN: tally-run %s --entry smallest_f32 --input f32[2,17]=0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,-0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0 | FileCheck %s --check-prefix=SMALLEST
// SMALLEST: [ 0. -0.]

// RUN: tally-run %s --entry largest_f64 --input f64[2,17]=-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0,-0.0 | FileCheck %s --check-prefix=LARGEST
// RUN: tally-run %s --entry smallest_f64 --input f64[2,17]=0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,-0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0 | FileCheck %s --check-prefix=SMALLEST

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>

func.func @largest_f32(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %worst = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%worst : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %best: f32):
    %t = arith.maximumf %best, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %g = tensor.empty() : tensor<f32>
  %h = linalg.fill ins(%worst : f32) outs(%g : tensor<f32>) -> tensor<f32>
  %all = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%h : tensor<f32>) {
  ^bb0(%v: f32, %best: f32):
    %t = arith.maximumf %v, %best : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r, %all : tensor<?xf32>, tensor<f32>
}

func.func @largest_f64(%x: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<f64>) {
  %c0 = arith.constant 0 : index
  %worst = arith.constant 0xFFF0000000000000 : f64
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %e = tensor.empty(%m) : tensor<?xf64>
  %f = linalg.fill ins(%worst : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf64>) outs(%f : tensor<?xf64>) {
  ^bb0(%v: f64, %best: f64):
    %t = arith.maximumf %best, %v : f64
    linalg.yield %t : f64
  } -> tensor<?xf64>
  %g = tensor.empty() : tensor<f64>
  %h = linalg.fill ins(%worst : f64) outs(%g : tensor<f64>) -> tensor<f64>
  %all = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xf64>) outs(%h : tensor<f64>) {
  ^bb0(%v: f64, %best: f64):
    %t = arith.maximumf %v, %best : f64
    linalg.yield %t : f64
  } -> tensor<f64>
  return %r, %all : tensor<?xf64>, tensor<f64>
}

func.func @smallest_f64(%x: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<f64>) {
  %c0 = arith.constant 0 : index
  %worst = arith.constant 0x7FF0000000000000 : f64
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %e = tensor.empty(%m) : tensor<?xf64>
  %f = linalg.fill ins(%worst : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf64>) outs(%f : tensor<?xf64>) {
  ^bb0(%v: f64, %best: f64):
    %t = arith.minimumf %best, %v : f64
    linalg.yield %t : f64
  } -> tensor<?xf64>
  %g = tensor.empty() : tensor<f64>
  %h = linalg.fill ins(%worst : f64) outs(%g : tensor<f64>) -> tensor<f64>
  %all = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xf64>) outs(%h : tensor<f64>) {
  ^bb0(%v: f64, %best: f64):
    %t = arith.minimumf %v, %best : f64
    linalg.yield %t : f64
  } -> tensor<f64>
  return %r, %all : tensor<?xf64>, tensor<f64>
}

func.func @largest_bf16(%x: tensor<?x?xbf16>) -> (tensor<?xbf16>, tensor<bf16>) {
  %c0 = arith.constant 0 : index
  %worst = arith.constant 0xFF80 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%m) : tensor<?xbf16>
  %f = linalg.fill ins(%worst : bf16) outs(%e : tensor<?xbf16>) -> tensor<?xbf16>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xbf16>) outs(%f : tensor<?xbf16>) {
  ^bb0(%v: bf16, %best: bf16):
    %t = arith.maximumf %best, %v : bf16
    linalg.yield %t : bf16
  } -> tensor<?xbf16>
  %g = tensor.empty() : tensor<bf16>
  %h = linalg.fill ins(%worst : bf16) outs(%g : tensor<bf16>) -> tensor<bf16>
  %all = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xbf16>) outs(%h : tensor<bf16>) {
  ^bb0(%v: bf16, %best: bf16):
    %t = arith.maximumf %v, %best : bf16
    linalg.yield %t : bf16
  } -> tensor<bf16>
  return %r, %all : tensor<?xbf16>, tensor<bf16>
}

func.func @smallest_f32(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %worst = arith.constant 0x7F800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%worst : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %best: f32):
    %t = arith.minimumf %best, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %g = tensor.empty() : tensor<f32>
  %h = linalg.fill ins(%worst : f32) outs(%g : tensor<f32>) -> tensor<f32>
  %all = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%h : tensor<f32>) {
  ^bb0(%v: f32, %best: f32):
    %t = arith.minimumf %v, %best : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r, %all : tensor<?xf32>, tensor<f32>
}

func.func @smallest_f16(%x: tensor<?x?xf16>) -> (tensor<?xf16>, tensor<f16>) {
  %c0 = arith.constant 0 : index
  %worst = arith.constant 0x7C00 : f16
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %e = tensor.empty(%m) : tensor<?xf16>
  %f = linalg.fill ins(%worst : f16) outs(%e : tensor<?xf16>) -> tensor<?xf16>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf16>) outs(%f : tensor<?xf16>) {
  ^bb0(%v: f16, %best: f16):
    %t = arith.minimumf %best, %v : f16
    linalg.yield %t : f16
  } -> tensor<?xf16>
  %g = tensor.empty() : tensor<f16>
  %h = linalg.fill ins(%worst : f16) outs(%g : tensor<f16>) -> tensor<f16>
  %all = linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x?xf16>) outs(%h : tensor<f16>) {
  ^bb0(%v: f16, %best: f16):
    %t = arith.minimumf %v, %best : f16
    linalg.yield %t : f16
  } -> tensor<f16>
  return %r, %all : tensor<?xf16>, tensor<f16>
}

// The row is read again.
func.func @shifted_f32(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %worst = arith.constant 0x7F800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%worst : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %best: f32):
    %a = math.absf %v : f32
    %t = arith.minimumf %best, %a : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %g = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<?x?xf32>, tensor<?xf32>) outs(%g : tensor<?x?xf32>) {
  ^bb0(%v: f32, %best: f32, %unused: f32):
    %t = arith.subf %v, %best : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r, %y : tensor<?xf32>, tensor<?x?xf32>
}

func.func @channels(%x: tensor<?x3x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %worst = arith.constant 0xFF800000 : f32
  %best = arith.constant 0x7F800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x3x?xf32>
  %n = tensor.dim %x, %c2 : tensor<?x3x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%worst : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, c) -> (i, c, j)>, affine_map<(i, j, c) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x3x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%v: f32, %largest: f32):
    %t = arith.maximumf %largest, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %g = linalg.fill ins(%best : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, c) -> (i, c, j)>, affine_map<(i, j, c) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x3x?xf32>) outs(%g : tensor<?x?xf32>) {
  ^bb0(%v: f32, %smallest: f32):
    %t = arith.minimumf %v, %smallest : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r, %s : tensor<?x?xf32>, tensor<?x?xf32>
}
