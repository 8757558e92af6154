// RUN: tally-opt %s --tally-schedule-depthwise --split-input-file | FileCheck %s

// A thread has up to eight results below each other, and two columns of them where elements have two bytes: of the ten
// rows and four columns that it reads, each is read once. What is outside of the image is zero. Places are numbers of 32
// bits. Where there are few results, a thread has four; where planes are very large, places have 64 bits.
// CHECK: gpu.func @padded_depthwise(%{{[^:]*}}: memref<1xf16> {llvm.noalias, llvm.readonly}, %{{[^:]*}}: memref<1xf16> {llvm.noalias, llvm.readonly}, %{{[^:]*}}: memref<1xf16> {llvm.noalias},
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK: scf.if
// CHECK: %[[SUMS:.*]]:16 = scf.if %{{.*}} -> (f32, f32, f32,
// CHECK-COUNT-9: arith.extf
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}} : i32
// CHECK: arith.minsi %{{.*}} : i32
// CHECK: arith.maxsi %{{.*}} : i32
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK-NEXT: %[[E:.*]] = arith.select %{{.*}}, %[[WIDE]]
// CHECK-NEXT: math.fma %{{.*}}, %[[E]], %{{.*}} : f32
// CHECK-NOT: math.fma
// CHECK: %[[NEXT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: math.fma %{{.*}}, %[[NEXT]], %{{.*}} : f32
// CHECK-NEXT: math.fma %{{.*}}, %[[NEXT]], %{{.*}} : f32
// CHECK: scf.yield
// CHECK: arith.truncf %[[SUMS]]#0 : f32 to f16
// CHECK: gpu.func @padded_depthwise_few(
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32) {
// CHECK: gpu.func @padded_depthwise_wide(
// CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32) {
// CHECK: arith.minsi %{{.*}} : index
// CHECK: func.func @padded
// CHECK-NOT: tally.contract
// CHECK: arith.cmpi ult, %{{.*}}, %c1073741824
// CHECK: scf.if
// CHECK: %[[MANY:.*]] = arith.cmpi uge, %{{.*}}, %c65536
// CHECK: scf.if %[[MANY]]
// CHECK: gpu.launch_func @kernels::@padded_depthwise{{ }}
// CHECK: else
// CHECK: gpu.launch_func @kernels::@padded_depthwise_few{{ }}
// CHECK: else
// CHECK: gpu.launch_func @kernels::@padded_depthwise_wide{{ }}
func.func @padded(%w: memref<64x1x1x3x3xf16>, %x: memref<?x64x1x?x?xf16>, %y: memref<?x64x1x?x?xf16>) {
  tally.contract ins(%w, %x : memref<64x1x1x3x3xf16>, memref<?x64x1x?x?xf16>) outs(%y : memref<?x64x1x?x?xf16>)
      maps [affine_map<(n, g, o, y, x, c, i, j) -> (g, o, c, i, j)>,
            affine_map<(n, g, o, y, x, c, i, j) -> (n, g, c, y + i - 1, x + j - 1)>,
            affine_map<(n, g, o, y, x, c, i, j) -> (n, g, o, y, x)>]
  return
}

// -----

// In one dimension a thread has one result, which is never outside of what
// there is.
// CHECK: gpu.func @line_depthwise(
// CHECK-NOT: arith.select
// CHECK-COUNT-5: math.fma {{.*}} : f64
// CHECK-NOT: math.fma
// CHECK: gpu.func @line_depthwise_wide(
// CHECK-COUNT-5: math.fma {{.*}} : f64
// CHECK-NOT: math.fma
// CHECK: func.func @line
func.func @line(%w: memref<?x2x1x5xf64>, %x: memref<?x?x1x?xf64>, %y: memref<?x?x2x?xf64>) {
  tally.contract ins(%w, %x : memref<?x2x1x5xf64>, memref<?x?x1x?xf64>) outs(%y : memref<?x?x2x?xf64>)
      maps [affine_map<(n, g, o, x, c, i) -> (g, o, c, i)>,
            affine_map<(n, g, o, x, c, i) -> (n, g, c, x * 2 + i)>,
            affine_map<(n, g, o, x, c, i) -> (n, g, o, x)>]
  return
}

// -----

// Several channels are a matrix, and large windows are a library's as well.
// CHECK-NOT: gpu.func
// CHECK-COUNT-3: tally.contract
#w = affine_map<(n, g, o, x, c, i) -> (g, o, c, i)>
#x = affine_map<(n, g, o, x, c, i) -> (n, g, c, x + i)>
#y = affine_map<(n, g, o, x, c, i) -> (n, g, o, x)>
func.func @others(%a: memref<4x1x2x3xf32>, %b: memref<4x1x1x65xf32>, %d: memref<4x1x1x?xf32>, %x: memref<?x4x2x?xf32>, %z: memref<?x4x1x?xf32>, %y: memref<?x4x1x?xf32>) {
  tally.contract ins(%a, %x : memref<4x1x2x3xf32>, memref<?x4x2x?xf32>) outs(%y : memref<?x4x1x?xf32>) maps [#w, #x, #y]
  tally.contract ins(%b, %z : memref<4x1x1x65xf32>, memref<?x4x1x?xf32>) outs(%y : memref<?x4x1x?xf32>) maps [#w, #x, #y]
  tally.contract ins(%d, %z : memref<4x1x1x?xf32>, memref<?x4x1x?xf32>) outs(%y : memref<?x4x1x?xf32>) maps [#w, #x, #y]
  return
}
