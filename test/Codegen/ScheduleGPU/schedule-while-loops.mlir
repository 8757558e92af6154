// RUN: tally-opt %s --tally-schedule-while-loops --split-input-file | FileCheck %s
// RUN: tally-opt %s --tally-schedule-while-loops --split-input-file --remarks-filter=tally-form-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Four elements, which belong to the loop: they are halved where they are.
// REMARK: scf.while at {{.*}} runs in one block of the GPU: the host does not wait in it
// CHECK-LABEL: gpu.func @main_while(
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: scf.while : () -> () {
// CHECK:   %[[FIRST:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<4xf32>
// CHECK:   %[[GOES_ON:.*]] = arith.cmpf ogt, %[[FIRST]]
// CHECK:   scf.condition(%[[GOES_ON]])
// CHECK: } do {
// CHECK:   gpu.barrier
// CHECK:   arith.mulf
// CHECK:   memref.store
// CHECK:   gpu.barrier
// CHECK:   scf.for %{{.*}} = %[[THREAD]] to
// CHECK:     memref.load
// CHECK:     memref.store
// CHECK:   gpu.barrier
// CHECK-NEXT: scf.yield
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>)
// CHECK: %[[INIT:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[NEXT:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NOT: scf.while
// CHECK: gpu.launch_func @kernels::@main_while blocks in (%c1{{.*}}, %c1{{.*}}, %c1{{.*}}) threads in (%c512{{.*}}, %c1{{.*}}, %c1{{.*}})
// CHECK: memref.dealloc %[[NEXT]]
// CHECK: return %[[INIT]]
func.func @main(%x: memref<4xf32>) -> memref<4xf32> {
  %c4 = arith.constant 4 : index
  %init = memref.alloc() : memref<4xf32>
  memref.copy %x, %init : memref<4xf32> to memref<4xf32>
  %r = scf.while (%a = %init) : (memref<4xf32>) -> memref<4xf32> {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %first = memref.load %a[%c0] : memref<4xf32>
    %p = arith.cmpf ogt, %first, %one : f32
    scf.condition(%p) %a : memref<4xf32>
  } do {
  ^bb0(%a: memref<4xf32>):
    %next = memref.alloc() : memref<4xf32>
    tally.kernel(%c4) ins(%a : memref<4xf32>) outs(%next : memref<4xf32>) {
    ^bb1(%in: tensor<4xf32>, %out: tensor<4xf32>):
      %s = linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"], tally.dims = array<i64: 0>}
          ins(%in : tensor<4xf32>) outs(%out : tensor<4xf32>) {
      ^bb2(%e: f32, %unused: f32):
        %half = arith.constant 0.5 : f32
        %h = arith.mulf %e, %half : f32
        linalg.yield %h : f32
      } -> tensor<4xf32>
      tally.yield %s : tensor<4xf32>
    }
    memref.dealloc %a : memref<4xf32>
    scf.yield %next : memref<4xf32>
  }
  return %r : memref<4xf32>
}

// -----

