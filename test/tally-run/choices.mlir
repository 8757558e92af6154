// The best element of a row, and where the first of them is (tally-carry-reductions), beside the interpreter: of few
// elements, of as many as there are lanes and one more, with equal ones, infinities, NaN and zeros of both signs.
// RUN: tally-run %s --compare --entry largest --rtol 0 --cases %S/Inputs/choices-f32.json | FileCheck %s --check-prefix=FLOATS
// RUN: tally-run %s --compare --entry least --rtol 0 --cases %S/Inputs/choices-f32.json | FileCheck %s --check-prefix=FLOATS
// RUN: tally-run %s --compare --entry wide --rtol 0 --cases %S/Inputs/choices-f64.json | FileCheck %s --check-prefix=WIDE
// RUN: tally-run %s --compare --entry integers --rtol 0 --cases %S/Inputs/choices-i64.json | FileCheck %s --check-prefix=WIDE
// RUN: tally-run %s --entry largest --input f32[2,3]=7,nan,nan,3,9,9 | FileCheck %s --check-prefix=PLACES
// RUN: tally-run %s --compare --entry halves --rtol 0 --cases %S/Inputs/choices-f16.json | FileCheck %s --check-prefix=FLOATS
// RUN: tally-run %s --compare --entry without_index --rtol 0 --cases %S/Inputs/choices-f32.json | FileCheck %s --check-prefix=FLOATS
// Rows of blocks: on either side of the number that makes several, in rising order, of equal elements, with NaN and zeros of
// both signs in different blocks.
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as n; x = n.zeros((6, 5003), 'f'); x[0, [1500, 4999]] = n.nan; x[0, 4000] = 9; x[1] = n.arange(5003); x[2] -= n.arange(5003); x[3, :3000] = -0.0; x[4, 2047:2050] = 1; x[4, 5002] = 1; x[5] = -n.inf; n.save(r'%t/rows.npy', x); n.save(r'%t/halves.npy', x.astype('e'))"
// RUN: tally-run %s --compare --entry largest --rtol 0 --input %t/rows.npy
// RUN: tally-run %s --compare --entry least --rtol 0 --input %t/rows.npy
// RUN: tally-run %s --compare --entry halves --rtol 0 --input %t/halves.npy
// RUN: tally-run %s --compare --entry without_index --rtol 0 --input %t/rows.npy
// RUN: tally-run %s --compare --entry largest --rtol 0 --input f32[3,4095]=random
// RUN: tally-run %s --compare --entry least --rtol 0 --input f32[3,70001]=random
// FLOATS-COUNT-14: PASS
// WIDE-COUNT-6: PASS
// PLACES: [nan 9.]
// PLACES: [1 1]

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>

func.func @largest(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %worst = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%worst : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %g = tensor.empty(%m) : tensor<?xi64>
  %h = linalg.fill ins(%zero : i64) outs(%g : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [#ij, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f, %h : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%v: f32, %best: f32, %at: i64):
    %0 = arith.cmpf ogt, %v, %best : f32
    %1 = arith.cmpf oeq, %best, %best : f32
    %2 = arith.cmpf uno, %v, %v : f32
    %3 = arith.andi %2, %1 : i1
    %better = arith.ori %0, %3 : i1
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i64
    %r = arith.select %better, %v, %best : f32
    %s = arith.select %better, %place, %at : i64
    linalg.yield %r, %s : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi64>
}

// A NaN is none of the least here, and what is compared is computed.
func.func @least(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %worst = arith.constant 0x7F800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%worst : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %g = tensor.empty(%m) : tensor<?xi32>
  %h = linalg.fill ins(%zero : i32) outs(%g : tensor<?xi32>) -> tensor<?xi32>
  %r:2 = linalg.generic {indexing_maps = [#ij, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f, %h : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%u: f32, %best: f32, %at: i32):
    %two = arith.constant 2.0 : f32
    %a = math.absf %u : f32
    %v = arith.mulf %a, %two : f32
    %better = arith.cmpf olt, %v, %best : f32
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i32
    %r = arith.select %better, %v, %best : f32
    %s = arith.select %better, %place, %at : i32
    linalg.yield %r, %s : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi32>
}

func.func @wide(%x: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %worst = arith.constant 0xFFF0000000000000 : f64
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %e = tensor.empty(%m) : tensor<?xf64>
  %f = linalg.fill ins(%worst : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  %g = tensor.empty(%m) : tensor<?xi64>
  %h = linalg.fill ins(%zero : i64) outs(%g : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [#ij, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf64>) outs(%f, %h : tensor<?xf64>, tensor<?xi64>) {
  ^bb0(%v: f64, %best: f64, %at: i64):
    %better = arith.cmpf ogt, %v, %best : f64
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i64
    %r = arith.select %better, %v, %best : f64
    %s = arith.select %better, %place, %at : i64
    linalg.yield %r, %s : f64, i64
  } -> (tensor<?xf64>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xf64>, tensor<?xi64>
}

func.func @integers(%x: tensor<?x?xi64>) -> (tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %worst = arith.constant 0x8000000000000000 : i64
  %m = tensor.dim %x, %c0 : tensor<?x?xi64>
  %e = tensor.empty(%m) : tensor<?xi64>
  %f = linalg.fill ins(%worst : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %g = tensor.empty(%m) : tensor<?xi64>
  %h = linalg.fill ins(%zero : i64) outs(%g : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [#ij, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xi64>) outs(%f, %h : tensor<?xi64>, tensor<?xi64>) {
  ^bb0(%v: i64, %best: i64, %at: i64):
    %better = arith.cmpi sgt, %v, %best : i64
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i64
    %r = arith.select %better, %v, %best : i64
    %s = arith.select %better, %place, %at : i64
    linalg.yield %r, %s : i64, i64
  } -> (tensor<?xi64>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xi64>, tensor<?xi64>
}

func.func @halves(%x: tensor<?x?xf16>) -> (tensor<?xf16>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %worst = arith.constant 0xFC00 : f16
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %e = tensor.empty(%m) : tensor<?xf16>
  %f = linalg.fill ins(%worst : f16) outs(%e : tensor<?xf16>) -> tensor<?xf16>
  %g = tensor.empty(%m) : tensor<?xi64>
  %h = linalg.fill ins(%zero : i64) outs(%g : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [#ij, #i, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf16>) outs(%f, %h : tensor<?xf16>, tensor<?xi64>) {
  ^bb0(%v: f16, %best: f16, %at: i64):
    %0 = arith.cmpf ogt, %v, %best : f16
    %1 = arith.cmpf oeq, %best, %best : f16
    %2 = arith.cmpf uno, %v, %v : f16
    %3 = arith.andi %2, %1 : i1
    %4 = arith.ori %0, %3 : i1
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %t = arith.select %4, %v, %best : f16
    %u = arith.select %4, %k, %at : i64
    linalg.yield %t, %u : f16, i64
  } -> (tensor<?xf16>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xf16>, tensor<?xi64>
}

func.func @without_index(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %worst = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%worst : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %best: f32):
    %0 = arith.cmpf ogt, %v, %best : f32
    %1 = arith.cmpf oeq, %best, %best : f32
    %2 = arith.cmpf uno, %v, %v : f32
    %3 = arith.andi %2, %1 : i1
    %4 = arith.ori %0, %3 : i1
    %t = arith.select %4, %v, %best : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
