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

// Uninitialized elements have no range.

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

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// One check in front of a loop, of all indices; the loop checks none, though it
// wraps those that are negative: a number that was checked does not overflow.

// CHECK-LABEL: @checked_in_front
// CHECK: tally.assert %{{.*}} message("an index is out of range")
// CHECK-NOT: tally.assert
// CHECK: scf.for
// CHECK-NOT: tally.assert
func.func @checked_in_front(%x: tensor<?xf32>, %i: tensor<?xi64>, %v: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %size = arith.index_cast %s : index to i64
  %least = arith.subi %zero, %size : i64
  %yes = arith.constant dense<true> : tensor<i1>
  %all = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%i : tensor<?xi64>) outs(%yes : tensor<i1>) {
  ^bb0(%in: i64, %out: i1):
    %a = arith.cmpi sge, %in, %least : i64
    %b = arith.cmpi slt, %in, %size : i64
    %c = arith.andi %a, %b : i1
    %d = arith.andi %c, %out : i1
    linalg.yield %d : i1
  } -> tensor<i1>
  %ok = tensor.extract %all[] : tensor<i1>
  tally.check <ok>, "an index is out of range" (ok = %ok : i1)
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<?xf32>) {
    %e = tensor.extract %i[%k] : tensor<?xi64>
    %at = arith.index_cast %e : i64 to index
    %negative = arith.cmpi slt, %at, %c0 : index
    %sum = arith.addi %at, %s : index
    %wrapped = arith.select %negative, %sum, %at : index
    %u = tensor.insert %v into %t[%wrapped] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// A range that ends one too far is no range of indices.

// CHECK-LABEL: @checked_too_little
// CHECK: tally.assert %{{.*}} message("not what is needed")
// CHECK: scf.for
// CHECK: tally.assert %{{.*}}, <0 <= arg1_element < s0>
func.func @checked_too_little(%x: tensor<?xf32>, %i: tensor<?xi64>, %v: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %size = arith.index_cast %s : index to i64
  %yes = arith.constant dense<true> : tensor<i1>
  %all = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%i : tensor<?xi64>) outs(%yes : tensor<i1>) {
  ^bb0(%in: i64, %out: i1):
    %a = arith.cmpi sge, %in, %zero : i64
    %b = arith.cmpi sle, %in, %size : i64
    %c = arith.andi %a, %b : i1
    %d = arith.andi %c, %out : i1
    linalg.yield %d : i1
  } -> tensor<i1>
  %ok = tensor.extract %all[] : tensor<i1>
  tally.check <ok>, "not what is needed" (ok = %ok : i1)
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<?xf32>) {
    %e = tensor.extract %i[%k] : tensor<?xi64>
    %at = arith.index_cast %e : i64 to index
    %u = tensor.insert %v into %t[%at] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// What an assert before says of sizes decides a check of data: the mask is as
// long as x. So does what a check before found of the same elements.

// CHECK-LABEL: @decided_by_asserts
// CHECK: tally.assert %{{.*}}, <m == s>
// CHECK-NOT: tally.assert
func.func @decided_by_asserts(%x: tensor<?xf32>, %mask: tensor<?xi1>) -> i64 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %mask, %c0 : tensor<?xi1>
  tally.check <m == s> (m = %m, s = %s : index, index)
  %size = arith.index_cast %s : index to i64
  %rows = tally.nonzero %mask : tensor<?xi1> -> tensor<?x1xi64>
  %yes = arith.constant dense<true> : tensor<i1>
  %all = linalg.generic {indexing_maps = [#rows, #none], iterator_types = ["reduction", "reduction"]}
      ins(%rows : tensor<?x1xi64>) outs(%yes : tensor<i1>) {
  ^bb0(%in: i64, %out: i1):
    %a = arith.cmpi sge, %in, %zero : i64
    %b = arith.cmpi slt, %in, %size : i64
    %c = arith.andi %a, %b : i1
    %d = arith.andi %c, %out : i1
    linalg.yield %d : i1
  } -> tensor<i1>
  %ok = tensor.extract %all[] : tensor<i1>
  tally.check <ok>, "an index is out of range" (ok = %ok : i1)
  return %size : i64
}

// -----

// The number that a while loop counts with is below what its condition says.

// CHECK-LABEL: @while_counts
// CHECK-NOT: tally.assert
func.func @while_counts(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %f = arith.constant 0.0 : f32
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.index_cast %s : index to i64
  %r:2 = scf.while (%i = %zero, %a = %f) : (i64, f32) -> (i64, f32) {
    %go = arith.cmpi slt, %i, %n : i64
    scf.condition(%go) %i, %a : i64, f32
  } do {
  ^bb0(%i: i64, %a: f32):
    %at = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    %next = arith.addi %i, %one : i64
    scf.yield %next, %b : i64, f32
  }
  return %r#1 : f32
}

// -----

#scalar = affine_map<() -> ()>

// The same of tensors of one element, which front ends count with.

// CHECK-LABEL: @while_counts_in_tensors
// CHECK-NOT: tally.assert
func.func @while_counts_in_tensors(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant 1 : i64
  %f = arith.constant 0.0 : f32
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.index_cast %s : index to i64
  %end = tensor.from_elements %n : tensor<i64>
  %e = tensor.empty() : tensor<i1>
  %g = tensor.empty() : tensor<i64>
  %r:2 = scf.while (%i = %zero, %a = %f) : (tensor<i64>, f32) -> (tensor<i64>, f32) {
    %below = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []}
        ins(%i, %end : tensor<i64>, tensor<i64>) outs(%e : tensor<i1>) {
    ^bb0(%p: i64, %q: i64, %o: i1):
      %c = arith.cmpi slt, %p, %q : i64
      linalg.yield %c : i1
    } -> tensor<i1>
    %go = tensor.extract %below[] : tensor<i1>
    scf.condition(%go) %i, %a : tensor<i64>, f32
  } do {
  ^bb0(%i: tensor<i64>, %a: f32):
    %number = tensor.extract %i[] : tensor<i64>
    %at = arith.index_cast %number : i64 to index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
        ins(%i : tensor<i64>) outs(%g : tensor<i64>) {
    ^bb0(%p: i64, %o: i64):
      %c = arith.addi %p, %one : i64
      linalg.yield %c : i64
    } -> tensor<i64>
    scf.yield %next, %b : tensor<i64>, f32
  }
  return %r#1 : f32
}

// -----

// Where the condition says nothing of the number it may be any.

// CHECK-LABEL: @while_goes_on
// CHECK: tally.assert %{{.*}}, <0 <= loop_carried < s0>
func.func @while_goes_on(%x: tensor<?xf32>, %end: f32) -> f32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %f = arith.constant 0.0 : f32
  %r:2 = scf.while (%i = %zero, %a = %f) : (i64, f32) -> (i64, f32) {
    %go = arith.cmpf olt, %a, %end : f32
    scf.condition(%go) %i, %a : i64, f32
  } do {
  ^bb0(%i: i64, %a: f32):
    %at = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    %next = arith.addi %i, %one : i64
    scf.yield %next, %b : i64, f32
  }
  return %r#1 : f32
}

