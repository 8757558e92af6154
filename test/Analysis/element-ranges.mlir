// Indices that are computed: whether they are in bounds follows from the ranges
// of elements, or is checked.

// RUN: tally-opt %s --split-input-file --pass-pipeline='builtin.module(tally-check-pipeline{verify})' | FileCheck %s
// RUN: tally-opt %s --split-input-file --pass-pipeline='builtin.module(tally-check-pipeline{verify},func.func(tally-mark-accesses),func.func(tally-lower-data-dependent),func.func(tally-verify-form{form=checked}))' -o /dev/null

#id = affine_map<(d0) -> (d0)>

// Positions of a dimension, moved and clamped.

// CHECK-LABEL: @arange
// CHECK-NOT: tally.assert
func.func @arange(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %at = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%e : tensor<?xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %c2 = arith.constant 2 : index
    %j = arith.divui %i, %c2 : index
    %k = arith.index_cast %j : index to i32
    %z = arith.constant 0 : i32
    %l = arith.maxsi %k, %z : i32
    linalg.yield %l : i32
  } -> tensor<?xi32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: i32, %o: f32):
    %p = arith.index_cast %v : i32 to index
    %last = linalg.index 0 : index
    %q = arith.minsi %p, %last : index
    %y = tensor.extract %x[%q] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A sum that may wrap around has no range of a sum.

