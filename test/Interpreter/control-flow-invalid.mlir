// Poison that decides something, and loops that never end.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} condition --input i8=-1 | FileCheck %s --check-prefix=CONDITION
// RUN: %{refuse} bound --input i64=9223372036854775807 | FileCheck %s --check-prefix=BOUND
// RUN: %{refuse} size --input i64=9223372036854775807 | FileCheck %s --check-prefix=SIZE
// RUN: %{refuse} goes_on --input i8=-1 | FileCheck %s --check-prefix=GOES-ON
// RUN: %{refuse} step --input i64=3 --input i64=0 | FileCheck %s --check-prefix=STEP
// RUN: %{refuse} wraps --input i64=1 --input i64=9223372036854775807 --input i64=4611686018427387904 | FileCheck %s --check-prefix=WRAPS
// RUN: %{refuse} wraps --input i64=-9223372036854775808 --input i64=9223372036854775806 --input i64=1 | FileCheck %s --check-prefix=WRAPS-2
// RUN: %{refuse} external --input i64=1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: %{refuse} custom --input i8=-1 | FileCheck %s --check-prefix=CUSTOM

func.func private @elsewhere(index) -> index

// CONDITION: tally-run: {{.*}}control-flow-invalid.mlir:[[#@LINE+5]]:8: the condition of 'scf.if' is poison; poison was first made at {{.*}}control-flow-invalid.mlir:[[#@LINE+2]]:8 by arith.addi: an unsigned overflow (nuw)
func.func @condition(%a: i8) -> i8 {
  %p = arith.addi %a, %a overflow<nuw> : i8
  %z = arith.constant 0 : i8
  %b = arith.cmpi eq, %p, %z : i8
  %r = scf.if %b -> i8 {
    scf.yield %a : i8
  } else {
    scf.yield %z : i8
  }
  return %r : i8
}

// BOUND: tally-run: {{.*}}control-flow-invalid.mlir:[[#@LINE+5]]:8: a bound of the loop is poison; poison was first made at {{.*}}control-flow-invalid.mlir:[[#@LINE+2]]:8 by affine.apply: the index does not fit 64 bits
func.func @bound(%n: index) -> index {
  %p = affine.apply affine_map<(d0) -> (d0 + d0)>(%n)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %p step %c1 iter_args(%last = %c0) -> index {
    scf.yield %i : index
  }
  return %r : index
}

// SIZE: tally-run: {{.*}}control-flow-invalid.mlir:[[#@LINE+3]]:8: an index or a size of 'tensor.empty' is poison; poison was first made at {{.*}}control-flow-invalid.mlir:[[#@LINE+2]]:8 by affine.apply: the index does not fit 64 bits
func.func @size(%n: index) -> tensor<?xf32> {
  %p = affine.apply affine_map<(d0) -> (d0 + d0)>(%n)
  %r = tensor.empty(%p) : tensor<?xf32>
  return %r : tensor<?xf32>
}

// GOES-ON: tally-run: {{.*}}control-flow-invalid.mlir:[[#@LINE+3]]:8: the condition of 'scf.while' is poison; poison was first made at {{.*}}control-flow-invalid.mlir:[[#@LINE+2]]:8 by arith.addi: an unsigned overflow (nuw)
func.func @goes_on(%a: i8) -> i8 {
  %p = arith.addi %a, %a overflow<nuw> : i8
  %r = scf.while (%x = %p) : (i8) -> i8 {
    %z = arith.constant 0 : i8
    %b = arith.cmpi eq, %x, %z : i8
    scf.condition(%b) %x : i8
  } do {
  ^bb0(%x: i8):
    scf.yield %x : i8
  }
  return %r : i8
}

// STEP: tally-run: check failed: {{.*}}control-flow-invalid.mlir:[[#@LINE+3]]:3: 1 <= 0 does not hold; the step of a loop; needed by scf.parallel
func.func @step(%n: index, %s: index) {
  %c0 = arith.constant 0 : index
  scf.parallel (%i) = (%c0) to (%n) step (%s) {
    scf.reduce
  }
  return
}

// WRAPS: tally-run: check failed: {{.*}}control-flow-invalid.mlir:[[#@LINE+3]]:3: the variable of a loop wraps; needed by scf.parallel
// WRAPS-2: tally-run: check failed: {{.*}}control-flow-invalid.mlir:[[#@LINE+2]]:3: a loop has too many iterations; needed by scf.parallel
func.func @wraps(%a: index, %n: index, %s: index) {
  scf.parallel (%i) = (%a) to (%n) step (%s) {
    scf.reduce
  }
  return
}

// EXTERNAL: tally-run: {{.*}}control-flow-invalid.mlir:[[#@LINE+2]]:8: 'elsewhere' is called and has no body
func.func @external(%n: index) -> index {
  %r = call @elsewhere(%n) : (index) -> index
  return %r : index
}

// CUSTOM: tally-run: {{.*}}control-flow-invalid.mlir:[[#@LINE+3]]:8: an argument of 'f' is poison; poison was first made at {{.*}}control-flow-invalid.mlir:[[#@LINE+2]]:8 by arith.addi: an unsigned overflow (nuw)
func.func @custom(%a: i8) -> i8 {
  %p = arith.addi %a, %a overflow<nuw> : i8
  %r = tally.custom_call @f(%p) : (i8) -> i8
  return %r : i8
}
