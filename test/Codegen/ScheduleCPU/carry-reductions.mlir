// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-carry-reductions))' --split-input-file | FileCheck %s

// Lanes choose on their own; of equal ones the first is chosen. Of long rows, they look at blocks that may have a better one:
// the extremum of a block is found from bits.
// CHECK-LABEL: func.func @argmax(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?xf32>, %[[Z:.*]]: memref<?xi64>
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK: %[[BEST:.*]] = memref.load %[[Y]][%[[I]]]
// CHECK: %[[AT:.*]] = memref.load %[[Z]][%[[I]]]
// CHECK: %[[LONG:.*]] = arith.cmpi uge, %[[N:.*]], %c32
// CHECK: %[[LANES:.*]]:2 = scf.if %[[LONG]] -> (f32, i64) {
// CHECK: %[[BLOCKS:.*]] = arith.cmpi uge, %[[N]], %c4096
// CHECK: %[[SIZE:.*]] = arith.select %[[BLOCKS]], %c1024{{.*}}, %[[N]] : index
// CHECK: %[[LASTBLOCK:.*]] = arith.subi %[[N]], %[[SIZE]] : index
// CHECK: scf.for %[[BLOCK:.*]] = %{{.*}} to %[[N]] step %[[SIZE]] iter_args(%[[BEST1:.*]] = %[[BEST]], %[[AT1:.*]] = %[[AT]]) -> (f32, i64) {
// CHECK: %[[BEGIN:.*]] = arith.minui %[[BLOCK]], %[[LASTBLOCK]]
// CHECK: %[[END:.*]] = arith.addi %[[BEGIN]], %[[SIZE]]
// CHECK: %[[MAY:.*]] = scf.if %[[BLOCKS]] -> (i1) {
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c64
// CHECK-COUNT-4: arith.maxsi
// CHECK: vector.reduction <maxsi>
// CHECK: arith.cmpf ogt, %{{.*}}, %[[BEST1]] : f32
// CHECK: scf.if %[[MAY]] -> (f32, i64) {
// CHECK: %[[BESTS:.*]] = vector.broadcast %[[BEST1]] : f32 to vector<32xf32>
// CHECK: %[[ATS:.*]] = vector.broadcast %[[AT1]] : i64 to vector<32xi64>
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %c32
// CHECK: scf.for %[[J:.*]] = %[[BEGIN]] to %[[END]] step %{{.*}} iter_args(%[[B:.*]] = %[[BESTS]], %[[A:.*]] = %[[ATS]]) -> (vector<32xf32>, vector<32xi64>)
// CHECK: %[[FROM:.*]] = arith.minui %[[J]], %[[LAST]]
// CHECK: %[[V:.*]] = vector.load %[[X]][%[[I]], %[[FROM]]] : memref<?x?xf32>, vector<32xf32>
// CHECK: arith.cmpf ogt, %[[V]], %[[B]] : vector<32xf32>
// CHECK: arith.cmpf uno, %[[V]], %[[V]] : vector<32xf32>
// CHECK: scf.yield
// CHECK: vector.shuffle {{.*}} : vector<32xf32>, vector<32xf32>
// CHECK: arith.cmpi slt, {{.*}} : vector<16xi64>
// CHECK: vector.extract {{.*}} : f32 from vector<1xf32>
// CHECK: %[[REST:.*]] = arith.select %[[LONG]], %[[N]], %c0
// CHECK: scf.for %{{.*}} = %[[REST]] to %[[N]] step %{{.*}} iter_args(%{{.*}} = %[[LANES]]#0, %{{.*}} = %[[LANES]]#1)
// CHECK: memref.load %[[X]]
// CHECK: scf.yield {{.*}} : f32, i64
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I]]]
// CHECK: memref.store %{{.*}}, %[[Z]][%[[I]]]
// CHECK-NOT: linalg.generic
func.func @argmax(%x: memref<?x?xf32>, %y: memref<?xf32>, %z: memref<?xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?xf32>, memref<?xi64>) {
  ^bb0(%v: f32, %best: f32, %at: i64):
    %0 = arith.cmpf ogt, %v, %best : f32
    %1 = arith.cmpf oeq, %best, %best : f32
    %2 = arith.cmpf uno, %v, %v : f32
    %3 = arith.andi %2, %1 : i1
    %better = arith.ori %0, %3 : i1
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i64
    %r = arith.select %better, %v, %best : f32
    %s = arith.select %better, %place, %at : i64
    linalg.yield %r, %s : f32, i64
  }
  return
}

// -----

