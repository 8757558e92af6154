// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-overwrite-operands))' | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#cube = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(i, j) -> (j)>
#turned = affine_map<(i, j) -> (j, i)>

// A bias is added where the product is.

// CHECK-LABEL: func.func @bias(
// CHECK:         %[[PRODUCT:.*]] = tally.matmul
// CHECK:         linalg.generic {{.*}} ins(%[[PRODUCT]], %{{.*}} outs(%[[PRODUCT]] :
func.func @bias(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %bias: tensor<?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// The same behind a reshape.

// CHECK-LABEL: func.func @reshaped(
// CHECK:         %[[EXPANDED:.*]] = tensor.expand_shape
// CHECK:         linalg.generic {{.*}} outs(%[[EXPANDED]] :
func.func @reshaped(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index, %s: index, %t: index) -> tensor<?x?x?xf32> {
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %x = tensor.expand_shape %p [[0, 1], [2]] output_shape [%s, %t, %n] : tensor<?x?xf32> into tensor<?x?x?xf32>
  %f = tensor.empty(%s, %t, %n) : tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<?x?x?xf32>) outs(%f : tensor<?x?x?xf32>) {
  ^bb0(%y: f32, %o: f32):
    %z = math.absf %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// Of two products, the later one is in the cache.

// CHECK-LABEL: func.func @two(
// CHECK:         tally.matmul
// CHECK:         %[[LATER:.*]] = tally.matmul
// CHECK:         linalg.generic {{.*}} outs(%[[LATER]] :
func.func @two(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = tally.matmul ins(%b, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A state that is carried on is read by others before it is updated: it stays in
// one place, also where the empty tensor has another shape.

// CHECK-LABEL: func.func @state(
// CHECK:         %[[STATE:.*]] = tally.matmul
// CHECK:         tally.matmul ins(%[[STATE]],
// CHECK:         %[[NEXT:.*]] = linalg.generic {{.*}} outs(%[[STATE]] :
// CHECK:         tally.matmul ins(%[[NEXT]],
// CHECK:         linalg.generic {{.*}} outs(%[[NEXT]] :
func.func @state(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %e = tensor.empty(%m, %n) : tensor<?x1x?xf32>
  %c = tensor.collapse_shape %e [[0, 1], [2]] : tensor<?x1x?xf32> into tensor<?x?xf32>
  %p = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = tally.matmul ins(%p, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  %s = tally.matmul ins(%r, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%r, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  return %q, %s, %t : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// A view of the product is read later.

// CHECK-LABEL: func.func @viewed(
// CHECK:         %[[EMPTY:.*]] = tensor.empty
// CHECK:         tensor.extract_slice
// CHECK:         linalg.generic {{.*}} outs(%[[EMPTY]] :
func.func @viewed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v = tensor.extract_slice %p[0, 0] [%m, 1] [1, 1] : tensor<?x?xf32> to tensor<?x1xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%y: f32, %o: f32):
    %z = math.absf %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  %w = tensor.cast %v : tensor<?x1xf32> to tensor<?x?xf32>
  return %r, %w : tensor<?x?xf32>, tensor<?x?xf32>
}

// Who passes an argument may still need it; and somebody else reads the
// product.

// CHECK-LABEL: func.func @needed(
// CHECK:         %[[EMPTY:.*]] = tensor.empty
// CHECK:         linalg.generic {{.*}} outs(%[[EMPTY]] :
// CHECK:         linalg.generic {{.*}} outs(%[[EMPTY]] :
func.func @needed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%y: f32, %o: f32):
    %z = math.absf %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  %p = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%y: f32, %o: f32):
    %z = math.absf %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  return %r, %p, %s : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// Elements are read at other points than those at which they are written.

// CHECK-LABEL: func.func @turned(
// CHECK:         %[[EMPTY:.*]] = tensor.empty
// CHECK:         linalg.generic {{.*}} outs(%[[EMPTY]] :
// CHECK:         linalg.generic {{.*}} outs(%[[EMPTY]] :
func.func @turned(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %e = tensor.empty(%m, %m) : tensor<?x?xf32>
  %p = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%y: f32, %o: f32):
    %z = math.absf %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  %q = tally.matmul ins(%b, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %q : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%y: f32, %x: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?xf32>
  return %r, %s : tensor<?x?xf32>, tensor<?x?xf32>
}

// A loop needs the product in each iteration; and types differ.

// CHECK-LABEL: func.func @loop(
// CHECK:         %[[EMPTY:.*]] = tensor.empty
// CHECK:         %[[NARROW:.*]] = tensor.empty
// CHECK:         scf.for
// CHECK:           linalg.generic {{.*}} outs(%[[EMPTY]] :
// CHECK:         tally.matmul
// CHECK-NEXT:    linalg.generic {{.*}} outs(%[[NARROW]] :
func.func @loop(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = tensor.empty(%m, %n) : tensor<?x?xf16>
  %p = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %l = scf.for %i = %c0 to %m step %c1 iter_args(%t = %a) -> tensor<?x?xf32> {
    %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %t : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%y: f32, %x: f32, %o: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    } -> tensor<?x?xf32>
    scf.yield %r : tensor<?x?xf32>
  }
  %q = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x?xf32>) outs(%f : tensor<?x?xf16>) {
  ^bb0(%y: f32, %o: f16):
    %z = arith.truncf %y : f32 to f16
    linalg.yield %z : f16
  } -> tensor<?x?xf16>
  return %l, %s : tensor<?x?xf32>, tensor<?x?xf16>
}
