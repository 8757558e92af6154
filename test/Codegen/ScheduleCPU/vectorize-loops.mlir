// RUN: tally-opt %s --split-input-file --tally-vectorize-loops --canonicalize --cse | FileCheck %s

// Bounds, the index, the assert and the factor are the same in all lanes.
// CHECK-LABEL: func.func @scan(
// CHECK: scf.parallel (%[[BEGIN:.*]]) = (%c0) to (%[[N:.*]]) step (%c64) {
// CHECK:   %[[NEXT:.*]] = arith.addi %[[BEGIN]], %c64
// CHECK:   %[[END:.*]] = arith.minsi %[[NEXT]], %[[N]]
// CHECK:   scf.for %[[J:.*]] = %[[BEGIN]] to %[[WHOLE:.*]] step %c64 {
// CHECK:     scf.for %[[I:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<64xf32>) {
// CHECK:       tally.assert
// CHECK:       %[[F:.*]] = memref.load %{{.*}}[%[[I]]] : memref<?xf32>
// CHECK:       %[[V:.*]] = vector.load %{{.*}}[%[[I]], %[[J]]] : memref<?x?xf32>, vector<64xf32>
// CHECK:       %[[FS:.*]] = vector.broadcast %[[F]] : f32 to vector<64xf32>
// CHECK:       %[[P:.*]] = arith.mulf %[[FS]], %[[V]] : vector<64xf32>
// CHECK:       %[[T:.*]] = arith.addf %[[SUM]], %[[P]] : vector<64xf32>
// CHECK:       vector.store %[[T]], %{{.*}}[%[[I]], %[[J]]] : memref<?x?xf32>, vector<64xf32>
// CHECK:       scf.yield %[[T]]
// CHECK:   scf.for %{{.*}} = %[[WHOLE]] to %[[SIXTEENS:.*]] step %c16 {
// CHECK:       vector.store {{.*}} vector<16xf32>
// CHECK:   scf.for %{{.*}} = %[[SIXTEENS]] to %[[EIGHTS:.*]] step %c8 {
// CHECK:       vector.store {{.*}} vector<8xf32>
// CHECK:   scf.for %{{.*}} = %[[EIGHTS]] to %[[END]] step %c1 {
// CHECK:       memref.store
func.func @scan(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %f: memref<?xf32>, %m: index, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %last = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %zero) -> (f32) {
      %inside = arith.cmpi slt, %i, %k : index
      tally.assert %inside message("stated")
      %w = memref.load %f[%i] : memref<?xf32>
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %p = arith.mulf %w, %v : f32
      %t = arith.addf %sum, %p : f32
      memref.store %t, %y[%i, %j] : memref<?x?xf32>
      scf.yield %t : f32
    }
    scf.reduce
  }
  return
}

// -----