// A choice of the last one, a choice with another index, and elements that are apart go one by one.
// CHECK-LABEL: func.func @one_by_one(
// CHECK-NOT: vector<
// CHECK-COUNT-3: scf.parallel
// CHECK-NOT: vector<
// CHECK: return
func.func @one_by_one(%x: memref<?x?xf32>, %t: memref<?x?xf32, strided<[1, ?]>>, %y: memref<?xf32>, %z: memref<?xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?xf32>, memref<?xi64>) {
  ^bb0(%v: f32, %best: f32, %at: i64):
    %better = arith.cmpf oge, %v, %best : f32
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i64
    %r = arith.select %better, %v, %best : f32
    %s = arith.select %better, %place, %at : i64
    linalg.yield %r, %s : f32, i64
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?xf32>, memref<?xi64>) {
  ^bb0(%v: f32, %best: f32, %at: i64):
    %better = arith.cmpf ogt, %v, %best : f32
    %j = linalg.index 0 : index
    %place = arith.index_cast %j : index to i64
    %r = arith.select %better, %v, %best : f32
    %s = arith.select %better, %place, %at : i64
    linalg.yield %r, %s : f32, i64
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<?x?xf32, strided<[1, ?]>>) outs(%y, %z : memref<?xf32>, memref<?xi64>) {
  ^bb0(%v: f32, %best: f32, %at: i64):
    %better = arith.cmpf ogt, %v, %best : f32
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i64
    %r = arith.select %better, %v, %best : f32
    %s = arith.select %better, %place, %at : i64
    linalg.yield %r, %s : f32, i64
  }
  return
}

// -----

// Halves are compared in lanes, too. Without an index as a result, lanes keep one: it tells which of equal elements, and of
// the two zeros, is the first.
// CHECK-LABEL: func.func @halves(
// CHECK: vector.load %{{.*}} : memref<?x?xf16>, vector<32xf16>
// CHECK: arith.cmpf ogt, %{{.*}} : vector<32xf16>
// CHECK-LABEL: func.func @without_index(
// CHECK: scf.if %{{.*}} -> (f32) {
// CHECK: scf.for {{.*}} -> (vector<32xf32>, vector<32xi64>)
// CHECK: %[[BETTER:.*]] = arith.cmpf olt, %{{.*}} : vector<32xf32>
// CHECK: %[[E:.*]] = arith.select %[[BETTER]], %{{.*}} : vector<32xi1>, vector<32xf32>
// CHECK: %[[I:.*]] = arith.select %[[BETTER]], %{{.*}} : vector<32xi1>, vector<32xi64>
// CHECK: scf.yield %[[E]], %[[I]]
// CHECK: scf.for {{.*}} -> (f32)
func.func @halves(%h: memref<?x?xf16>, %g: memref<?xf16>, %z: memref<?xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%h : memref<?x?xf16>) outs(%g, %z : memref<?xf16>, memref<?xi64>) {
  ^bb0(%v: f16, %best: f16, %at: i64):
    %better = arith.cmpf ogt, %v, %best : f16
    %j = linalg.index 1 : index
    %place = arith.index_cast %j : index to i64
    %r = arith.select %better, %v, %best : f16
    %s = arith.select %better, %place, %at : i64
    linalg.yield %r, %s : f16, i64
  }
  return
}
func.func @without_index(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %best: f32):
    %better = arith.cmpf olt, %v, %best : f32
    %r = arith.select %better, %v, %best : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Several loops carry one accumulator; without rows there is no parallel loop.
