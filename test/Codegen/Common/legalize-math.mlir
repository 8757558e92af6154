// RUN: tally-opt %s --tally-legalize-math | FileCheck %s

// CHECK-LABEL: func.func @clamp(%arg0: f32, %arg1: f32, %arg2: f32)
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %arg0, %arg1
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %arg0, %arg2
// CHECK: %[[HIGH:.*]] = arith.select %[[ABOVE]], %arg2, %arg0
// CHECK: arith.select %[[BELOW]], %arg1, %[[HIGH]]
func.func @clamp(%x: f32, %low: f32, %high: f32) -> f32 {
  %r = math.clampf %x to [%low, %high] : f32
  return %r : f32
}

// CHECK-LABEL: func.func @tests(
// CHECK: %[[ABS:.*]] = math.absf %arg0 : bf16
// CHECK: %[[INF:.*]] = arith.constant 0x7F80 : bf16
// CHECK: arith.cmpf oeq, %[[ABS]], %[[INF]]
// CHECK: %[[ABS:.*]] = math.absf %arg0 : bf16
// CHECK: %[[SMALLEST:.*]] = arith.constant 1.1{{.*}}e-38 : bf16
// CHECK: arith.cmpf oge, %[[ABS]], %[[SMALLEST]]
// CHECK: arith.cmpf olt, %[[ABS]]
func.func @tests(%x: bf16) -> (i1, i1) {
  %0 = math.isinf %x : bf16
  %1 = math.isnormal %x : bf16
  return %0, %1 : i1, i1
}

// Seven bits of the exponent count, and a sign.
// CHECK-LABEL: func.func @power(
// CHECK-COUNT-12: arith.muli
// CHECK-NOT: arith.muli
// CHECK: arith.cmpi slt, %arg1
func.func @power(%x: i8, %n: i8) -> i8 {
  %r = math.ipowi %x, %n : i8
  return %r : i8
}

// CHECK-LABEL: func.func @sum_of_products(
// CHECK: arith.mulf {{.*}} : f64
// CHECK: arith.truncf {{.*}} : f64 to bf16
// CHECK: math.fma {{.*}} : f16
// CHECK: math.fma {{.*}} : f32
func.func @sum_of_products(%x: bf16, %h: f16, %y: f32) -> (bf16, f16, f32) {
  %0 = math.fma %x, %x, %x : bf16
  %1 = math.fma %h, %h, %h : f16
  %2 = math.fma %y, %y, %y : f32
  return %0, %1, %2 : bf16, f16, f32
}
