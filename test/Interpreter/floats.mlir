// Every result is the exact one, rounded once.
// RUN: tally-run %s --interpret --entry halves --input f16=2048 --input f16=1 | FileCheck %s --check-prefix=HALVES
// RUN: tally-run %s --interpret --entry fused --input f32=16777217 --input f32=-1 | FileCheck %s --check-prefix=FUSED
// RUN: tally-run %s --interpret --entry special --input f32=-0.0 --input f32=nan | FileCheck %s --check-prefix=SPECIAL
// RUN: tally-run %s --interpret --entry converts --input f64=2.5 | FileCheck %s --check-prefix=CONVERTS
// RUN: not tally-run %s --interpret --entry to_integer --input f32=3e9 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: tally-run %s --interpret --entry functions --input f64=0.5 --rtol 0 --atol 0 --expect 'f64[6]=1.6487212707001282,0.479425538604203,0.5204998778130465,-0.6931471805599453,1.4142135623730951,0.6065306597126334'
// RUN: tally-run %s --interpret --entry tiny --input f32=-100 | FileCheck %s --check-prefix=TINY
// RUN: tally-run %s --interpret --entry powers --input f32=-2 --input i64=-3 | FileCheck %s --check-prefix=POWERS

// 2049 is halfway: to even.
// HALVES: 2048
func.func @halves(%a: f16, %b: f16) -> f16 {
  %s = arith.addf %a, %b : f16
  return %s : f16
}

// FUSED: 1
func.func @fused(%a: f32, %b: f32) -> f32 {
  %c1 = arith.constant 1.00000012 : f32
  %m = arith.constant -1.00000012 : f32
  %r = math.fma %c1, %b, %c1 : f32
  %one = arith.constant 1.0 : f32
  %s = arith.addf %r, %one : f32
  return %s : f32
}

// SPECIAL: [ -0.   0.  nan -inf  nan  -0.]
func.func @special(%zero: f32, %nan: f32) -> tensor<6xf32> {
  %c0 = arith.constant 0.0 : f32
  %0 = arith.minimumf %zero, %c0 : f32
  %1 = arith.maximumf %zero, %c0 : f32
  %2 = arith.maximumf %nan, %c0 : f32
  %3 = math.rsqrt %zero : f32
  %4 = arith.remf %c0, %c0 : f32
  %5 = arith.maxnumf %nan, %zero : f32
  %t = tensor.from_elements %0, %1, %2, %3, %4, %5 : tensor<6xf32>
  return %t : tensor<6xf32>
}

// CONVERTS: [2.  3.  2.5 2.  3. ]
func.func @converts(%a: f64) -> tensor<5xf64> {
  %0 = math.roundeven %a : f64
  %1 = math.round %a : f64
  %b = arith.truncf %a : f64 to bf16
  %2 = arith.extf %b : bf16 to f64
  %i = arith.fptosi %a : f64 to i8
  %3 = arith.sitofp %i : i8 to f64
  %4 = math.ceil %a : f64
  %t = tensor.from_elements %0, %1, %2, %3, %4 : tensor<5xf64>
  return %t : tensor<5xf64>
}

// INTEGER: result 0 is poison; {{.*}}arith.fptosi: the integer does not fit its type
func.func @to_integer(%a: f32) -> i32 {
  %i = arith.fptosi %a : f32 to i32
  return %i : i32
}

func.func @functions(%a: f64) -> tensor<6xf64> {
  %0 = math.exp %a : f64
  %1 = math.sin %a : f64
  %2 = math.erf %a : f64
  %3 = math.log %a : f64
  %4 = math.rsqrt %a : f64
  %minus = arith.negf %a : f64
  %5 = math.exp %minus : f64
  %t = tensor.from_elements %0, %1, %2, %3, %4, %5 : tensor<6xf64>
  return %t : tensor<6xf64>
}

// A result that is subnormal is rounded once.
// TINY: 3.8e-44
func.func @tiny(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  return %0 : f32
}

// POWERS: [-0.125 -8.   ]
func.func @powers(%a: f32, %n: i64) -> tensor<2xf32> {
  %0 = math.fpowi %a, %n : f32, i64
  %three = arith.constant 3.0 : f32
  %1 = math.powf %a, %three : f32
  %t = tensor.from_elements %0, %1 : tensor<2xf32>
  return %t : tensor<2xf32>
}
