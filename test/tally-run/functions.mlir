// Functions of sizes and floats: what Python computes, and a failed check where
// Python raises an error.
// RUN: tally-run %s --input i64=7 --input f64=-2.5 | FileCheck %s
// RUN: not tally-run %s --input i64=0 --input f64=-2.5 2>&1 | FileCheck %s --check-prefix=SHIFT
// RUN: not tally-run %s --input i64=64 --input f64=-2.5 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not tally-run %s --input i64=7 --input f64=1e300 2>&1 | FileCheck %s --check-prefix=ROUND

// CHECK:      out0: i64 =
// CHECK-NEXT: 64
// CHECK:      out1: i64 =
// CHECK-NEXT: -2187
// CHECK:      out2: i64 =
// CHECK-NEXT: -3
// CHECK:      out3: i64 =
// CHECK-NEXT: -2
// CHECK:      out4: i64 =
// CHECK-NEXT: -2
// CHECK:      out5: i64 =
// CHECK-NEXT: 6
// CHECK:      out6: f64 =
// CHECK-NEXT: 2.5
// CHECK:      out7: f64 =
// CHECK-NEXT: 7.
// CHECK:      out8: f64 =
// CHECK-NEXT: 2.80735
// CHECK:      out9: f64 =
// CHECK-NEXT: 6.25
// CHECK:      out10: f64 =
// CHECK-NEXT: 1.3333
// SHIFT: check failed: {{.*}}pow(2, s0 - 1)
// WIDE:  check failed: {{.*}}pow(2, s0 - 1)
// ROUND: check failed: {{.*}}floor(zf0)
func.func @main(%n: i64 {tally.value = #tally.expr<s0>},
                %f: f64 {tally.value = #tally.expr<zf0>})
    -> (i64, i64, i64, i64, i64, i64, f64, f64, f64, f64, f64)
    attributes {tally.symbols = #tally.symbols<s0 : [0, 100], zf0 : float>} {
  %shift = tally.size <"1 << s0 - 1"> : i64
  %power = tally.size <pow(-3, s0)> : i64
  %floor = tally.size <floor(zf0)> : i64
  %ceil = tally.size <ceil(zf0)> : i64
  %round = tally.size <round(zf0)> : i64
  %bits = tally.size <bitwise_and(s0, 14)> : i64
  %abs = tally.size <abs(zf0)> : f64
  %max = tally.size <max(zf0, s0)> : f64
  %log = tally.size <log2(s0)> : f64
  %square = tally.size <pow(zf0, 2)> : f64
  %quotient = tally.size <"4 / (s0 - 4)"> : f64
  return %shift, %power, %floor, %ceil, %round, %bits, %abs, %max, %log, %square, %quotient
      : i64, i64, i64, i64, i64, i64, f64, f64, f64, f64, f64
}
