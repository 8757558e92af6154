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

// More than 64 bits are rounded here: upstream's expansion adds a -1 that has
// 64 bits.
// CHECK-LABEL: func.func @wide
// CHECK-SAME: %[[A:.*]]: i128, %[[B:.*]]: i128
// CHECK: arith.constant -1 : i128
// CHECK: arith.divsi %{{.*}} : i128
// CHECK: arith.extsi %{{.*}} : i1 to i128
// CHECK: %[[F:.*]] = arith.addi
// CHECK: arith.divsi %{{.*}} : i128
// CHECK: arith.extui %{{.*}} : i1 to i128
// CHECK: %[[C:.*]] = arith.addi
// CHECK: return %[[F]], %[[C]]
func.func @wide(%a: i128, %b: i128) -> (i128, i128) {
  %f = arith.floordivsi %a, %b : i128
  %c = arith.ceildivsi %a, %b : i128
  return %f, %c : i128, i128
}
