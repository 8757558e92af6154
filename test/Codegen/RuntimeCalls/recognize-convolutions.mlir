// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-recognize-contractions{convolutions-only}),canonicalize,cse)' --split-input-file | FileCheck %s

// What a library of a GPU computes: all convolutions of floats, depthwise ones
// too, with strides, dilations and groups. f16 gives f16, what follows gets f32.
// CHECK-LABEL: func.func @depthwise
// CHECK: tally.contract ins(%{{.*}}, %{{.*}} : tensor<8x1x1x3xf32>, tensor<?x8x1x?xf32>) outs(%{{.*}} : tensor<?x8x1x?xf32>)
func.func @depthwise(%x: tensor<?x8x1x?xf32>, %w: tensor<8x1x1x3xf32>, %e: tensor<?x8x1x?xf32>) -> tensor<?x8x1x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x1x?xf32>) -> tensor<?x8x1x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, g, o, x, c, i) -> (n, g, c, x * 2 + i * 3)>, affine_map<(n, g, o, x, c, i) -> (g, o, c, i)>, affine_map<(n, g, o, x, c, i) -> (n, g, o, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x8x1x?xf32>, tensor<8x1x1x3xf32>) outs(%f : tensor<?x8x1x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x8x1x?xf32>
  return %r : tensor<?x8x1x?xf32>
}

// -----

// CHECK-LABEL: func.func @half
// CHECK: %[[C:.*]] = tally.contract ins({{.*}} : tensor<?x?x3xf16>, tensor<?x?x?xf16>) outs({{.*}} : tensor<?x?x?xf16>)
// CHECK: linalg.generic {{.*}} ins(%[[C]] : tensor<?x?x?xf16>)
// CHECK: arith.extf
func.func @half(%x: tensor<?x?x?xf16>, %w: tensor<?x?x3xf16>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%x, %w : tensor<?x?x?xf16>, tensor<?x?x3xf16>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// Neither other orders of dimensions, nor integers, nor contractions.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tally.contract
func.func @others(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %e: tensor<?x?x?x?xf32>, %i: tensor<?x?x?xi32>, %a: tensor<?x?x?xf32>, %c: tensor<?x?xf32>)
    -> (tensor<?x?x?x?xf32>, tensor<?x?x?xi32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%f : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %s = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%i, %i : tensor<?x?x?xi32>, tensor<?x?x?xi32>) outs(%i : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  %g = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = linalg.contract
      indexing_maps = [affine_map<(i, j, p, q) -> (p, i, q)>, affine_map<(i, j, p, q) -> (j, q, p)>, affine_map<(i, j, p, q) -> (j, i)>]
      ins(%a, %a : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r, %s, %t : tensor<?x?x?x?xf32>, tensor<?x?x?xi32>, tensor<?x?xf32>
}

// -----

// An image with zeros around it is read as it was before, also where channels
// are split into groups afterwards.
// CHECK-DAG: #[[PADDED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d3 * 2 + d5 - 3)>
// CHECK-LABEL: func.func @padded
// CHECK-SAME: %[[X:.*]]: tensor<?x8x?xf32>, %[[W:[^:]*]]:
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2], [3]] output_shape [%{{.*}}, 4, 2, %{{.*}}] : tensor<?x8x?xf32> into tensor<?x4x2x?xf32>
// CHECK: tally.contract ins(%[[W]], %[[SPLIT]] : tensor<4x5x2x7xf32>, tensor<?x4x2x?xf32>) {{.*}} maps [#{{.*}}, #[[PADDED]], #{{.*}}]
func.func @padded(%x: tensor<?x8x?xf32>, %w: tensor<4x5x2x7xf32>, %e: tensor<?x4x5x?xf32>) -> tensor<?x4x5x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x?xf32>
  %l = tensor.dim %x, %c2 : tensor<?x8x?xf32>
  %more = arith.addi %l, %c6 : index
  %p = tensor.empty(%n, %more) : tensor<?x8x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%p : tensor<?x8x?xf32>) -> tensor<?x8x?xf32>
  %i = tensor.insert_slice %x into %z[0, 0, 3] [%n, 8, %l] [1, 1, 1] : tensor<?x8x?xf32> into tensor<?x8x?xf32>
  %g = tensor.expand_shape %i [[0], [1, 2], [3]] output_shape [%n, 4, 2, %more] : tensor<?x8x?xf32> into tensor<?x4x2x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x5x?xf32>) -> tensor<?x4x5x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, g, o, x, c, i) -> (n, g, c, x * 2 + i)>, affine_map<(n, g, o, x, c, i) -> (g, o, c, i)>, affine_map<(n, g, o, x, c, i) -> (n, g, o, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%g, %w : tensor<?x4x2x?xf32>, tensor<4x5x2x7xf32>) outs(%f : tensor<?x4x5x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x4x5x?xf32>
  return %r : tensor<?x4x5x?xf32>
}