// -----

#id = affine_map<(d0) -> (d0)>

// Python's remainder by a size that is not 0, in a body and in a loop.

// CHECK-LABEL: @remainder_by_size
// CHECK: tally.assert %{{.*}}, <"s != 0">
// CHECK-NOT: tally.assert
func.func @remainder_by_size(%x: tensor<?xf32>, %i: tensor<?xi64>, %v: f32)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  tally.check <"s != 0"> (s = %s : index)
  %size = arith.index_cast %s : index to i64
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%i : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: i64, %o: f32):
    %rest = arith.remsi %in, %size : i64
    %bits = arith.xori %rest, %size : i64
    %differ = arith.cmpi slt, %bits, %zero : i64
    %isRest = arith.cmpi ne, %rest, %zero : i64
    %both = arith.andi %isRest, %differ : i1
    %sum = arith.addi %rest, %size : i64
    %python = arith.select %both, %sum, %rest : i64
    %at = arith.index_cast %python : i64 to index
    %w = tensor.extract %x[%at] : tensor<?xf32>
    linalg.yield %w : f32
  } -> tensor<?xf32>
  %t = scf.for %k = %c0 to %n step %c1 iter_args(%u = %x) -> (tensor<?xf32>) {
    %in = tensor.extract %i[%k] : tensor<?xi64>
    %rest = arith.remsi %in, %size : i64
    %bits = arith.xori %rest, %size : i64
    %differ = arith.cmpi slt, %bits, %zero : i64
    %isRest = arith.cmpi ne, %rest, %zero : i64
    %both = arith.andi %isRest, %differ : i1
    %sum = arith.addi %rest, %size : i64
    %python = arith.select %both, %sum, %rest : i64
    %at = arith.index_cast %python : i64 to index
    %w = tensor.insert %v into %u[%at] : tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  }
  return %r, %t : tensor<?xf32>, tensor<?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// Positions of a size are in a table of its bound; the program's own check
