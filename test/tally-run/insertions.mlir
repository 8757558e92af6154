// What is inserted is computed in its destination only where that cannot be
// seen: not in a loop around the insertion, not in front of its branch. A slice
// that is taken for whole is copied when it is used.

// RUN: tally-run %s --entry=loop --input i16[3]=0 --compare | FileCheck %s --check-prefix=LOOP
// RUN: tally-run %s --entry=branch --input i32[0]= --compare | FileCheck %s --check-prefix=NONE
// RUN: tally-run %s --entry=branch --input i32[2]=1,2 --compare | FileCheck %s --check-prefix=TWO
// RUN: tally-run %s --entry=branch --input i32[3]=1,2,3 --compare | FileCheck %s --check-prefix=THREE
// RUN: tally-run %s --entry=returned --input i1[2,2]=1,1,1,0 --input f32=0 --compare | FileCheck %s --check-prefix=RETURNED
// RUN: not tally-run %s --entry=disagree --input f32[3,3]=0 --compare 2>&1 | FileCheck %s --check-prefix=DISAGREE

// RUN: not tally-run %s --entry=expand_disagrees --input i64=3 --compare 2>&1 | FileCheck %s --check-prefix=EXPAND

// LOOP: [-1 -1  5  5  0 -1 -1 -1]
func.func @loop(%x: tensor<3xi16>) -> tensor<?xi16> {
  %c5 = arith.constant 5 : i16
  %minus = arith.constant -1 : i16
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %padded = tensor.pad %x low[2] high[3] {
  ^bb0(%i: index):
    tensor.yield %minus : i16
  } : tensor<3xi16> to tensor<8xi16>
  %r = scf.for %i = %c1 to %c3 step %c1 iter_args(%a = %padded) -> (tensor<8xi16>) {
    %e = tensor.empty(%i) : tensor<?xi16>
    %f = linalg.fill ins(%c5 : i16) outs(%e : tensor<?xi16>) -> tensor<?xi16>
    %inserted = tensor.insert_slice %f into %padded[%i] [%i] [1] : tensor<?xi16> into tensor<8xi16>
    scf.yield %inserted : tensor<8xi16>
  }
  %cast = tensor.cast %r : tensor<8xi16> to tensor<?xi16>
  return %cast : tensor<?xi16>
}

// NONE: out0: i32[0]
// TWO: [4 4]
// THREE: [1 2 3]
func.func @branch(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c4 = arith.constant 4 : i32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %f = linalg.fill ins(%c4 : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  %r = scf.index_switch %n -> tensor<?xi32>
  case 0 {
    scf.yield %f : tensor<?xi32>
  }
  case 2 {
    %inserted = tensor.insert_slice %f into %x[0] [%n] [1] : tensor<?xi32> into tensor<?xi32>
    scf.yield %inserted : tensor<?xi32>
  }
  default {
    scf.yield %x : tensor<?xi32>
  }
  return %r : tensor<?xi32>
}

// RETURNED{LITERAL}: [[False False]
// RETURNED-NEXT: [ True False]]
func.func @returned(%x: tensor<?x?xi1>, %f: f32) -> tensor<?x?xi1> {
  %false = arith.constant false
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %greater = arith.cmpf ugt, %f, %f : f32
  %inserted = tensor.insert %greater into %x[%c0, %c0] : tensor<?x?xi1>
  %m = tensor.dim %x, %c1 : tensor<?x?xi1>
  %parts:2 = tally.split %inserted[%c0, %m] dim 1 : tensor<?x?xi1>
  %one = func.call @reads(%parts#1) : (tensor<?x?xi1>) -> index
  %n = tensor.dim %x, %c0 : tensor<?x?xi1>
  %splat = tensor.splat %false[%n] : tensor<?x1xi1>
  %r = tensor.insert_slice %splat into %parts#1[0, %one] [%n, 1] [1, 1] : tensor<?x1xi1> into tensor<?x?xi1>
  return %r : tensor<?x?xi1>
}
func.func private @reads(%x: tensor<?x?xi1>) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}

// DISAGREE: check failed
func.func @disagree(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %cast = tensor.cast %x : tensor<3x3xf32> to tensor<?x3xf32>
  %concat = tensor.concat dim(0) %x, %cast : (tensor<3x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %back = tensor.cast %concat : tensor<?x3xf32> to tensor<3x3xf32>
  return %back : tensor<3x3xf32>
}

// EXPAND: check failed
func.func @expand_disagrees(%n: index) -> tensor<?x2x?xi64> {
  %e = tensor.empty(%n) : tensor<1x?xi64>
  %unknown = tensor.cast %e : tensor<1x?xi64> to tensor<?x?xi64>
  %four = tensor.cast %unknown : tensor<?x?xi64> to tensor<4x?xi64>
  %expanded = tensor.expand_shape %four [[0, 1], [2]] output_shape [2, 2, %n] : tensor<4x?xi64> into tensor<2x2x?xi64>
  %r = tensor.cast %expanded : tensor<2x2x?xi64> to tensor<?x2x?xi64>
  return %r : tensor<?x2x?xi64>
}
