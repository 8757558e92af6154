// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-interleave-checks))' --split-input-file | FileCheck %s

// Rows of indices: each is checked where it is used, and takes the first element where it is not right. Of short rows all
// are checked, and then used. The assert follows.
// CHECK: #[[FEW:.*]] = #llvm.loop_annotation<vectorize = #{{.*}}, unroll = #{{.*}}>
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[I:.*]]: memref<?x?xi64>, %[[N:.*]]: index
// CHECK: %[[FLAG:.*]] = memref.alloc() : memref<i1>
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[I]]
// CHECK: %[[Y:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf32>
// CHECK: %[[HAS:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : index
// CHECK: %[[RIGHT:.*]] = arith.ori %{{.*}}, %{{.*}} : i1
// CHECK: %[[FLAGS:.*]] = memref.alloc(%[[PARTS:.*]]) : memref<?xi1>
// CHECK: scf.parallel (%[[P:.*]]) = (%{{.*}}) to (%[[PARTS]])
// CHECK:   %[[SHORT:.*]] = arith.cmpi ult, %{{.*}}, %c16
// CHECK:   %[[OK:.*]] = scf.if %[[SHORT]] -> (i1) {
// CHECK:     %[[ALL:.*]] = scf.for %[[E:[^ ]+]] = %{{.*}} iter_args
// CHECK:       memref.load %[[FLAT]][%[[E]]]
// CHECK:       arith.cmpi ult, %{{.*}}, %[[N]]
// CHECK:     scf.if %[[ALL]] {
// CHECK:       scf.for %[[R:[^ ]+]] =
// CHECK:         scf.for %[[C:[^ ]+]] =
// CHECK:           %[[J:.*]] = memref.load %[[I]][%[[R]], %[[C]]]
// CHECK:           %[[AT:.*]] = arith.index_cast %[[J]]
// CHECK:           memref.load %[[X]][%[[R]], %[[AT]]]
// CHECK:           memref.store %{{.*}}, %[[Y]][%[[R]], %[[C]]]
// CHECK-NEXT:    } {tally.independent = #[[FEW]]}
// CHECK:     scf.yield %[[ALL]]
// CHECK:   } else {
// CHECK:     scf.for %[[R:[^ ]+]] =
// CHECK:       scf.for %[[C:[^ ]+]] =
// CHECK:         %[[J:.*]] = memref.load %[[I]][%[[R]], %[[C]]]
// CHECK:         %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %[[N]]
// CHECK:         %[[THIS:.*]] = arith.andi %{{.*}}, %[[IS]]
// CHECK:         %[[AT:.*]] = arith.index_cast %[[J]]
// CHECK:         %[[SAFE:.*]] = arith.select %[[THIS]], %[[AT]], %c0
// CHECK:         memref.load %[[X]][%[[R]], %[[SAFE]]]
// CHECK:   memref.store %[[OK]], %[[FLAGS]][%[[P]]]
// CHECK: %[[OLD:.*]] = memref.load %[[FLAG]][]
// CHECK: %[[START:.*]] = arith.andi %[[OLD]], %[[RIGHT]]
// CHECK: %[[JOINED:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK: memref.store %[[JOINED]], %[[FLAG]][]
// CHECK: %[[C:.*]] = memref.load %[[FLAG]][]
// CHECK: tally.assert %[[C]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[Y]]
func.func @gather(%x: memref<?x?xf32>, %i: memref<?x?xi64>, %n: index) -> memref<?x?xf32> {
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %i, %c0 : memref<?x?xi64>
  %columns = memref.dim %i, %c1 : memref<?x?xi64>
  %flag = memref.alloc() : memref<i1>
  memref.store %true, %flag[] : memref<i1>
  %flat = memref.collapse_shape %i [[0, 1]] : memref<?x?xi64> into memref<?xi64>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%flat : memref<?xi64>) outs(%flag : memref<i1>) {
  ^bb0(%at: i64, %all: i1):
    %j = arith.index_cast %at : i64 to index
    %is = arith.cmpi ult, %j, %n : index
    %t = arith.andi %all, %is : i1
    linalg.yield %t : i1
  }
  %ok = memref.load %flag[] : memref<i1>
  memref.dealloc %flag : memref<i1>
  tally.assert %ok message("an index is out of bounds")
  %y = memref.alloc(%rows, %columns) : memref<?x?xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<?x?xi64>) outs(%y : memref<?x?xf32>) {
  ^bb0(%at: i64, %unused: f32):
    %r = linalg.index 0 : index
    %j = arith.index_cast %at : i64 to index
    %v = memref.load %x[%r, %j] : memref<?x?xf32>
    linalg.yield %v : f32
  }
  return %y : memref<?x?xf32>
}

// -----

