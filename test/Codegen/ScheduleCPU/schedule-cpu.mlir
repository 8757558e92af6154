// RUN: tally-opt %s --split-input-file --tally-schedule-cpu --canonicalize --cse --mlir-print-local-scope | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// The exponentials are stored in the result, and read back where they are divided.
// CHECK-LABEL: func.func @exps(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK-DAG: %[[FX:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0]
// CHECK-DAG: %[[FY:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0]
// CHECK: } else {
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%[[M]])
// CHECK:   %[[SUM:.*]] = scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[PART:.*]] = %{{.*}}) -> (f32) {
// CHECK:     %[[V:.*]] = memref.load %[[FX]]
// CHECK:     %[[E:.*]] = math.exp %[[V]]
// CHECK:     memref.store %[[E]], %[[FY]]
// CHECK:     arith.addf %[[PART]], %[[E]]
// CHECK:   scf.for %{{.*}} = %{{.*}} to %[[N]]
// CHECK-NOT: math.exp
// CHECK:     %[[K:.*]] = memref.load %[[FY]]
// CHECK:     %[[Q:.*]] = arith.divf %[[K]], %[[SUM]]
// CHECK:     memref.store %[[Q]], %[[FY]]
func.func @exps(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %nowhere = ub.poison : tensor<?x?xf32>
    %rows = ub.poison : tensor<?xf32>
    %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%rows : tensor<?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %zero : f32
    } -> tensor<?xf32>
    %e = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x?xf32>) outs(%nowhere : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %unused: f32):
      %t = math.exp %v : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%e : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32):
      %t = arith.addf %sum, %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%e, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32, %unused: f32):
      %t = arith.divf %v, %sum : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// A result of f16 cannot hold the exponentials: those of rows that fit into 16
// KB are kept on the stack, those of others are computed again.
// CHECK-LABEL: func.func @exps_of_halves(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf16>, %[[Y:.*]]: memref<?x?xf16>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[N]], %c4096
// CHECK: scf.if %[[FITS]] {
// CHECK:   scf.parallel
// CHECK:     %[[ROW:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4096xf32>
// CHECK:     scf.for %[[J:.*]] = %{{.*}} to %[[N]]
// CHECK:       %[[E:.*]] = math.exp
// CHECK:       memref.store %[[E]], %[[ROW]][%[[J]]]
// CHECK:     scf.for %[[K:.*]] = %{{.*}} to %[[N]]
// CHECK-NOT:   math.exp
// CHECK:       memref.load %[[ROW]][%[[K]]]
// CHECK: } else {
// CHECK:   scf.parallel
// CHECK-NOT: memref.alloca
// CHECK:     math.exp
// CHECK:     math.exp
func.func @exps_of_halves(%x: memref<?x?xf16>, %y: memref<?x?xf16>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x?xf16>) outs(%y : memref<?x?xf16>) {
  ^bb0(%a: tensor<?x?xf16>, %o: tensor<?x?xf16>):
    %zero = arith.constant 0.0 : f32
    %nowhere = ub.poison : tensor<?x?xf32>
    %rows = ub.poison : tensor<?xf32>
    %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%rows : tensor<?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %zero : f32
    } -> tensor<?xf32>
    %e = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x?xf16>) outs(%nowhere : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f16, %unused: f32):
      %w = arith.extf %v : f16 to f32
      %t = math.exp %w : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%e : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32):
      %t = arith.addf %sum, %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%e, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf16>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32, %unused: f16):
      %t = arith.divf %v, %sum : f32
      %w = arith.truncf %t : f32 to f16
      linalg.yield %w : f16
    } -> tensor<?x?xf16>
    tally.yield %r : tensor<?x?xf16>
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// What is cheap is computed in each loop.
// CHECK-LABEL: func.func @twice(
// CHECK: } else {
// CHECK: scf.parallel
// CHECK:   scf.for
// CHECK:     arith.mulf
// CHECK-NOT: memref.store
// CHECK:     arith.addf
// CHECK:   scf.for
// CHECK:     arith.mulf
// CHECK:     arith.subf
// CHECK:     memref.store
func.func @twice(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %nowhere = ub.poison : tensor<?x?xf32>
    %rows = ub.poison : tensor<?xf32>
    %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%rows : tensor<?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %zero : f32
    } -> tensor<?xf32>
    %e = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x?xf32>) outs(%nowhere : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %unused: f32):
      %t = arith.mulf %v, %v : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%e : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32):
      %t = arith.addf %sum, %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%e, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32, %unused: f32):
      %t = arith.subf %v, %sum : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// An output that is an input as it is becomes a loop of its own.