// needs to know it too.

// CHECK-LABEL: @positions_in_a_table
// CHECK: tally.assert %{{.*}}, <s0 <= 64>
// CHECK-NOT: tally.assert
func.func @positions_in_a_table(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %t: tensor<64xf32>) -> tensor<?xf32> attributes {tally.symbols = #tally.symbols<s0 : [0, 64]>} {
  %n = tally.size <s0> : index
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %true = arith.constant true
  %e = tensor.empty(%n) : tensor<?xi64>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<?xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<?xi64>
  %b = tensor.empty() : tensor<i1>
  %f = linalg.fill ins(%true : i1) outs(%b : tensor<i1>) -> tensor<i1>
  %ok = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%r : tensor<?xi64>) outs(%f : tensor<i1>) {
  ^bb0(%in: i64, %o: i1):
    %ge = arith.cmpi sge, %in, %c0 : i64
    %lt = arith.cmpi slt, %in, %c64 : i64
    %and = arith.andi %ge, %lt : i1
    %and2 = arith.andi %and, %o : i1
    linalg.yield %and2 : i1
  } -> tensor<i1>
  %k = tensor.extract %ok[] : tensor<i1>
  tally.check <ok>, "an index is out of range" (ok = %k : i1)
  %e2 = tensor.empty(%n) : tensor<?xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%r : tensor<?xi64>) outs(%e2 : tensor<?xf32>) {
  ^bb0(%in: i64, %o: f32):
    %i = arith.index_cast %in : i64 to index
    %v = tensor.extract %t[%i] : tensor<64xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %g : tensor<?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// The range that a constant of a data file states.

// CHECK-LABEL: @stored_indices
// CHECK-NOT: tally.assert
// CHECK-LABEL: @stored_indices_too_large
// CHECK: tally.assert %{{.*}} message("an index is out of bounds of t")
func.func @stored_indices(%t: tensor<49xf32>) -> tensor<16xf32> {
  %i = tally.constant "w.bin" [0] in [0, 48] : tensor<16xi64>
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<16xi64>) outs(%e : tensor<16xf32>) {
  ^bb0(%in: i64, %o: f32):
    %p = arith.index_cast %in : i64 to index
    %v = tensor.extract %t[%p] : tensor<49xf32>
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}
func.func @stored_indices_too_large(%t: tensor<49xf32> {tally.name = "t"}) -> tensor<16xf32> {
  %i = tally.constant "w.bin" [0] in [0, 49] : tensor<16xi64>
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<16xi64>) outs(%e : tensor<16xf32>) {
  ^bb0(%in: i64, %o: f32):
    %p = arith.index_cast %in : i64 to index
    %v = tensor.extract %t[%p] : tensor<49xf32>
    linalg.yield %v : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// Python's index, checked once, is known to be between -n and n - 1, and no
// more than that.

// CHECK-LABEL: @wrapped_twice
// CHECK: tally.assert %{{.*}} message("an index is out of bounds of x")
// CHECK-NOT: the same range
// CHECK: tally.assert %{{.*}} message("a smaller range")
func.func @wrapped_twice(%x: tensor<?xf32> {tally.name = "x"}, %at: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %true = arith.constant dense<true> : tensor<i1>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %at, %c0 : tensor<?xi64>
  %e = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%at : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: i64, %o: f32):
    %p = arith.index_cast %in : i64 to index
    %negative = arith.cmpi slt, %p, %c0 : index
    %wrapped = arith.addi %p, %n : index
    %q = arith.select %negative, %wrapped, %p : index
    %v = tensor.extract %x[%q] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %size = arith.index_cast %n : index to i64
  %zero = arith.constant 0 : i64
  %least = arith.subi %zero, %size : i64
  %all = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%at : tensor<?xi64>) outs(%true : tensor<i1>) {
  ^bb0(%in: i64, %o: i1):
    %ge = arith.cmpi sge, %in, %least : i64
    %lt = arith.cmpi slt, %in, %size : i64
    %both = arith.andi %ge, %lt : i1
    %and = arith.andi %both, %o : i1
    linalg.yield %and : i1
  } -> tensor<i1>
  %ok = tensor.extract %all[] : tensor<i1>
  tally.check <ok>, "the same range" (ok = %ok : i1)
  %positive = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%at : tensor<?xi64>) outs(%true : tensor<i1>) {
  ^bb0(%in: i64, %o: i1):
    %gt = arith.cmpi sgt, %in, %least : i64
    %and = arith.andi %gt, %o : i1
    linalg.yield %and : i1
  } -> tensor<i1>
  %ok2 = tensor.extract %positive[] : tensor<i1>
  tally.check <ok2>, "a smaller range" (ok2 = %ok2 : i1)
  return %r : tensor<?xf32>
}

