// RUN: tally-opt %s --tally-place-on-device --canonicalize --cse --split-input-file | FileCheck %s

// A loop over elements runs in one thread: pointers first, then what is not
// known of sizes, then numbers.
// CHECK-LABEL: gpu.module @kernels
// CHECK: gpu.func @scatter_thread(%[[X:.*]]: memref<1xi64>, %[[Y:.*]]: memref<1xf32>, %[[N:[^:]*]]: index, %[[XN:[^:]*]]: index, %[[V:[^:]*]]: f32) kernel
// CHECK: %[[XS:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[XN]]], strides: [1] : memref<1xi64> to memref<?xi64
// CHECK: %[[YS:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%[[N]]], strides: [1] : memref<1xf32> to memref<?xf32
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]]
// CHECK:   %[[J:.*]] = memref.load %[[XS]][%[[I]]]
// CHECK:   tally.assert
// CHECK:   memref.store %[[V]], %[[YS]]
// CHECK: gpu.return
// CHECK: func.func @scatter(%[[HX:.*]]: memref<?xi64>, %[[HV:.*]]: f32)
// CHECK: %[[HN:.*]] = memref.dim %[[HX]]
// CHECK-NOT: scf.for
// CHECK: gpu.launch_func @kernels::@scatter_thread blocks in (%[[ONE:.*]], %[[ONE]], %[[ONE]]) threads in (%[[ONE]], %[[ONE]], %[[ONE]])
// CHECK-SAME: args(%{{.*}} : memref<1xi64>, %{{.*}} : memref<1xf32>, %[[HN]] : index, %[[HN]] : index, %[[HV]] : f32)
func.func @scatter(%x: memref<?xi64>, %v: f32) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi64>
  %y = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %j = memref.load %x[%i] : memref<?xi64>
    %k = arith.index_cast %j : i64 to index
    %in = arith.cmpi ult, %k, %n : index
    tally.assert %in message("out of range")
    memref.store %v, %y[%k] : memref<?xf32>
  }
  return %y : memref<?xf32>
}

// -----

// A buffer with gaps, and at an offset, is passed with its strides; a kernel
// that counts passes the count through memory.
// CHECK: gpu.func @count_thread(%[[X:.*]]: memref<1xf32>, %[[R:.*]]: memref<1xindex>, %{{[^:]*}}: index, %[[O:[^:]*]]: index, %[[M:[^:]*]]: index, %[[S:[^:]*]]: index, %[[T:[^:]*]]: index
// CHECK: memref.reinterpret_cast %[[X]] to offset: [%[[O]]], sizes: [%[[M]], 4], strides: [%[[S]], %[[T]]]
// CHECK: %[[C:.*]] = scf.for
// CHECK: memref.store %[[C]], %[[R]]
// CHECK: func.func @count
// CHECK: %[[ROOM:.*]] = memref.alloc() : memref<1xindex>
// CHECK: gpu.launch_func
// CHECK: %[[COUNT:.*]] = tally.read_back %[[ROOM]][%{{.*}}] : memref<1xindex>
// CHECK: memref.dealloc %[[ROOM]]
// CHECK: return %[[COUNT]]
func.func @count(%x: memref<?x4xf32, strided<[?, ?], offset: ?>>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x4xf32, strided<[?, ?], offset: ?>>
  %count, %unused = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0, %l = %c1) -> (index, index) {
    %v = memref.load %x[%i, %c1] : memref<?x4xf32, strided<[?, ?], offset: ?>>
    %is = arith.cmpf une, %v, %zero : f32
    %next = arith.addi %k, %c1 : index
    %sum = arith.select %is, %next, %k : index
    scf.yield %sum, %l : index, index
  }
  return %count : index
}

// -----