// CHECK-LABEL: func.func @copy(
// CHECK: scf.parallel
// CHECK-NEXT: memref.load
// CHECK-NEXT: memref.store
func.func @copy(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  tally.kernel(%n) ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  }
  return
}

// -----

// Windows that have nothing in common are taken one by one, and the largest element of each is found from bits.
// CHECK-LABEL: func.func @channels(
// CHECK: scf.parallel (%{{.*}}, %{{.*}}) = (%c0, %c0) to (%{{.*}}, %{{.*}}) step (%c1, %c1) {
// CHECK-COUNT-3: memref.load
// CHECK-NOT: arith.maximumf
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.maxui
// CHECK: memref.store
func.func @channels(%x: memref<?x3x?xf32>, %z: memref<3xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %three = arith.constant 3 : index
  tally.kernel(%m, %n, %three) reduces [2] ins(%x : memref<?x3x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x3x?xf32>, %o: tensor<?x?xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %nowhere = ub.poison : tensor<?x?xf32>
    %start = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%nowhere : tensor<?x?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %lowest : f32
    } -> tensor<?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, c) -> (i, c, j)>, affine_map<(i, j, c) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a : tensor<?x3x?xf32>) outs(%start : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1, 2>} {
    ^bb0(%v: f32, %max: f32):
      %t = arith.maximumf %max, %v : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// The window has no loops. Four of them that have rows in common are taken at once, and read the 5 rows of 3 elements once;
// at the end one by one.
// CHECK-LABEL: func.func @window(
// CHECK-SAME: %[[M:[a-z0-9]*]]: index, %[[N:[a-z0-9]*]]: index)
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%[[M]]) step (%c4) {
// CHECK:   %[[END:.*]] = arith.addi %[[I]], %c4
// CHECK:   %[[WHOLE:.*]] = arith.cmpi sle, %[[END]], %[[M]]
// CHECK:   scf.if %[[WHOLE]] {
// CHECK:     scf.for %{{.*}} = %c0 to %[[N]] step %c1 {
// CHECK-COUNT-15: memref.load
// CHECK-NOT:   memref.load
// CHECK-COUNT-4: memref.store
// CHECK:     } {tally.independent
// CHECK:   } else {
// CHECK:     scf.for %{{.*}} = %[[I]] to %[[M]] step %c1 {
// CHECK:       scf.for %{{.*}} = %c0 to %[[N]] step %c1 {
// CHECK-NOT:     scf.for
// CHECK-COUNT-6: memref.load
// CHECK-NOT:     memref.load
// CHECK:         memref.store
func.func @window(%x: memref<?x?xf32>, %z: memref<2x3xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  tally.kernel(%m, %n, %two, %three) reduces [2, 3] ins(%x, %z : memref<?x?xf32>, memref<2x3xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<2x3xf32>, %o: tensor<?x?xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %nowhere = ub.poison : tensor<?x?xf32>
    %start = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%nowhere : tensor<?x?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %lowest : f32
    } -> tensor<?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, p, q) -> (i + p, j * 2 + q)>, affine_map<(i, j, p, q) -> (p, q)>, affine_map<(i, j, p, q) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %b : tensor<?x?xf32>, tensor<2x3xf32>) outs(%start : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1, 2, 3>} {
    ^bb0(%v: f32, %u: f32, %max: f32):
      %t = arith.maximumf %max, %v : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// Products of a window are added to sums in any order without being rounded first, by windows that are taken at once and
// by single ones; those of sums whose order is given are rounded.
// CHECK-LABEL: func.func @products(
// CHECK: scf.if
// CHECK-COUNT-8: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// CHECK: } else {
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: scf.parallel
// CHECK: scf.if
// CHECK: arith.mulf %{{[0-9]+}}, %{{[0-9]+}} : f32
// CHECK-NOT: contract
// CHECK: return
func.func @products(%x: memref<?x?xf32>, %z: memref<2xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %two = arith.constant 2 : index
  tally.kernel(%m, %n, %two) reduces [2] ins(%x, %z : memref<?x?xf32>, memref<2xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<2xf32>, %o: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %nowhere = ub.poison : tensor<?x?xf32>
    %start = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%nowhere : tensor<?x?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %zero : f32
    } -> tensor<?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, p) -> (i + p, j)>, affine_map<(i, j, p) -> (p)>, affine_map<(i, j, p) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<?x?xf32>, tensor<2xf32>) outs(%start : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1, 2>} {
    ^bb0(%v: f32, %u: f32, %sum: f32):
      %p = arith.mulf %v, %u : f32
      %t = arith.addf %sum, %p fastmath<reassoc> : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  tally.kernel(%m, %n, %two) reduces [2] ins(%x, %z : memref<?x?xf32>, memref<2xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<2xf32>, %o: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %nowhere = ub.poison : tensor<?x?xf32>
    %start = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%nowhere : tensor<?x?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %zero : f32
    } -> tensor<?x?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, p) -> (i + p, j)>, affine_map<(i, j, p) -> (p)>, affine_map<(i, j, p) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<?x?xf32>, tensor<2xf32>) outs(%start : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1, 2>} {
    ^bb0(%v: f32, %u: f32, %sum: f32):
      %p = arith.mulf %v, %u : f32
      %t = arith.addf %sum, %p : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// Sums of 16 or more elements are made in two parts.
// CHECK-LABEL: func.func @long(
// CHECK: %[[FIRST:.*]] = arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : f32
// CHECK: %[[SECOND:.*]] = arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : f32
// CHECK: arith.addf %[[FIRST]], %{{.*}} fastmath<reassoc> : f32
// CHECK: arith.addf %[[SECOND]], %{{.*}} fastmath<reassoc> : f32
// CHECK-COUNT-12: arith.addf
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : f32
// CHECK-NEXT: memref.store %[[SUM]]
func.func @long(%x: memref<?x16xf32>, %y: memref<?xf32>, %m: index) {
  %length = arith.constant 16 : index
  tally.kernel(%m, %length) reduces [1] ins(%x : memref<?x16xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: tensor<?x16xf32>, %o: tensor<?xf32>):
    %zero = arith.constant 0.0 : f32
    %nowhere = ub.poison : tensor<?xf32>
    %start = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%nowhere : tensor<?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %zero : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, p) -> (i, p)>, affine_map<(i, p) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x16xf32>) outs(%start : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32):
      %t = arith.addf %sum, %v fastmath<reassoc> : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %r : tensor<?xf32>
  }
  return
}