// -----

// What each iteration makes larger, or smaller, has no end that the first ones tell.

// CHECK-LABEL: @doubles
// CHECK: tally.assert %{{.*}}, <0 <= scf_for_0 < 8>
// CHECK: tally.assert %{{.*}}, <0 <= arith_addi < 8>
func.func @doubles(%x: tensor<8xf32> {tally.name = "x"}, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %minus = arith.constant -1 : i64
  %k, %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %one, %b = %minus) -> (i64, i64) {
    %more = arith.muli %a, %two : i64
    %less = arith.muli %b, %two : i64
    scf.yield %more, %less : i64, i64
  }
  %p = arith.index_cast %k : i64 to index
  %v = tensor.extract %x[%p] : tensor<8xf32>
  %six = arith.constant 6 : i64
  %sum = arith.addi %l, %six : i64
  %q = arith.index_cast %sum : i64 to index
  %w = tensor.extract %x[%q] : tensor<8xf32>
  return %v, %w : f32, f32
}

// -----

#id = affine_map<(d0) -> (d0)>

// Loops and branches of any dialect tell through their interfaces what they run over,
// carry and yield.

// CHECK-LABEL: @other_loops
// CHECK-NOT: tally.assert
func.func @other_loops(%x: tensor<8xf32>, %which: index, %least: index) -> tensor<4xf32> {
  %zeros = arith.constant dense<0> : tensor<4xi64>
  %one = arith.constant 1 : i64
  %indices, %last = affine.for %k = 0 to 4 iter_args(%a = %zeros, %n = %one) -> (tensor<4xi64>, i64) {
    %v = arith.index_cast %k : index to i64
    %b = tensor.insert %v into %a[%k] : tensor<4xi64>
    %next = arith.addi %n, %one : i64
    affine.yield %b, %next : tensor<4xi64>, i64
  }
  %chosen = scf.index_switch %which -> tensor<4xi64>
  case 0 {
    %moved = tensor.generate {
    ^bb0(%i: index):
      %old = tensor.extract %indices[%i] : tensor<4xi64>
      %new = arith.addi %old, %last : i64
      %less = arith.subi %new, %one : i64
      tensor.yield %less : i64
    } : tensor<4xi64>
    scf.yield %moved : tensor<4xi64>
  }
  default {
    scf.yield %indices : tensor<4xi64>
  }
  %scoped = memref.alloca_scope -> (tensor<4xi64>) {
    memref.alloca_scope.return %chosen : tensor<4xi64>
  }
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%scoped : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%w: i64, %o: f32):
    %j = arith.index_cast %w : i64 to index
    %q = tensor.extract %x[%j] : tensor<8xf32>
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
