// RUN: tally-opt %s --tally-print-shapes -o /dev/null | FileCheck %s

// Floats show in the comparisons of them.

// CHECK-LABEL: @arithmetic
func.func @arithmetic(%f: f64, %g: f64, %n: i64 {tally.value = #tally.expr<s0>},
                      %a: i64 {tally.value = #tally.expr<s1>}, %p: i1)
    attributes {tally.symbols = #tally.symbols<s0 : [-100, 100], s1 : [0, 100]>} {
  %c0 = arith.constant 0.0 : f64
  %c2 = arith.constant 2.5 : f64
  %add = arith.addf %f, %g : f64
  %sub = arith.subf %add, %c2 : f64
  %mul = arith.mulf %sub, %g : f64
  %neg = arith.negf %mul : f64
  // CHECK: %[[#]] = -((%arg0 + %arg1 - 2.5) * %arg1) < %arg0
  %0 = arith.cmpf olt, %neg, %f : f64
  %div = arith.divf %f, %c2 : f64
  // CHECK: %[[#]] = %arg0 / 2.5 < %arg0
  %1 = arith.cmpf olt, %div, %f : f64
  %si = arith.sitofp %n : i64 to f64
  // CHECK: %[[#]] = to_float(s0) < %arg0
  %2 = arith.cmpf olt, %si, %f : f64
  %ui = arith.uitofp %a : i64 to f64
  %root = math.sqrt %ui : f64
  // CHECK: %[[#]] = sqrt(to_float(s1)) < %arg0
  %3 = arith.cmpf olt, %root, %f : f64
  %abs = math.absf %f : f64
  // CHECK: %[[#]] = abs(%arg0) < %arg1
  %4 = arith.cmpf olt, %abs, %g : f64
  %sel = arith.select %p, %f, %g : f64
  // CHECK: %[[#]] = select(%arg4, %arg0, %arg1) < %arg1
  %5 = arith.cmpf olt, %sel, %g : f64
  %iabs = math.absi %n : i64
  // CHECK: %[[#]] = abs(s0) < s1
  %6 = arith.cmpi slt, %iabs, %a : i64
  return
}

// What is undefined as an expression, or not what Python computes, stays a
// value of its own.

// CHECK-LABEL: @own_values
func.func @own_values(%f: f64, %g: f64, %n: i64 {tally.value = #tally.expr<s0>}, %h: f32)
    attributes {tally.symbols = #tally.symbols<s0 : [-100, 100]>} {
  %c0 = arith.constant 0.0 : f64
  %ui = arith.uitofp %n : i64 to f64
  // CHECK: %[[#]] = %{{[0-9]+}} < %arg0
  %0 = arith.cmpf olt, %ui, %f : f64
  %div = arith.divf %f, %g : f64
  // CHECK: %[[#]] = %{{[0-9]+}} < %arg0
  %1 = arith.cmpf olt, %div, %f : f64
  %zero = arith.divf %f, %c0 : f64
  // CHECK: %[[#]] = %{{[0-9]+}} < %arg0
  %2 = arith.cmpf olt, %zero, %f : f64
  %si = arith.sitofp %n : i64 to f64
  %root = math.sqrt %si : f64
  // CHECK: %[[#]] = %{{[0-9]+}} < %arg0
  %3 = arith.cmpf olt, %root, %f : f64
  %max = arith.maximumf %f, %g : f64
  // CHECK: %[[#]] = %{{[0-9]+}} < %arg0
  %4 = arith.cmpf olt, %max, %f : f64
  %fast = arith.addf %f, %g fastmath<reassoc> : f64
  // CHECK: %[[#]] = %{{[0-9]+}} < %arg0
  %5 = arith.cmpf olt, %fast, %f : f64
  %exp = math.exp %f : f64
  // CHECK: %[[#]] = %{{[0-9]+}} < %arg0
  %6 = arith.cmpf olt, %exp, %f : f64
  // Comparisons of other floats, and with flags.
  // CHECK-NOT: = {{.*}} < %arg3
  // CHECK-NOT: = %arg0 < %arg1
  %sum = arith.addf %h, %h : f32
  %7 = arith.cmpf olt, %sum, %h : f32
  %8 = arith.cmpf olt, %f, %g fastmath<nnan> : f64
  return
}

// Of NaN, ordered comparisons are false and unordered ones true.

// CHECK-LABEL: @predicates
func.func @predicates(%f: f64, %g: f64) {
  // CHECK: %0 = %arg0 == %arg1
  %0 = arith.cmpf oeq, %f, %g : f64
  // CHECK: %1 = %arg0 != %arg1
  %1 = arith.cmpf une, %f, %g : f64
  // CHECK: %2 = %arg1 <= %arg0
  %2 = arith.cmpf oge, %f, %g : f64
  // CHECK: %3 = not (%arg1 <= %arg0)
  %3 = arith.cmpf ult, %f, %g : f64
  // CHECK: %4 = not (%arg0 < %arg1)
  %4 = arith.cmpf uge, %f, %g : f64
  // CHECK: %5 = %arg0 < %arg1 or %arg1 < %arg0
  %5 = arith.cmpf one, %f, %g : f64
  // CHECK: %6 = not (%arg0 < %arg1) and not (%arg1 < %arg0)
  %6 = arith.cmpf ueq, %f, %g : f64
  // CHECK: %7 = %arg0 == %arg0 and %arg1 == %arg1
  %7 = arith.cmpf ord, %f, %g : f64
  // CHECK: %8 = %arg0 != %arg0 or %arg1 != %arg1
  %8 = arith.cmpf uno, %f, %g : f64
  return
}
