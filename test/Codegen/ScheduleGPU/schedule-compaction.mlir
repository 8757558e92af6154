// RUN: tally-opt %s --tally-schedule-compaction --split-input-file | FileCheck %s
// No assert is made of the divisions by sizes.
// RUN: tally-opt %s --tally-schedule-compaction --tally-harden-arith --split-input-file | FileCheck %s --check-prefix=HARD
// HARD-NOT: tally.assert

// Every warp counts a tile; all its threads vote in every step.
// CHECK: gpu.func @count_count
// CHECK: scf.if
// CHECK:   %[[COUNT:.*]] = scf.for {{.*}} iter_args
// CHECK:     %[[FLAG:.*]] = scf.if {{.*}} -> (i1)
// CHECK:       arith.cmpf une
// CHECK:     %[[BALLOT:.*]] = nvvm.vote.sync ballot %{{.*}}, %[[FLAG]] -> i32
// CHECK:     llvm.intr.ctpop(%[[BALLOT]])
// CHECK:   scf.if
// CHECK:     memref.store
// One block sums up.
// CHECK: gpu.func @count_scan{{.*}} workgroup(%{{.*}} : memref<32xi32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-5: gpu.shuffle up
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: func.func @count(%[[X:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?xi64>)
// CHECK: %[[TILES:.*]] = arith.subi
// CHECK: gpu.launch_func @kernels::@count_count blocks in (%{{.*}}) threads in (%c256
// CHECK: gpu.launch_func @kernels::@count_scan blocks in (%{{.*}}) threads in (%c1024
func.func @count(%x: memref<?x?xf32>, %b: memref<?xi64>) {
  tally.count_nonzero ins(%x : memref<?x?xf32>) outs(%b : memref<?xi64>) tile 1024
  return
}

// -----

// No row is written behind the last one.
// CHECK: gpu.func @write_write
// CHECK: scf.for
// CHECK:   %[[BALLOT:.*]] = nvvm.vote.sync ballot
// CHECK:   arith.andi %[[BALLOT]]
// CHECK:   %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW:.*]], %{{.*}} : index
// CHECK:   %[[WRITES:.*]] = arith.andi %{{.*}}, %[[INSIDE]]
// CHECK:   scf.if %[[WRITES]]
// CHECK:     memref.store %{{.*}}[%[[ROW]], %
// CHECK:     memref.store %{{.*}}[%[[ROW]], %
func.func @write(%x: memref<?x3xi1>, %b: memref<?xi64>, %r: memref<?x2xi64>) {
  tally.write_nonzero ins(%x, %b : memref<?x3xi1>, memref<?xi64>) outs(%r : memref<?x2xi64>) tile 64
  return
}
