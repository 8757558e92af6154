// Slices of no elements and of one, once the constants are known. Upstream's
// verifier and folders do not take them.
// RUN: split-file %s %t
// RUN: tally-run %t/slice.mlir --input 'i64[0,1]=' | FileCheck %s --check-prefix=SLICE
// RUN: not tally-run %t/slice.mlir --input 'i64[0,2]=' 2>&1 | FileCheck %s --check-prefix=SLICE-BAD
// RUN: tally-run %t/collapse.mlir --input 'f32[0,2,3]=' | FileCheck %s --check-prefix=COLLAPSE
// RUN: tally-run %t/collapse.mlir --input 'f32[0,0,1]=' | FileCheck %s --check-prefix=COLLAPSE
// RUN: tally-run %t/pad.mlir --input 'i64[0]=' --input 'i64[1]=9' | FileCheck %s --check-prefix=PAD
// RUN: tally-run %t/pad-dim.mlir --input 'f32[0,0]=' --input 'f32[1,0]=' --input 'f32[0,1]=' | FileCheck %s --check-prefix=PAD-DIM
// RUN: tally-run %t/pad-dim.mlir --input 'f32[1,0]=' --input 'f32[1,0]=' --input 'f32[2,1]=2,3' | FileCheck %s --check-prefix=PAD-ROW
// RUN: not tally-run %t/pad-dim.mlir --input 'f32[1,0]=' --input 'f32[1,1]=4' --input 'f32[0,1]=' 2>&1 | FileCheck %s --check-prefix=PAD-BAD
// RUN: tally-run %t/loops.mlir --input 'i16[1,1,0]=' | FileCheck %s --check-prefix=LOOPS
// RUN: not tally-run %t/loops.mlir --input 'i16[1,2,0]=' 2>&1 | FileCheck %s --check-prefix=LOOPS-BAD
// RUN: tally-run %t/buffer.mlir --input 'i64[0,3]=' | FileCheck %s --check-prefix=BUFFER
// RUN: tally-run %t/buffer.mlir --input 'i64[0,0]=' | FileCheck %s --check-prefix=BUFFER
// RUN: tally-run %t/fused.mlir --input 'i8[3]=1,2,3' | FileCheck %s --check-prefix=FUSED
// RUN: tally-run %t/view.mlir --input 'f32[2,1]=1,2' --input i64=1 | FileCheck %s --check-prefix=VIEW
// RUN: tally-run %t/view.mlir --input 'f32[0,1]=' --input i64=-1 | FileCheck %s --check-prefix=VIEW
// RUN: tally-run %t/step.mlir --input 'f32[3,2,2]=0,1,2,3,4,5,6,7,8,9,10,11' | FileCheck %s --check-prefix=STEP
// RUN: not tally-run %t/step.mlir --input 'f32[2,0,2]=' 2>&1 | FileCheck %s --check-prefix=STEP-BAD
// RUN: tally-run %t/collapse-buffer.mlir --input 'i8[0,3,0]=' | FileCheck %s --check-prefix=COLLAPSE-BUFFER
// RUN: tally-run %t/collapse-buffer.mlir --input 'i8[0,2,0]=' | FileCheck %s --check-prefix=COLLAPSE-BUFFER

