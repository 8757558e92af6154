// What is taken by several lanes, or by rows side by side (tally-parallelize-loops, tally-vectorize-loops), beside the
// interpreter: scans, bags of rows, divisions, sines and remainders, at sizes around those of vectors, and of numbers that f64 does not have.
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry along_columns --rtol 0 --atol 0 --cases %S/Inputs/lanes-scans.json | FileCheck %s --check-prefix=SCANS
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry along_rows --rtol 0 --atol 0 --cases %S/Inputs/lanes-scans.json | FileCheck %s --check-prefix=SCANS
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry looked_up --rtol 0 --atol 0 --cases %S/Inputs/lanes-scans.json | FileCheck %s --check-prefix=SCANS
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry bags --rtol 0 --atol 0 --cases %S/Inputs/lanes-bags.json | FileCheck %s --check-prefix=BAGS
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry ratios --cases %S/Inputs/lanes-i64.json | FileCheck %s --check-prefix=WIDE
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry ratios32 --cases %S/Inputs/lanes-i32.json | FileCheck %s --check-prefix=NARROW
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry ratios8 --cases %S/Inputs/lanes-i8.json | FileCheck %s --check-prefix=NARROW
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry sines --rtol 2.4e-7 --atol 0 --cases %S/Inputs/lanes-sines.json | FileCheck %s --check-prefix=SINES
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry remainders --rtol 0 --atol 0 --cases %S/Inputs/lanes-remainders.json | FileCheck %s --check-prefix=REMAINDERS
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry double_remainders --rtol 0 --atol 0 --cases %S/Inputs/lanes-double-remainders.json | FileCheck %s --check-prefix=DOUBLES
// RUN: env TALLY_RT_CPU=baseline tally-run %s --compare --entry double_remainders --rtol 0 --atol 0 --cases %S/Inputs/lanes-double-remainders.json | FileCheck %s --check-prefix=DOUBLES
// RUN: not tally-run %s --entry rest --input i64[20]=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20 --input i64[20]=1,1,1,1,1,1,0,1,1,1,1,1,1,1,1,1,1,1,1,1 2>&1 | FileCheck %s --check-prefix=ZERO
// SCANS-COUNT-11: PASS
// BAGS-COUNT-6: PASS
// WIDE-COUNT-13: PASS
// NARROW-COUNT-11: PASS
// SINES-COUNT-9: PASS
// REMAINDERS-COUNT-8: PASS
// DOUBLES-COUNT-10: PASS
// ZERO: check failed: {{.*}}integer division by zero

// They are taken so: the largest so far by lanes, as are the bags, the divisions and the sines, and sums of rows four at once.
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-cpu-pipeline)' --mlir-print-ir-after=tally-vectorize-loops --mlir-disable-threading -o /dev/null 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN-LABEL: func.func @along_columns(
// TAKEN: vector.store {{.*}} vector<16xi64>
// TAKEN-LABEL: func.func @along_rows(
// TAKEN: scf.for {{.*}} -> (f64, f64, f64, f64)
// TAKEN-LABEL: func.func @bags(
// TAKEN: vector.store {{.*}} vector<64xf32>
// TAKEN-LABEL: func.func @ratios(
// TAKEN-COUNT-2: arith.divf {{.*}} vector<16xf64>
// TAKEN-LABEL: func.func @ratios32(
// TAKEN: arith.divf {{.*}} vector<16xf64>
// TAKEN-LABEL: func.func @ratios8(
// TAKEN: arith.divf {{.*}} vector<16xf64>
// TAKEN-LABEL: func.func @sines(
// TAKEN: math.sin {{.*}} vector<16xf32>
// TAKEN: math.cos {{.*}} vector<16xf32>
// TAKEN-LABEL: func.func @remainders(
// TAKEN: arith.divf {{.*}} vector<16xf64>
// TAKEN: arith.remf {{.*}} vector<16xf32>

#id = affine_map<(i, j) -> (i, j)>
#flat = affine_map<(i) -> (i)>

func.func @along_columns(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  %nowhere = arith.constant 0 : i64
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%y = %e, %z = %f) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
    %s:4 = scf.for %i = %c0 to %m step %c1 iter_args(%u = %y, %v = %z, %best = %lowest, %at = %nowhere) -> (tensor<?x?xf32>, tensor<?x?xi64>, f32, i64) {
      %a = tensor.extract %x[%i, %j] : tensor<?x?xf32>
      %here = arith.index_cast %i : index to i64
      %larger = arith.cmpf oge, %a, %best : f32
      %nan = arith.cmpf uno, %a, %a : f32
      %better = arith.ori %larger, %nan : i1
      %value = arith.select %better, %a, %best : f32
      %index = arith.select %better, %here, %at : i64
      %p = tensor.insert %value into %u[%i, %j] : tensor<?x?xf32>
      %q = tensor.insert %index into %v[%i, %j] : tensor<?x?xi64>
      scf.yield %p, %q, %value, %index : tensor<?x?xf32>, tensor<?x?xi64>, f32, i64
    }
    scf.yield %s#0, %s#1 : tensor<?x?xf32>, tensor<?x?xi64>
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi64>
}

