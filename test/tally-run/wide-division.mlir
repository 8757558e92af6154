// Sizes and their checks may need more than 64 bits. A division of them rounds
// as one of 64 bits does.
// RUN: tally-run %s --input i64=-9 --input i64=9223372036854775807 | FileCheck %s --check-prefix=BELOW
// RUN: tally-run %s --input i64=9 --input i64=-9223372036854775808 | FileCheck %s --check-prefix=BELOW
// RUN: tally-run %s --input i64=9 --input i64=9223372036854775807 | FileCheck %s --check-prefix=ABOVE
// RUN: tally-run %s --input i64=-7 --input i64=-1 | FileCheck %s --check-prefix=MINUS
// RUN: tally-run %s --input i64=-9223372036854775808 --input i64=-1 | FileCheck %s --check-prefix=LEAST
// RUN: tally-run %s --input i64=-8 --input i64=4 | FileCheck %s --check-prefix=EXACT
// RUN: not tally-run %s --input i64=1 --input i64=0 2>&1 | FileCheck %s --check-prefix=ZERO
// BELOW: out0: i1 =
// BELOW-NEXT: True
// BELOW: out1: i64 =
// BELOW-NEXT: -1
// BELOW: out2: i64 =
// BELOW-NEXT: 0
// ABOVE: out1: i64 =
// ABOVE-NEXT: 0
// ABOVE: out2: i64 =
// ABOVE-NEXT: 1
// MINUS: out1: i64 =
// MINUS-NEXT: 7
// MINUS: out2: i64 =
// MINUS-NEXT: 7
// LEAST: out0: i1 =
// LEAST-NEXT: False
// EXACT: out1: i64 =
// EXACT-NEXT: -2
// EXACT: out2: i64 =
// EXACT-NEXT: -2
// ZERO: check failed: {{.*}}division by zero
func.func @main(%a: i64, %b: i64) -> (i1, i64, i64) {
  %zero = arith.constant 0 : i128
  %x = arith.extsi %a : i64 to i128
  %y = arith.extsi %b : i64 to i128
  %floor = arith.floordivsi %x, %y : i128
  %ceil = arith.ceildivsi %x, %y : i128
  %less = arith.cmpi slt, %floor, %zero : i128
  %f = arith.trunci %floor : i128 to i64
  %c = arith.trunci %ceil : i128 to i64
  return %less, %f, %c : i1, i64, i64
}