// Lanes of which one is out of range, or has no quotient, are taken one by one.
// CHECK-LABEL: func.func @divide(
// CHECK: scf.parallel (%{{.*}}) = (%c0) to (%{{.*}}) step (%c4096) {
// CHECK:   scf.for %[[J:.*]] = {{.*}} step %c16 {
// CHECK:     arith.divf {{.*}} vector<16xf64>
// CHECK:     %[[ALL:.*]] = vector.reduction <or>, %{{.*}} : vector<16xi64> into i64
// CHECK:     %[[OK:.*]] = arith.cmpi ult, %[[ALL]], %c4503599627370496_i64 : i64
// CHECK:     scf.if %[[OK]] {
// CHECK:       vector.store
// CHECK:     } else {
// CHECK:       scf.for
// CHECK:         arith.divsi {{.*}} : i64
// CHECK:         memref.store
// CHECK: } {tally.points = 4096 : index}
func.func @divide(%x: memref<?xi64>, %y: memref<?xi64>, %z: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%j] : memref<?xi64>
    %b = memref.load %y[%j] : memref<?xi64>
    %q = arith.divsi %a, %b : i64
    memref.store %q, %z[%j] : memref<?xi64>
    scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func.func @tangents(
// CHECK:     scf.if %{{.*}} -> (vector<16xf32>) {
// CHECK-NOT:   f64
// CHECK:       arith.divf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:     } else {
// CHECK:       scf.if %{{.*}} -> (vector<16xf32>) {
// CHECK:         %[[T:.*]] = arith.divf %{{.*}}, %{{.*}} : vector<16xf64>
// CHECK:         arith.truncf %[[T]] : vector<16xf64> to vector<16xf32>
// CHECK:       } else {
// CHECK:         math.tan %{{.*}} : vector<16xf32>
func.func @tangents(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%j] : memref<?xf32>
    %s = math.tan %a : f32
    memref.store %s, %y[%j] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// Sines of lanes that are all near 0, or else small, are shorter.
// CHECK-LABEL: func.func @sines(
// CHECK:   scf.for %[[J:.*]] = {{.*}} step %c16 {
// CHECK:     %[[A:.*]] = vector.load
// CHECK:     %[[SIZE:.*]] = math.absf %[[A]] : vector<16xf32>
// CHECK:     %[[NEAR:.*]] = arith.cmpf olt, %[[SIZE]], %{{.*}} : vector<16xf32>
// CHECK:     %[[SMALL:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:     %[[ALL:.*]] = vector.reduction <and>, %[[NEAR]] : vector<16xi1> into i1
// CHECK:     %[[S:.*]] = scf.if %[[ALL]] -> (vector<16xf32>) {
// CHECK-NOT:   f64
// CHECK-NOT:   math.sin
// CHECK:     } else {
// CHECK:       %[[REST:.*]] = vector.reduction <and>, %[[SMALL]] : vector<16xi1> into i1
// CHECK:       scf.if %[[REST]] -> (vector<16xf32>) {
// CHECK-NOT:     math.sin
// CHECK:       } else {
// CHECK:         math.sin %[[A]] : vector<16xf32>
// CHECK:     vector.store %[[S]]
func.func @sines(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%j] : memref<?xf32>
    %s = math.sin %a : f32
    memref.store %s, %y[%j] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func.func @double_tangents(
// CHECK:     scf.if %{{.*}} -> (vector<16xf64>) {
// CHECK-NOT:   math.tan
// CHECK:     } else {
// CHECK:       math.tan %{{.*}} : vector<16xf64>
func.func @double_tangents(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%j] : memref<?xf64>
    %s = math.tan %a : f64
    memref.store %s, %y[%j] : memref<?xf64>
    scf.reduce
  }
  return
}

// -----

// Remainders of f64 need a divisor that is cut, and a finite one.
// CHECK-LABEL: func.func @double_remainders(
// CHECK:     %[[Q:.*]] = arith.divf %[[X:.*]], %[[Y:.*]] : vector<16xf64>
// CHECK:     arith.cmpf olt, %{{.*}} : vector<16xf64>
// CHECK:     arith.cmpf olt, %{{.*}} : vector<16xf64>
// CHECK:     scf.if %{{.*}} -> (vector<16xf64>) {
// CHECK:       arith.andi %{{.*}} : vector<16xi64>
// CHECK-NOT:   arith.remf
// CHECK:     } else {
// CHECK:       arith.remf %[[X]], %[[Y]] : vector<16xf64>
func.func @double_remainders(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%j] : memref<?xf64>
    %b = memref.load %y[%j] : memref<?xf64>
    %s = arith.remf %a, %b : f64
    memref.store %s, %y[%j] : memref<?xf64>
    scf.reduce
  }
  return
}

// -----

// CHECK-LABEL: func.func @double_sines(
// CHECK:   scf.for %{{.*}} = {{.*}} step %c16 {
// CHECK:     scf.if %{{.*}} -> (vector<16xf64>) {
// CHECK-NOT:   math.sin
// CHECK:     } else {
// CHECK:       math.sin %{{.*}} : vector<16xf64>
func.func @double_sines(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%j] : memref<?xf64>
    %s = math.sin %a : f64
    memref.store %s, %y[%j] : memref<?xf64>
    scf.reduce
  }
  return
}

