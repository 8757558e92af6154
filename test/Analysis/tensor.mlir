// RUN: tally-opt %s --allow-unregistered-dialect --tally-print-shapes -o /dev/null | FileCheck %s

// CHECK-LABEL: @sources
func.func @sources(%x: tensor<?x4xf32> {tally.shape = #tally.shape<s0, 4>},
                   %n: index {tally.value = #tally.expr<s1>}, %f: f32)
    attributes {tally.symbols = #tally.symbols<s0, s1 : [-inf, inf]>} {
  %c0 = arith.constant 0 : index
  // CHECK: %[[D:dim.*]] = s0
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  // CHECK: tensor.empty needs 0 <= s1
  // CHECK: %[[E:.*]]: [s1, s0]
  %e = tensor.empty(%n, %d) : tensor<?x?xf32>
  // CHECK: tensor.splat needs 0 <= s1
  // CHECK: %splat: [s1, 7]
  %s = tensor.splat %f[%n] : tensor<?x7xf32>
  // CHECK: %generated: [s0]
  %g = tensor.generate %d {
  ^bb0(%i: index):
    tensor.yield %f : f32
  } : tensor<?xf32>
  // A size of what was ranked before.
  %unranked = tensor.cast %x : tensor<?x4xf32> to tensor<*xf32>
  // CHECK: %[[D:dim.*]] = s0
  %du = tensor.dim %unranked, %c0 : tensor<*xf32>
  // CHECK: %rank = 2
  %r = tensor.rank %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: @views
func.func @views(%x: tensor<?x?x4xf32> {tally.shape = #tally.shape<s0, s1, 4>},
                 %m: index {tally.value = #tally.expr<s2>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  // The product is known to fit: the entry of a function sees to that.
  // CHECK-NOT: collapse_shape needs
  // CHECK: %collapsed: [s0 * s1, 4]
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>
  // CHECK: tensor.expand_shape needs 0 <= s2
  // CHECK: tensor.expand_shape needs s0 * s1 == 8 * s2
  // CHECK: %expanded: [s2, 8, 4]
  %e = tensor.expand_shape %c [[0, 1], [2]] output_shape [%m, 8, 4] : tensor<?x4xf32> into tensor<?x8x4xf32>
  // CHECK: tensor.cast needs s2 == 2
  // CHECK: %[[CAST:cast.*]]: [2, 8, 4]
  %k = tensor.cast %e : tensor<?x8x4xf32> to tensor<2x8x4xf32>
  %four = arith.constant 4 : index
  %shape = tensor.from_elements %m, %four : tensor<2xindex>
  // CHECK: tensor.reshape needs s2 == 16
  // CHECK: %reshape: [s2, 4]
  %r = tensor.reshape %k(%shape) : (tensor<2x8x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: @slices
func.func @slices(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>},
                  %y: tensor<?x?xf32> {tally.shape = #tally.shape<s2, s3>},
                  %o: index {tally.value = #tally.expr<s4>}, %f: f32)
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, s3, s4>} {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %y, %c0 : tensor<?x?xf32>
  // The second slice is all there is.
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  // CHECK: tensor.extract_slice needs s2 + s4 <= s0 and 0 <= s4
  // CHECK: %extracted_slice: [s2, s1]
  %a = tensor.extract_slice %x[%o, 0] [%d, %d1] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  // CHECK: tensor.extract_slice needs 2 * s4 <= s0 + 1 and 0 <= s4
  // CHECK: %[[B:.*]]: [s4]
  %b = tensor.extract_slice %x[0, 3] [%o, 1] [2, 1] : tensor<?x?xf32> to tensor<?xf32>
  // CHECK: tensor.insert_slice needs
  // CHECK: tensor.insert_slice needs s1 == s3
  // CHECK: %inserted_slice: [s0, s1]
  %i = tensor.insert_slice %y into %x[0, 0] [%d, %d1] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  // CHECK: tensor.concat needs s1 == s3
  // CHECK: %concat: [s0 + s2, s1]
  %c = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: tensor.pad needs 0 <= s4
  // CHECK: %padded: [s0 + s4 + 1, s1]
  %p = tensor.pad %x low[1, 0] high[%o, 0] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %f : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return
}

// CHECK-LABEL: @elements
func.func @elements(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>},
                    %i: index {tally.value = #tally.expr<s1>},
                    %g: tensor<?x1xindex> {tally.shape = #tally.shape<s2, 1>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  // CHECK: tensor.extract needs 0 <= s1 and s1 < s0
  %v = tensor.extract %x[%i] : tensor<?xf32>
  // CHECK: tensor.insert needs 0 <= s1 and s1 < s0
  // CHECK: %inserted: [s0]
  %w = tensor.insert %v into %x[%i] : tensor<?xf32>
  // CHECK: %gather: [s2, 1]
  %r = tensor.gather %x[%g] gather_dims([0]) : (tensor<?xf32>, tensor<?x1xindex>) -> tensor<?x1xf32>
  %c = arith.constant dense<[3, 5]> : tensor<2xindex>
  %one = arith.constant 1 : index
  // CHECK: %extracted{{.*}} = 5
  %e = tensor.extract %c[%one] : tensor<2xindex>
  return
}

// What nobody tells is a symbol of its own, not equal to any other.
// CHECK-LABEL: @unregistered
func.func @unregistered(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  // CHECK: %[[A:.*]]: [dim(%[[A]], 0), 3]
  %a = "other.op"(%x) : (tensor<?xf32>) -> tensor<?x3xf32>
  // CHECK: arith.addf needs dim(%[[A]], 0) == dim(%[[B:.*]], 0)
  %b = "other.op"(%x) : (tensor<?xf32>) -> tensor<?x3xf32>
  %c = arith.addf %a, %b : tensor<?x3xf32>
  return
}