// CHECK-LABEL: func.func @all(
// CHECK-NOT: scf.parallel
// CHECK: %[[OLD:.*]] = memref.load %{{.*}}[]
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[OLD]])
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK: memref.store
func.func @all(%x: memref<?x?xf32, strided<[?, 1]>>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<?x?xf32, strided<[?, 1]>>) outs(%y : memref<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Reductions around parallel loops, and what reads where it writes, stay.
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-2: linalg.generic
func.func @kept(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%y, %x : memref<?xf32>, memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%u: f32, %v: f32, %sum: f32):
    %p = arith.mulf %u, %v : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// The largest element of a row: the bits of blocks of vectors, then of whole vectors, the last of which may overlap, are
// compared as integers. These tell which float is the largest one, and whether one is NaN.
// CHECK-LABEL: func.func @max(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?xf32>
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK: %[[OLD:.*]] = memref.load %[[Y]][%[[I]]]
// CHECK: %[[BITS:.*]] = arith.bitcast %[[OLD]] : f32 to i32
// CHECK: %[[LONG:.*]] = arith.cmpi uge, %[[N:.*]], %c16
// CHECK: %[[VECTORS:.*]]:3 = scf.if %[[LONG]] -> (i32, i32, i32) {
// CHECK: %[[START:.*]] = vector.broadcast %[[BITS]] : i32 to vector<16xi32>
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c16
// CHECK: %[[BLOCKS:.*]]:3 = scf.for %[[J:.*]] = %{{.*}} to %[[END:.*]] step %c64{{.*}} iter_args(%[[LARGEST:.*]] = %[[START]], %[[SMALLEST:.*]] = %{{.*}}, %[[FARTHEST:.*]] = %{{.*}}) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>)
// CHECK: %[[V:.*]] = vector.load %[[X]][%[[I]], %{{.*}}] : memref<?x?xf32>, vector<16xf32>
// CHECK: %[[B:.*]] = arith.bitcast %[[V]] : vector<16xf32> to vector<16xi32>
// CHECK: arith.maxsi %[[LARGEST]], %[[B]]
// CHECK: arith.minsi %[[SMALLEST]], %[[B]]
// CHECK: arith.maxui %[[FARTHEST]], %[[B]]
// CHECK-COUNT-3: vector.load
// CHECK: scf.yield
// CHECK: %[[ALL:.*]]:3 = scf.for %[[J:.*]] = %[[END]] to %[[N]] step %c16{{.*}} iter_args
// CHECK: arith.minui %[[J]], %[[LAST]]
// CHECK: vector.load
// CHECK: vector.reduction <maxsi>, %[[ALL]]#0
// CHECK: vector.reduction <minsi>, %[[ALL]]#1
// CHECK: vector.reduction <maxui>, %[[ALL]]#2
// CHECK: %[[BEGIN:.*]] = arith.select %[[LONG]], %[[N]], %c0
// CHECK: %[[R:.*]]:3 = scf.for %{{.*}} = %[[BEGIN]] to %[[N]] {{.*}} iter_args(%{{.*}} = %[[VECTORS]]#0, %{{.*}} = %[[VECTORS]]#1, %{{.*}} = %[[VECTORS]]#2)
// CHECK: memref.load %[[X]]
// CHECK: arith.maxsi
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[R]]#0, %c0_i32
// CHECK: %[[MAX:.*]] = arith.select %[[NEGATIVE]], %[[R]]#1, %[[R]]#0
// CHECK: arith.cmpi sgt, %[[R]]#0, %c2139095040_i32
// CHECK: arith.cmpi ugt, %[[R]]#2, %c-8388608_i32
// CHECK: %[[BEST:.*]] = arith.select %{{.*}}, %{{.*}}, %[[MAX]]
// CHECK: %[[F:.*]] = arith.bitcast %[[BEST]] : i32 to f32
// CHECK: memref.store %[[F]], %[[Y]]
func.func @max(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %max: f32):
    %r = arith.maximumf %max, %v : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// Halves are widened. What is computed from an element stays as it is.
// CHECK-LABEL: func.func @min_of_halves(
// CHECK: memref.load %{{.*}} : memref<?xbf16>
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: vector.load %{{.*}} : memref<?x?xbf16>, vector<16xbf16>
// CHECK: math.absf %{{.*}} : vector<16xbf16>
// CHECK: arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK: arith.maxsi %{{.*}} : vector<16xi32>
// CHECK: scf.for
// CHECK: memref.load %{{.*}} : memref<?x?xbf16>
// CHECK: arith.minsi %{{.*}} : i32
// CHECK: arith.cmpi slt, %[[SMALLEST:.*]], %c0_i32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[SMALLEST]]
// CHECK: %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: memref.store %[[R]]
func.func @min_of_halves(%x: memref<?x?xbf16>, %y: memref<?xbf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xbf16>) outs(%y : memref<?xbf16>) {
  ^bb0(%v: bf16, %min: bf16):
    %a = math.absf %v : bf16
    %r = arith.minimumf %a, %min : bf16
    linalg.yield %r : bf16
  }
  return
}

// -----

