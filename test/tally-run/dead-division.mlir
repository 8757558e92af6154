// A division whose result nobody uses preconditions a divisor that is not 0 as well,
// wherever it stands; the precondition is one like others: known, or asserted.
// RUN: split-file %s %t
// RUN: tally-run %t/dead.mlir --cases %t/dead.json | FileCheck %s
// RUN: tally-opt %t/dead.mlir --tally-check-pipeline | FileCheck %s --check-prefix=CHECKED

// CHECK-COUNT-7: PASS

// Only %n is not known to divide.
// CHECKED-LABEL: func.func @main
// CHECKED: tally.assert %{{.*}}, <"{{.*}} != 0"> ({{.*}} = %arg1 : index)
// CHECKED-SAME: integer division by zero
// CHECKED-LABEL: func.func @known
// CHECKED-NOT: tally.assert
//--- dead.mlir
func.func @main(%x: index, %n: index, %m: i32, %k: index) -> index {
  %0 = arith.remui %x, %n : index
  %1 = arith.remsi %m, %m : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %2 = scf.for %i = %c0 to %x step %c1 iter_args(%a = %k) -> index {
    %3 = arith.ceildivui %i, %a : index
    scf.yield %c1 : index
  }
  %4 = arith.cmpi slt, %x, %k : index
  %5 = scf.if %4 -> index {
    %6 = index.floordivs %x, %k
    scf.yield %x : index
  } else {
    scf.yield %k : index
  }
  return %5 : index
}
func.func @known(%x: tensor<?x4xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %d1 = arith.addi %d, %c1 : index
  %m = arith.maxsi %n, %c1 : index
  %0 = arith.divui %n, %d1 : index
  %1 = arith.divsi %0, %m : index
  %e = tensor.dim %x, %c1 : tensor<?x4xf32>
  %2 = arith.remsi %1, %e : index
  return %2 : index
}
//--- dead.json
[
 {"name": "none is 0", "inputs": ["i64=2", "i64=3", "i32=-1", "i64=3"], "expect": ["i64=2"]},
 {"name": "n is 0", "inputs": ["i64=2", "i64=0", "i32=1", "i64=3"], "raises": "integer division by zero"},
 {"name": "m is 0", "inputs": ["i64=2", "i64=3", "i32=0", "i64=3"], "raises": "integer division by zero"},
 {"name": "k is 0 in the first iteration", "inputs": ["i64=2", "i64=3", "i32=1", "i64=0"], "raises": "integer division by zero"},
 {"name": "no iteration, and the other branch", "inputs": ["i64=0", "i64=3", "i32=1", "i64=0"], "expect": ["i64=0"]},
 {"name": "no iteration, the branch that divides", "inputs": ["i64=-1", "i64=3", "i32=1", "i64=0"], "raises": "integer division by zero"},
 {"name": "negative", "inputs": ["i64=-7", "i64=-2", "i32=-1", "i64=-5"], "expect": ["i64=-7"]}
]