// -----

// A part of such an image has fewer zeros around it. One whose two ends differ,
// or that has something else than zeros around it, stays as it is.
// CHECK-DAG: #[[ONE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4 - 1)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>
// CHECK-LABEL: func.func @parts
// CHECK-SAME: %[[X:.*]]: tensor<2x3x5xf32>, %[[W:[^:]*]]:
// CHECK: tally.contract ins(%[[W]], %[[X]] : tensor<4x3x3xf32>, tensor<2x3x5xf32>) {{.*}} maps [#{{.*}}, #[[ONE]], #{{.*}}]
// CHECK: tally.contract ins(%[[W]], %{{.*}} : tensor<4x3x3xf32>, tensor<2x3x8xf32>) {{.*}} maps [#{{.*}}, #[[NONE]], #{{.*}}]
// CHECK: tally.contract ins(%[[W]], %{{.*}} : tensor<4x3x3xf32>, tensor<2x3x9xf32>) {{.*}} maps [#{{.*}}, #[[NONE]], #{{.*}}]
func.func @parts(%x: tensor<2x3x5xf32>, %w: tensor<4x3x3xf32>, %e: tensor<2x4x5xf32>, %e1: tensor<2x4x6xf32>, %e2: tensor<2x4x7xf32>)
    -> (tensor<2x4x5xf32>, tensor<2x4x6xf32>, tensor<2x4x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.empty() : tensor<2x3x9xf32>
  %z = linalg.fill ins(%zero : f32) outs(%p : tensor<2x3x9xf32>) -> tensor<2x3x9xf32>
  %i = tensor.insert_slice %x into %z[0, 0, 2] [2, 3, 5] [1, 1, 1] : tensor<2x3x5xf32> into tensor<2x3x9xf32>
  %even = tensor.extract_slice %i[0, 0, 1] [2, 3, 7] [1, 1, 1] : tensor<2x3x9xf32> to tensor<2x3x7xf32>
  %odd = tensor.extract_slice %i[0, 0, 1] [2, 3, 8] [1, 1, 1] : tensor<2x3x9xf32> to tensor<2x3x8xf32>
  %z1 = linalg.fill ins(%one : f32) outs(%p : tensor<2x3x9xf32>) -> tensor<2x3x9xf32>
  %i1 = tensor.insert_slice %x into %z1[0, 0, 2] [2, 3, 5] [1, 1, 1] : tensor<2x3x5xf32> into tensor<2x3x9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %r = linalg.conv_1d_ncw_fcw ins(%even, %w : tensor<2x3x7xf32>, tensor<4x3x3xf32>) outs(%f : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %r1 = linalg.conv_1d_ncw_fcw ins(%odd, %w : tensor<2x3x8xf32>, tensor<4x3x3xf32>) outs(%f1 : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  %r2 = linalg.conv_1d_ncw_fcw ins(%i1, %w : tensor<2x3x9xf32>, tensor<4x3x3xf32>) outs(%f2 : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  return %r, %r1, %r2 : tensor<2x4x5xf32>, tensor<2x4x6xf32>, tensor<2x4x7xf32>
}

// -----

// The gradient of a convolution by its weight.
// CHECK-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, d4 * 2 + d2 * 3)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d4)>
// CHECK-LABEL: func.func @gradient
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x?xf32>, %[[Y:[^:]*]]: tensor<?x?x?xf32>
// CHECK: tally.contract ins(%[[Y]], %[[X]] : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%{{.*}} : tensor<?x?x?xf32>) maps [#[[RESULT]], #[[IMAGE]], #{{.*}}]
func.func @gradient(%x: tensor<?x?x?xf32>, %y: tensor<?x?x?xf32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(o, c, k, n, x) -> (n, c, x * 2 + k * 3)>, affine_map<(o, c, k, n, x) -> (n, o, x)>, affine_map<(o, c, k, n, x) -> (o, c, k)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %y : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%f : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// A dimension of one element may be split off one that is padded; a result is
// rounded at once also where groups are merged before.
// CHECK-DAG: #[[PADDED:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d3 + d5 - 1)>
// CHECK-LABEL: func.func @merged
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x8x?xf16>, %[[W:[^:]*]]:
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2, 3]] output_shape [%{{.*}}, 8, 1, %{{.*}}] : tensor<?x8x?xf16> into tensor<?x8x1x?xf16>
// CHECK: %[[R:.*]] = tally.contract ins(%[[W]], %[[SPLIT]] : tensor<8x1x1x3xf16>, tensor<?x8x1x?xf16>) outs(%{{.*}} : tensor<?x8x1x?xf16>) maps [#{{.*}}, #[[PADDED]], #{{.*}}]
// CHECK-NEXT: %[[MERGED:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0], [1, 2], [3]] : tensor<?x8x1x?xf16> into tensor<?x8x?xf16>
// CHECK-NEXT: return %[[MERGED]]
func.func @merged(%x: tensor<?x8x?xf16>, %w: tensor<8x1x1x3xf16>, %e: tensor<?x8x1x?xf32>, %h: tensor<?x8x?xf16>) -> tensor<?x8x?xf16> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x?xf16>
  %l = tensor.dim %x, %c2 : tensor<?x8x?xf16>
  %more = arith.addi %l, %c2 : index
  %p = tensor.empty(%n, %more) : tensor<?x8x?xf16>
  %z = linalg.fill ins(%half : f16) outs(%p : tensor<?x8x?xf16>) -> tensor<?x8x?xf16>
  %i = tensor.insert_slice %x into %z[0, 0, 1] [%n, 8, %l] [1, 1, 1] : tensor<?x8x?xf16> into tensor<?x8x?xf16>
  %g = tensor.expand_shape %i [[0], [1], [2, 3]] output_shape [%n, 8, 1, %more] : tensor<?x8x?xf16> into tensor<?x8x1x?xf16>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x1x?xf32>) -> tensor<?x8x1x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, g, o, x, c, i) -> (n, g, c, x + i)>, affine_map<(n, g, o, x, c, i) -> (g, o, c, i)>, affine_map<(n, g, o, x, c, i) -> (n, g, o, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%g, %w : tensor<?x8x1x?xf16>, tensor<8x1x1x3xf16>) outs(%f : tensor<?x8x1x?xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %c = arith.extf %a : f16 to f32
    %d = arith.extf %b : f16 to f32
    %m = arith.mulf %c, %d : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x8x1x?xf32>
  %merged = tensor.collapse_shape %r [[0], [1, 2], [3]] : tensor<?x8x1x?xf32> into tensor<?x8x?xf32>
  %rounded = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%merged : tensor<?x8x?xf32>) outs(%h : tensor<?x8x?xf16>) {
  ^bb0(%a: f32, %o: f16):
    %t = arith.truncf %a : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x8x?xf16>
  return %rounded : tensor<?x8x?xf16>
}