// Memory that others see is written behind the check; so is what looks up by what was looked up.
// CHECK-LABEL: func.func @visible(
// CHECK-NOT: scf.parallel
// CHECK: linalg.generic
// CHECK: tally.assert
// CHECK: linalg.generic
// CHECK: return
func.func @visible(%x: memref<?xf32>, %i: memref<?xindex>, %y: memref<?xf32>, %n: index) {
  %true = arith.constant true
  %flag = memref.alloc() : memref<i1>
  memref.store %true, %flag[] : memref<i1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%i : memref<?xindex>) outs(%flag : memref<i1>) {
  ^bb0(%at: index, %all: i1):
    %is = arith.cmpi ult, %at, %n : index
    %t = arith.andi %all, %is : i1
    linalg.yield %t : i1
  }
  %ok = memref.load %flag[] : memref<i1>
  tally.assert %ok message("an index is out of bounds")
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : memref<?xindex>) outs(%y : memref<?xf32>) {
  ^bb0(%at: index, %unused: f32):
    %v = memref.load %x[%at] : memref<?xf32>
    linalg.yield %v : f32
  }
  return
}
// CHECK-LABEL: func.func @twice(
// CHECK-NOT: scf.parallel
// CHECK: linalg.generic
// CHECK: tally.assert
// CHECK: linalg.generic
// CHECK: return
func.func @twice(%x: memref<?xf32>, %i: memref<?xindex>, %n: index, %m: index) -> memref<?xf32> {
  %true = arith.constant true
  %y = memref.alloc(%m) : memref<?xf32>
  %flag = memref.alloc() : memref<i1>
  memref.store %true, %flag[] : memref<i1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%i : memref<?xindex>) outs(%flag : memref<i1>) {
  ^bb0(%at: index, %all: i1):
    %is = arith.cmpi ult, %at, %n : index
    %t = arith.andi %all, %is : i1
    linalg.yield %t : i1
  }
  %ok = memref.load %flag[] : memref<i1>
  tally.assert %ok message("an index is out of bounds")
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : memref<?xindex>) outs(%y : memref<?xf32>) {
  ^bb0(%at: index, %unused: f32):
    %next = memref.load %i[%at] : memref<?xindex>
    %v = memref.load %x[%next] : memref<?xf32>
    linalg.yield %v : f32
  }
  return %y : memref<?xf32>
}

// -----

// Another assert stands between; what is used is transposed; nothing is looked up.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: scf.parallel
// CHECK-COUNT-6: linalg.generic
// CHECK: return
func.func @others(%x: memref<?xf32>, %i: memref<4x4xindex>, %n: index, %small: i1) -> (memref<16xf32>, memref<4x4xf32>, memref<16xindex>) {
  %true = arith.constant true
  %y = memref.alloc() : memref<16xf32>
  %z = memref.alloc() : memref<4x4xf32>
  %w = memref.alloc() : memref<16xindex>
  %flag = memref.alloc() : memref<i1>
  memref.store %true, %flag[] : memref<i1>
  %flat = memref.collapse_shape %i [[0, 1]] : memref<4x4xindex> into memref<16xindex>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%flat : memref<16xindex>) outs(%flag : memref<i1>) {
  ^bb0(%at: index, %all: i1):
    %is = arith.cmpi ult, %at, %n : index
    %t = arith.andi %all, %is : i1
    linalg.yield %t : i1
  }
  %ok = memref.load %flag[] : memref<i1>
  tally.assert %ok message("an index is out of bounds")
  tally.assert %small message("another one")
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%flat : memref<16xindex>) outs(%y : memref<16xf32>) {
  ^bb0(%at: index, %unused: f32):
    %v = memref.load %x[%at] : memref<?xf32>
    linalg.yield %v : f32
  }
  %flag2 = memref.alloc() : memref<i1>
  memref.store %true, %flag2[] : memref<i1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%flat : memref<16xindex>) outs(%flag2 : memref<i1>) {
  ^bb0(%at: index, %all: i1):
    %is = arith.cmpi ult, %at, %n : index
    %t = arith.andi %all, %is : i1
    linalg.yield %t : i1
  }
  %ok2 = memref.load %flag2[] : memref<i1>
  tally.assert %ok2 message("an index is out of bounds")
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<4x4xindex>) outs(%z : memref<4x4xf32>) {
  ^bb0(%at: index, %unused: f32):
    %v = memref.load %x[%at] : memref<?xf32>
    linalg.yield %v : f32
  }
  %flag3 = memref.alloc() : memref<i1>
  memref.store %true, %flag3[] : memref<i1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%flat : memref<16xindex>) outs(%flag3 : memref<i1>) {
  ^bb0(%at: index, %all: i1):
    %is = arith.cmpi ult, %at, %n : index
    %t = arith.andi %all, %is : i1
    linalg.yield %t : i1
  }
  %ok3 = memref.load %flag3[] : memref<i1>
  tally.assert %ok3 message("an index is out of bounds")
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%flat : memref<16xindex>) outs(%w : memref<16xindex>) {
  ^bb0(%at: index, %unused: index):
    linalg.yield %at : index
  }
  return %y, %z, %w : memref<16xf32>, memref<4x4xf32>, memref<16xindex>
}
