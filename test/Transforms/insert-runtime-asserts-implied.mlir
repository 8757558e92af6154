// RUN: tally-opt %s --tally-check-pipeline=explain 2>&1 | FileCheck %s

// Another look at asserts behind arithmetic: what is asserted says that the arithmetic is
// exact, and so that the sizes add up.
// CHECK: insert-runtime-asserts-implied.mlir:[[#@LINE+18]]:14: remark: 0 <= arith_muli: asserted
// CHECK: insert-runtime-asserts-implied.mlir:[[#@LINE+17]]:14: remark: 0 <= arith_subi: asserted
// CHECK: insert-runtime-asserts-implied.mlir:[[#@LINE+16]]:14: remark: arith_muli + arith_subi == loop_carried_size_0: asserted
// CHECK: insert-runtime-asserts-implied.mlir:[[#@LINE+15]]:14: remark: arith_muli + arith_subi == loop_carried_size_0: removed, as it follows from what is asserted before it
// CHECK-LABEL: func.func @main(
// CHECK:         scf.for
// CHECK-COUNT-2:   tally.assert
// CHECK-NOT:       tally.assert
// CHECK:           return
func.func @main(%n: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s0 = tally.size <s0> : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %at = arith.muli %i, %c2 : index
    %rest = arith.subi %s0, %at : index
    %a, %b = tally.split %t[%at, %rest] dim 0 : tensor<?xf32>
    %u = tensor.concat dim(0) %b, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
