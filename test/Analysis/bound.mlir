// RUN: tally-opt %s --allow-unregistered-dialect --tally-print-shapes -o /dev/null | FileCheck %s

// In the bound form a name is a value, and what the signature declares is not
// taken for granted: the check in the body is about it.
// CHECK-LABEL: @bound
// CHECK: %[[X:.*]]: [s0, dim(%[[X]], 1)]
func.func @bound(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1 * 2>}, %i: index)
    attributes {tally.symbols = #tally.symbols<s0 : [0, 64], s1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  tally.check <s0 <= 64>(s0 = %d0 : index)
  // CHECK: %s0 = s0
  %s0 = tally.symbol "s0" = %d0 in [0, 64] : index
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %h = arith.divui %d1, %c2 : index
  // CHECK: %s1 = dim(%[[X]], 1) floordiv 2
  %s1 = tally.symbol "s1" = %h : index
  // Another value of the same name, as after inlining.
  // CHECK: tensor.empty needs 0 <= %{{.*}}s0
  %other = tally.symbol "s0" = %i : index
  %e = tensor.empty(%other) : tensor<?xf32>
  // Wider numbers take in any value.
  // CHECK: = %s0{{[0-9]+}}
  // CHECK: = %s0{{[0-9]+}} + 1
  %n = arith.index_cast %other : index to i64
  %wide = arith.extsi %n : i64 to i128
  %one = arith.constant 1 : i128
  %sum = arith.addi %wide, %one : i128
  return
}
