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

// What holds behind an assert tells that arithmetic there does not wrap, and
// what a loop carries; not so before the assert, or behind a branch with one.
// CHECK-LABEL: @statements
func.func @statements(%x: tensor<?xf32>, %y: tensor<?xf32>, %i: index, %p: i1, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %s0 = tally.symbol "s0" = %i : index
  scf.if %p {
    %in = arith.cmpi ult, %s0, %c9 : index
    tally.assert %in, <s0 < 9> (s0 = %s0 : index)
    // CHECK: = s0 + 1
    %a = arith.addi %s0, %c1 : index
  }
  // CHECK-NEXT: = s0 <= 8 and 0 <= s0
  %b = arith.addi %s0, %c1 : index
  %in = arith.cmpi ult, %s0, %c9 : index
  tally.assert %in, <s0 < 9> (s0 = %s0 : index)
  // CHECK-NEXT: = s0 + 1
  %c = arith.addi %s0, %c1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %d, %e : index
  tally.assert %same, <d0 == d1> (d0 = %d, d1 = %e : index, index)
  // CHECK: %{{[0-9]+}}: [dim(%arg0, 0)]
  %l = scf.for %k = %c0 to %c9 step %c1 iter_args(%z = %x) -> tensor<?xf32> {
    scf.yield %y : tensor<?xf32>
  }
  return
}
