// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-defer-checks))' --split-input-file | FileCheck %s

// The kernel that looks something up asserts each index; where it has no points, loops do.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[I:.*]]: memref<?xi64>, %[[N:.*]]: i64, %[[K:.*]]: index, %[[E:.*]]: index)
// CHECK-NOT: memref<i1>
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq, %[[E]],
// CHECK: scf.if %[[EMPTY]] {
// CHECK: scf.for %[[AT:.*]] = %{{.*}} to %[[K]]
// CHECK: %[[V:.*]] = memref.load %[[I]][%[[AT]]]
// CHECK: arith.cmpi ult, %[[V]], %[[N]] : i64
// CHECK: tally.assert %{{.*}}, <i < n> (n = %[[N]] : i64) message("out of bounds")
// CHECK: tally.kernel(%[[K]], %[[E]]) ins(%[[I]], %[[X]], %[[N]] : memref<?xi64>, memref<?x?xf32>, i64)
// CHECK: ^bb0(%[[IS:.*]]: tensor<?xi64>, %[[XS:.*]]: tensor<?x?xf32>, %[[SIZE:.*]]: i64, %{{.*}}: tensor<?x?xf32>):
// CHECK: linalg.generic
// CHECK: ^bb0(%[[IN:.*]]: i64,
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[IN]], %[[SIZE]] : i64
// CHECK: %[[ALL:.*]] = arith.andi %{{.*}}, %[[OK]]
// CHECK: tally.assert %[[ALL]], <i < n> (n = %[[SIZE]] : i64) message("out of bounds")
// CHECK: tensor.extract %[[XS]]
func.func @rows(%x: memref<?x?xf32>, %i: memref<?xi64>, %n: i64, %k: index, %e: index) -> memref<?x?xf32> {
  %flag = memref.alloc() : memref<i1>
  tally.kernel(%k) reduces [0] ins(%i, %n : memref<?xi64>, i64) outs(%flag : memref<i1>) {
  ^bb0(%is: tensor<?xi64>, %size: i64, %out: tensor<i1>):
    %true = arith.constant dense<true> : tensor<i1>
    %all = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"], tally.dims = array<i64: 0>}
        ins(%is : tensor<?xi64>) outs(%true : tensor<i1>) {
    ^bb0(%at: i64, %sofar: i1):
      %in = arith.cmpi ult, %at, %size : i64
      %t = arith.andi %sofar, %in : i1
      linalg.yield %t : i1
    } -> tensor<i1>
    tally.yield %all : tensor<i1>
  }
  %ok = memref.load %flag[] : memref<i1>
  memref.dealloc %flag : memref<i1>
  tally.assert %ok, <i < n> (n = %n : i64) message("out of bounds")
  %y = memref.alloc(%k, %e) : memref<?x?xf32>
  tally.kernel(%k, %e) ins(%i, %x : memref<?xi64>, memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%is: tensor<?xi64>, %xs: tensor<?x?xf32>, %ys: tensor<?x?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"], tally.dims = array<i64: 0, 1>}
        ins(%is : tensor<?xi64>) outs(%ys : tensor<?x?xf32>) {
    ^bb0(%at: i64, %unused: f32):
      %column = linalg.index 1 : index
      %row = arith.index_cast %at : i64 to index
      %v = tensor.extract %xs[%row, %column] : tensor<?x?xf32>
      linalg.yield %v : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return %y : memref<?x?xf32>
}

// -----

// Loops that use what is checked do not check it; what is checked is freed behind the loop that does. A condition of the
// host is an alternative for each element.
// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %{{.*}}: memref<?xindex>, %[[N:.*]]: index, %[[K:.*]]: index, %[[EMPTY:.*]]: i1)
// CHECK: %[[I:.*]] = memref.alloc(%[[K]]) : memref<?xindex>
// CHECK-NOT: tally.kernel
// CHECK: scf.for %[[AT:.*]] = %{{.*}} to %[[K]]
// CHECK: %[[V:.*]] = memref.load %[[I]][%[[AT]]]
// CHECK: arith.cmpi ult, %[[V]], %[[N]] : index
// CHECK: %[[EITHER:.*]] = arith.ori %{{.*}}, %[[EMPTY]]
// CHECK: tally.assert %[[EITHER]] message("out of bounds")
// CHECK: }
// CHECK-NEXT: memref.dealloc %[[I]]
func.func @loops(%from: memref<?xindex>, %n: index, %k: index, %empty: i1) {
  %i = memref.alloc(%k) : memref<?xindex>
  memref.copy %from, %i : memref<?xindex> to memref<?xindex>
  %flag = memref.alloc() : memref<i1>
  tally.kernel(%k) reduces [0] ins(%i, %n : memref<?xindex>, index) outs(%flag : memref<i1>) {
  ^bb0(%is: tensor<?xindex>, %size: index, %out: tensor<i1>):
    %true = arith.constant dense<true> : tensor<i1>
    %all = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"], tally.dims = array<i64: 0>}
        ins(%is : tensor<?xindex>) outs(%true : tensor<i1>) {
    ^bb0(%at: index, %sofar: i1):
      %in = arith.cmpi ult, %at, %size : index
      %t = arith.andi %in, %sofar : i1
      linalg.yield %t : i1
    } -> tensor<i1>
    tally.yield %all : tensor<i1>
  }
  memref.dealloc %i : memref<?xindex>
  %ok = memref.load %flag[] : memref<i1>
  %any = arith.ori %ok, %empty : i1
  memref.dealloc %flag : memref<i1>
  tally.assert %any message("out of bounds")
  return
}

// -----

// One thread asserts what is known of other values.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %[[N:.*]]: index)
// CHECK: scf.for %{{.*}} = %[[C0:.*]] to %[[C1:.*]] step %[[C1]]
// CHECK: %[[V:.*]] = memref.load %[[X]]
// CHECK: %[[OK:.*]] = arith.cmpf ogt, %[[V]]
// CHECK: tally.assert %[[OK]], <p> (v = %[[V]], n = %[[N]] : f32, index)
func.func @scalar(%x: memref<4xf32>, %n: index) {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %v = memref.load %x[%c2] : memref<4xf32>
  %ok = arith.cmpf ogt, %v, %zero : f32
  tally.assert %ok, <p> (v = %v, n = %n : f32, index)
  return
}

// -----

// The host needs the value anyway, or the assert guards what it uses.
// CHECK-LABEL: func.func @host(
// CHECK-NOT: scf.for
// CHECK: return
func.func @host(%x: memref<i64>, %y: memref<index>) -> (memref<?xf32>, index) {
  %c0 = arith.constant 0 : i64
  %v = memref.load %x[] : memref<i64>
  %ok = arith.cmpi sge, %v, %c0 : i64
  tally.assert %ok, <0 <= v> (v = %v : i64)
  %n = arith.index_cast %v : i64 to index
  %z = memref.alloc(%n) : memref<?xf32>
  %w = memref.load %y[] : memref<index>
  %in = arith.cmpi ult, %w, %n : index
  %g = tally.assert %in message("no") guards(%w : index)
  return %z, %g : memref<?xf32>, index
}

// -----

// An index that is computed before the check is not what the kernel would check: loops do.
// CHECK-LABEL: func.func @derived(
// CHECK: scf.for
// CHECK: tally.assert
// CHECK: tally.kernel
// CHECK-NOT: tally.assert
func.func @derived(%x: memref<?xf32>, %i: memref<?xindex>, %j: memref<?xindex>, %n: index, %k: index) -> memref<?xf32> {
  %flag = memref.alloc() : memref<i1>
  tally.kernel(%k) reduces [0] ins(%i, %n : memref<?xindex>, index) outs(%flag : memref<i1>) {
  ^bb0(%is: tensor<?xindex>, %size: index, %out: tensor<i1>):
    %true = arith.constant dense<true> : tensor<i1>
    %all = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"], tally.dims = array<i64: 0>}
        ins(%is : tensor<?xindex>) outs(%true : tensor<i1>) {
    ^bb0(%at: index, %sofar: i1):
      %in = arith.cmpi ult, %at, %size : index
      %t = arith.andi %in, %sofar : i1
      linalg.yield %t : i1
    } -> tensor<i1>
    tally.yield %all : tensor<i1>
  }
  %ok = memref.load %flag[] : memref<i1>
  tally.assert %ok message("out of bounds")
  %y = memref.alloc(%k) : memref<?xf32>
  tally.kernel(%k) ins(%i, %j, %x : memref<?xindex>, memref<?xindex>, memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%is: tensor<?xindex>, %js: tensor<?xindex>, %xs: tensor<?xf32>, %ys: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"], tally.dims = array<i64: 0>}
        ins(%is, %js : tensor<?xindex>, tensor<?xindex>) outs(%ys : tensor<?xf32>) {
    ^bb0(%a: index, %b: index, %unused: f32):
      %at = arith.minui %a, %b : index
      %v = tensor.extract %xs[%at] : tensor<?xf32>
      linalg.yield %v : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return %y : memref<?xf32>
}

// -----

// A constant that cannot be passed to a kernel is one there; another such number stays on the host.
// CHECK-LABEL: func.func @wide(
// CHECK: scf.for
// CHECK: %[[MOST:.*]] = arith.constant 3 : i128
// CHECK: arith.cmpi slt, %{{.*}}, %[[MOST]] : i128
// CHECK: tally.assert %{{.*}} message("small")
// CHECK: }
// CHECK-NOT: scf.for
// CHECK: tally.assert %{{.*}} message("smaller")
func.func @wide(%x: memref<i64>, %y: memref<i64>, %n: i128) {
  %most = arith.constant 3 : i128
  %v = memref.load %x[] : memref<i64>
  %a = arith.extsi %v : i64 to i128
  %ok = arith.cmpi slt, %a, %most : i128
  tally.assert %ok message("small")
  %w = memref.load %y[] : memref<i64>
  %b = arith.extsi %w : i64 to i128
  %in = arith.cmpi slt, %b, %n : i128
  tally.assert %in message("smaller")
  return
}