// -----

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// An element of a fill is what fills it, wherever it is.
// CHECK-LABEL: func.func @element_of_fill(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: scf.parallel
// CHECK: scf.for
// CHECK:   %[[V:.*]] = memref.load
// CHECK:   %[[T:.*]] = arith.mulf %[[V]], %[[TWO]]
// CHECK:   arith.addf %{{.*}}, %[[T]]
func.func @element_of_fill(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2.0 : f32
    %nowhere = ub.poison : tensor<?x?xf32>
    %rows = ub.poison : tensor<?xf32>
    %table = ub.poison : tensor<?x64xf32>
    %twos = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%table : tensor<?x64xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %two : f32
    } -> tensor<?x64xf32>
    %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%rows : tensor<?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %zero : f32
    } -> tensor<?xf32>
    %e = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x?xf32>) outs(%nowhere : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %unused: f32):
      %i = linalg.index 0 : index
      %k = arith.fptoui %v : f32 to i64
      %j = arith.index_cast %k : i64 to index
      %f = tensor.extract %twos[%i, %j] {tally.checked} : tensor<?x64xf32>
      %t = arith.mulf %v, %f : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%e : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32):
      %t = arith.addf %sum, %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%e, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32, %unused: f32):
      %t = arith.divf %v, %sum : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// The largest float of a row is found from bits: the largest and the smallest integer, and the largest unsigned one.
