// RUN: tally-opt %s --allow-unregistered-dialect --tally-print-shapes -o /dev/null | FileCheck %s

// CHECK-LABEL: @caller
func.func @caller(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  // A private callee is owed what it declares.
  // CHECK: call needs s0 == s1
  // CHECK: call needs s0 <= 64
  // CHECK: call needs s0 mod 8 == 0
  // CHECK: [2 * s0]
  %a = call @private(%x) : (tensor<?x?xf32>) -> tensor<?xf32>
  // A public one asserts it.
  // CHECK-NOT: needs
  // CHECK: [s0 + 1]
  %b = call @public(%x) : (tensor<?x?xf32>) -> tensor<?xf32>
  // CHECK: tally.invoke_subgraph needs
  %c = tally.invoke_subgraph @private(%x) : (tensor<?x?xf32>) -> tensor<?xf32>
  // CHECK: %[[U:.*]]: [dim(%[[U]], 0)]
  %d = call @unknown(%x) : (tensor<?x?xf32>) -> tensor<?xf32>
  return
}

func.func private @private(tensor<?x?xf32> {tally.shape = #tally.shape<q, q>}) -> (tensor<?xf32> {tally.shape = #tally.shape<q * 2>})
    attributes {tally.symbols = #tally.symbols<q : [0, 64] % 8>}
func.func @public(%x: tensor<?x?xf32> {tally.shape = #tally.shape<q, q>}) -> (tensor<?xf32> {tally.shape = #tally.shape<q + 1>})
    attributes {tally.symbols = #tally.symbols<q : [0, 64] % 8>} {
  %r = "other.op"(%x) : (tensor<?x?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @unknown(tensor<?x?xf32>) -> tensor<?xf32>
