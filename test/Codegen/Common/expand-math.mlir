// RUN: tally-opt %s --tally-expand-math | FileCheck %s

// The argument is reduced by a multiple of ln(2), in two parts that are exact, and the result scaled by an intrinsic. What
// would underflow is 0 without that.
// CHECK-LABEL: func.func @exp(
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK-NOT:     math.exp
// CHECK:         arith.mulf {{.*}} fastmath<contract>
// CHECK:         arith.bitcast {{.*}} : f32 to i32
// CHECK-NOT:     call
// CHECK:         %[[POWER:.*]] = llvm.intr.ldexp(%{{.*}}, %{{.*}}) : (f32, i32) -> f32
// CHECK:         %[[LEAST:.*]] = arith.constant -1.040000e+02 : f32
// CHECK:         %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %[[LEAST]] : f32
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[Y:.*]] = arith.select %[[BELOW]], %[[ZERO]], %[[POWER]] : f32
// CHECK:         return %[[Y]]
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

// A vector is scaled by two products: the intrinsic has one exponent for all elements.
// CHECK-LABEL: func.func @exponentials(
// CHECK-NOT:     llvm.intr.ldexp
// CHECK:         arith.shrsi {{.*}} : vector<16xi32>
// CHECK:         arith.shli
// CHECK:         arith.shli
func.func @exponentials(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Logarithms of f64 divide once.
// CHECK-LABEL: func.func @doubles(
// CHECK:         arith.bitcast {{.*}} : f64 to i64
// CHECK:         arith.divf
// CHECK-NOT:     call
// CHECK-NOT:     math.log
func.func @doubles(%x: f64) -> (f64, f64) {
  %a = math.log %x : f64
  %b = math.log1p %x : f64
  return %a, %b : f64, f64
}

// A large angle is an exact number of turns in f64, of which whole ones do not count. Others stay in f32.
// CHECK-LABEL: func.func @angle(
// CHECK-SAME:    %[[X:.*]]: vector<4xf32>
// CHECK:         %[[WIDE:.*]] = arith.extf {{.*}} : vector<4xf32> to vector<4xf64>
// CHECK:         %[[TURNS:.*]] = arith.mulf %[[WIDE]], {{.*}} fastmath<contract> : vector<4xf64>
// CHECK:         %[[WHOLE:.*]] = math.roundeven %[[TURNS]]
// CHECK:         arith.subf %[[TURNS]], %[[WHOLE]]
// CHECK:         %[[FAR:.*]] = arith.truncf
// CHECK:         %[[SIZE:.*]] = math.absf %[[X]]
// CHECK:         %[[BOUND:.*]] = arith.constant dense<1.280000e+04>
// CHECK:         %[[NEAR:.*]] = arith.cmpf olt, %[[SIZE]], %[[BOUND]] : vector<4xf32>
// CHECK-NOT:     math.
// CHECK-NOT:     f64
// CHECK:         %[[Y:.*]] = arith.select %[[NEAR]], %{{.*}}, %[[FAR]]
// CHECK:         return %[[Y]]
func.func @angle(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.sin %x : vector<4xf32>
  return %y : vector<4xf32>
}

// A quotient in f64, but near 0, where it is one in f32.
// CHECK-LABEL: func.func @tangent(
// CHECK:         %[[T:.*]] = arith.divf %{{.*}}, %{{.*}} : vector<4xf64>
// CHECK:         %[[FAR:.*]] = arith.truncf %[[T]] : vector<4xf64> to vector<4xf32>
// CHECK:         %[[NEAR:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK:         arith.divf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK:         arith.select %[[NEAR]], %{{.*}}, %[[FAR]] : vector<4xi1>, vector<4xf32>
// CHECK-NOT:     math.tan
func.func @tangent(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.tan %x : vector<4xf32>
  return %y : vector<4xf32>
}

// CHECK-LABEL: func.func @power(
// CHECK:         arith.extf
// CHECK:         arith.truncf
// CHECK-NOT:     math.powf
func.func @power(%x: f32, %y: f32) -> f32 {
  %z = math.powf %x, %y : f32
  return %z : f32
}

// What is widened from f16 is small, and stays in f32.
// CHECK-LABEL: func.func @half_angle(
// CHECK-NOT:     f64
// CHECK-NOT:     math.
// CHECK-NOT:     arith.cmpf
// CHECK:         return
func.func @half_angle(%x: f16) -> f32 {
  %w = arith.extf %x : f16 to f32
  %y = math.sin %w : f32
  return %y : f32
}

// Large angles of f64 are left to the C library, which takes 0 for the others.
// CHECK-LABEL: func.func @double_angle(
// CHECK-SAME:    %[[X:.*]]: vector<4xf64>
// CHECK:         %[[SIZE:.*]] = math.absf %[[X]]
// CHECK:         %[[SMALL:.*]] = arith.cmpf olt, %[[SIZE]], %{{.*}} : vector<4xf64>
// CHECK:         %[[REST:.*]] = arith.select %[[SMALL]], %{{.*}}, %[[X]]
// CHECK:         %[[LARGE:.*]] = math.cos %[[REST]] : vector<4xf64>
// CHECK-NOT:     math.cos
// CHECK:         %[[Y:.*]] = arith.select %[[SMALL]], %{{.*}}, %[[LARGE]]
// CHECK:         return %[[Y]]
func.func @double_angle(%x: vector<4xf64>) -> vector<4xf64> {
  %y = math.cos %x : vector<4xf64>
  return %y : vector<4xf64>
}

// Angles start from none, a right one or the opposite one.
// CHECK-LABEL: func.func @direction(
// CHECK:         %[[T:.*]] = arith.divf %{{.*}}, %{{.*}} : vector<4xf64>
// CHECK:         arith.select %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf64>
// CHECK:         math.copysign
// CHECK-NOT:     math.atan2
func.func @direction(%y: vector<4xf64>, %x: vector<4xf64>) -> vector<4xf64> {
  %z = math.atan2 %y, %x : vector<4xf64>
  return %z : vector<4xf64>
}

// Factors are cut to 26 bits, so that products are exact.
// CHECK-LABEL: func.func @double_power(
// CHECK:         %[[MASK:.*]] = arith.constant -134217728 : i64
// CHECK:         %[[CUT:.*]] = arith.andi %{{.*}}, %[[MASK]] : i64
// CHECK:         arith.bitcast %[[CUT]] : i64 to f64
// CHECK-NOT:     math.powf
// CHECK-NOT:     call
func.func @double_power(%x: f64, %y: f64) -> f64 {
  %z = math.powf %x, %y : f64
  return %z : f64
}

// Hyperbolic functions do not divide, and their inverses take no function of the C library.
// CHECK-LABEL: func.func @hyperbolics(
// CHECK-NOT:     arith.divf
// CHECK-NOT:     math.{{[a-z]*}}{{sin|cos|tan}}h
// CHECK:         return
func.func @hyperbolics(%x: f64) -> (f64, f64) {
  %a = math.sinh %x : f64
  %b = math.cosh %x : f64
  return %a, %b : f64, f64
}

// CHECK-LABEL: func.func @inverses(
// CHECK-NOT:     math.{{a?(sin|cos|tan|erf|log|exp)}}
// CHECK:         return
func.func @inverses(%x: f64) -> (f64, f64, f64, f64, f64, f64, f64) {
  %a = math.asin %x : f64
  %b = math.acos %x : f64
  %c = math.atan %x : f64
  %d = math.asinh %x : f64
  %e = math.acosh %x : f64
  %f = math.atanh %x : f64
  %g = math.erfc %x : f64
  return %a, %b, %c, %d, %e, %f, %g : f64, f64, f64, f64, f64, f64, f64
}

// Large angles of f64 are left to the C library, as those of cosines.
// CHECK-LABEL: func.func @double_tangent(
// CHECK:         %[[LARGE:.*]] = math.tan %{{.*}} : f64
// CHECK:         arith.divf
// CHECK:         %[[Y:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LARGE]] : f64
// CHECK:         return %[[Y]]
func.func @double_tangent(%x: f64) -> f64 {
  %y = math.tan %x : f64
  return %y : f64
}

// CHECK-LABEL: func.func @others(
// CHECK:         math.cbrt %{{.*}} : f64
// CHECK:         math.exp %{{.*}} : f16
func.func @others(%x: f64, %y: f16) -> (f64, f16) {
  %b = math.cbrt %x : f64
  %c = math.exp %y : f16
  return %b, %c : f64, f16
}
