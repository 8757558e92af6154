// RUN: tally-opt %s --tally-expand-math | FileCheck %s

// The argument is reduced by a multiple of ln(2), in two parts that are exact.
// CHECK-LABEL: func.func @exp(
// CHECK-NOT:     math.exp
// CHECK:         arith.mulf {{.*}} fastmath<contract>
// CHECK:         arith.bitcast {{.*}} : f32 to i32
// CHECK:         arith.shli
// CHECK-NOT:     call
func.func @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @vectors(
// CHECK:         arith.constant dense<{{.*}}> : vector<8xf32>
// CHECK-NOT:     math.log
func.func @vectors(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log %x : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @others(
// CHECK:         math.exp %{{.*}} : f64
// CHECK:         math.sin %{{.*}} : f32
// CHECK:         call @expm1
// CHECK:         call @log1p
func.func @others(%x: f64, %y: f32) -> (f64, f32, f64, f64) {
  %a = math.exp %x : f64
  %b = math.sin %y : f32
  %c = math.expm1 %x : f64
  %d = math.log1p %x : f64
  return %a, %b, %c, %d : f64, f32, f64, f64
}