// CHECK-LABEL: func.func @shift_by_max(
// CHECK: } else {
// CHECK: scf.parallel
// CHECK:   %[[BITS:.*]]:3 = scf.for {{.*}} iter_args(%[[A:.*]] = %c-8388608_i32, %[[B:.*]] = %c-8388608_i32, %[[C:.*]] = %c-8388608_i32) -> (i32, i32, i32) {
// CHECK:     %[[V:.*]] = memref.load
// CHECK:     %[[E:.*]] = arith.bitcast %[[V]] : f32 to i32
// CHECK:     arith.maxsi %[[A]], %[[E]]
// CHECK:     arith.minsi %[[B]], %[[E]]
// CHECK:     arith.maxui %[[C]], %[[E]]
// CHECK:   arith.select %{{.*}}, %[[BITS]]#1, %[[BITS]]#0
// CHECK:   %[[MAX:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK:   scf.for
// CHECK:     arith.subf %{{.*}}, %[[MAX]]
func.func @shift_by_max(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %rows = ub.poison : tensor<?xf32>
    %start = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%rows : tensor<?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %lowest : f32
    } -> tensor<?xf32>
    %max = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x?xf32>) outs(%start : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %best: f32):
      %t = arith.maximumf %best, %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %best: f32, %unused: f32):
      %t = arith.subf %v, %best : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// Threads share rows that are long, if there are few: each phase is a parallel loop over the parts of all rows, which starts from
// the neutral element. What they found is joined, in their order with what the reduction starts from, where it is needed.
// CHECK-LABEL: func.func @long_rows(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>, %[[Z:.*]]: memref<?xf32>, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[START:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[LONG:.*]] = arith.cmpi sge, %[[N]], %c24576
// CHECK-DAG: %[[FEW:.*]] = arith.cmpi sle, %[[M]], %c4
// CHECK: %[[PARTS:.*]] = arith.andi %[[LONG]], %[[FEW]]
// CHECK: scf.if %[[PARTS]] {
// CHECK:   %[[COUNT:.*]] = arith.ceildivsi %[[N]], %c8192
// CHECK:   %[[ALL:.*]] = arith.muli %[[M]], %[[COUNT]]
// CHECK:   %[[SUMS:.*]] = memref.alloc(%[[ALL]]) : memref<?xf32>
// CHECK:   scf.parallel (%[[P:.*]]) = (%c0) to (%[[ALL]]) step (%c1) {
// CHECK-DAG: %[[ROW:.*]] = arith.divui %[[P]], %[[COUNT]]
// CHECK-DAG: %[[OF_ROW:.*]] = arith.remui %[[P]], %[[COUNT]]
// CHECK:     %[[BEGIN:.*]] = arith.muli %[[OF_ROW]], %c8192
// CHECK:     %[[FULL:.*]] = arith.addi %[[BEGIN]], %c8192
// CHECK:     %[[END:.*]] = arith.minsi %[[FULL]], %[[N]]
// CHECK:     %[[PART:.*]] = scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c1 iter_args(%{{.*}} = %[[NONE]])
// CHECK:       arith.muli %[[ROW]], %{{.*}}
// CHECK:     memref.store %[[PART]], %[[SUMS]][%[[P]]]
// CHECK:   } {tally.points = 8192 : index}
// CHECK:   scf.parallel (%[[P:.*]]) = (%c0) to (%[[ALL]]) step (%c1) {
// CHECK:     %[[ROW:.*]] = arith.divui %[[P]], %[[COUNT]]
// CHECK:     %[[FIRST:.*]] = arith.muli %[[ROW]], %[[COUNT]]
// CHECK:     %[[SUM:.*]] = scf.for %[[I:.*]] = %c0 to %[[COUNT]] step %c1 iter_args(%[[C:.*]] = %[[START]])
// CHECK:       %[[PLACE:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK:       %[[S:.*]] = memref.load %[[SUMS]][%[[PLACE]]]
// CHECK:       arith.addf %[[C]], %[[S]]
// CHECK:     arith.divf %{{.*}}, %[[SUM]]
// CHECK:   scf.for %[[ROW:.*]] = %c0 to %[[M]] step %c1 {
// CHECK:     %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK:     memref.store %[[SUM]], %{{.*}}[%[[ROW]]]
// CHECK:   memref.dealloc %[[SUMS]]
// CHECK: } else {
// CHECK:   scf.parallel (%{{.*}}) = (%c0) to (%[[M]])
func.func @long_rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?x?xf32>, memref<?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>, %p: tensor<?xf32>):
    %half = arith.constant 0.5 : f32
    %starts = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%p : tensor<?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %half : f32
    } -> tensor<?xf32>
    %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x?xf32>) outs(%starts : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32):
      %t = arith.addf %sum, %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32, %unused: f32):
      %t = arith.divf %v, %sum : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r, %sums : tensor<?x?xf32>, tensor<?xf32>
  }
  return
}