// A copy with gaps is a kernel for the scheduler, which the canonicalizer makes
// one that yields what it reads; the runtime does another one. A loop around one stays on the host, and
// what it loads comes back. A constant of the library is not part of a kernel.
// CHECK: gpu.func @loop_thread(%{{.*}}: memref<1xi64>, %{{.*}}: memref<1xi64>, %{{.*}}: index) kernel
// CHECK-NOT: memref.get_global
// CHECK: memref.load
// CHECK: memref.store
// CHECK: func.func @loop(%[[X:[^:]*]]: memref<?xf32, strided<[?]>>, %[[Y:[^:]*]]: memref<?xf32>, %[[Z:[^:]*]]: memref<?xf32>,
// CHECK: scf.while
// CHECK:   %[[GO:.*]] = tally.read_back
// CHECK:   scf.condition(%[[GO]])
// CHECK:   tally.kernel(%{{.*}}) ins(%[[X]] : memref<?xf32, strided<[?]>>) outs(%[[Y]] : memref<?xf32>) {
// CHECK:   ^bb0(%[[IN:.*]]: tensor<?xf32>, %{{.*}}: tensor<?xf32>):
// CHECK:     tally.yield %[[IN]]
// CHECK:   memref.copy %[[Y]], %[[Z]] :
// CHECK:   memref.get_global @table
// CHECK:   gpu.launch_func @kernels::@loop_thread
memref.global "private" constant @table : memref<4xi64> = dense<[1, 2, 3, 4]>
func.func @loop(%x: memref<?xf32, strided<[?]>>, %y: memref<?xf32>, %z: memref<?xf32>, %go: memref<i1>, %t: memref<4xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.while : () -> () {
    %p = memref.load %go[] : memref<i1>
    scf.condition(%p)
  } do {
    memref.copy %x, %y : memref<?xf32, strided<[?]>> to memref<?xf32>
    memref.copy %y, %z : memref<?xf32> to memref<?xf32>
    scf.for %i = %c0 to %n step %c1 {
      %table = memref.get_global @table : memref<4xi64>
      %v = memref.load %table[%i] : memref<4xi64>
      memref.store %v, %t[%i] : memref<4xi64>
    }
    scf.yield
  }
  return
}

// -----

// An accumulator is read, so it is an input as well; what a structured
// operation reads beside its operands becomes one; a constant moves in.
// CHECK-LABEL: func.func @structured
// CHECK-SAME: %[[X:.*]]: memref<?xindex>, %[[Y:.*]]: memref<?xf32>, %[[Z:.*]]: memref<f32>, %[[A:.*]]: f32
// CHECK: %[[N:.*]] = memref.dim %[[X]]
// CHECK: tally.kernel(%[[N]]) reduces [0] ins(%[[X]], %[[Z]], %[[Y]], %[[A]] : memref<?xindex>, memref<f32>, memref<?xf32>, f32) outs(%[[Z]] : memref<f32>) {
// CHECK: ^bb0(%[[XT:.*]]: tensor<?xindex>, %[[ACC:.*]]: tensor<f32>, %[[YT:.*]]: tensor<?xf32>, %[[AS:.*]]: f32, %{{.*}}: tensor<f32>):
// CHECK:   %[[TWO:.*]] = arith.constant 2.0
// CHECK:   linalg.generic {{.*}} ins(%[[XT]] : tensor<?xindex>) outs(%[[ACC]] : tensor<f32>)
// CHECK:     tensor.extract %[[YT]]
// CHECK:     arith.mulf %{{.*}}, %[[AS]]
// CHECK:     arith.mulf %{{.*}}, %[[TWO]]
func.func @structured(%x: memref<?xindex>, %y: memref<?xf32>, %z: memref<f32>, %a: f32) {
  %two = arith.constant 2.0 : f32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<?xindex>) outs(%z : memref<f32>) {
  ^bb0(%i: index, %acc: f32):
    %v = memref.load %y[%i] : memref<?xf32>
    %w = arith.mulf %v, %a : f32
    %u = arith.mulf %w, %two : f32
    %s = arith.addf %acc, %u : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func @named
// CHECK-SAME: %[[V:.*]]: f32, %[[X:.*]]: memref<4x?xf32, strided<[?, 1]>>
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4
// CHECK-DAG: %[[N:.*]] = memref.dim %[[X]]
// CHECK: tally.kernel(%[[FOUR]], %[[N]]) ins(%[[V]] : f32) outs(%[[X]] : memref<4x?xf32, strided<[?, 1]>>) {
// CHECK: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: tensor<4x?xf32>):
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[IN]] : f32) outs(%[[OUT]] : tensor<4x?xf32>)
// CHECK-SAME: tally.dims = array<i64: 0, 1>
func.func @named(%v: f32, %x: memref<4x?xf32, strided<[?, 1]>>) {
  linalg.fill ins(%v : f32) outs(%x : memref<4x?xf32, strided<[?, 1]>>)
  return
}