// CHECK-LABEL: @overflow
// CHECK: tally.assert %{{.*}} message("an index is out of bounds of x")
func.func @overflow(%x: tensor<?xf32> {tally.name = "x"}, %v: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %v, %c0 : tensor<?xi64>
  %f = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %a = arith.maxsi %i, %zero : i64
    %b = arith.addi %a, %one : i64
    %c = arith.minsi %b, %zero : i64
    %p = arith.index_cast %c : i64 to index
    %y = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Python's remainder by a positive number, and a negative index that is wrapped.

// CHECK-LABEL: @remainder
// CHECK: tally.assert %{{.*}}, <s0 <= 4096>
// CHECK: tally.assert %{{.*}}, <8 <= s0>
// CHECK-NOT: tally.assert
func.func @remainder(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %v: tensor<?xi64>)
    -> (tensor<?xf32>, tensor<?xf32>) attributes {tally.symbols = #tally.symbols<s0 : [0, 4096]>} {
  tally.check <8 <= s0>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %v, %c0 : tensor<?xi64>
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%v : tensor<?xi64>) outs(%f, %f : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32, %q: f32):
    %zero = arith.constant 0 : i64
    %n8 = arith.constant 8 : i64
    %rest = arith.remsi %i, %n8 : i64
    %bits = arith.xori %rest, %n8 : i64
    %differ = arith.cmpi slt, %bits, %zero : i64
    %some = arith.cmpi ne, %rest, %zero : i64
    %both = arith.andi %some, %differ : i1
    %up = arith.addi %rest, %n8 : i64
    %mod = arith.select %both, %up, %rest : i64
    %p = arith.index_cast %mod : i64 to index
    %y = tensor.extract %x[%p] : tensor<?xf32>
    // From -7 to 7.
    %m = arith.index_cast %rest : i64 to index
    %negative = arith.cmpi slt, %m, %c0 : index
    %end = arith.addi %m, %size : index
    %w = arith.select %negative, %end, %m : index
    %z = tensor.extract %x[%w] : tensor<?xf32>
    linalg.yield %y, %z : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Each column of the rows of nonzero is for one dimension.

// CHECK-LABEL: @nonzero_columns
// CHECK-NOT: tally.assert
func.func @nonzero_columns(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %at = tally.nonzero %x : tensor<?x?xf32> -> tensor<?x2xi64>
  %n = tensor.dim %at, %c0 : tensor<?x2xi64>
  %rows = tensor.extract_slice %at[0, 0] [%n, 1] [1, 1] : tensor<?x2xi64> to tensor<?xi64>
  %columns = tensor.extract_slice %at[0, 1] [%n, 1] [1, 1] : tensor<?x2xi64> to tensor<?xi64>
  %r = tensor.generate %n {
  ^bb0(%k: index):
    %i = tensor.extract %rows[%k] : tensor<?xi64>
    %j = tensor.extract %columns[%k] : tensor<?xi64>
    %p = arith.index_cast %i : i64 to index
    %q = arith.index_cast %j : i64 to index
    %v = tensor.extract %x[%p, %q] : tensor<?x?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The wrong columns.

// CHECK-LABEL: @nonzero_swapped
// CHECK: tally.assert %{{.*}} message("an index is out of bounds of x")
func.func @nonzero_swapped(%x: tensor<?x?xf32> {tally.name = "x"}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %at = tally.nonzero %x : tensor<?x?xf32> -> tensor<?x2xi64>
  %n = tensor.dim %at, %c0 : tensor<?x2xi64>
  %rows = tensor.extract_slice %at[0, 1] [%n, 1] [1, 1] : tensor<?x2xi64> to tensor<?xi64>
  %columns = tensor.extract_slice %at[0, 0] [%n, 1] [1, 1] : tensor<?x2xi64> to tensor<?xi64>
  %r = tensor.generate %n {
  ^bb0(%k: index):
    %i = tensor.extract %rows[%k] : tensor<?xi64>
    %j = tensor.extract %columns[%k] : tensor<?xi64>
    %p = arith.index_cast %i : i64 to index
    %q = arith.index_cast %j : i64 to index
    %v = tensor.extract %x[%p, %q] : tensor<?x?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// What a loop writes over zeros; a number that it counts up.

// CHECK-LABEL: @loop
// CHECK-NOT: tally.assert
func.func @loop(%x: tensor<?xf32>) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xi64>
  %z = linalg.fill ins(%zero : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %at, %count = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z, %k = %c0) -> (tensor<?xi64>, index) {
    %v = arith.index_cast %i : index to i64
    %next = tensor.insert %v into %t[%i] : tensor<?xi64>
    %is = arith.cmpi eq, %i, %c1 : index
    %more = arith.addi %k, %c1 : index
    %sum = arith.select %is, %more, %k : index
    scf.yield %next, %sum : tensor<?xi64>, index
  }
  %r = tensor.generate %n {
  ^bb0(%k: index):
    %i = tensor.extract %at[%k] : tensor<?xi64>
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%p] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r, %count : tensor<?xf32>, index
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// A check of all indices says what they are. Another size is another question.

// CHECK-LABEL: @checked_before
// CHECK: tally.assert %{{.*}} message("in range")
// CHECK: tally.assert %{{.*}} message("an index is out of bounds of y")
// CHECK-NOT: tally.assert
func.func @checked_before(%x: tensor<?xf32>, %y: tensor<?xf32> {tally.name = "y"}, %at: tensor<?xi64>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.from_elements %true : tensor<i1>
  %all = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%at : tensor<?xi64>) outs(%s : tensor<i1>) {
  ^bb0(%i: i64, %o: i1):
    %p = arith.index_cast %i : i64 to index
    %is = arith.cmpi ult, %p, %size : index
    %both = arith.andi %o, %is : i1
    linalg.yield %both : i1
  } -> tensor<i1>
  %ok = tensor.extract %all[] : tensor<i1>
  tally.check <ok>, "in range" (ok = %ok : i1)
  %f = tensor.empty(%n) : tensor<?xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%f, %f : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32, %q: f32):
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%p] : tensor<?xf32>
    %w = tensor.extract %y[%p] : tensor<?xf32>
    linalg.yield %v, %w : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Uninitialised elements have no range.

// CHECK-LABEL: @uninitialized
// CHECK: tally.assert
func.func @uninitialized(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %at = tensor.empty(%n) : tensor<?xi64>
  %r = tensor.generate %n {
  ^bb0(%k: index):
    %i = tensor.extract %at[%k] : tensor<?xi64>
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%p] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
