// RUN: tally-opt %s --pass-pipeline='builtin.module(gpu.module(tally-convert-kernels))' | FileCheck %s

gpu.module @kernels {
  // A memref is one pointer, an index 64 bits.
  // CHECK-LABEL: llvm.func @k(
  // CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i64)
  // CHECK-SAME: nvvm.kernel
  // CHECK: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  // CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
  gpu.func @k(%p: memref<1xf32> {llvm.noalias, llvm.align = 16 : i64}, %n: index) kernel {
    %t = gpu.thread_id x
    %x = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<1xf32> to memref<?xf32>
    %v = vector.load %x[%t] {alignment = 16} : memref<?xf32>, vector<4xf32>
    %s = arith.addf %v, %v : vector<4xf32>
    vector.store %s, %x[%t] {alignment = 16} : memref<?xf32>, vector<4xf32>
    gpu.return
  }

  // An update whose old value nobody reads orders nothing; another one stays as it is.
  // CHECK-LABEL: llvm.func @updates(
  // CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("device") monotonic
  // CHECK: llvm.atomicrmw max %{{.*}}, %{{.*}} acq_rel
  gpu.func @updates(%p: memref<2xi64>, %v: i64) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = memref.atomic_rmw addi %v, %p[%c0] : (i64, memref<2xi64>) -> i64
    %1 = memref.atomic_rmw maxs %v, %p[%c0] : (i64, memref<2xi64>) -> i64
    memref.store %1, %p[%c1] : memref<2xi64>
    gpu.return
  }

  // The extremum of floats is written where it is another one than the element.
  // CHECK-LABEL: llvm.func @extrema(
  // CHECK-SAME: %[[V:[^ :]*]]: f32)
  // CHECK: %[[FIRST:.*]] = llvm.load %[[P:.*]] atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
  // CHECK: llvm.br ^[[LOOK:bb[0-9]+]](%[[FIRST]] : i32)
  // CHECK: ^[[LOOK]](%[[OLD:.*]]: i32):
  // CHECK: %[[ELEMENT:.*]] = llvm.bitcast %[[OLD]] : i32 to f32
  // CHECK: %[[BEST:.*]] = llvm.intr.maximum(%[[ELEMENT]], %[[V]])
  // CHECK: %[[BITS:.*]] = llvm.bitcast %[[BEST]] : f32 to i32
  // CHECK: %[[NEW:.*]] = llvm.icmp "ne" %[[BITS]], %[[OLD]]
  // CHECK: llvm.cond_br %[[NEW]], ^[[TRY:bb[0-9]+]], ^[[AFTER:bb[0-9]+]]
  // CHECK: ^[[TRY]]:
  // CHECK: %[[X:.*]] = llvm.cmpxchg %[[P]], %[[OLD]], %[[BITS]] syncscope("device") monotonic monotonic
  // CHECK: %[[FOUND:.*]] = llvm.extractvalue %[[X]][0]
  // CHECK: %[[DONE:.*]] = llvm.extractvalue %[[X]][1]
  // CHECK: llvm.cond_br %[[DONE]], ^[[AFTER]], ^[[LOOK]](%[[FOUND]] : i32)
  // CHECK: ^[[AFTER]]:
  // CHECK: llvm.intr.minimum
  gpu.func @extrema(%p: memref<1xf32>, %v: f32) kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.atomic_rmw maximumf %v, %p[%c0] : (f32, memref<1xf32>) -> f32
    %1 = memref.atomic_rmw minimumf %v, %p[%c0] : (f32, memref<1xf32>) -> f32
    gpu.return
  }

  // What upstream's own pass leaves behind, and what it takes from libdevice.
  // CHECK-LABEL: llvm.func @mathematics(
  // CHECK: llvm.call @__nv_expf(
  // CHECK: llvm.intr.trunc(
  // CHECK: llvm.intr.ctpop
  // CHECK: llvm.intr.ctlz
  // CHECK: llvm.intr.abs
  // CHECK: llvm.call @__nv_pow(
  gpu.func @mathematics(%f: f32, %i: i64, %d: f64, %fp: memref<1xf32>, %ip: memref<1xi64>, %dp: memref<1xf64>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.exp %f : f32
    %1 = math.trunc %0 : f32
    %2 = math.ctpop %i : i64
    %3 = math.ctlz %2 : i64
    %4 = math.absi %3 : i64
    %5 = math.powf %d, %d : f64
    memref.store %1, %fp[%c0] : memref<1xf32>
    memref.store %4, %ip[%c0] : memref<1xi64>
    memref.store %5, %dp[%c0] : memref<1xf64>
    gpu.return
  }

  // Numbers of other dialects that bodies are made of.
  // CHECK-LABEL: llvm.func @others(
  // CHECK: llvm.mlir.poison : f32
  // CHECK: llvm.mul %{{.*}}, %{{.*}} : i64
  gpu.func @others(%p: memref<1xf32>, %n: index, %ip: memref<1xindex>) kernel {
    %c0 = arith.constant 0 : index
    %0 = ub.poison : f32
    memref.store %0, %p[%c0] : memref<1xf32>
    %1 = index.mul %n, %n
    memref.store %1, %ip[%c0] : memref<1xindex>
    gpu.return
  }
}

// An index has 64 bits whatever the module says of the host.
// CHECK-LABEL: gpu.module @narrow
// CHECK: llvm.func @k({{.*}}: !llvm.ptr{{.*}}, %{{.*}}: i64)
gpu.module @narrow attributes {dlti.dl_spec = #dlti.dl_spec<index = 32>} {
  gpu.func @k(%p: memref<1xf32>, %n: index) kernel {
    %x = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<1xf32> to memref<?xf32>
    %f = arith.constant 0.0 : f32
    memref.store %f, %x[%n] : memref<?xf32>
    gpu.return
  }
}
