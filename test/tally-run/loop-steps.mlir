// A loop that would not end is a failed check.
// RUN: tally-run %s --input i64=0 --input i64=10 --input i64=3 | FileCheck %s --check-prefix=FOUR
// RUN: tally-run %s --input i64=0 --input i64=10 --input i64=10 | FileCheck %s --check-prefix=ONE
// RUN: tally-run %s --input i64=10 --input i64=0 --input i64=1 | FileCheck %s --check-prefix=ZERO
// RUN: not tally-run %s --input i64=0 --input i64=10 --input i64=0 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not tally-run %s --input i64=0 --input i64=10 --input i64=-1 2>&1 | FileCheck %s --check-prefix=STEP
// FOUR: out0: i64 =
// FOUR-NEXT: 4{{$}}
// ONE: out0: i64 =
// ONE-NEXT: 1{{$}}
// ZERO: out0: i64 =
// ZERO-NEXT: 0{{$}}
// STEP: check failed: {{.*}}the step of the loop is positive

// The last value that is compared is 2^63 - 1, and one more.
// RUN: tally-run %s --input i64=1 --input i64=10 --input i64=9223372036854775806 | FileCheck %s --check-prefix=ONE
// RUN: not tally-run %s --input i64=1 --input i64=10 --input i64=9223372036854775807 2>&1 | FileCheck %s --check-prefix=WRAPS
// RUN: tally-run %s --input i64=9223372036854775800 --input i64=9223372036854775807 --input i64=7 | FileCheck %s --check-prefix=ONE
// RUN: not tally-run %s --input i64=9223372036854775800 --input i64=9223372036854775807 --input i64=2 2>&1 | FileCheck %s --check-prefix=WRAPS
// RUN: tally-run %s --input i64=-9223372036854775808 --input i64=4611686018427387904 --input i64=4611686018427387904 | FileCheck %s --check-prefix=THREE
// WRAPS: check failed: {{.*}}the loop variable stays below 2^63
// THREE: out0: i64 =
// THREE-NEXT: 3{{$}}
func.func @main(%lo: index, %hi: index, %step: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %lo to %hi step %step iter_args(%t = %c0) -> index {
    %u = arith.addi %t, %c1 : index
    scf.yield %u : index
  }
  return %r : index
}

// In a loop with a step that is known.
// RUN: tally-run %s --entry nested --input i64=1 --input i64=3 | FileCheck %s --check-prefix=NESTED
// RUN: not tally-run %s --entry nested --input i64=0 --input i64=3 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: tally-run %s --entry nested --input i64=0 --input i64=0 | FileCheck %s --check-prefix=ZERO
// NESTED: out0: i64 =
// NESTED-NEXT: 6{{$}}
func.func @nested(%from: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c0) -> index {
    %step = arith.addi %i, %from : index
    %s = scf.for %j = %c0 to %n step %step iter_args(%u = %t) -> index {
      %v = arith.addi %u, %c1 : index
      scf.yield %v : index
    }
    scf.yield %s : index
  }
  return %r : index
}
