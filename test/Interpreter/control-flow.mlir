// RUN: tally-run %s --interpret --entry sums --input i64=5 | FileCheck %s --check-prefix=SUMS
// RUN: not tally-run %s --interpret --entry steps --input i64=0 --input i64=3 --input i64=0 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not tally-run %s --interpret --entry steps --input i64=9223372036854775800 --input i64=9223372036854775807 --input i64=5 2>&1 | FileCheck %s --check-prefix=WRAPS
// RUN: tally-run %s --interpret --entry halves --input i64=100 | FileCheck %s --check-prefix=HALVES
// RUN: tally-run %s --interpret --entry blocks --input i64=6 | FileCheck %s --check-prefix=BLOCKS
// RUN: tally-run %s --interpret --entry parallel --input i64=4 | FileCheck %s --check-prefix=PARALLEL
// RUN: tally-run %s --interpret --entry reductions --input i64=5 --input i64=3 | FileCheck %s --check-prefix=REDUCTIONS
// RUN: tally-run %s --interpret --entry reductions --input i64=0 --input i64=3 | FileCheck %s --check-prefix=STARTS
// RUN: not tally-run %s --interpret --entry parallel --input i64=-9223372036854775808 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not tally-run %s --interpret --entry endless 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not tally-run %s --interpret --entry unknown --input 'f32[2]=1' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: tally-run %s --interpret --entry switches --input i64=7 | FileCheck %s --check-prefix=SWITCHES

// SUMS: 10
func.func @sums(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> index {
    %s = arith.addi %sum, %i : index
    scf.yield %s : index
  }
  return %r : index
}

// STEP: 1 <= 0 does not hold; the step of the loop; needed by scf.for
// WRAPS: 9223372036854775810 <= 9223372036854775807 does not hold; the induction variable of the loop wraps
func.func @steps(%a: index, %b: index, %step: index) -> index {
  %c0 = arith.constant 0 : index
  %r = scf.for %i = %a to %b step %step iter_args(%sum = %c0) -> index {
    scf.yield %i : index
  }
  return %r : index
}

// HALVES: 6
func.func @halves(%n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %r:2 = scf.while (%x = %n, %count = %c0) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi sgt, %x, %c1 : i64
    scf.condition(%more) %x, %count : i64, i64
  } do {
  ^bb0(%x: i64, %count: i64):
    %half = arith.divsi %x, %c2 : i64
    %next = arith.addi %count, %c1 : i64
    scf.yield %half, %next : i64, i64
  }
  return %r#1 : i64
}

// A loop of blocks, and a function that calls itself.
// BLOCKS: 720
func.func @blocks(%n: i64) -> i64 {
  %r = func.call @factorial(%n) : (i64) -> i64
  return %r : i64
}
func.func private @factorial(%n: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  cf.br ^head(%n, %c1 : i64, i64)
^head(%i: i64, %product: i64):
  %more = arith.cmpi sgt, %i, %c1 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %p = arith.muli %product, %i : i64
  %next = arith.subi %i, %c1 : i64
  cf.br ^head(%next, %p : i64, i64)
^end:
  return %product : i64
}

// SIZE: a size is negative
// PARALLEL: [0 1 4 9]
func.func @parallel(%n: index) -> tensor<?xi64> {
  %e = tensor.empty(%n) : tensor<?xi64>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> tensor<?xi64> {
    %s = arith.muli %i, %i : index
    %v = arith.index_cast %s : index to i64
    %t = tensor.from_elements %v : tensor<1xi64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [1] [1] : tensor<1xi64> into tensor<?xi64>
    }
  }
  return %r : tensor<?xi64>
}

// REDUCTIONS: out0: i64 =
// REDUCTIONS-NEXT: 1105
// REDUCTIONS: out1: i64 =
// REDUCTIONS-NEXT: 42
// STARTS: out0: i64 =
// STARTS-NEXT: 1000
// STARTS: out1: i64 =
// STARTS-NEXT: -7
func.func @reductions(%m: index, %n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %sum = arith.constant 1000 : index
  %most = arith.constant -7 : index
  %r:2 = scf.parallel (%i, %j) = (%c0, %c1) to (%m, %n) step (%c1, %c1) init (%sum, %most) -> (index, index) {
    %ten = arith.muli %i, %c10 : index
    %v = arith.addi %ten, %j : index
    %e = arith.remui %v, %c2 : index
    %k = arith.subi %v, %e : index
    %h = arith.divui %k, %c2 : index
    scf.reduce(%h, %v : index, index) {
    ^bb0(%a: index, %b: index):
      %s = arith.addi %a, %b : index
      scf.reduce.return %s : index
    }, {
    ^bb0(%a: index, %b: index):
      %s = arith.maxsi %a, %b : index
      scf.reduce.return %s : index
    }
  }
  return %r#0, %r#1 : index, index
}

// ENDLESS: calls are nested more than 200 deep
func.func @endless() -> i64 {
  %r = func.call @endless() : () -> i64
  return %r : i64
}

// UNKNOWN: the interpreter does not know 'linalg.softmax'
func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.softmax dimension(0) ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// SWITCHES: 70
func.func @switches(%n: index) -> i64 {
  %r = scf.index_switch %n -> i64
  case 3 {
    %a = arith.constant 30 : i64
    scf.yield %a : i64
  }
  case 7 {
    %a = arith.constant 70 : i64
    scf.yield %a : i64
  }
  default {
    %a = arith.constant 0 : i64
    scf.yield %a : i64
  }
  return %r : i64
}