// -----

// A scan along rows: four of them, and what is left one by one.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%[[M:.*]]) step (%c4) {
// CHECK:   %[[END:.*]] = arith.addi %[[I]], %c4
// CHECK:   %[[WHOLE:.*]] = arith.cmpi sle, %[[END]], %[[M]]
// CHECK:   scf.if %[[WHOLE]] {
// CHECK:     scf.for {{.*}} -> (f32, f32, f32, f32) {
// CHECK-COUNT-4: memref.store
// CHECK:   } else {
// CHECK:     scf.for %{{.*}} = %[[I]] to %[[M]] step %c1 {
// CHECK:       scf.for {{.*}} -> (f32) {
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %t = arith.addf %sum, %v : f32
      memref.store %t, %y[%i, %j] : memref<?x?xf32>
      scf.yield %t : f32
    }
    scf.reduce
  }
  return
}

// -----

// Halves are converted where they are read and written: sums are of f32.
// CHECK-LABEL: func.func @columns_of_halves(
// CHECK:     scf.for %{{.*}} -> (vector<64xf32>) {
// CHECK:       %[[V:.*]] = vector.load %{{.*}} : memref<?x?xbf16>, vector<64xbf16>
// CHECK:       %[[F:.*]] = arith.extf %[[V]] : vector<64xbf16> to vector<64xf32>
// CHECK:       arith.addf %{{.*}}, %[[F]] : vector<64xf32>
// CHECK:     %[[R:.*]] = arith.truncf %{{.*}} : vector<64xf32> to vector<64xf16>
// CHECK:     vector.store %[[R]], %{{.*}} : memref<?xf16>, vector<64xf16>
func.func @columns_of_halves(%x: memref<?x?xbf16>, %y: memref<?xf16>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %i = %c0 to %m step %c1 iter_args(%before = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xbf16>
      %f = arith.extf %v : bf16 to f32
      %t = arith.addf %before, %f : f32
      scf.yield %t : f32
    }
    %r = arith.truncf %sum : f32 to f16
    memref.store %r, %y[%j] : memref<?xf16>
    scf.reduce
  }
  return
}

// -----

// One of f16: the elements of a block are converted in loops of their own,
// before and behind that over its sums.
// CHECK-LABEL: func.func @rows_of_halves(
// CHECK:     scf.for %[[BEGIN:.*]] = %c0 to %{{.*}} step %c64 iter_args({{.*}}) -> (f32, f32, f32, f32) {
// CHECK:       %[[LEFT:.*]] = arith.subi %{{.*}}, %[[BEGIN]]
// CHECK:       %[[SIZE:.*]] = arith.minsi %[[LEFT]], %c64
// CHECK:       scf.for %[[AT:.*]] = %c0 to %[[SIZE]]
// CHECK-NOT:     addf
// CHECK:         %[[V:.*]] = memref.load %arg0[%{{.*}}] : memref<?x?xf16>
// CHECK:         %[[F:.*]] = arith.extf %[[V]]
// CHECK:         memref.store %[[F]], %{{.*}}[%[[AT]]] : memref<64xf32>
// CHECK:       } {tally.independent
// CHECK:       scf.for %{{.*}} -> (f32, f32, f32, f32) {
// CHECK-NOT:     f16
// CHECK-COUNT-4: arith.addf
// CHECK-COUNT-4: memref.store %{{.*}} : memref<64xf32>
// CHECK:       scf.for %{{.*}} to %[[SIZE]]
// CHECK-NOT:     addf
// CHECK:         arith.truncf
// CHECK:         memref.store %{{.*}}, %arg1[%{{.*}}] : memref<?x?xf16>
// CHECK:   } else {
// CHECK:     scf.for {{.*}} -> (f32) {
func.func @rows_of_halves(%x: memref<?x?xf16>, %y: memref<?x?xf16>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf16>
      %f = arith.extf %v : f16 to f32
      %t = arith.addf %sum, %f : f32
      %r = arith.truncf %t : f32 to f16
      memref.store %r, %y[%i, %j] : memref<?x?xf16>
      scf.yield %t : f32
    }
    scf.reduce
  }
  return
}

