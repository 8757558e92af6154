// RUN: tally-opt %s --tally-lower-attention='key-multiple=8' --canonicalize --cse | FileCheck %s
// RUN: tally-opt %s --tally-lower-attention --canonicalize --cse | FileCheck %s --check-prefix=NONE
// NONE-NOT: tensor.concat

#q = affine_map<(i, j, e, c) -> (i, e)>
#k = affine_map<(i, j, e, c) -> (j, e)>
#v = affine_map<(i, j, e, c) -> (j, c)>
#o = affine_map<(i, j, e, c) -> (i, c)>

// Keys of half precision are followed by zeros where their number is no multiple of 8, and there are many queries.
// CHECK-LABEL: func.func @unknown_sizes(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x64xbf16>, %[[K:[a-z0-9]+]]: tensor<?x64xbf16>, %[[V:[a-z0-9]+]]: tensor<?x32xbf16>
// CHECK-DAG:     %[[KEYS:.*]] = tensor.dim %[[K]], %c0
// CHECK-DAG:     %[[QUERIES:.*]] = tensor.dim %[[Q]], %c0
// CHECK-DAG:     %[[REST:.*]] = arith.remui %[[KEYS]], %c8
// CHECK-DAG:     %[[ODD:.*]] = arith.cmpi ne, %[[REST]], %c0
// CHECK-DAG:     %[[MANY:.*]] = arith.cmpi uge, %[[QUERIES]], %c64
// CHECK-DAG:     %[[NEEDED:.*]] = arith.andi %[[ODD]], %[[MANY]] : i1
// CHECK-DAG:     %[[LEFT:.*]] = arith.subi %c8, %[[REST]]
// CHECK-DAG:     %[[MORE:.*]] = arith.select %[[NEEDED]], %[[LEFT]], %c0
// CHECK:         %[[ALL:.*]]:2 = scf.if %[[NEEDED]] -> (tensor<?x64xbf16>, tensor<?x32xbf16>) {
// CHECK:           %[[ZEROS:.*]] = linalg.fill ins(%{{.*}} : bf16)
// CHECK:           %[[BOTH:.*]] = tensor.concat dim(0) %[[K]], %[[ZEROS]]
// CHECK:           scf.yield %[[BOTH]], %
// CHECK:         } else {
// CHECK:           scf.yield %[[K]], %[[V]]
// CHECK:         %[[PRODUCTS:.*]] = linalg.generic {{.*}} ins(%[[Q]], %[[ALL]]#0 :
// The softmax sees the scores of the keys alone; the weights of the others are 0.
// CHECK:         %[[SCORES:.*]] = tensor.extract_slice %[[PRODUCTS]][0, 0] [%[[QUERIES]], %[[KEYS]]] [1, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[SCORES]] : tensor<?x?xf32>)
// CHECK:         %[[WEIGHTS:.*]] = tensor.concat dim(1) %{{.*}}, %{{.*}} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
// CHECK:         linalg.generic {{.*}} ins(%[[WEIGHTS]], %[[ALL]]#1 :
func.func @unknown_sizes(%q: tensor<?x64xbf16>, %k: tensor<?x64xbf16>, %v: tensor<?x32xbf16>, %e: tensor<?x32xbf16>) -> tensor<?x32xbf16> {
  %r = tally.attention ins(%q, %k, %v : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<?x32xbf16>) outs(%e : tensor<?x32xbf16>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %product: f32):
        tally.yield %product : f32
      } -> tensor<?x32xbf16>
  return %r : tensor<?x32xbf16>
}

// What types say is decided here: 3 zeros for 197 keys of 197 queries.
// CHECK-LABEL: func.func @known_sizes(
// CHECK-NOT:     scf.if
// CHECK:         linalg.fill ins(%{{.*}} : f16) outs(%{{.*}} : tensor<3x64xf16>)
// CHECK:         tensor.concat dim(0)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<197x200xf32>)
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [197, 197] [1, 1]
func.func @known_sizes(%q: tensor<197x64xf16>, %k: tensor<197x64xf16>, %v: tensor<197x32xf16>, %e: tensor<197x32xf16>) -> tensor<197x32xf16> {
  %r = tally.attention ins(%q, %k, %v : tensor<197x64xf16>, tensor<197x64xf16>, tensor<197x32xf16>) outs(%e : tensor<197x32xf16>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %product: f32):
        tally.yield %product : f32
      } -> tensor<197x32xf16>
  return %r : tensor<197x32xf16>
}

// Nothing is appended where there are few queries, to a multiple of 8, and to f32.
// CHECK-LABEL: func.func @few_queries(
// CHECK-NOT:     tensor.concat
func.func @few_queries(%q: tensor<1x64xf16>, %k: tensor<197x64xf16>, %v: tensor<197x32xf16>, %e: tensor<1x32xf16>) -> tensor<1x32xf16> {
  %r = tally.attention ins(%q, %k, %v : tensor<1x64xf16>, tensor<197x64xf16>, tensor<197x32xf16>) outs(%e : tensor<1x32xf16>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %product: f32):
        tally.yield %product : f32
      } -> tensor<1x32xf16>
  return %r : tensor<1x32xf16>
}

// CHECK-LABEL: func.func @multiple(
// CHECK-NOT:     tensor.concat
func.func @multiple(%q: tensor<?x64xf16>, %k: tensor<256x64xf16>, %v: tensor<256x32xf16>, %e: tensor<?x32xf16>) -> tensor<?x32xf16> {
  %r = tally.attention ins(%q, %k, %v : tensor<?x64xf16>, tensor<256x64xf16>, tensor<256x32xf16>) outs(%e : tensor<?x32xf16>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %product: f32):
        tally.yield %product : f32
      } -> tensor<?x32xf16>
  return %r : tensor<?x32xf16>
}

// CHECK-LABEL: func.func @single_precision(
// CHECK-NOT:     tensor.concat
func.func @single_precision(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x32xf32>, %e: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %r = tally.attention ins(%q, %k, %v : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x32xf32>) outs(%e : tensor<?x32xf32>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %product: f32):
        tally.yield %product : f32
      } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