// -----

// Stores that follow each other share a launch; a load between them does not
// move. A branch that only asserts stays on the host.
// CHECK-LABEL: func.func @stores
// CHECK: gpu.launch_func @kernels::@stores_thread
// CHECK: tally.read_back
// CHECK: gpu.launch_func @kernels::@stores_thread_0
// CHECK: scf.if
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: tally.assert
// CHECK-NOT: gpu.launch_func
func.func @stores(%x: memref<3xi64>, %a: i64, %c: i1) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  memref.store %a, %x[%c0] : memref<3xi64>
  %b = arith.addi %a, %a : i64
  memref.store %b, %x[%c1] : memref<3xi64>
  %l = memref.load %x[%c1] : memref<3xi64>
  memref.store %l, %x[%c2] : memref<3xi64>
  scf.if %c {
    %p = arith.cmpi slt, %l, %a : i64
    tally.assert %p message("too large")
  }
  return %l : i64
}

// -----

// A product reads rows that lie apart, but not elements that do; what it cannot
// write in place is copied afterwards.
// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[A:[^:]*]]: memref<?x4xf32, strided<[?, 1]>>, %[[B:[^:]*]]: memref<4x?xf32, strided<[?, ?]>>, %[[C:[^:]*]]: memref<2x3x4x4xf32, strided<[1000, 100, 4, 1]>>, %[[D:[^:]*]]: memref<2x3x4x4xf32>
// CHECK: %[[BC:.*]] = memref.alloc(%{{.*}}) : memref<4x?xf32>
// CHECK: tally.kernel(%{{.*}}) ins(%[[B]] : {{.*}}) outs(%[[BC]] : memref<4x?xf32>)
// CHECK: tally.matmul ins(%[[A]], %[[BC]] :
// CHECK: %[[CC:.*]] = memref.alloc() : memref<2x3x4x4xf32>
// CHECK: tally.matmul ins(%[[D]], %[[D]] : {{.*}}) outs(%[[CC]] :
// CHECK: tally.kernel(%{{.*}}) ins(%[[CC]] : {{.*}}) outs(%[[C]] :
func.func @product(%a: memref<?x4xf32, strided<[?, 1]>>, %b: memref<4x?xf32, strided<[?, ?]>>,
                   %c: memref<2x3x4x4xf32, strided<[1000, 100, 4, 1]>>, %d: memref<2x3x4x4xf32>, %e: memref<?x?xf32>) {
  tally.matmul ins(%a, %b : memref<?x4xf32, strided<[?, 1]>>, memref<4x?xf32, strided<[?, ?]>>) outs(%e : memref<?x?xf32>)
  tally.matmul ins(%d, %d : memref<2x3x4x4xf32>, memref<2x3x4x4xf32>) outs(%c : memref<2x3x4x4xf32, strided<[1000, 100, 4, 1]>>)
  return
}

// -----

// The size of a loop is that of a dimension which it runs over by itself.
// CHECK-LABEL: func.func @windows
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[W:.*]]: memref<?xf32>, %[[S:.*]]: memref<1xf32>, %[[OUT:.*]]: memref<?xf32>
// CHECK-DAG: %[[K:.*]] = memref.dim %[[W]]
// CHECK-DAG: %[[N:.*]] = memref.dim %[[OUT]]
// CHECK: tally.kernel(%[[N]], %[[K]]) reduces [1]
func.func @windows(%x: memref<?xf32>, %w: memref<?xf32>, %s: memref<1xf32>, %out: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (0)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w, %s : memref<?xf32>, memref<?xf32>, memref<1xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %c : f32
    %r = arith.addf %sum, %q : f32
    linalg.yield %r : f32
  }
  return
}