// -----

// One that reads a later element of what it writes is not taken apart, nor one
// that needs what was read, or carried, behind its sum.
// CHECK-LABEL: func.func @halves_as_they_are(
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @halves_as_they_are(%x: memref<?x?xf16>, %y: memref<?x?xf16>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %next = arith.addi %j, %c1 : index
      %v = memref.load %y[%i, %next] : memref<?x?xf16>
      %f = arith.extf %v : f16 to f32
      %t = arith.addf %sum, %f : f32
      %r = arith.truncf %t : f32 to f16
      memref.store %r, %y[%i, %j] : memref<?x?xf16>
      scf.yield %t : f32
    }
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf16>
      %f = arith.extf %v : f16 to f32
      %t = arith.addf %sum, %f : f32
      %p = arith.mulf %t, %f : f32
      %r = arith.truncf %p : f32 to f16
      memref.store %r, %y[%i, %j] : memref<?x?xf16>
      scf.yield %t : f32
    }
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf16>
      %f = arith.extf %v : f16 to f32
      %t = arith.addf %sum, %f : f32
      %r = arith.truncf %sum : f32 to f16
      memref.store %r, %y[%i, %j] : memref<?x?xf16>
      scf.yield %t : f32
    }
    scf.reduce
  }
  return
}

// -----

// What LLVM makes vectors of, elements that are apart, booleans in memory, divisions by u64, bounds that differ between
// lanes, and asserts of each lane stay.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: vector
// CHECK: return
func.func @others(%x: memref<?x?xf32>, %y: memref<?xf32>, %s: memref<?x?xf32, strided<[?, 2]>>, %b: memref<?x?xi1>, %c: memref<?xi1>, %k: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %v = memref.load %y[%j] : memref<?xf32>
    %t = arith.addf %v, %v : f32
    memref.store %t, %y[%j] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) {
      %v = memref.load %s[%i, %j] : memref<?x?xf32, strided<[?, 2]>>
      %t = arith.addf %a, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%j] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%a = %true) -> (i1) {
      %v = memref.load %b[%i, %j] : memref<?x?xi1>
      %t = arith.andi %a, %v : i1
      scf.yield %t : i1
    }
    memref.store %all, %c[%j] : memref<?xi1>
    scf.reduce
  }
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %k[%j] : memref<?xi64>
    %q = arith.divui %a, %a : i64
    memref.store %q, %k[%j] : memref<?xi64>
    scf.reduce
  }
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %sum = scf.for %i = %c0 to %j step %c1 iter_args(%a = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %t = arith.addf %a, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%j] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %u = memref.load %y[%j] : memref<?xf32>
    %small = arith.cmpf olt, %u, %zero : f32
    tally.assert %small message("stated")
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %t = arith.addf %a, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%j] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// Lanes leave a `while` one after the other; those that left keep what they
// have, and divide by 1.
// CHECK-LABEL: func.func @gcd(
// CHECK: scf.for %[[J:.*]] = {{.*}} step %c16 {
// CHECK:   %[[W:.*]]:4 = scf.while (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[IN:.*]] = %{{.*}}, %[[OK:.*]] = %true)
// CHECK:     %[[MORE:.*]] = arith.cmpi ne, %[[A]], %{{.*}} : vector<16xi32>
// CHECK:     %[[GO:.*]] = arith.andi %[[IN]], %[[MORE]] : vector<16xi1>
// CHECK:     %[[SOME:.*]] = vector.reduction <or>, %[[GO]] : vector<16xi1> into i1
// CHECK:     %[[STEP:.*]] = arith.andi %[[SOME]], %[[OK]] : i1
// CHECK:     scf.condition(%[[STEP]]) %[[A]], %[[B]], %[[GO]], %[[OK]]
// CHECK:   ^bb0(%[[X:.*]]: vector<16xi32>, %[[Y:.*]]: vector<16xi32>, %[[L:.*]]: vector<16xi1>, %[[E:.*]]: i1):
// CHECK:     arith.select %[[L]], %[[Y]], %{{.*}} : vector<16xi1>, vector<16xi32>
// CHECK:     arith.select %[[L]], %[[X]], %{{.*}} : vector<16xi1>, vector<16xi32>
// CHECK:     arith.divf {{.*}} vector<16xf64>
// CHECK:     %[[EXACT:.*]] = arith.andi %[[E]], %{{.*}} : i1
// CHECK:     %[[NA:.*]] = arith.select %[[L]], %{{.*}}, %[[X]]
// CHECK:     %[[NB:.*]] = arith.select %[[L]], %[[X]], %[[Y]]
// CHECK:     scf.yield %[[NA]], %[[NB]], %[[L]], %[[EXACT]]
// CHECK:   scf.if %[[W]]#3 {
// CHECK:     vector.store %[[W]]#1
// CHECK:   } else {
// CHECK:     arith.remsi {{.*}} : i32
func.func @gcd(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%j] : memref<?xi32>
    %b = memref.load %y[%j] : memref<?xi32>
    %g:2 = scf.while (%u = %a, %v = %b) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %u, %zero : i32
      scf.condition(%more) %u, %v : i32, i32
    } do {
    ^bb0(%u: i32, %v: i32):
      %r = arith.remsi %v, %u : i32
      scf.yield %r, %u : i32, i32
    }
    memref.store %g#1, %z[%j] : memref<?xi32>
    scf.reduce
  }
  return
}

