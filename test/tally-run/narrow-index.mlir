// An index that goes through a narrow integer.
// RUN: tally-run %s --entry narrow --input i64=1 | FileCheck %s --check-prefix=ONE
// RUN: tally-run %s --entry narrow --input i64=258 | FileCheck %s --check-prefix=LARGE

// ONE: out0: i64 =
// ONE-NEXT: -1
// ONE: out1: i64 =
// ONE-NEXT: 1
// LARGE: out0: i64 =
// LARGE-NEXT: 0
// LARGE: out1: i64 =
// LARGE-NEXT: 2
// LARGE: out2: i64 =
// LARGE-NEXT: 258
func.func @narrow(%i: index) -> (index, index, index) {
  %a = arith.index_cast %i : index to i1
  %b = arith.index_cast %a : i1 to index
  %c = arith.index_castui %i : index to i8
  %d = arith.index_castui %c : i8 to index
  %e = arith.index_cast %i : index to i64
  %f = arith.index_cast %e : i64 to index
  return %b, %d, %f : index, index, index
}
