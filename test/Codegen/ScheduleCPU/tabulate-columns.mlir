// RUN: tally-opt %s --tally-tabulate-columns --canonicalize --cse --split-input-file | FileCheck %s

// A table of places and one of shares; what follows from a place by an addition is not looked up. The operation stays for
// few rows, and for many columns.
// CHECK-LABEL: func.func @lines(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>)
// CHECK-DAG:     %[[ROWS:.*]] = memref.dim %[[Y]], %c0
// CHECK-DAG:     %[[COLUMNS:.*]] = memref.dim %[[Y]], %c1
// CHECK-DAG:     %[[MANY:.*]] = arith.cmpi sge, %[[ROWS]], %c4
// CHECK-DAG:     %[[FIT:.*]] = arith.cmpi sle, %[[COLUMNS]], %c16384
// CHECK:         %[[PAYS:.*]] = arith.andi %[[MANY]], %[[FIT]]
// CHECK:         scf.if %[[PAYS]] {
// CHECK:           %[[PLACES:.*]] = memref.alloc(%[[COLUMNS]]) : memref<?xindex>
// CHECK:           %[[SHARES:.*]] = memref.alloc(%[[COLUMNS]]) : memref<?xf32>
// CHECK:           linalg.generic {{.*}}["parallel"]} outs(%[[PLACES]], %[[SHARES]]
// CHECK:             arith.sitofp
// CHECK:             arith.fptosi
// CHECK:             linalg.yield %{{.*}}, %{{.*}} : index, f32
// CHECK:           linalg.generic {{.*}}["parallel", "parallel"]} ins(%[[PLACES]], %[[SHARES]] : memref<?xindex>, memref<?xf32>) outs(%[[Y]]
// CHECK-NEXT:      ^bb0(%[[PLACE:.*]]: index, %[[SHARE:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:        %[[I:.*]] = linalg.index 0
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addi %[[PLACE]], %c1
// CHECK-NEXT:        %[[LOW:.*]] = memref.load %[[X]][%[[I]], %[[PLACE]]]
// CHECK-NEXT:        %[[HIGH:.*]] = memref.load %[[X]][%[[I]], %[[NEXT]]]
// CHECK-NEXT:        %[[GAP:.*]] = arith.subf %[[HIGH]], %[[LOW]]
// CHECK-NEXT:        %[[PART:.*]] = arith.mulf %[[GAP]], %[[SHARE]]
// CHECK:           memref.dealloc %[[PLACES]]
// CHECK:           memref.dealloc %[[SHARES]]
// CHECK:         } else {
// CHECK:           linalg.generic {{.*}}["parallel", "parallel"]} outs(%[[Y]]
// CHECK:             arith.sitofp
#ij = affine_map<(i, j) -> (i, j)>
func.func @lines(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %f = arith.sitofp %k : i64 to f32
    %at = arith.mulf %f, %half : f32
    %whole = arith.fptosi %at : f32 to i64
    %place = arith.index_cast %whole : i64 to index
    %back = arith.sitofp %whole : i64 to f32
    %share = arith.subf %at, %back : f32
    %next = arith.addi %place, %c1 : index
    %low = memref.load %x[%i, %place] : memref<?x?xf32>
    %high = memref.load %x[%i, %next] : memref<?x?xf32>
    %gap = arith.subf %high, %low : f32
    %part = arith.mulf %gap, %share : f32
    %sum = arith.addf %low, %part : f32
    linalg.yield %sum : f32
  }
  return
}

// -----

// Nothing is done where what costs depends on the row, is cheap, may fail, or reads memory.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     scf.if
// CHECK:         linalg.generic
// CHECK-NOT:     scf.if
#ij = affine_map<(i, j) -> (i, j)>
func.func @others(%x: memref<?xf32>, %y: memref<?x?xf32>, %d: index) {
  linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.index_cast %i : index to i64
    %f = arith.sitofp %row : i64 to f32
    %e = math.exp %f : f32
    %q = arith.divsi %j, %d : index
    %v = memref.load %x[%q] : memref<?xf32>
    %sine = math.sin %v : f32
    %short = arith.index_cast %j : index to i32
    %g = arith.sitofp %short : i32 to f32
    %s = arith.addf %e, %g : f32
    %t = arith.addf %s, %sine : f32
    linalg.yield %t : f32
  }
  return
}