// -----

// What is the same in all lanes, what is written in a step, and what no vector
// has stay as they are.
// CHECK-LABEL: func.func @not_by_lanes(
// CHECK-NOT: vector
func.func @not_by_lanes(%x: memref<?xi32>, %h: memref<?xf16>, %n: index, %m: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %same = scf.while (%u = %m) : (i32) -> i32 {
      %more = arith.cmpi sgt, %u, %zero : i32
      scf.condition(%more) %u : i32
    } do {
    ^bb0(%u: i32):
      %r = arith.subi %u, %one : i32
      scf.yield %r : i32
    }
    memref.store %same, %x[%j] : memref<?xi32>
    scf.reduce
  }
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %x[%j] : memref<?xi32>
    %last = scf.while (%u = %a) : (i32) -> i32 {
      %more = arith.cmpi sgt, %u, %zero : i32
      scf.condition(%more) %u : i32
    } do {
    ^bb0(%u: i32):
      %r = arith.subi %u, %one : i32
      memref.store %r, %x[%j] : memref<?xi32>
      scf.yield %r : i32
    }
    scf.reduce
  }
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %a = memref.load %h[%j] : memref<?xf16>
    %last = scf.while (%u = %a) : (f16) -> f16 {
      %more = arith.cmpf ogt, %u, %a : f16
      scf.condition(%more) %u : f16
    } do {
    ^bb0(%u: f16):
      %r = arith.subf %u, %a : f16
      scf.yield %r : f16
    }
    memref.store %last, %h[%j] : memref<?xf16>
    scf.reduce
  }
  scf.parallel (%j) = (%c0) to (%n) step (%c1) {
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%u = %m) -> (i32) {
      %a = memref.load %h[%j] : memref<?xf16>
      %nan = arith.cmpf uno, %a, %a : f16
      %r = arith.select %nan, %zero, %u : i32
      scf.yield %r : i32
    }
    memref.store %last, %x[%j] : memref<?xi32>
    scf.reduce
  }
  return
}
