// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-harden-arith))' | FileCheck %s

// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: %[[A:.*]]: i64, %[[B:.*]]: i64
// CHECK: %[[OK:.*]] = arith.cmpi ne, %[[B]], %{{.*}} : i64
// CHECK: tally.assert %[[OK]] message("integer division by zero")
// CHECK: %[[Q:.*]] = arith.divui %[[A]], %[[B]] : i64
// CHECK: return %[[Q]]
func.func @unsigned(%a: i64, %b: i64) -> i64 {
  %q = arith.divui %a, %b : i64
  return %q : i64
}

// CHECK-LABEL: func.func @signed
// CHECK-SAME: %[[A:.*]]: i8, %[[B:.*]]: i8
// CHECK: tally.assert
// CHECK: %[[M:.*]] = arith.cmpi eq, %[[B]], %{{.*}} : i8
// CHECK: %[[D:.*]] = arith.select %[[M]], %{{.*}}, %[[B]] : i8
// CHECK: %[[Q:.*]] = arith.floordivsi %[[A]], %[[D]] : i8
// CHECK: %[[N:.*]] = arith.subi %{{.*}}, %[[A]] : i8
// CHECK: %[[R:.*]] = arith.select %[[M]], %[[N]], %[[Q]] : i8
// CHECK: return %[[R]]
func.func @signed(%a: i8, %b: i8) -> i8 {
  %q = arith.floordivsi %a, %b : i8
  return %q : i8
}

// CHECK-LABEL: func.func @harmless
// CHECK-NOT: tally.assert
// CHECK: return
func.func @harmless(%a: i64, %x: f32) -> (i64, f32) {
  %c3 = arith.constant 3 : i64
  %q = arith.divsi %a, %c3 : i64
  %f = arith.divf %x, %x : f32
  return %q, %f : i64, f32
}

// CHECK-LABEL: func.func @rounding
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.extf %{{.*}} fastmath<nnan> : bf16 to f32
func.func @rounding(%x: f32) -> f32 {
  %h = arith.truncf %x fastmath<contract> : f32 to bf16
  %r = arith.extf %h fastmath<nnan,contract> : bf16 to f32
  return %r : f32
}