//--- slice.mlir
// SLICE: out0: i64[0, 1] =
// SLICE: out1: i64[0, 1] =
// SLICE-BAD: check failed
func.func @main(%x: tensor<0x?xi64>) -> (tensor<0x?xi64>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %expanded = tensor.expand_shape %x [[0, 1], [2]] output_shape [0, 1, %c1] : tensor<0x?xi64> into tensor<0x1x?xi64>
  %selected = tally.select %expanded[%c0] dim 1 : tensor<0x1x?xi64>
  %cast = tensor.cast %x : tensor<0x?xi64> to tensor<?x?xi64>
  %part = tensor.extract_slice %cast[%c0, 0] [%c0, %c1] [1, 1] : tensor<?x?xi64> to tensor<?x?xi64>
  return %selected, %part : tensor<0x?xi64>, tensor<?x?xi64>
}
//--- collapse.mlir
// COLLAPSE: out0: f32[0] =
// COLLAPSE: out1: f32[0, 2, 3] =
func.func @main(%x: tensor<0x?x?xf32>) -> (tensor<?xf32>, tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %flat = tensor.collapse_shape %x [[0, 1, 2]] : tensor<0x?x?xf32> into tensor<?xf32>
  %back = tensor.expand_shape %flat [[0, 1, 2]] output_shape [%c0, %c2, %c3] : tensor<?xf32> into tensor<?x?x?xf32>
  return %flat, %back : tensor<?xf32>, tensor<?x?x?xf32>
}
//--- pad.mlir
// PAD: out0: i64[2] =
// PAD-NEXT: [2 2]
// PAD: out1: i64[1] =
// PAD-NEXT: [9]
func.func @main(%x: tensor<0xi64>, %y: tensor<1xi64>) -> (tensor<2xi64>, tensor<?xi64>) {
  %two = arith.constant 2 : i64
  %padded = tensor.pad %x low[2] high[0] {
  ^bb0(%i: index):
    tensor.yield %two : i64
  } : tensor<0xi64> to tensor<2xi64>
  %joined = tensor.concat dim(0) %y, %x : (tensor<1xi64>, tensor<0xi64>) -> tensor<?xi64>
  return %padded, %joined : tensor<2xi64>, tensor<?xi64>
}
//--- step.mlir
// STEP: out0: f32[2, 1] =
// STEP-NEXT: {{\[\[}} 8.]
// STEP-NEXT: [10.]]
// STEP-BAD: check failed
func.func @main(%x: tensor<?x?x2xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x2xf32>
  %part = tensor.extract_slice %x[2, 0, 0] [1, %n, 1] [1, 1, 2] : tensor<?x?x2xf32> to tensor<?x1xf32>
  %cast = tensor.cast %part : tensor<?x1xf32> to tensor<?x?xf32>
  return %cast : tensor<?x?xf32>
}
//--- pad-dim.mlir
// The second dimension of %x has no elements, nor has that of %y, which only
// the padding tells; nothing is left of %z.
// PAD-DIM: out0: f32[2, 2] =
// PAD-DIM-NEXT: {{\[\[}}0.5 0.5]
// PAD-DIM-NEXT: [0.5 0.5]]
// PAD-DIM: out1: f32[1, 2] =
// PAD-DIM-NEXT: {{\[\[}}0.5 0.5]]
// PAD-DIM: out2: f32[0, 1] =
// PAD-ROW: out0: f32[3, 2] =
// PAD-ROW: out1: f32[1, 2] =
// PAD-ROW: out2: f32[2, 1] =
// PAD-ROW-NEXT: {{\[\[}}2.]
// PAD-ROW-NEXT: [3.]]
// PAD-BAD: check failed{{.*}}needed by tensor.pad
func.func @main(%x: tensor<?x0xf32>, %y: tensor<?x?xf32>, %z: tensor<?x1xf32>) -> (tensor<?x?xf32>, tensor<?x2xf32>, tensor<?x1xf32>) {
  %half = arith.constant 0.5 : f32
  %a = tensor.pad %x low[2, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f32
  } : tensor<?x0xf32> to tensor<?x2xf32>
  %cast = tensor.cast %a : tensor<?x2xf32> to tensor<?x?xf32>
  %b = tensor.pad %y low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f32
  } : tensor<?x?xf32> to tensor<?x2xf32>
  %c = tensor.pad %z low[0, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f32
  } : tensor<?x1xf32> to tensor<?x1xf32>
  return %cast, %b, %c : tensor<?x?xf32>, tensor<?x2xf32>, tensor<?x1xf32>
}
//--- loops.mlir
// LOOPS: out0: i16[0] =
// LOOPS-BAD: check failed{{.*}}s1 == 1
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 * 2, 0, d0)>
#map2 = affine_map<(d0) -> (d0 * 2)>
func.func @main(%x: tensor<?x?x0xi16>) -> tensor<?xi16> {
  %table = arith.constant dense<[-2, -1, 0]> : tensor<3xi32>
  %none = tensor.empty() : tensor<1x1x0xi1>
  %mask = tensor.cast %none : tensor<1x1x0xi1> to tensor<?x?x0xi1>
  %y = tally.masked_select %x, %mask : tensor<?x?x0xi16>, tensor<?x?x0xi1>
  %r = linalg.generic {indexing_maps = [#map, #map1, #map2, #map], iterator_types = ["parallel"]} ins(%y, %x, %table : tensor<?xi16>, tensor<?x?x0xi16>, tensor<3xi32>) outs(%y : tensor<?xi16>) {
  ^bb0(%a: i16, %b: i16, %c: i32, %out: i16):
    linalg.yield %a : i16
  } -> tensor<?xi16>
  return %r : tensor<?xi16>
}
//--- buffer.mlir
// BUFFER: out0: i64[0] =
func.func @main(%x: tensor<0x?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %part = tally.slice %x[%c2 to %c0] dim 0 : tensor<0x?xi64>
  %flat = tensor.collapse_shape %part [[0, 1]] : tensor<?x?xi64> into tensor<?xi64>
  return %flat : tensor<?xi64>
}
//--- fused.mlir
// FUSED: out0: i8[0] =
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 * 2)>
func.func @main(%x: tensor<3xi8>) -> tensor<?xi8> {
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %none = tally.slice %x[%c3 to %c3] dim 0 : tensor<3xi8>
  %e = tensor.empty(%c0) : tensor<?xi8>
  %r = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel"]} ins(%none, %none, %x : tensor<?xi8>, tensor<?xi8>, tensor<3xi8>) outs(%e : tensor<?xi8>) {
  ^bb0(%a: i8, %b: i8, %c: i8, %out: i8):
    linalg.yield %c : i8
  } -> tensor<?xi8>
  return %r : tensor<?xi8>
}
//--- view.mlir
// VIEW: out0: i64[0] =
func.func @main(%x: tensor<?x?xf32>, %n: index) -> tensor<?xi64> {
  %c-2 = arith.constant -2 : index
  %values, %inverse, %counts = tally.unique %x : tensor<?x?xf32>
  %none = tally.slice %counts[%n to %n] dim 0 : tensor<?xi64>
  %r = tally.slice %none[%c-2 to %n step 2] dim 0 : tensor<?xi64>
  return %r : tensor<?xi64>
}
//--- collapse-buffer.mlir
// A size that is not known, times 0, is not known to be 0.
// COLLAPSE-BUFFER: out0: f32[0, 3, 0] =
func.func @main(%arg0: tensor<?x?x0xi8>) -> tensor<?x?x?xf32> {
  %c3 = arith.constant 3 : index
  %cst = arith.constant 5.000000e-01 : f64
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x?x0xi8>
  %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?x0xi8>
  %splat = tensor.splat %cst[%dim, %dim_0, %c3] : tensor<?x?x0x?xf64>
  %dim_1 = tensor.dim %splat, %c1 : tensor<?x?x0x?xf64>
  %0 = tensor.empty(%dim, %dim_1) : tensor<?x3x0x?xf32>
  %cast = tensor.cast %0 : tensor<?x3x0x?xf32> to tensor<?x?x0x?xf32>
  %1:2 = tally.split %cast[%c0, %c0] dim 2 : tensor<?x?x0x?xf32>
  %collapsed = tensor.collapse_shape %1#0 [[0], [1], [2, 3]] : tensor<?x?x?x?xf32> into tensor<?x?x?xf32>
  return %collapsed : tensor<?x?x?xf32>
}
