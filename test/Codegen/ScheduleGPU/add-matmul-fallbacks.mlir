// RUN: tally-opt %s --tally-add-matmul-fallbacks --split-input-file | FileCheck %s
// No assert is made in it: the runtime passes no room for errors.
// RUN: tally-opt %s --tally-add-matmul-fallbacks --tally-harden-arith --split-input-file | FileCheck %s --check-prefix=HARD
// HARD-NOT: tally.assert

// Products of one kind share a kernel. A size of 0 has no element, so no thread
// divides by it.
// CHECK-LABEL: gpu.module @kernels
// CHECK: gpu.func @matmul_f32_nt(%[[A:.*]]: memref<1xf32>, %[[B:.*]]: memref<1xf32>, %[[C:.*]]: memref<1xf32>, %[[BATCH:.*]]: index, %[[M:.*]]: index, %[[N:.*]]: index, %[[K:.*]]: index, %[[LDA:.*]]: index, %[[LDB:.*]]: index, %[[LDC:.*]]: index, %[[SA:.*]]: index, %[[SB:.*]]: index, %[[SC:.*]]: index) kernel
// CHECK: %[[AS:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[BATCH]], %[[M]], %[[K]]], strides: [%[[SA]], %[[LDA]], 1]
// CHECK: %[[BS:.*]] = memref.reinterpret_cast %[[B]] to offset: [0], sizes: [%[[BATCH]], %[[N]], %[[K]]], strides: [%[[SB]], %[[LDB]], 1]
// CHECK: %[[CS:.*]] = memref.reinterpret_cast %[[C]] to offset: [0], sizes: [%[[BATCH]], %[[M]], %[[N]]], strides: [%[[SC]], %[[LDC]], 1]
// CHECK: gpu.grid_dim
// CHECK: arith.maxsi
// CHECK: scf.for
// CHECK:   %[[BI:.*]] = arith.divui
// CHECK:   %[[INSIDE:.*]] = arith.remui
// CHECK:   %[[ROW:.*]] = arith.divui %[[INSIDE]]
// CHECK:   %[[COLUMN:.*]] = arith.remui %[[INSIDE]]
// Sums of 64 products each are summed up.
// CHECK:   %[[SUM:.*]] = scf.for %[[FIRST:.*]] = %{{.*}} to %[[K]] step %{{.*}} iter_args(%[[SO_FAR:.*]] = %{{.*}}) -> (f32)
// CHECK:     %[[END:.*]] = arith.addi %[[FIRST]], %{{c64.*}} : index
// CHECK:     %[[LAST:.*]] = arith.minsi %[[END]], %[[K]] : index
// CHECK:     %[[PART:.*]] = scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK:       memref.load %[[AS]][%[[BI]], %[[ROW]], %[[I]]]
// CHECK:       memref.load %[[BS]][%[[BI]], %[[COLUMN]], %[[I]]]
// CHECK:     arith.addf %[[SO_FAR]], %[[PART]] : f32
// CHECK:   memref.store %[[SUM]], %[[CS]][%[[BI]], %[[ROW]], %[[COLUMN]]]
// CHECK-NOT: gpu.func
// CHECK: func.func @single
// CHECK-COUNT-2: tally.matmul {{.*}} {fallback = @kernels::@matmul_f32_nt, transpose_b}
func.func @single(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  tally.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) {transpose_b}
  tally.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) {transpose_b}
  return
}

// -----

// Halves are summed in single precision.
// CHECK: gpu.func @matmul_bf16_tn
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @half(%a: memref<3x4x5xbf16>, %b: memref<3x4x6xbf16>, %c: memref<3x5x6xbf16>) {
  tally.matmul ins(%a, %b : memref<3x4x5xbf16>, memref<3x4x6xbf16>) outs(%c : memref<3x5x6xbf16>) {transpose_a}
  return
}

// -----

// Sums of halves are given as they are.
// CHECK: gpu.func @matmul_f16_f32_nn(%{{.*}}: memref<1xf16>, %{{.*}}: memref<1xf16>, %[[C:[^:]*]]: memref<1xf32>
// CHECK-NOT: arith.truncf
// CHECK: memref.store %{{.*}} : memref<?x?x?xf32
// CHECK-NOT: arith.truncf
// CHECK: func.func @sums
func.func @sums(%a: memref<4x4xf16>, %c: memref<4x4xf32>) {
  tally.matmul ins(%a, %a : memref<4x4xf16>, memref<4x4xf16>) outs(%c : memref<4x4xf32>)
  return
}

