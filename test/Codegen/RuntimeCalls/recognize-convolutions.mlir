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