// Doubles are compared as such, and their bits tell which zero it is. Where one is NaN or infinite, all are taken once more.
// CHECK-LABEL: func.func @max_of_doubles(
// CHECK: %[[OLD:.*]] = memref.load
// CHECK: %[[VECTORS:.*]]:2 = scf.if %{{.*}} -> (f64, i1) {
// CHECK: %[[WORST:.*]] = arith.constant dense<0xFFF0000000000000> : vector<16xf64>
// CHECK: %[[ONES:.*]] = arith.constant dense<-1> : vector<16xi64>
// CHECK: scf.for {{.*}} step %c64{{.*}} iter_args(%[[BEST:.*]] = %[[WORST]], %[[BITS:.*]] = %[[ONES]], %[[SPECIAL:.*]] = %{{.*}}) ->
// CHECK: %[[V:.*]] = vector.load {{.*}} vector<16xf64>
// CHECK: %[[BETTER:.*]] = arith.cmpf ogt, %[[V]], %[[BEST]]
// CHECK: arith.select %[[BETTER]], %[[V]], %[[BEST]]
// CHECK: %[[OWN:.*]] = arith.bitcast %[[V]]
// CHECK: arith.andi %[[BITS]], %[[OWN]]
// CHECK: %[[NOTHING:.*]] = arith.mulf %[[V]], %{{.*}} : vector<16xf64>
// CHECK: arith.addf %[[SPECIAL]], %[[NOTHING]] : vector<16xf64>
// CHECK: vector.reduction <maxnumf>
// CHECK: vector.reduction <and>
// CHECK: vector.reduction <add>
// CHECK: %[[KNOWN:.*]] = arith.cmpf ord
// CHECK: %[[R:.*]] = arith.maximumf %[[OLD]]
// CHECK: arith.select %[[KNOWN]], %[[R]], %[[OLD]]
// CHECK: %[[BEGIN:.*]] = arith.select %[[VECTORS]]#1, %{{.*}}, %c0{{.*}}
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %{{.*}} iter_args(%{{.*}} = %[[VECTORS]]#0)
// CHECK: arith.maximumf
// Elements that are apart go one by one.
// CHECK-LABEL: func.func @max_of_columns(
// CHECK-NOT: vector<
// CHECK: return
func.func @max_of_doubles(%x: memref<?x?xf64>, %y: memref<?xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf64>) outs(%y : memref<?xf64>) {
  ^bb0(%v: f64, %max: f64):
    %r = arith.maximumf %max, %v : f64
    linalg.yield %r : f64
  }
  return
}
func.func @max_of_columns(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %max: f32):
    %r = arith.maximumf %max, %v : f32
    linalg.yield %r : f32
  }
  return
}

