// Loops that compiled code and the interpreter refuse, and those at the limit.
// RUN: tally-run %s --compare --input i64=9223372036854775807 --input i64=0 --input i64=5
// RUN: tally-run %s --compare --input i64=0 --input i64=9223372036854775807 --input i64=9223372036854775807
// RUN: not tally-run %s --compare --input i64=1 --input i64=9223372036854775807 --input i64=4611686018427387904 2>&1 | FileCheck %s
// RUN: not tally-run %s --compare --input i64=0 --input i64=0 --input i64=-1 2>&1 | FileCheck %s
// RUN: not tally-run %s --compare --input i64=3 --input i64=0 --input i64=0 2>&1 | FileCheck %s

// CHECK: tally-run: check failed: {{.*}}loops.mlir:[[#@LINE+3]]:
func.func @main(%a: index, %b: index, %step: index) -> index {
  %c0 = arith.constant 0 : index
  %r = scf.for %i = %a to %b step %step iter_args(%last = %c0) -> index {
    scf.yield %i : index
  }
  return %r : index
}
