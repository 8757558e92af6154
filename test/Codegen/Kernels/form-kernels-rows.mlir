// RUN: tally-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tally-form-kernels{rows-only},canonicalize))' | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @rows(
// CHECK: tally.kernel({{.*}}) reduces [1]
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: tally.yield
// CHECK-NOT: linalg.generic
func.func @rows(%x: tensor<?x?xf32>, %zeros: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %sum: f32, %unused: f32):
    %t = arith.divf %v, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#column = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>

// Columns are far apart in memory: the loops over them are ordered apart.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: tally.kernel
func.func @columns(%x: tensor<?x?xf32>, %zeros: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sums = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %sum: f32, %unused: f32):
    %t = arith.divf %v, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// One row: the second loop would have no other threads. One pass: nothing to gain.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT: tally.kernel
func.func @whole(%x: tensor<?xf32>, %zero: tensor<f32>, %e: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%v: f32, %s: f32):
    %t = arith.addf %s, %v : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %sum : tensor<?xf32>, tensor<f32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %s: f32, %unused: f32):
    %t = arith.divf %v, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r, %sum : tensor<?xf32>, tensor<f32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// What cannot be part of a kernel stays outside of it: here it is no error.
// CHECK-LABEL: func.func @part(
// CHECK-NOT: tally.kernel
func.func @part(%x: tensor<?xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 2)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// A window of nine elements, with what follows for each point.
// CHECK-LABEL: func.func @depthwise(
// CHECK: tally.kernel({{.*}}) reduces [3, 4]
// CHECK: linalg.generic
// CHECK: math.tanh
// CHECK: tally.yield
func.func @depthwise(%x: tensor<?x?x?xf32>, %w: tensor<?x3x3xf32>, %zeros: tensor<?x?x?xf32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %sums = linalg.generic {indexing_maps = [affine_map<(c, i, j, p, q) -> (c, i + p, j + q)>, affine_map<(c, i, j, p, q) -> (c, p, q)>, affine_map<(c, i, j, p, q) -> (c, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x?x?xf32>, tensor<?x3x3xf32>) outs(%zeros : tensor<?x?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(c, i, j) -> (c, i, j)>, affine_map<(c, i, j) -> (c, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sums : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %t = math.tanh %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// Rows of 48 elements that are added up once: they are no windows.
// CHECK-LABEL: func.func @short_rows(
// CHECK-NOT: tally.kernel
func.func @short_rows(%x: tensor<?x48xf32>, %zeros: tensor<?xf32>) -> tensor<?xf32> {
  %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x48xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %sums : tensor<?xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// What reads the rows along another dimension stays outside, so that they are a kernel still.
// CHECK-LABEL: func.func @turned(
// CHECK: %[[K:.*]] = tally.kernel({{.*}}) reduces [1]
// CHECK: tally.yield
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[K]] :
// CHECK: return %[[K]], %[[T]]
func.func @turned(%x: tensor<?x?xf32>, %zeros: tensor<?xf32>, %e: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %sum: f32, %unused: f32):
    %t = arith.divf %v, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %u = arith.negf %v : f32
    linalg.yield %u : f32
  } -> tensor<?x?xf32>
  return %r, %t : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Few elements, which a reduction waits for and which then wait for it, as in a softmax over channels, are no window: loops
// over the points next to each other are faster. The reduction alone is one.
#point = affine_map<(n, p, c) -> (n, p)>
#element = affine_map<(n, p, c) -> (n, c, p)>
// CHECK-LABEL: func.func @channels(
// CHECK: tally.kernel({{.*}}) reduces [2]
// CHECK-NOT: arith.subf
// CHECK: tally.yield
// CHECK: arith.subf
func.func @channels(%x: tensor<?x32x?xf32>, %start: tensor<?x?xf32>, %e: tensor<?x32x?xf32>) -> tensor<?x32x?xf32> {
  %max = linalg.generic {indexing_maps = [#element, #point], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x32x?xf32>) outs(%start : tensor<?x?xf32>) {
  ^bb0(%v: f32, %m: f32):
    %t = arith.maximumf %m, %v : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#element, #point, #element], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %max : tensor<?x32x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x32x?xf32>) {
  ^bb0(%v: f32, %m: f32, %unused: f32):
    %t = arith.subf %v, %m : f32
    linalg.yield %t : f32
  } -> tensor<?x32x?xf32>
  return %r : tensor<?x32x?xf32>
}

// -----

// The first of the best elements is chosen by lanes (`tally-carry-reductions`).
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @argmax(
// CHECK-NOT: tally.kernel
func.func @argmax(%x: tensor<?x?xf32>, %start: tensor<?xf32>, %zeros: tensor<?xi64>) -> tensor<?xi64> {
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%start, %zeros : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%v: f32, %b: f32, %at: i64):
    %better = arith.cmpf ogt, %v, %b : f32
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i64
    %r = arith.select %better, %v, %b : f32
    %s = arith.select %better, %place, %at : i64
    linalg.yield %r, %s : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %best#1 : tensor<?xi64>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Windows are written out: sums that have only what they read in common share no
// long loop.
// CHECK-LABEL: func.func @many_windows(
// CHECK: tally.kernel({{.*}}) reduces [1]
// CHECK: math.sin
// CHECK: math.cos
// CHECK: tally.yield
// CHECK: tally.kernel({{.*}}) reduces [1]
// CHECK: math.exp
// CHECK: tally.yield
func.func @many_windows(%x: tensor<?x7xf32>, %zeros: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %sines = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x7xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %f = math.sin %v : f32
    %t = arith.addf %sum, %f : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %cosines = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x7xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %f = math.cos %v : f32
    %t = arith.addf %sum, %f : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %powers = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x7xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %f = math.exp %v : f32
    %t = arith.addf %sum, %f : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %sines, %cosines, %powers : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// Elements that sums have in common are not written to memory, however long the
// loop is.
// CHECK-LABEL: func.func @common_elements(
// CHECK: tally.kernel({{.*}}) reduces [1]
// CHECK: math.tanh
// CHECK: linalg.yield
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: tally.yield
func.func @common_elements(%x: tensor<?x8xf32>, %zeros: tensor<?xf32>, %e: tensor<?x8xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %common = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %f = math.sin %v : f32
    %g = math.exp %f : f32
    %h = math.tanh %g : f32
    linalg.yield %h : f32
  } -> tensor<?x8xf32>
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%common : tensor<?x8xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %weighted = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%common, %x : tensor<?x8xf32>, tensor<?x8xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%p: f32, %v: f32, %sum: f32):
    %m = arith.mulf %p, %v : f32
    %t = arith.addf %sum, %m : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %sums, %weighted : tensor<?xf32>, tensor<?xf32>
}