// What is looked up along columns is carried as well, so that lanes can take neighbors; not where they are apart in memory,
// or of a type without vectors.
// CHECK-LABEL: func.func @columns_looked_up(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[AT:.*]]: memref<?x?xindex>, %[[Y:.*]]: memref<?x?xf32>)
// CHECK:         scf.parallel (%[[I:.*]], %[[J:.*]]) =
// CHECK:           %[[SUM:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
// CHECK:             %[[ROW:.*]] = memref.load %[[AT]][%[[I]], %[[K]]]
// CHECK:             %[[V:.*]] = memref.load %[[X]][%[[ROW]], %[[J]]]
// CHECK:             arith.addf %[[S]], %[[V]]
// CHECK:           memref.store %[[SUM]], %[[Y]][%[[I]], %[[J]]]
// CHECK-LABEL: func.func @apart_looked_up(
// CHECK-COUNT-2: linalg.generic
func.func @columns_looked_up(%x: memref<?x?xf32>, %at: memref<?x?xindex>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k)>, affine_map<(i, k, j) -> (i, j)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%at : memref<?x?xindex>) outs(%y : memref<?x?xf32>) {
  ^bb0(%row: index, %sum: f32):
    %j = linalg.index 2 : index
    %v = memref.load %x[%row, %j] : memref<?x?xf32>
    %s = arith.addf %sum, %v : f32
    linalg.yield %s : f32
  }
  return
}
func.func @apart_looked_up(%x: memref<?x?xf32>, %h: memref<?x?xf16>, %at: memref<?xindex>, %y: memref<?xf32>, %z: memref<?xf16>) {
  linalg.generic {indexing_maps = [affine_map<(k, j) -> (k)>, affine_map<(k, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%at : memref<?xindex>) outs(%y : memref<?xf32>) {
  ^bb0(%row: index, %sum: f32):
    %j = linalg.index 1 : index
    %v = memref.load %x[%j, %row] : memref<?x?xf32>
    %s = arith.addf %sum, %v : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(k, j) -> (k)>, affine_map<(k, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%at : memref<?xindex>) outs(%z : memref<?xf16>) {
  ^bb0(%row: index, %sum: f16):
    %j = linalg.index 1 : index
    %v = memref.load %h[%row, %j] : memref<?x?xf16>
    %s = arith.addf %sum, %v : f16
    linalg.yield %s : f16
  }
  return
}

// -----

// The elements from an index on are neutral: the loop ends there. An index that is clamped nowhere in the row is taken as it is.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[START:.*]]: memref<?xi64>, %[[LENGTH:.*]]: memref<?xi64>, %{{.*}}: memref<?xf32>, %[[LAST:.*]]: i64, %[[Y:.*]]: memref<?x?xf32>)
// CHECK: scf.parallel (%[[I:.*]], %[[P:.*]]) =
// CHECK-DAG: %[[FIRST:.*]] = memref.load %[[START]][%[[P]]]
// CHECK-DAG: %[[COUNT:.*]] = memref.load %[[LENGTH]][%[[P]]]
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[COUNT]] : i64 to index
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[SIZE]], %{{.*}}
// CHECK: %[[END:.*]] = arith.minsi %[[POSITIVE]], %{{.*}}
// CHECK: %[[BEHIND:.*]] = arith.subi %[[LAST]], %[[FIRST]] : i64
// CHECK: arith.cmpi sle, %{{.*}}, %[[FIRST]]
// CHECK: arith.cmpi sle, %{{.*}}, %[[LAST]]
// CHECK: arith.cmpi sle, %{{.*}}, %[[BEHIND]]
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[END]] step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (f32) {
// CHECK-NOT: memref.load %[[START]]
// CHECK: %[[AT:.*]] = arith.addi %[[FIRST]],
// CHECK: %[[CLAMPED:.*]] = arith.maxsi
// CHECK: %[[TAKEN:.*]] = arith.select %[[INSIDE]], %[[AT]], %[[CLAMPED]] : i64
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[TAKEN]]
// CHECK: %[[V:.*]] = memref.load %[[X]][%[[I]], %[[PLACE]]]
// CHECK: arith.addf %[[SUM]], %[[V]] fastmath<reassoc>
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I]], %[[P]]]
#part = affine_map<(i, p, k) -> (p)>
func.func @parts(%x: memref<?x?xf32>, %start: memref<?xi64>, %length: memref<?xi64>, %window: memref<?xf32>, %last: i64, %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  linalg.generic {indexing_maps = [#part, #part, affine_map<(i, p, k) -> (k)>, affine_map<(i, p, k) -> (i, p)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%start, %length, %window : memref<?xi64>, memref<?xi64>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%first: i64, %count: i64, %unused: f32, %sum: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %number = arith.index_cast %k : index to i64
    %inside = arith.cmpi slt, %number, %count : i64
    %at = arith.addi %first, %number : i64
    %low = arith.minsi %at, %last : i64
    %clamped = arith.maxsi %low, %c0 : i64
    %place = arith.index_cast %clamped : i64 to index
    %v = memref.load %x[%i, %place] : memref<?x?xf32>
    %element = arith.select %inside, %v, %zero : f32
    %t = arith.addf %sum, %element fastmath<reassoc> : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// What is taken behind the end is not neutral, the order of the sum counts, and the end is one of elements.
// CHECK-LABEL: func.func @no_parts(
// CHECK-COUNT-3: arith.select
// CHECK-NOT: arith.select
#row = affine_map<(i, k) -> (i)>
#element = affine_map<(i, k) -> (i, k)>
func.func @no_parts(%x: memref<?x?xf32>, %length: memref<?xindex>, %lengths: memref<?x?xindex>, %y: memref<?xf32>, %z: memref<?xf32>, %u: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#element, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %length : memref<?x?xf32>, memref<?xindex>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %count: index, %sum: f32):
    %k = linalg.index 1 : index
    %inside = arith.cmpi slt, %k, %count : index
    %element = arith.select %inside, %v, %one : f32
    %t = arith.addf %sum, %element fastmath<reassoc> : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#element, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %length : memref<?x?xf32>, memref<?xindex>) outs(%z : memref<?xf32>) {
  ^bb0(%v: f32, %count: index, %sum: f32):
    %k = linalg.index 1 : index
    %inside = arith.cmpi slt, %k, %count : index
    %element = arith.select %inside, %v, %zero : f32
    %t = arith.addf %sum, %element : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#element, #element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %lengths : memref<?x?xf32>, memref<?x?xindex>) outs(%u : memref<?xf32>) {
  ^bb0(%v: f32, %count: index, %sum: f32):
    %k = linalg.index 1 : index
    %inside = arith.cmpi slt, %k, %count : index
    %element = arith.select %inside, %v, %zero : f32
    %t = arith.addf %sum, %element fastmath<reassoc> : f32
    linalg.yield %t : f32
  }
  return
}
