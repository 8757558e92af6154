// What schedules of the CPU do by vectors, beside the interpreter, at sizes around those of vectors, blocks and tiles:
// extrema of rows (with NaN and zeros of both signs), operands along another dimension, copies of rows, and windows.
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry largest --rtol 0 --atol 0 --cases %S/Inputs/vectors-rows.json | FileCheck %s --check-prefix=ROWS
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry least --rtol 0 --atol 0 --cases %S/Inputs/vectors-rows.json | FileCheck %s --check-prefix=ROWS
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry turned --cases %S/Inputs/vectors-turned.json | FileCheck %s --check-prefix=TURNED
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry both_turned --rtol 0 --atol 0 --cases %S/Inputs/vectors-both-turned.json | FileCheck %s --check-prefix=BOTH
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry joined --rtol 0 --atol 0 --cases %S/Inputs/vectors-joined.json | FileCheck %s --check-prefix=JOINED
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry stacked --rtol 0 --atol 0 --input f32[3,200]=random --input f32[3,200]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry windows --cases %S/Inputs/vectors-windows.json | FileCheck %s --check-prefix=WINDOWS
// ROWS-COUNT-13: PASS
// TURNED-COUNT-8: PASS
// BOTH-COUNT-7: PASS
// JOINED-COUNT-6: PASS
// WINDOWS-COUNT-7: PASS

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

func.func @largest(%x: tensor<?x?xf32>) -> tensor<?xf32> {
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
  return %r : tensor<?xf32>
}

func.func @least(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %worst = arith.constant 0x7F800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%worst : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %best: f32):
    %t = arith.minimumf %v, %best : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// What is computed is transposed: both operands lie along the other dimension, of which one is wider than the result.
func.func @both_turned(%x: tensor<?x?xf64>, %y: tensor<?x?xf32>, %f: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %m = tensor.dim %x, %c1 : tensor<?x?xf64>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#ji, #ji, affine_map<(i, j) -> ()>, #ij], iterator_types = ["parallel", "parallel"]} ins(%x, %y, %f : tensor<?x?xf64>, tensor<?x?xf32>, f32) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f64, %b: f32, %c: f32, %unused: f32):
    %s = arith.truncf %a : f64 to f32
    %t = arith.mulf %b, %c : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @turned(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %y, %c0 : tensor<?x?xf32>
  %n = tensor.dim %y, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#ji, #ij, #j, #ij], iterator_types = ["parallel", "parallel"]} ins(%x, %y, %z : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %unused: f32):
    %positive = arith.cmpf ogt, %a, %b : f32
    %s = arith.select %positive, %a, %c : f32
    %t = arith.subf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @joined(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @stacked(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %a = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, %n, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
  %b = tensor.expand_shape %y [[0], [1, 2]] output_shape [%m, %n, 1] : tensor<?x?xf32> into tensor<?x?x1xf32>
  %r = tensor.concat dim(2) %a, %b : (tensor<?x?x1xf32>, tensor<?x?x1xf32>) -> tensor<?x?x2xf32>
  return %r : tensor<?x?x2xf32>
}

func.func @windows(%x: tensor<2x?x?xf32>, %w: tensor<2x3x3xf32>) -> tensor<2x?x?xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %h = tensor.dim %x, %c1 : tensor<2x?x?xf32>
  %k = tensor.dim %x, %c2 : tensor<2x?x?xf32>
  %m = arith.subi %h, %c2 : index
  %n = arith.subi %k, %c2 : index
  %e = tensor.empty(%m, %n) : tensor<2x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, i, j, p, q) -> (c, i + p, j + q)>, affine_map<(c, i, j, p, q) -> (c, p, q)>, affine_map<(c, i, j, p, q) -> (c, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<2x?x?xf32>, tensor<2x3x3xf32>) outs(%f : tensor<2x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x?x?xf32>
  return %r : tensor<2x?x?xf32>
}
