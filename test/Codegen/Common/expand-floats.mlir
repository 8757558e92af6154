// RUN: tally-opt %s --tally-expand-floats | FileCheck %s
// Two roundings of a double are one: 1 + 2^-9 + 2^-40 lies above the middle of
// two bf16, and just above the middle once it is an f32.
// RUN: tally-run %s --entry double --input f64[4]=1.00390625000091,-1.00390625000091,1e300,1e-300 | FileCheck %s --check-prefix=DOUBLE
// RUN: tally-run %s --entry integer --input i32[3]=257,-16777217,70000 | FileCheck %s --check-prefix=INTEGER
// RUN: tally-run %s --entry zeros --input f32[3]=0,-0,-0 --input f32[3]=-0,0,-0 | FileCheck %s --check-prefix=ZEROS

// CHECK-LABEL: func.func @signed
// CHECK: %[[F:.*]] = arith.sitofp %{{.*}} : i32 to f32
// CHECK: arith.truncf %[[F]] : f32 to bf16
func.func @signed(%n: i32) -> bf16 {
  %h = arith.sitofp %n : i32 to bf16
  return %h : bf16
}

// CHECK-LABEL: func.func @unsigned
// CHECK: %[[F:.*]] = arith.uitofp %{{.*}} : i64 to f32
// CHECK: arith.truncf %[[F]] : f32 to f16
func.func @unsigned(%n: i64) -> f16 {
  %h = arith.uitofp %n : i64 to f16
  return %h : f16
}

// CHECK-LABEL: func.func @wide
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: %[[F:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.truncf %[[F]] : f32 to bf16
func.func @wide(%x: f64) -> bf16 {
  %h = arith.truncf %x : f64 to bf16
  return %h : bf16
}

// Vectors are as their elements.
// CHECK-LABEL: func.func private @vectors
// CHECK: %[[F:.*]] = arith.sitofp %{{.*}} : vector<4xi64> to vector<4xf32>
// CHECK: arith.truncf %[[F]] : vector<4xf32> to vector<4xbf16>
// CHECK: arith.truncf %{{.*}} : vector<4xf64> to vector<4xf32>
// CHECK: arith.constant dense<-1> : vector<4xi32>
// CHECK: %[[ODD:.*]] = arith.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
// CHECK: arith.truncf %[[ODD]] : vector<4xf32> to vector<4xf16>
// CHECK: %[[W:.*]] = arith.extf %{{.*}} : vector<4xbf16> to vector<4xf32>
// CHECK: arith.extf %[[W]] : vector<4xf32> to vector<4xf64>
func.func private @vectors(%n: vector<4xi64>, %x: vector<4xf64>)
    -> (vector<4xf64>, vector<4xf16>) {
  %h = arith.sitofp %n : vector<4xi64> to vector<4xbf16>
  %g = arith.truncf %x : vector<4xf64> to vector<4xf16>
  %d = arith.extf %h : vector<4xbf16> to vector<4xf64>
  return %d, %g : vector<4xf64>, vector<4xf16>
}

// Others stay.
// CHECK-LABEL: func.func @others
// CHECK: arith.sitofp %{{.*}} : i32 to f64
// CHECK-NEXT: arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
func.func @others(%n: i32) -> f16 {
  %d = arith.sitofp %n : i32 to f64
  %f = arith.truncf %d : f64 to f32
  %h = arith.truncf %f : f32 to f16
  return %h : f16
}

// -0 is below +0.
// CHECK-LABEL: func.func @extrema
// CHECK: llvm.intr.maximum(%arg0, %arg1) : (f32, f32) -> f32
// CHECK: llvm.intr.minimum(%arg2, %arg3) : (f64, f64) -> f64
// CHECK: arith.maxnumf
func.func @extrema(%a: f32, %b: f32, %c: f64, %d: f64) -> (f32, f64, f32) {
  %0 = arith.maximumf %a, %b : f32
  %1 = arith.minimumf %c, %d : f64
  %2 = arith.maxnumf %a, %b : f32
  return %0, %1, %2 : f32, f64, f32
}

// ZEROS: f32[3] =
// ZEROS-NEXT: [ inf  inf -inf]
// ZEROS: f32[3] =
// ZEROS-NEXT: [-inf -inf -inf]
// ZEROS: f16[3] =
// ZEROS-NEXT: [ 0.  0. -0.]
func.func @zeros(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf16>) {
  %max = arith.maximumf %x, %y : tensor<?xf32>
  %min = arith.minimumf %x, %y : tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %ones = tensor.splat %one[%n] : tensor<?xf32>
  %to_max = arith.divf %ones, %max : tensor<?xf32>
  %to_min = arith.divf %ones, %min : tensor<?xf32>
  %a = arith.truncf %x : tensor<?xf32> to tensor<?xf16>
  %b = arith.truncf %y : tensor<?xf32> to tensor<?xf16>
  %half = arith.maximumf %a, %b : tensor<?xf16>
  return %to_max, %to_min, %half : tensor<?xf32>, tensor<?xf32>, tensor<?xf16>
}

// DOUBLE: bf16[4] =
// DOUBLE-NEXT: [ 1.01 -1.01   inf  0.  ]
// DOUBLE: f16[4] =
// DOUBLE-NEXT: [ 1.004 -1.004    inf  0.   ]
func.func @double(%x: tensor<?xf64>) -> (tensor<?xbf16>, tensor<?xf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %b = tensor.empty(%n) : tensor<?xbf16>
  %h = tensor.empty(%n) : tensor<?xf16>
  %rb = linalg.map { arith.truncf } ins(%x : tensor<?xf64>) outs(%b : tensor<?xbf16>)
  %rh = linalg.map { arith.truncf } ins(%x : tensor<?xf64>) outs(%h : tensor<?xf16>)
  return %rb, %rh : tensor<?xbf16>, tensor<?xf16>
}

// INTEGER: bf16[3] =
// INTEGER-NEXT: [ 2.56e+02 -1.68e+07  7.01e+04]
// INTEGER: f16[3] =
// INTEGER-NEXT: [257. -inf  inf]
func.func @integer(%x: tensor<?xi32>) -> (tensor<?xbf16>, tensor<?xf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %b = tensor.empty(%n) : tensor<?xbf16>
  %h = tensor.empty(%n) : tensor<?xf16>
  %rb = linalg.map { arith.sitofp } ins(%x : tensor<?xi32>) outs(%b : tensor<?xbf16>)
  %rh = linalg.map { arith.sitofp } ins(%x : tensor<?xi32>) outs(%h : tensor<?xf16>)
  return %rb, %rh : tensor<?xbf16>, tensor<?xf16>
}
