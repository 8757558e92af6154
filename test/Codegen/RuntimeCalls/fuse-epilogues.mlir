// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-fuse-epilogues))' --split-input-file | FileCheck %s

#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
#m = affine_map<(m, n) -> (m)>

// A sum that is rounded behind a bias is not written; the bias of halves has the
// type of the result.
// CHECK-LABEL: func.func @rounded(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?xf16>, %[[W:[a-z0-9]+]]: tensor<?x?xf16>, %[[V:[a-z0-9]+]]: tensor<?xf16>
// CHECK-NOT:     linalg.generic
// CHECK:         %[[E:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xf16>
// CHECK:         %[[R:.*]] = tally.matmul ins(%[[X]], %[[W]] : tensor<?x?xf16>, tensor<?x?xf16>) bias(%[[V]] : tensor<?xf16>) outs(%[[E]] : tensor<?x?xf16>) {transpose_b}
// CHECK:         return %[[R]]
func.func @rounded(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?xf16>, %f: tensor<?x?xf32>,
                   %e: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %p = tally.matmul ins(%x, %w : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) {transpose_b} -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#n, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%v, %p : tensor<?xf16>, tensor<?x?xf32>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%bias: f16, %sum: f32, %o: f16):
    %b = arith.extf %bias : f16 to f32
    %s = arith.addf %b, %sum : f32
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}

// A ReLU behind it is taken along, through dimensions that the rows have.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     linalg.generic
// CHECK:         %[[P:.*]] = tally.matmul {{.*}} bias(%{{.*}} : tensor<8xbf16>) outs(%{{.*}} : tensor<?x8xbf16>) {relu}
// CHECK:         %[[R:.*]] = tensor.expand_shape %[[P]] {{\[\[}}0, 1], [2]] output_shape [%{{.*}}, %{{.*}}, 8] : tensor<?x8xbf16> into tensor<?x?x8xbf16>
// CHECK:         return %[[R]]
func.func @rows(%x: tensor<?x4xbf16>, %w: tensor<4x8xbf16>, %v: tensor<8xbf16>, %f: tensor<?x8xf32>, %b: index, %t: index,
                %e: tensor<?x?x8xbf16>) -> tensor<?x?x8xbf16> {
  %p = tally.matmul ins(%x, %w : tensor<?x4xbf16>, tensor<4x8xbf16>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  %q = tensor.expand_shape %p [[0, 1], [2]] output_shape [%b, %t, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, t, n) -> (b, t, n)>, affine_map<(b, t, n) -> (n)>, affine_map<(b, t, n) -> (b, t, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %v : tensor<?x?x8xf32>, tensor<8xbf16>) outs(%e : tensor<?x?x8xbf16>) {
  ^bb0(%sum: f32, %bias: bf16, %o: bf16):
    %w0 = arith.extf %bias : bf16 to f32
    %w1 = arith.addf %sum, %w0 : f32
    %h = arith.truncf %w1 : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<?x?x8xbf16>
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(b, t, n) -> (b, t, n)>, affine_map<(b, t, n) -> (b, t, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x8xbf16>) outs(%e : tensor<?x?x8xbf16>) {
  ^bb0(%i: bf16, %o: bf16):
    %y = arith.extf %i : bf16 to f32
    %less = arith.cmpf olt, %y, %zero : f32
    %z = arith.select %less, %zero, %y : f32
    %h = arith.truncf %z : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<?x?x8xbf16>
  return %r : tensor<?x?x8xbf16>
}

// Of f32, nothing is gained where a kernel reads the result anyway.
// CHECK-LABEL: func.func @floats(
// CHECK:         tally.matmul {{.*}} bias(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<?x?xf32>) {relu}
// CHECK-NOT:     bias(
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK:         return
func.func @floats(%x: tensor<?x?xf32>, %v: tensor<?xf32>, %e: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %p = tally.matmul ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%sum: f32, %bias: f32, %o: f32):
    %y = arith.addf %sum, %bias : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = arith.maximumf %i, %zero : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %p1 = tally.matmul ins(%r, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s1 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p1, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%sum: f32, %bias: f32, %o: f32):
    %y = arith.addf %sum, %bias : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %r1 = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%s1 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = math.exp %i : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %r, %r1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// What is none: a row for each row, a sum that is used twice, a bias of another
// type, batches, a number that is not 0, a comparison that makes NaN 0.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     bias(
// CHECK-NOT:     relu
// CHECK:         return
func.func @others(%x: tensor<?x?xf16>, %v: tensor<?xf16>, %w: tensor<?xf32>, %f: tensor<?x?xf32>, %e: tensor<?x?xf16>,
                  %b: tensor<2x?x?xf16>, %g: tensor<2x?x?xf32>)
    -> (tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf16>, tensor<2x?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>) {
  %p = tally.matmul ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#mn, #m, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %v : tensor<?x?xf32>, tensor<?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%sum: f32, %bias: f16, %o: f16):
    %y = arith.extf %bias : f16 to f32
    %s = arith.addf %sum, %y : f32
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?xf16>
  %p1 = tally.matmul ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r1 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p1, %v : tensor<?x?xf32>, tensor<?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%sum: f32, %bias: f16, %o: f16):
    %y = arith.extf %bias : f16 to f32
    %s = arith.addf %sum, %y : f32
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?xf16>
  %p2 = tally.matmul ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r2 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p2, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%sum: f32, %bias: f32, %o: f16):
    %s = arith.addf %sum, %bias : f32
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?xf16>
  %p3 = tally.matmul ins(%b, %b : tensor<2x?x?xf16>, tensor<2x?x?xf16>) outs(%g : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %r3 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p3, %v : tensor<2x?x?xf32>, tensor<?xf16>) outs(%b : tensor<2x?x?xf16>) {
  ^bb0(%sum: f32, %bias: f16, %o: f16):
    %y = arith.extf %bias : f16 to f32
    %s = arith.addf %sum, %y : f32
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<2x?x?xf16>
  %one = arith.constant 1.0 : f16
  %p4 = tally.matmul ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %r4 = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p4 : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%i: f16, %o: f16):
    %y = arith.maximumf %i, %one : f16
    linalg.yield %y : f16
  } -> tensor<?x?xf16>
  %zero = arith.constant 0.0 : f16
  %p5 = tally.matmul ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) -> tensor<?x?xf16>
  %r5 = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p5 : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%i: f16, %o: f16):
    %less = arith.cmpf ult, %i, %zero : f16
    %y = arith.select %less, %zero, %i : f16
    linalg.yield %y : f16
  } -> tensor<?x?xf16>
  return %r, %r1, %p1, %r2, %r3, %r4, %r5
      : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf16>, tensor<2x?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>
}

// Operands of f16 and a result of f32 stay apart as well.
// CHECK-LABEL: func.func @wider(
// CHECK-NOT:     bias(
// CHECK:         linalg.generic
func.func @wider(%x: tensor<?x?xf16>, %v: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = tally.matmul ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p, %v : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%sum: f32, %bias: f32, %o: f32):
    %y = arith.addf %sum, %bias : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
