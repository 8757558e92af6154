// Operands along another dimension than the result (tally-tile-transposes), beside the interpreter: at sizes 0, 1, of a
// block, of a tile, and around them.
// RUN: tally-run %s --compare --entry transpose_i1 --cases %S/Inputs/transposes-i1.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry transpose_i8 --cases %S/Inputs/transposes-i8.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry transpose_i16 --cases %S/Inputs/transposes-i16.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry transpose_i64 --cases %S/Inputs/transposes-i64.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry transpose_bf16 --cases %S/Inputs/transposes-bf16.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry transpose_f32 --cases %S/Inputs/transposes-f32.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry transpose_f64 --cases %S/Inputs/transposes-f64.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry images --cases %S/Inputs/transposes-images.json | FileCheck %s --check-prefix=IMAGES
// SAME-COUNT-8: PASS
// IMAGES-COUNT-4: PASS

func.func @transpose_i1(%x: tensor<?x?xi1>) -> tensor<?x?xi1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi1>
  %n = tensor.dim %x, %c1 : tensor<?x?xi1>
  %e = tensor.empty(%n, %m) : tensor<?x?xi1>
  %r = linalg.transpose ins(%x : tensor<?x?xi1>) outs(%e : tensor<?x?xi1>) permutation = [1, 0]
  return %r : tensor<?x?xi1>
}

func.func @transpose_i8(%x: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %e = tensor.empty(%n, %m) : tensor<?x?xi8>
  %r = linalg.transpose ins(%x : tensor<?x?xi8>) outs(%e : tensor<?x?xi8>) permutation = [1, 0]
  return %r : tensor<?x?xi8>
}

func.func @transpose_i16(%x: tensor<?x?xi16>) -> tensor<?x?xi16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi16>
  %n = tensor.dim %x, %c1 : tensor<?x?xi16>
  %e = tensor.empty(%n, %m) : tensor<?x?xi16>
  %r = linalg.transpose ins(%x : tensor<?x?xi16>) outs(%e : tensor<?x?xi16>) permutation = [1, 0]
  return %r : tensor<?x?xi16>
}

func.func @transpose_i64(%x: tensor<?x?xi64>) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi64>
  %n = tensor.dim %x, %c1 : tensor<?x?xi64>
  %e = tensor.empty(%n, %m) : tensor<?x?xi64>
  %r = linalg.transpose ins(%x : tensor<?x?xi64>) outs(%e : tensor<?x?xi64>) permutation = [1, 0]
  return %r : tensor<?x?xi64>
}

func.func @transpose_bf16(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%n, %m) : tensor<?x?xbf16>
  %r = linalg.transpose ins(%x : tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) permutation = [1, 0]
  return %r : tensor<?x?xbf16>
}

func.func @transpose_f32(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  return %r : tensor<?x?xf32>
}

func.func @transpose_f64(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf64>
  %n = tensor.dim %x, %c1 : tensor<?x?xf64>
  %e = tensor.empty(%n, %m) : tensor<?x?xf64>
  %r = linalg.transpose ins(%x : tensor<?x?xf64>) outs(%e : tensor<?x?xf64>) permutation = [1, 0]
  return %r : tensor<?x?xf64>
}

// The channels become the last dimension; what is computed counts the rows.
func.func @images(%x: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %k = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%n, %k, %m) : tensor<?x?x?xf32>
  %r = linalg.transpose ins(%x : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) permutation = [1, 2, 0]
  %f = tensor.empty(%m, %k, %n) : tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k, j)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x?xf32>) outs(%f : tensor<?x?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %i = linalg.index 1 : index
    %number = arith.index_cast %i : index to i64
    %float = arith.sitofp %number : i64 to f32
    %t = arith.mulf %v, %float : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  return %r, %s : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}
