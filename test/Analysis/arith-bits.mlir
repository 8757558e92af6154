// RUN: tally-opt %s --tally-print-shapes -o /dev/null | FileCheck %s

// Shifts, bits, divisions and casts: what they are, and where they are not.
// The checks follow the numbers of results, so that a result without an
// expression shows by its absence.

// CHECK-LABEL: @shifts
func.func @shifts(%n: i64 {tally.value = #tally.expr<s0>},
                  %a: i64 {tally.value = #tally.expr<s1>},
                  %k: i64 {tally.value = #tally.expr<s2>},
                  %u: i64 {tally.value = #tally.expr<s3>})
    attributes {tally.symbols = #tally.symbols<s0 : [-inf, inf], s1 : [0, 4096], s2 : [0, 4], s3 : [0, 64]>} {
  %c3 = arith.constant 3 : i64
  // CHECK: %0 = 8 * s1
  %0 = arith.shli %a, %c3 : i64
  // Bits may be lost, unless the program excludes it.
  // CHECK-NOT: %1 =
  %1 = arith.shli %n, %c3 : i64
  // CHECK: %2 = 8 * s0
  %2 = arith.shli %n, %c3 overflow<nsw> : i64
  // That nothing is lost of the unsigned number says nothing of the sign.
  // CHECK-NOT: %3 =
  %3 = arith.shli %n, %c3 overflow<nuw> : i64
  // CHECK: %4 = s0 floordiv 8
  %4 = arith.shrsi %n, %c3 : i64
  // CHECK: %5 = s1 floordiv 8
  %5 = arith.shrui %a, %c3 : i64
  // Zeros are shifted into what may be negative.
  // CHECK-NOT: %6 =
  %6 = arith.shrui %n, %c3 : i64
  // Counts that are no literals.
  // CHECK: %7 = s1 * pow(2, s2)
  %7 = arith.shli %a, %k : i64
  // CHECK: %8 = s1 floordiv pow(2, s2)
  %8 = arith.shrsi %a, %k : i64
  // CHECK: %9 = s1 floordiv pow(2, s2)
  %9 = arith.shrui %a, %k : i64
  // A shift by all bits has no value.
  // CHECK-NOT: %10 =
  %10 = arith.shrsi %a, %u : i64
  // CHECK-NOT: %11 =
  %11 = arith.shli %a, %n : i64
  // CHECK: %12 = 0
  %12 = arith.subi %k, %k : i64
  return
}

// CHECK-LABEL: @widths
func.func @widths(%n: i8 {tally.value = #tally.expr<s0>}, %a: i8 {tally.value = #tally.expr<s1>})
    attributes {tally.symbols = #tally.symbols<s0 : [-128, 127], s1 : [0, 127]>} {
  %c7 = arith.constant 7 : i8
  %c8 = arith.constant 8 : i8
  // CHECK: %0 = s0 floordiv 128
  %0 = arith.shrsi %n, %c7 : i8
  // CHECK-NOT: %1 =
  %1 = arith.shrsi %n, %c8 : i8
  // CHECK: %2 = s0
  %2 = arith.extsi %n : i8 to i16
  // CHECK-NOT: %3 =
  %3 = arith.extui %n : i8 to i16
  // CHECK: %4 = s1
  %4 = arith.extui %a : i8 to i16
  // CHECK: %5 = s0
  %5 = arith.trunci %2 : i16 to i8
  // What is cut is another number.
  // CHECK-NOT: %6 =
  %6 = arith.trunci %a : i8 to i4
  // CHECK: %7 = 2 * s1
  %7 = arith.addi %4, %4 : i16
  // CHECK-NOT: %8 =
  %8 = arith.addi %a, %a : i8
  return
}

// CHECK-LABEL: @bits
func.func @bits(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>},
                %n: index {tally.value = #tally.expr<s1>}, %p: i1, %q: i1)
    attributes {tally.symbols = #tally.symbols<s0, s1 : [-inf, inf]>} {
  %c0 = index.constant 0
  %c3 = index.constant 3
  %c7 = index.constant 7
  %m8 = index.constant -8
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  // CHECK: %0 = 8 * s0
  %0 = index.shl %d, %c3
  // CHECK-NOT: %1 =
  %1 = index.shl %n, %c3
  // CHECK: %2 = s1 floordiv 8
  %2 = index.shrs %n, %c3
  // CHECK: %3 = s0 floordiv 8
  %3 = index.shru %d, %c3
  // CHECK-NOT: %4 =
  %4 = index.shru %n, %c3
  // CHECK: %5 = s1 mod 8
  %5 = index.and %n, %c7
  // CHECK: %6 = s0 - s0 mod 8
  %6 = index.and %d, %m8
  // CHECK: %7 = %arg2 and %arg3
  %7 = arith.andi %p, %q : i1
  // CHECK: %8 = %arg2 or %arg3
  %8 = arith.ori %p, %q : i1
  // CHECK: %9 = %arg2 != %arg3
  %9 = arith.xori %p, %q : i1
  return
}

// CHECK-LABEL: @divisions
func.func @divisions(%n: index {tally.value = #tally.expr<s0>},
                     %a: index {tally.value = #tally.expr<s1>},
                     %b: index {tally.value = #tally.expr<s2>},
                     %z: index {tally.value = #tally.expr<s3>})
    attributes {tally.symbols = #tally.symbols<s0 : [-100, 100], s1 : [0, 100], s2 : [1, 9], s3 : [0, 9]>} {
  %m4 = arith.constant -4 : index
  // CHECK: %0 = s0 floordiv s2
  %0 = arith.floordivsi %n, %b : index
  // CHECK: %1 = s0 ceildiv s2
  %1 = arith.ceildivsi %n, %b : index
  // Truncation differs from flooring below zero, and so do the remainders.
  // CHECK-NOT: %2 =
  %2 = arith.divsi %n, %b : index
  // CHECK-NOT: %3 =
  %3 = arith.remsi %n, %b : index
  // CHECK: %4 = s1 floordiv s2
  %4 = arith.divsi %a, %b : index
  // CHECK: %5 = s1 mod s2
  %5 = arith.remsi %a, %b : index
  // CHECK-NOT: %6 =
  %6 = arith.divui %n, %b : index
  // CHECK-NOT: %7 =
  %7 = arith.remui %n, %b : index
  // CHECK-NOT: %8 =
  %8 = arith.ceildivui %n, %b : index
  // A divisor that may be zero.
  // CHECK-NOT: %9 =
  %9 = arith.floordivsi %a, %z : index
  // CHECK: %10 = -(s0 ceildiv 4)
  %10 = arith.floordivsi %n, %m4 : index
  // CHECK-NOT: %11 =
  %11 = arith.divsi %a, %m4 : index
  // CHECK-NOT: %12 =
  %12 = arith.maxui %n, %a : index
  // CHECK: %13 = max(s0, s1)
  %13 = arith.maxsi %n, %a : index
  return
}

// CHECK-LABEL: @comparisons
func.func @comparisons(%n: index {tally.value = #tally.expr<s0>},
                       %m: index {tally.value = #tally.expr<s1>},
                       %a: index {tally.value = #tally.expr<s2>})
    attributes {tally.symbols = #tally.symbols<s0 : [-100, 100], s1 : [-100, 100], s2>} {
  // CHECK: %0 = s0 < s1
  %0 = arith.cmpi slt, %n, %m : index
  // A negative number is above every other one as an unsigned number.
  // CHECK-NOT: %1 =
  %1 = arith.cmpi ult, %n, %m : index
  // CHECK: %2 = 0 <= s0 and s0 < s2
  %2 = arith.cmpi ult, %n, %a : index
  // CHECK-NOT: %3 =
  %3 = arith.cmpi ult, %a, %n : index
  // CHECK: %4 = s0 <= -1 or s2 <= s0
  %4 = index.cmp uge(%n, %a)
  // CHECK: %5 = s0 == s1
  %5 = arith.cmpi eq, %n, %m : index
  return
}