// -----

// CHECK: gpu.func @matmul_f64_nn
// CHECK: arith.addf %{{.*}}, %{{.*}} : f64
func.func @double(%a: memref<4x4xf64>) {
  tally.matmul ins(%a, %a : memref<4x4xf64>, memref<4x4xf64>) outs(%a : memref<4x4xf64>)
  return
}

// -----

// A convolution has its windows copied: a block for each line of the copy, whose
// row and whose place in the window are the same for all threads.
// CHECK: gpu.func @windows_f16(%[[X:[^:]*]]: memref<1xf16>, %[[T:[^:]*]]: memref<1xf16>, %[[ROWS:[^:]*]]: index, %[[I0:[^:]*]]: index, %[[I1:[^:]*]]: index, %[[I2:[^:]*]]: index, %[[K0:[^:]*]]: index, %[[K1:[^:]*]]: index, %[[K2:[^:]*]]: index, %[[O1:[^:]*]]: index, %[[O2:[^:]*]]: index, %[[S0:[^:]*]]: index, %[[S1:[^:]*]]: index, %[[S2:[^:]*]]: index, %[[D0:[^:]*]]: index, %[[D1:[^:]*]]: index, %[[D2:[^:]*]]: index, %[[P0:[^:]*]]: index, %[[P1:[^:]*]]: index, %[[P2:[^:]*]]: index, %[[FIRST:[^:]*]]: index, %[[COUNT:[^:]*]]: index) kernel
// CHECK: %[[K01:.*]] = arith.muli %[[K0]], %[[K1]]
// CHECK: %[[TAPS:.*]] = arith.muli %[[K01]], %[[K2]]
// CHECK: %[[IMAGE:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[ROWS]], %[[I0]], %[[I1]], %[[I2]]]
// CHECK: %[[TARGET:.*]] = memref.reinterpret_cast %[[T]] to offset: [0], sizes: [%[[ROWS]], %[[TAPS]], %[[COUNT]]]
// CHECK: scf.for %[[LINE:.*]] = %block_id_x to %{{.*}} step %grid_dim_x
// CHECK:   %[[ROW:.*]] = arith.divui %[[LINE]]
// CHECK:   %[[TAP:.*]] = arith.remui %[[LINE]]
// CHECK:   scf.for %[[P:.*]] = %thread_id_x to %[[COUNT]] step %block_dim_x
// CHECK:     arith.addi %[[FIRST]], %[[P]]
// CHECK:     %[[AT:.*]] = arith.subi %{{.*}}, %[[P0]]
// CHECK:     arith.cmpi ult, %[[AT]], %[[I0]]
// CHECK:     %[[E:.*]] = scf.if
// CHECK:       %[[READ:.*]] = memref.load %[[IMAGE]][%[[ROW]], %[[AT]], %{{.*}}, %{{.*}}]
// CHECK:       scf.yield %[[READ]]
// CHECK:     memref.store %[[E]], %[[TARGET]][%[[ROW]], %[[TAP]], %[[P]]]
// CHECK: gpu.func @matmul_f16_nn
// CHECK: func.func @convolution
// CHECK-COUNT-2: tally.contract {{.*}} {tally.fallbacks = [@kernels::@windows_f16, @kernels::@matmul_f16_nn]}
#w = affine_map<(n, o, x, c, i) -> (o, c, i)>
#x = affine_map<(n, o, x, c, i) -> (n, c, x * 2 + i)>
#r = affine_map<(n, o, x, c, i) -> (n, o, x)>
func.func @convolution(%w: memref<?x?x3xf16>, %x: memref<?x?x?xf16>, %r: memref<?x?x?xf16>) {
  tally.contract ins(%w, %x : memref<?x?x3xf16>, memref<?x?x?xf16>) outs(%r : memref<?x?x?xf16>) maps [#w, #x, #r]
  tally.contract ins(%w, %x : memref<?x?x3xf16>, memref<?x?x?xf16>) outs(%r : memref<?x?x?xf16>) maps [#w, #x, #r]
  return
}

// -----

// The gradient of a weight has a thread for each element, which sums up lines.
// CHECK: gpu.func @weight_gradient_bf16(%[[X:[^:]*]]: memref<1xbf16>, %[[Y:[^:]*]]: memref<1xbf16>, %[[W:[^:]*]]: memref<1xbf16>, %[[N:[^:]*]]: index, %[[G:[^:]*]]: index, %[[C:[^:]*]]: index, %[[O:[^:]*]]: index,
// CHECK: scf.for %[[E:.*]] = %{{.*}} to %{{.*}} step
// CHECK:   %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[N]]
// CHECK-COUNT-3: scf.for
// CHECK:     arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:   %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK:   memref.store %[[ROUNDED]], %{{.*}}[%[[E]]]
// CHECK: func.func @gradient
// CHECK: tally.contract {{.*}} {tally.fallbacks = [@kernels::@weight_gradient_bf16]}
func.func @gradient(%y: memref<?x6x?xbf16>, %x: memref<?x4x?xbf16>, %w: memref<6x4x3xbf16>) {
  tally.contract ins(%y, %x : memref<?x6x?xbf16>, memref<?x4x?xbf16>) outs(%w : memref<6x4x3xbf16>)
      maps [affine_map<(o, c, k, n, x) -> (n, o, x)>,
            affine_map<(o, c, k, n, x) -> (n, c, x + k)>,
            affine_map<(o, c, k, n, x) -> (o, c, k)>]
  return
}

// -----

// The gradient of an image has a thread for each element, which sums up what
// windows give to it.
// CHECK: gpu.func @image_gradient_f16(%[[X:[^:]*]]: memref<1xf16>, %[[Y:[^:]*]]: memref<1xf16>, %[[W:[^:]*]]: memref<1xf16>, %[[N:[^:]*]]: index, %[[G:[^:]*]]: index, %[[C:[^:]*]]: index, %[[O:[^:]*]]: index,
// CHECK: scf.for %[[E:.*]] = %{{.*}} to %{{.*}} step
// CHECK:   %[[SUM:.*]] = scf.for %{{.*}} = %{{.*}} to %[[O]]
// CHECK-COUNT-3: scf.for
// CHECK:     scf.if
// CHECK:       arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:   %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK:   memref.store %[[ROUNDED]], %{{.*}}[%[[E]]]
// CHECK: func.func @transposed
// CHECK: tally.contract {{.*}} {tally.fallbacks = [@kernels::@image_gradient_f16]}
func.func @transposed(%w: memref<6x4x3xf16>, %y: memref<?x6x?xf16>, %x: memref<?x4x?xf16>) {
  tally.contract ins(%w, %y : memref<6x4x3xf16>, memref<?x6x?xf16>) outs(%x : memref<?x4x?xf16>)
      maps [affine_map<(n, c, o, x, k) -> (o, c, k)>,
            affine_map<(n, c, o, x, k) -> (n, o, x)>,
            affine_map<(n, c, o, x, k) -> (n, c, x * 2 + k - 1)>]
  return
}

// -----

// A bias is the last parameter. It is added, and negative sums become 0, before
// they are rounded; NaN is not less than 0.
// CHECK: gpu.func @matmul_bf16_nn_bias_relu({{.*}}, %[[BIAS:[a-z0-9]*]]: memref<1xbf16>) kernel
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
// CHECK: %[[ROW:.*]] = memref.reinterpret_cast %[[BIAS]]
// CHECK: %[[ELEMENT:.*]] = memref.load %[[ROW]]
// CHECK: %[[WIDE:.*]] = arith.extf %[[ELEMENT]] : bf16 to f32
// CHECK: %[[BIASED:.*]] = arith.addf %[[SUM]], %[[WIDE]] : f32
// CHECK: %[[NEGATIVE:.*]] = arith.cmpf olt, %[[BIASED]], %[[ZERO:.*]] : f32
// CHECK: %[[R:.*]] = arith.select %[[NEGATIVE]], %[[ZERO]], %[[BIASED]] : f32
// CHECK: arith.truncf %[[R]] : f32 to bf16
// CHECK: gpu.func @matmul_f32_nn_relu({{.*}}: index) kernel
// CHECK: arith.cmpf olt
func.func @epilogues(%a: memref<?x?xbf16>, %v: memref<?xbf16>, %c: memref<?x?xbf16>, %f: memref<?x?xf32>) {
  tally.matmul ins(%a, %a : memref<?x?xbf16>, memref<?x?xbf16>) bias(%v : memref<?xbf16>) outs(%c : memref<?x?xbf16>) {relu}
  tally.matmul ins(%f, %f : memref<?x?xf32>, memref<?x?xf32>) outs(%f : memref<?x?xf32>) {relu}
  return
}
