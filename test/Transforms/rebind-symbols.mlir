// RUN: tally-test-opt %s --test-rebind-symbols --split-input-file | FileCheck %s

// What is made at the same place gets the old name; of ranges and divisors both
// hold, and what is stated of either stays.

// CHECK-LABEL: func.func @merged
// CHECK-SAME:    tally.symbols = #tally.symbols<s0, u0 : unbacked [2, 16] % 12 hint 4, u2 : unbacked>
// CHECK:         %[[R:.*]]:2 = test_hop.definition(%arg0) {bindings = #tally.bindings<u2 = result(1), u0 = result(0).size(0)>}
// CHECK-SAME:      (tensor<?xf32>) -> (tensor<?x4xf32>, i64)
// CHECK-NEXT:    %[[CAST:.*]] = tensor.cast %[[R]]#0 : tensor<?x4xf32> to tensor<?x?xf32>
// CHECK-NEXT:    tally.check <u0 <= s0>
// CHECK-NEXT:    tally.check <2 * u0 <= u2>
// CHECK-NEXT:    tally.size <u0 + u2> : index
// CHECK-NEXT:    return %[[CAST]] : tensor<?x?xf32>
func.func @merged(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> (tensor<?x?xf32> {tally.shape = #tally.shape<u0, 4>})
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked [0, 16] % 4 hint 4, u1 : unbacked [2, 99] % 6, u2 : unbacked>} {
  %r, %n = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(0)>, test.types = [tensor<?x4xf32>, i64],
                               test.bind = #tally.bindings<u2 = result(1), u1 = result(0).size(0)>}
      : (tensor<?xf32>) -> (tensor<?x?xf32>, i64)
  tally.check <u0 <= s0>
  tally.check <2 * u1 <= u2>
  %s = tally.size <u1 + u2> : index
  return %r : tensor<?x?xf32>
}

// -----

// A binding that the replacement lacks is taken over.

// CHECK-LABEL: func.func @taken
// CHECK:         test_hop.definition(%arg0) {bindings = #tally.bindings<u0 = result(0).size(1) / 2>} : (tensor<?xf32>) -> tensor<4x?xf32>
func.func @taken(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(1) / 2>, test.types = [tensor<4x?xf32>]}
      : (tensor<?xf32>) -> tensor<?x?xf32>
  tally.check <u0 <= 4>
  return
}

// -----

// A size that has become a number takes the place of its symbol, also in the
// signature; a name of the statement's own is kept apart.

// CHECK-LABEL: func.func @known
// CHECK-SAME:    tally.shape = #tally.shape<4, s0 + 2>
// CHECK-SAME:    tally.symbols = #tally.symbols<s0>
// CHECK:         test_hop.definition(%arg0) : (tensor<?xf32>) -> tensor<4x?xf32>
// CHECK:         tally.check <4 <= s0>
// CHECK-NEXT:    tally.check <2 * u1_0 + 4 <= s0> (u1_0 = %{{.*}} : index)
// CHECK-NEXT:    tally.size <8> : index
func.func @known(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %n: index)
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<2 * u0, s0 + u0>})
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked [0, 16] % 2, u1 : unbacked [0, 99]>} {
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(0) / 2>, test.types = [tensor<4x?xf32>],
                           test.bind = #tally.bindings<u1 = result(0).size(0) / 2>}
      : (tensor<?xf32>) -> tensor<?x?xf32>
  tally.check <2 * u0 <= s0>
  tally.check <2 * u0 + u1 + u1 <= s0> (u1 = %n : index)
  %s = tally.size <4 * u0> : index
  return %r : tensor<?x?xf32>
}

// -----

// Both divide the same size, by different numbers: 2 * u0 is a multiple of 3.

// CHECK-LABEL: func.func @divided
// CHECK-SAME:    tally.symbols = #tally.symbols<u0 : unbacked>
// CHECK:         test_hop.definition(%arg0) {bindings = #tally.bindings<u0 = result(0).size(0) / 2>}
// CHECK-NEXT:    tally.check <(u0 + 2) mod 3 == 2>
// CHECK-NEXT:    tally.check <(2 * u0) floordiv 3 <= 8>
// CHECK-NEXT:    tally.check <(2 * u0) floordiv 3 == 5>
func.func @divided(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked [-inf, 8]>} {
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(0) / 2>, test.types = [tensor<?xf32>],
                           test.bind = #tally.bindings<u1 = result(0).size(0) / 3>}
      : (tensor<?xf32>) -> tensor<?xf32>
  tally.check <u1 == 5>
  return
}

// -----

// What is assumed of one stays assumed if nothing is declared of the other.

// CHECK-LABEL: func.func @assumed
// CHECK-SAME:    tally.symbols = #tally.symbols<u0 : unbacked [0, 8] assumed, u2 : unbacked [0, 4]>
func.func @assumed(%x: tensor<?xf32>)
    attributes {tally.symbols = #tally.symbols<u0 : unbacked [0, 8] assumed, u1 : unbacked, u2 : unbacked [0, 8] assumed, u3 : unbacked [0, 4]>} {
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(0), u2 = result(0).size(1)>, test.types = [tensor<?x?xf32>],
                           test.bind = #tally.bindings<u1 = result(0).size(0), u3 = result(0).size(1)>}
      : (tensor<?xf32>) -> tensor<?x?xf32>
  return
}