// -----

// Rows that are known to be short, or many, have no parts.
// CHECK-LABEL: func.func @short_rows(
// CHECK-NOT: scf.if
func.func @short_rows(%x: memref<?x24575xf32>, %y: memref<?x24575xf32>, %m: index) {
  %n = arith.constant 24575 : index
  tally.kernel(%m, %n) reduces [1] ins(%x : memref<?x24575xf32>) outs(%y : memref<?x24575xf32>) {
  ^bb0(%a: tensor<?x24575xf32>, %o: tensor<?x24575xf32>):
    %zero = arith.constant 0.0 : f32
    %rows = ub.poison : tensor<?xf32>
    %starts = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%rows : tensor<?xf32>) {
    ^bb0(%unused: f32):
      linalg.yield %zero : f32
    } -> tensor<?xf32>
    %sums = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x24575xf32>) outs(%starts : tensor<?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32):
      %t = arith.addf %sum, %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %sums : tensor<?x24575xf32>, tensor<?xf32>) outs(%o : tensor<?x24575xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %sum: f32, %unused: f32):
      %t = arith.divf %v, %sum : f32
      linalg.yield %t : f32
    } -> tensor<?x24575xf32>
    tally.yield %r : tensor<?x24575xf32>
  }
  return
}

// -----


// Offsets in a buffer whose rows lie one behind the other grow with each index,
// of which LLVM is told: it loads whole vectors where each second element is
// read. Strides that nobody knows may be negative.
// CHECK-LABEL: func.func @offsets(
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK-DAG: arith.muli %{{.*}}, %{{.*}} overflow<nsw, nuw> : index
// CHECK-DAG: arith.addi %{{.*}}, %{{.*}} overflow<nsw, nuw> : index
// CHECK-DAG: arith.muli %{{.*}}, %{{.*}} : index
// CHECK-DAG: arith.addi %{{.*}}, %{{.*}} : index
func.func @offsets(%x: memref<?x?xf32>, %y: memref<?x?xf32, strided<[?, ?], offset: ?>>, %z: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) ins(%x, %y : memref<?x?xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>) outs(%z : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %w: f32, %unused: f32):
      %t = arith.addf %v, %w : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}

// -----

// Extrema are computed for what is left of a row, too, which LLVM would take one
// by one then.
// CHECK-LABEL: func.func @extrema(
// CHECK-NOT: overflow
func.func @extrema(%x: memref<?x?xf32>, %z: memref<?x?xf32>, %m: index, %n: index) {
  tally.kernel(%m, %n) ins(%x : memref<?x?xf32>) outs(%z : memref<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %zero = arith.constant 0.0 : f32
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) attrs = {tally.dims = array<i64: 0, 1>} {
    ^bb0(%v: f32, %unused: f32):
      %t = arith.maximumf %v, %zero : f32
      linalg.yield %t : f32
    } -> tensor<?x?xf32>
    tally.yield %r : tensor<?x?xf32>
  }
  return
}