// -----

// A transposed convolution with a stride of 2, a padding of 1 and one more
// result: windows move over the result, and the weight is read as it was.
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d1, d4)>
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3 * 2 + d4 - 1)>
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4x?xf32>, %[[WEIGHT:[^:]*]]: tensor<4x5x3xf32>
// CHECK: tally.contract ins(%[[WEIGHT]], %[[X]] : tensor<4x5x3xf32>, tensor<?x4x?xf32>) outs(%{{.*}} : tensor<?x5x?xf32>) maps [#[[W]], #[[IN]], #[[OUT]]]
func.func @transposed(%x: tensor<?x4x?xf32>, %w: tensor<4x5x3xf32>) -> tensor<?x5x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x?xf32>
  %l = tensor.dim %x, %c2 : tensor<?x4x?xf32>
  %m = tensor.empty() : tensor<4x5x3xf32>
  %mirrored = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%m : tensor<4x5x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %back = arith.subi %c2, %k : index
    %e = tensor.extract %w[%i, %j, %back] : tensor<4x5x3xf32>
    linalg.yield %e : f32
  } -> tensor<4x5x3xf32>
  %t = tensor.empty() : tensor<5x4x3xf32>
  %weight = linalg.transpose ins(%mirrored : tensor<4x5x3xf32>) outs(%t : tensor<5x4x3xf32>) permutation = [1, 0, 2]
  %double = arith.muli %l, %c2 : index
  %wide = arith.addi %double, %c4 : index
  %cut = arith.addi %double, %c2 : index
  %p = tensor.empty(%n, %wide) : tensor<?x4x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%p : tensor<?x4x?xf32>) -> tensor<?x4x?xf32>
  %i = tensor.insert_slice %x into %z[0, 0, 2] [%n, 4, %l] [1, 1, 2] : tensor<?x4x?xf32> into tensor<?x4x?xf32>
  %s = tensor.extract_slice %i[0, 0, 1] [%n, 4, %cut] [1, 1, 1] : tensor<?x4x?xf32> to tensor<?x4x?xf32>
  %e = tensor.empty(%n, %double) : tensor<?x5x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5x?xf32>) -> tensor<?x5x?xf32>
  %r = linalg.conv_1d_ncw_fcw ins(%s, %weight : tensor<?x4x?xf32>, tensor<5x4x3xf32>) outs(%f : tensor<?x5x?xf32>) -> tensor<?x5x?xf32>
  return %r : tensor<?x5x?xf32>
}
