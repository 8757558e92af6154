// RUN: tally-opt %s -tally-lift-free-symbols -canonicalize -cse | FileCheck %s
// RUN: tally-opt %s -tally-lift-free-symbols -canonicalize -cse -tally-lift-free-symbols -tally-lower-hops -canonicalize | FileCheck %s --check-prefix=LOWER
// RUN: tally-opt %s -inline | FileCheck %s --check-prefix=INLINE

// Canonicalization hoists constants out of regions that are not isolated:
// closed means to capture nothing but what is constant-like.
// CHECK-LABEL: func.func @hoisted(
// CHECK-DAG:   %[[C7:.*]] = arith.constant 7 : index
// CHECK:       tally.cond %{{.*}}(%{{.*}}) : (index) -> index {
// CHECK-NEXT:  ^bb0(%[[A:.*]]: index):
// CHECK:         arith.addi %[[A]], %[[C7]]
// LOWER-LABEL: func.func @hoisted(
// LOWER-SAME:    %{{.*}}: i1, %[[S:.*]]: index)
// LOWER:       scf.if
// LOWER:         arith.addi %[[S]], %c7
func.func @hoisted(%p: i1, %s: index) -> index {
  %c7 = arith.constant 7 : index
  %r = tally.cond %p : () -> index {
    %a = arith.addi %s, %c7 : index
    tally.yield %a : index
  } else {
    %c9 = arith.constant 9 : index
    %a = arith.muli %s, %c9 : index
    tally.yield %a : index
  }
  return %r : index
}

// In the bound form a callee may be inlined: its checks come along.
// INLINE-LABEL: func.func @inlined(
// INLINE-NOT:  invoke_subgraph
// INLINE:      tally.check <s0 <= 64>
// INLINE:      tally.symbol "s0"
// INLINE:      linalg.exp
func.func @inlined(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = tally.invoke_subgraph @bound(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @bound(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [0, 64]>} {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  tally.check <s0 <= 64> (s0 = %d : index)
  %s0 = tally.symbol "s0" = %d in [0, 64] : index
  %e = tensor.empty(%s0) : tensor<?xf32>
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
