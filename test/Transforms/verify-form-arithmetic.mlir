// RUN: tally-opt %s --pass-pipeline="builtin.module(tally-check-pipeline,tally-verify-form)" --split-input-file | FileCheck %s
// RUN: tally-opt %s --pass-pipeline="builtin.module(tally-check-pipeline{elide=false},tally-verify-form)" --split-input-file -o /dev/null

// Sizes are read off the arithmetic that computes them, with all that the proofs
// of their checks took.

// Whether a product of quotients fits is a matter of more than ranges.
// CHECK-LABEL: func.func @quotients(
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @quotients(%x: tensor<2x3x?x?xf32> {tally.shape = #tally.shape<2, 3, s0, s1>}) -> tensor<2x16x?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <(s0 ceildiv 4) * (s1 ceildiv 4)> : index
  %e = tensor.empty(%n) : tensor<2x16x?xf32>
  return %e : tensor<2x16x?xf32>
}

// -----

// The bounds of a slice of PyTorch, computed in 128 bits and cut off to 64.
// CHECK-LABEL: func.func @slice(
// CHECK:         arith.trunci %{{.*}} : i128 to i64
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @slice(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %a: index {tally.value = #tally.expr<u0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : [-inf, inf]>} {
  %o = tally.size <select(u0 <= -1, max(s0 + u0, 0), min(s0, u0))> : index
  %n = tally.size <s0 - select(u0 <= -1, max(s0 + u0, 0), min(s0, u0))> : index
  %r = tensor.extract_slice %x[%o] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The sum is at most 2**63, so that one less fits 64 bits; on the way it may
// leave them.
// CHECK-LABEL: func.func @padding(
// CHECK:         %[[MAX:.*]] = arith.maxsi %u0, %c0 : index
// CHECK:         %[[SUM:.*]] = arith.addi %{{.*}}, %[[MAX]] : index
// CHECK:         %[[SIZE:.*]] = arith.subi %[[SUM]], %c1
// CHECK:         tensor.empty(%[[SIZE]])
func.func @padding(%x: tensor<?x2xf32> {tally.shape = #tally.shape<s0, 2>}, %a: tensor<i64>) -> tensor<?x3xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %cst = arith.constant 0.0 : f32
  %0 = tally.item %a : tensor<i64> bind #tally.bindings<u0 = result(0)>
  tally.check <1 <= s0 + u0>
  %1 = tally.size <-min(u0, 0)> : index
  %2 = tally.size <s0 + min(u0, 0) - 1> : index
  %part = tensor.extract_slice %x[%1, 0] [%2, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  %3 = tally.size <s0 + min(u0, 0) + max(u0, 0) - 1> : index
  %4 = tensor.empty(%3) : tensor<?x3xf32>
  %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %6 = tally.size <max(u0, 0)> : index
  %r = tensor.insert_slice %part into %5[%6, 1] [%2, 2] [1, 1] : tensor<?x2xf32> into tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----

// What is known of a product is enough; what is known of its factors is not in the way.
// CHECK-LABEL: func.func @windows_of_a_product(
// CHECK-COUNT-2: tally.assert
// CHECK-NOT:     tally.assert
// CHECK:         return
func.func @windows_of_a_product(%x: tensor<?x?x?x?xf32> {tally.shape = #tally.shape<s0, s1, s2, s3>}) -> (tensor<?x?x1x?xf32>, tensor<?x3xf32>)
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, s3>} {
  %flat = tensor.collapse_shape %x [[0, 1, 2, 3]] : tensor<?x?x?x?xf32> into tensor<?xf32>
  %d0 = tally.size <s0> : index
  %d1 = tally.size <s1> : index
  %d3 = tally.size <s3> : index
  %first = tensor.extract_slice %x[0, 0, 0, 0] [%d0, %d1, 1, %d3] [1, 1, 1, 1] : tensor<?x?x?x?xf32> to tensor<?x?x1x?xf32>
  tally.check <3 <= s0 * s1 * s2 * s3>
  %n = tally.size <(s0 * s1 * s2 * s3) ceildiv 2 - 1> : index
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %windows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<?x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c2 = arith.constant 2 : index
    %twice = arith.muli %i, %c2 : index
    %at = arith.addi %twice, %j : index
    %v = tensor.extract %flat[%at] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?x3xf32>
  return %first, %windows : tensor<?x?x1x?xf32>, tensor<?x3xf32>
}
