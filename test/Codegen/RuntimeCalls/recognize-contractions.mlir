// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-recognize-contractions),canonicalize,cse)' --split-input-file | FileCheck %s

// The weights are the rows: they have no windows, and the columns are what is
// next to each other in the result.
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6 * 3)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @channels_first
// CHECK-SAME: %[[X0:[^:]*]]: tensor<?x?x?x?xf32>, %[[W0:[^:]*]]: tensor<8x?x3x3xf32>
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<?x8x?x?xf32>
// CHECK: %[[C:.*]] = tally.contract ins(%[[W0]], %[[X0]] : tensor<8x?x3x3xf32>, tensor<?x?x?x?xf32>) outs(%[[E]] : tensor<?x8x?x?xf32>) maps [#[[W]], #[[X]], #[[R]]] -> tensor<?x8x?x?xf32>
// CHECK: return %[[C]]
func.func @channels_first(%x: tensor<?x?x?x?xf32>, %w: tensor<8x?x3x3xf32>, %e: tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 3]> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<8x?x3x3xf32>) outs(%f : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  return %r : tensor<?x8x?x?xf32>
}

// -----

// Here the weights are the columns.
// CHECK-LABEL: func.func @channels_last
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x?x?xf64>, %[[W:[^:]*]]: tensor<?x?x?x?xf64>
// CHECK: tally.contract ins(%[[X]], %[[W]] :
func.func @channels_last(%x: tensor<?x?x?x?xf64>, %w: tensor<?x?x?x?xf64>, %e: tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) outs(%f : tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64>
  return %r : tensor<?x?x?x?xf64>
}

// -----

