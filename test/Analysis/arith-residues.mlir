// RUN: tally-opt %s --tally-print-shapes -o /dev/null | FileCheck %s

// A sum, a difference or a product that may leave 64 bits is known modulo 2**64:
// what is computed from it may be in them again.
// CHECK-LABEL: @partial_sums
func.func @partial_sums(%a: index {tally.value = #tally.expr<s0>},
                        %b: index {tally.value = #tally.expr<s1>})
    attributes {tally.symbols = #tally.symbols<s0 : [-inf, inf], s1 : [-inf, inf]>} {
  %c2 = arith.constant 2 : index
  %c-1 = arith.constant -1 : index
  // CHECK: %c-1 = -1
  // The sum itself has no line: nobody knows what it is.
  // CHECK-NEXT: %[[BACK:.*]] = s0
  %sum = arith.addi %a, %b : index
  %back = arith.subi %sum, %b : index
  // CHECK-NEXT: %[[ONCE:.*]] = s0
  %twice = arith.muli %sum, %c2 : index
  %other = arith.muli %b, %c2 : index
  %minus = arith.muli %other, %c-1 : index
  %rest = arith.addi %twice, %minus : index
  %once = arith.subi %rest, %a : index
  // Casts between types of one width, and to a narrower one, keep the bits.
  // CHECK-NEXT: %[[CAST:.*]] = %[[SUM:.*]]
  // CHECK-NEXT: %[[B:.*]] = s1
  // CHECK-NEXT: %[[NARROW:.*]] = s0
  %cast = arith.index_cast %sum : index to i64
  %i64b = arith.index_cast %b : index to i64
  %narrow = arith.subi %cast, %i64b : i64
  // A cast to a wider one makes the number that is there.
  // CHECK-NEXT: = %[[SUM]]
  // CHECK-NEXT: = s1
  // CHECK-NEXT: = %[[SUM]] - s1
  %ext = arith.extsi %cast : i64 to i128
  %extb = arith.extsi %i64b : i64 to i128
  %wide = arith.subi %ext, %extb : i128
  // A quotient is that of the number that is there.
  // CHECK-NEXT: = %[[SUM]] floordiv 2
  %half = arith.floordivsi %sum, %c2 : index
  return
}