// Sizes decide which one runs. What the loop starts with belongs to the caller,
// and each of two carries becomes the other one: one copy goes by a buffer in
// between. A number of the loop comes back once.
// REMARK: runs in one block of the GPU where an iteration has few points: the host does not wait in it
// CHECK-LABEL: gpu.func @swaps_while(
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (i64) -> i64
// CHECK-LABEL: func.func @swaps(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index
// CHECK: %[[DIM:.*]] = memref.dim
// CHECK: %[[SMALL:.*]] = arith.cmpi ule, %{{.*}}, %c32768
// CHECK: arith.cmpi eq, %[[DIM]], %[[N]]
// CHECK: arith.cmpi eq, %[[N]], %[[DIM]]
// CHECK: %[[SAME:.*]] = arith.andi
// CHECK: %[[FLAG:.*]] = arith.andi %[[SMALL]], %[[SAME]]
// CHECK: scf.if %[[FLAG]]
// CHECK:   gpu.launch_func @kernels::@swaps_while
// CHECK:   memref.load %{{.*}} : memref<1xi64>
// CHECK: } else {
// CHECK:   scf.while
func.func @swaps(%x: memref<?xf32>, %n: index) -> (memref<?xf32>, memref<?xf32>, i64) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %dim = memref.dim %x, %c0 : memref<?xf32>
  %a0 = memref.alloc(%dim) : memref<?xf32>
  memref.copy %x, %a0 : memref<?xf32> to memref<?xf32>
  %b0 = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %b0 : memref<?xf32> to memref<?xf32>
  %r:3 = scf.while (%a = %a0, %b = %b0, %i = %zero) : (memref<?xf32>, memref<?xf32>, i64) -> (memref<?xf32>, memref<?xf32>, i64) {
    %one = arith.constant 1.0 : f32
    %first = memref.load %a[%c0] : memref<?xf32>
    %p = arith.cmpf ogt, %first, %one : f32
    scf.condition(%p) %a, %b, %i : memref<?xf32>, memref<?xf32>, i64
  } do {
  ^bb0(%a: memref<?xf32>, %b: memref<?xf32>, %i: i64):
    %size = memref.dim %a, %c0 : memref<?xf32>
    %next = memref.alloc(%size) : memref<?xf32>
    tally.kernel(%size) ins(%a : memref<?xf32>) outs(%next : memref<?xf32>) {
    ^bb1(%in: tensor<?xf32>, %out: tensor<?xf32>):
      %s = linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"], tally.dims = array<i64: 0>}
          ins(%in : tensor<?xf32>) outs(%out : tensor<?xf32>) {
      ^bb2(%e: f32, %unused: f32):
        %half = arith.constant 0.5 : f32
        %h = arith.mulf %e, %half : f32
        linalg.yield %h : f32
      } -> tensor<?xf32>
      tally.yield %s : tensor<?xf32>
    }
    memref.dealloc %a : memref<?xf32>
    %one = arith.constant 1 : i64
    %j = arith.addi %i, %one : i64
    scf.yield %b, %next, %j : memref<?xf32>, memref<?xf32>, i64
  }
  return %r#0, %r#1, %r#2 : memref<?xf32>, memref<?xf32>, i64
}

// -----

// Nobody knows how large what is carried becomes, or who owns it; and the host
// counts by itself.
// CHECK-NOT: gpu.func
// CHECK-LABEL: func.func @stay(
// CHECK-COUNT-3: scf.while
func.func @stay(%x: memref<?xindex>, %y: memref<?xindex>, %n: index) -> memref<?xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = memref.alloc(%n) : memref<?xindex>
  %r = scf.while (%a = %init) : (memref<?xindex>) -> memref<?xindex> {
    %first = memref.load %x[%c0] : memref<?xindex>
    %p = arith.cmpi ugt, %first, %c0 : index
    scf.condition(%p) %a : memref<?xindex>
  } do {
  ^bb0(%a: memref<?xindex>):
    %size = memref.load %a[%c0] : memref<?xindex>
    %next = memref.alloc(%size) : memref<?xindex>
    memref.dealloc %a : memref<?xindex>
    scf.yield %next : memref<?xindex>
  }
  %s:2 = scf.while (%a = %x, %b = %y) : (memref<?xindex>, memref<?xindex>) -> (memref<?xindex>, memref<?xindex>) {
    %first = memref.load %a[%c0] : memref<?xindex>
    %p = arith.cmpi ugt, %first, %c0 : index
    scf.condition(%p) %a, %b : memref<?xindex>, memref<?xindex>
  } do {
  ^bb0(%a: memref<?xindex>, %b: memref<?xindex>):
    scf.yield %b, %a : memref<?xindex>, memref<?xindex>
  }
  %t = scf.while (%i = %c0) : (index) -> index {
    %p = arith.cmpi ult, %i, %n : index
    scf.condition(%p) %i : index
  } do {
  ^bb0(%i: index):
    memref.store %i, %r[%c0] : memref<?xindex>
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  return %r : memref<?xindex>
}