// CHECK-LABEL: func.func @groups
// CHECK: tally.contract
func.func @groups(%x: tensor<?x?x?x?x?xf32>, %w: tensor<?x?x?x?x?xf32>, %e: tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  %r = linalg.conv_2d_ngchw_fgchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?x?xf32>, tensor<?x?x?x?x?xf32>) outs(%f : tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// -----

// What the sum starts with is added afterwards.
// CHECK-LABEL: func.func @starts_with
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x?xf32>, %[[W:[^:]*]]: tensor<?x?x?xf32>, %[[I:[^:]*]]: tensor<?x?x?xf32>
// CHECK: %[[C:.*]] = tally.contract ins(%[[W]], %[[X]]
// CHECK: %[[S:.*]] = linalg.add ins(%[[I]], %[[C]] :
// CHECK: return %[[S]]
func.func @starts_with(%x: tensor<?x?x?xf32>, %w: tensor<?x?x?xf32>, %init: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%x, %w : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// The sum of f32 is the result: operands stay as they are. So do bytes.
// CHECK-LABEL: func.func @mixed
// CHECK: tally.contract ins({{.*}} : tensor<?x?x3xbf16>, tensor<?x?x?xbf16>) outs({{.*}} : tensor<?x?x?xf32>)
// CHECK: tally.contract ins({{.*}} : tensor<?x?x3xi8>, tensor<?x?x?xi8>) outs({{.*}} : tensor<?x?x?xi32>)
func.func @mixed(%x: tensor<?x?x?xbf16>, %w: tensor<?x?x3xbf16>, %e: tensor<?x?x?xf32>, %i: tensor<?x?x?xi8>, %j: tensor<?x?x3xi8>, %k: tensor<?x?x?xi32>)
    -> (tensor<?x?x?xf32>, tensor<?x?x?xi32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %g = linalg.fill ins(%none : i32) outs(%k : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  %r = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%x, %w : tensor<?x?x?xbf16>, tensor<?x?x3xbf16>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%i, %j : tensor<?x?x?xi8>, tensor<?x?x3xi8>) outs(%g : tensor<?x?x?xi32>) -> tensor<?x?x?xi32>
  return %r, %s : tensor<?x?x?xf32>, tensor<?x?x?xi32>
}

// -----

// Integers of the type of their sums.
// CHECK-LABEL: func.func @integers
// CHECK: tally.contract ins({{.*}} : tensor<?x?x?xi64>, tensor<?x?x?xi64>) outs({{.*}} : tensor<?x?x?xi64>)
// CHECK: linalg.add
func.func @integers(%a: tensor<?x?x?xi64>, %b: tensor<?x?x?xi64>, %c: tensor<?x?x?xi64>) -> tensor<?x?x?xi64> {
  %r = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%a, %b : tensor<?x?x?xi64>, tensor<?x?x?xi64>) outs(%c : tensor<?x?x?xi64>) -> tensor<?x?x?xi64>
  return %r : tensor<?x?x?xi64>
}

// -----

// Rounded at once: in half precision.
// CHECK-LABEL: func.func @half
// CHECK: %[[C:.*]] = tally.contract ins({{.*}} : tensor<?x?x3xbf16>, tensor<?x?x?xbf16>) outs({{.*}} : tensor<?x?x?xbf16>)
// CHECK: return %[[C]]
func.func @half(%x: tensor<?x?x?xbf16>, %w: tensor<?x?x3xbf16>, %e: tensor<?x?x?xf32>, %h: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%x, %w : tensor<?x?x?xbf16>, tensor<?x?x3xbf16>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<?x?x?xf32>) outs(%h : tensor<?x?x?xbf16>) {
  ^bb0(%a: f32, %old: bf16):
    %n = arith.truncf %a : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<?x?x?xbf16>
  return %t : tensor<?x?x?xbf16>
}

// -----

// A contraction over two dimensions, with its results in another order.
// CHECK-LABEL: func.func @contraction
// CHECK: tally.contract
func.func @contraction(%x: tensor<?x?x?xf32>, %y: tensor<?x?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.contract
      indexing_maps = [affine_map<(i, j, p, q) -> (p, i, q)>, affine_map<(i, j, p, q) -> (j, q, p)>, affine_map<(i, j, p, q) -> (j, i)>]
      ins(%x, %y : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// One channel of the result for each of the input has no matrix, and there
// is no microkernel for i4.
// CHECK-LABEL: func.func @depthwise
// CHECK-NOT: tally.contract
func.func @depthwise(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?xf32>, %e: tensor<?x?x?x?xf32>, %g: tensor<4x8x?xf32>,
                     %h: tensor<8x1x3xf32>, %o: tensor<4x8x1x?xf32>,
                     %a: tensor<?x?x?xi4>, %b: tensor<?x?x?xi4>, %c: tensor<?x?x?xi4>)
    -> (tensor<?x?x?x?xf32>, tensor<4x8x1x?xf32>, tensor<?x?x?xi4>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?xf32>) outs(%f : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%o : tensor<4x8x1x?xf32>) -> tensor<4x8x1x?xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(n, g, o, x, i) -> (n, g, x + i)>, affine_map<(n, g, o, x, i) -> (g, o, i)>, affine_map<(n, g, o, x, i) -> (n, g, o, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%g, %h : tensor<4x8x?xf32>, tensor<8x1x3xf32>) outs(%i : tensor<4x8x1x?xf32>) {
  ^bb0(%u: f32, %v: f32, %sum: f32):
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %sum, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x8x1x?xf32>
  %t = linalg.conv_1d_ncw_fcw {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%a, %b : tensor<?x?x?xi4>, tensor<?x?x?xi4>) outs(%c : tensor<?x?x?xi4>) -> tensor<?x?x?xi4>
  return %r, %s, %t : tensor<?x?x?x?xf32>, tensor<4x8x1x?xf32>, tensor<?x?x?xi4>
}

// -----

// The weight of a transposed convolution, or each second element of it, is read
// from where it was before it was mirrored.
// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, -d4 + 4)>
// CHECK-DAG: #[[SOME:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1, -d4 + 1)>
// CHECK-LABEL: func.func @mirrored
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4x?xf32>, %[[W:[^:]*]]: tensor<4x6x5xf32>
// CHECK: tally.contract ins(%[[W]], %[[X]] : tensor<4x6x5xf32>, tensor<?x4x?xf32>) {{.*}} maps [#[[BACK]], #{{.*}}, #{{.*}}]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[W]][0, 0, 1] [4, 6, 2] [1, 1, 2] : tensor<4x6x5xf32> to tensor<4x6x2xf32>
// CHECK: tally.contract ins(%[[PART]], %[[X]] : tensor<4x6x2xf32>, tensor<?x4x?xf32>) {{.*}} maps [#[[SOME]], #{{.*}}, #{{.*}}]
func.func @mirrored(%x: tensor<?x4x?xf32>, %w: tensor<4x6x5xf32>, %e: tensor<?x6x?xf32>) -> (tensor<?x6x?xf32>, tensor<?x6x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  %m = tensor.empty() : tensor<4x6x5xf32>
  %mirrored = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%m : tensor<4x6x5xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %back = arith.subi %c4, %k : index
    %v = tensor.extract %w[%i, %j, %back] : tensor<4x6x5xf32>
    linalg.yield %v : f32
  } -> tensor<4x6x5xf32>
  %t = tensor.empty() : tensor<6x4x5xf32>
  %weight = linalg.transpose ins(%mirrored : tensor<4x6x5xf32>) outs(%t : tensor<6x4x5xf32>) permutation = [1, 0, 2]
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
  %r = linalg.conv_1d_ncw_fcw ins(%x, %weight : tensor<?x4x?xf32>, tensor<6x4x5xf32>) outs(%f : tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
  %some = tensor.extract_slice %weight[0, 0, 1] [6, 4, 2] [1, 1, 2] : tensor<6x4x5xf32> to tensor<6x4x2xf32>
  %s = linalg.conv_1d_ncw_fcw ins(%x, %some : tensor<?x4x?xf32>, tensor<6x4x2xf32>) outs(%f : tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
  return %r, %s : tensor<?x6x?xf32>, tensor<?x6x?xf32>
}

// -----

// The gradient of the weight of a depthwise convolution is the sum of products
// of lines, which the runtime reads where they are.
// CHECK-LABEL: func.func @gradient_of_channels
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x?x?xf32>, %[[G:[^:]*]]: tensor<?x?x?x?xf32>
// CHECK: tally.contract ins(%[[G]], %[[X]] :
func.func @gradient_of_channels(%x: tensor<?x?x?x?xf32>, %g: tensor<?x?x?x?xf32>, %e: tensor<?x3x3xf32>) -> tensor<?x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(c, i, j, n, y, x) -> (n, c, y * 2 + i, x * 2 + j)>,
                       affine_map<(c, i, j, n, y, x) -> (n, c, y, x)>,
                       affine_map<(c, i, j, n, y, x) -> (c, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%f : tensor<?x3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x3x3xf32>
  return %r : tensor<?x3x3xf32>
}

// -----

// The convolution itself has short sums, and is no such product.
// CHECK-LABEL: func.func @channels
// CHECK-NOT: tally.contract
func.func @channels(%x: tensor<?x?x?x?xf32>, %w: tensor<?x3x3xf32>, %e: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, c, y, x, i, j) -> (n, c, y + i, x + j)>,
                       affine_map<(n, c, y, x, i, j) -> (c, i, j)>,
                       affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x3x3xf32>) outs(%f : tensor<?x?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