func.func @along_rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%y = %e) -> (tensor<?x?xf32>) {
    %s:2 = scf.for %j = %c0 to %n step %c1 iter_args(%u = %y, %sum = %zero) -> (tensor<?x?xf32>, f64) {
      %a = tensor.extract %x[%i, %j] : tensor<?x?xf32>
      %w = arith.extf %a : f32 to f64
      %t = arith.addf %sum, %w : f64
      %o = arith.truncf %t : f64 to f32
      %p = tensor.insert %o into %u[%i, %j] : tensor<?x?xf32>
      scf.yield %p, %t : tensor<?x?xf32>, f64
    }
    scf.yield %s#0 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// The sum of the rows of %w at the indices from an offset to the next.
func.func @bags(%indices: tensor<?xi64>, %offsets: tensor<?xi64>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %number = tensor.dim %offsets, %c0 : tensor<?xi64>
  %bags = arith.subi %number, %c1 : index
  %n = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%bags, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %next = arith.addi %i, %c1 : index
    %from = tensor.extract %offsets[%i] : tensor<?xi64>
    %to = tensor.extract %offsets[%next] : tensor<?xi64>
    %begin = arith.index_cast %from : i64 to index
    %end = arith.index_cast %to : i64 to index
    %sum = scf.for %k = %begin to %end step %c1 iter_args(%s = %zero) -> (f32) {
      %at = tensor.extract %indices[%k] : tensor<?xi64>
      %row = arith.index_cast %at : i64 to index
      %v = tensor.extract %w[%row, %j] : tensor<?x?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// By 2 y + 1, which is not 0.
func.func @ratios(%x: tensor<?x?xi64>, %y: tensor<?x?xi64>) -> (tensor<?x?xi64>, tensor<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %m = tensor.dim %x, %c0 : tensor<?x?xi64>
  %n = tensor.dim %x, %c1 : tensor<?x?xi64>
  %e = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x?xi64>, tensor<?x?xi64>) outs(%e, %e : tensor<?x?xi64>, tensor<?x?xi64>) {
  ^bb0(%a: i64, %b: i64, %u: i64, %v: i64):
    %twice = arith.addi %b, %b : i64
    %d = arith.addi %twice, %one : i64
    %q = arith.divsi %a, %d : i64
    %s = arith.remsi %a, %d : i64
    %f = arith.floordivsi %a, %d : i64
    %t = arith.xori %q, %f : i64
    %w = arith.addi %t, %s : i64
    linalg.yield %f, %w : i64, i64
  } -> (tensor<?x?xi64>, tensor<?x?xi64>)
  return %r#0, %r#1 : tensor<?x?xi64>, tensor<?x?xi64>
}

func.func @ratios32(%x: tensor<?x?xi32>, %y: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %m = tensor.dim %x, %c0 : tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %e = tensor.empty(%m, %n) : tensor<?x?xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x?xi32>, tensor<?x?xi32>) outs(%e, %e : tensor<?x?xi32>, tensor<?x?xi32>) {
  ^bb0(%a: i32, %b: i32, %u: i32, %v: i32):
    %twice = arith.addi %b, %b : i32
    %d = arith.addi %twice, %one : i32
    %f = arith.floordivsi %a, %d : i32
    %q = arith.divui %a, %d : i32
    %s = arith.remui %a, %d : i32
    %t = arith.remsi %a, %d : i32
    %p = arith.xori %q, %s : i32
    %w = arith.xori %p, %t : i32
    linalg.yield %f, %w : i32, i32
  } -> (tensor<?x?xi32>, tensor<?x?xi32>)
  return %r#0, %r#1 : tensor<?x?xi32>, tensor<?x?xi32>
}

func.func @ratios8(%x: tensor<?x?xi8>, %y: tensor<?x?xi8>) -> (tensor<?x?xi8>, tensor<?x?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i8
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %x, %c1 : tensor<?x?xi8>
  %e = tensor.empty(%m, %n) : tensor<?x?xi8>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x?xi8>, tensor<?x?xi8>) outs(%e, %e : tensor<?x?xi8>, tensor<?x?xi8>) {
  ^bb0(%a: i8, %b: i8, %u: i8, %v: i8):
    %twice = arith.addi %b, %b : i8
    %d = arith.addi %twice, %one : i8
    %f = arith.floordivsi %a, %d : i8
    %q = arith.divui %a, %d : i8
    %s = arith.remui %a, %d : i8
    %t = arith.remsi %a, %d : i8
    %p = arith.xori %q, %s : i8
    %w = arith.xori %p, %t : i8
    linalg.yield %f, %w : i8, i8
  } -> (tensor<?x?xi8>, tensor<?x?xi8>)
  return %r#0, %r#1 : tensor<?x?xi8>, tensor<?x?xi8>
}

func.func @sines(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e, %e : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%a: f32, %u: f32, %v: f32):
    %s = math.sin %a : f32
    %c = math.cos %a : f32
    linalg.yield %s, %c : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @remainders(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#flat, #flat, #flat], iterator_types = ["parallel"]} ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %u: f32):
    %s = arith.remf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @double_remainders(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r = linalg.generic {indexing_maps = [#flat, #flat, #flat], iterator_types = ["parallel"]} ins(%x, %y : tensor<?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>) {
  ^bb0(%a: f64, %b: f64, %u: f64):
    %s = arith.remf %a, %b : f64
    linalg.yield %s : f64
  } -> tensor<?xf64>
  return %r : tensor<?xf64>
}

func.func @rest(%x: tensor<?xi64>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %r = linalg.map { arith.remsi } ins(%x, %y : tensor<?xi64>, tensor<?xi64>) outs(%x : tensor<?xi64>)
  return %r : tensor<?xi64>
}

// The largest of two rows that follow each other in turn, the last one by itself.
func.func @looked_up(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %worst = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %last = arith.subi %m, %c1 : index
  %w = tensor.empty() : tensor<2xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%worst : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (k)>, affine_map<(i, k, j) -> (i, j)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%w : tensor<2xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%unused: f32, %best: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %j = linalg.index 2 : index
    %next = arith.addi %i, %k : index
    %at = arith.minsi %next, %last : index
    %inside = arith.maxsi %at, %c0 : index
    %v = tensor.extract %x[%inside, %j] : tensor<?x?xf32>
    %s = arith.maximumf %best, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
