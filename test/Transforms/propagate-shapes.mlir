// RUN: tally-opt %s --allow-unregistered-dialect --tally-propagate-shapes --split-input-file | FileCheck %s
// What comes out is a valid input, and a second run adds nothing.
// RUN: tally-opt %s --allow-unregistered-dialect --tally-propagate-shapes --split-input-file -o %t.once
// RUN: tally-opt %t.once --allow-unregistered-dialect --tally-propagate-shapes --split-input-file -o %t.twice
// RUN: diff %t.once %t.twice

// A program without any annotation. Two sizes are never taken to be equal.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %{{.*}}: tensor<?x4xf32> {tally.shape = #tally.shape<s0, 4>}
// CHECK-SAME:    %{{.*}}: tensor<?x?xf32> {tally.shape = #tally.shape<s1, s2>}
// CHECK-SAME:    -> (tensor<?x4xf32> {tally.shape = #tally.shape<s1, 4>})
// CHECK-SAME:    no_inline
// CHECK-SAME:    tally.symbols = #tally.symbols<s0, s1, s2>
func.func @plain(%x: tensor<?x4xf32>, %y: tensor<?x?xf32>) -> tensor<?x4xf32> {
  // CHECK-NEXT: tally.check <s2 == 4> required_by("tensor.cast")
  // CHECK-NEXT: tensor.cast
  %k = tensor.cast %y : tensor<?x?xf32> to tensor<?x4xf32>
  // CHECK-NEXT: tally.check <s0 == s1> required_by("arith.addf")
  // CHECK-NEXT: arith.addf
  %a = arith.addf %x, %k : tensor<?x4xf32>
  // The same again needs no second check.
  // CHECK-NEXT: arith.mulf
  %b = arith.mulf %k, %a : tensor<?x4xf32>
  // CHECK-NEXT: return
  return %b : tensor<?x4xf32>
}

// -----

// Names that are there stay; new ones keep clear of them.
// CHECK-LABEL: func.func @named(
// CHECK-SAME:    tally.shape = #tally.shape<s0>
// CHECK-SAME:    tally.shape = #tally.shape<s1>
// CHECK-SAME:    #tally.symbols<s0 : [0, 64], s1>
func.func @named(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %y: tensor<?xf32>)
    attributes {tally.symbols = #tally.symbols<s0 : [0, 64]>} {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  // What the user states where it dominates is not stated again.
  // CHECK: tally.check <s0 == n>, "as I say" (n = %{{.*}} : index)
  // CHECK-NOT: tally.check
  tally.check <s0 == n>, "as I say" (n = %d : index)
  %r = arith.addf %x, %y : tensor<?xf32>
  return
}

// -----

// CHECK-LABEL: func.func @reshape_add(
func.func @reshape_add(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>},
                       %y: tensor<?xf32> {tally.shape = #tally.shape<s2>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [0, 4096], s1 : [0, 65536] % 8, s2>} {
  %n = tally.size <s0 * s1> : index
  // CHECK: tensor.collapse_shape
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  // CHECK-NEXT: tensor.empty
  %init = tensor.empty(%n) : tensor<?xf32>
  // CHECK-NEXT: tally.check <s0 * s1 == s2> required_by("linalg.add")
  // CHECK-NEXT: linalg.add
  %sum = linalg.add ins(%flat, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// -----

// A size of an operation that nobody knows is given by value.
// CHECK-LABEL: func.func @unregistered(
func.func @unregistered(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[Y:.*]] = "other.op"
  %y = "other.op"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: %[[D:.*]] = tensor.dim %[[Y]]
  // CHECK-NEXT: tally.check <s0 == other_op_arg0_size_0> (other_op_arg0_size_0 = %[[D]] : index) required_by("arith.addf")
  // CHECK-NEXT: arith.addf
  %z = arith.addf %x, %y : tensor<?xf32>
  // CHECK-NEXT: return
  return %z : tensor<?xf32>
}

// -----

// Scalars that go into sizes are symbols; an index is not, it may be anything.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME:    %{{.*}}: index {tally.value = #tally.expr<s0>}
// CHECK-SAME:    %[[I:.*]]: index,
// CHECK-SAME:    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
// CHECK-SAME:    #tally.symbols<s0 : [-inf, inf], s1>
func.func @scalars(%n: index, %i: index, %x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: tally.check <0 <= s0> required_by("tensor.empty")
  %e = tensor.empty(%n) : tensor<?xf32>
  // CHECK: tally.check <0 <= arg1 < s1> (arg1 = %[[I]] : index) required_by("tensor.extract")
  %v = tensor.extract %x[%i] : tensor<?xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %f : tensor<?xf32>
}

// -----

// Checks stay in the region of what needs them; one above serves below.
// CHECK-LABEL: func.func @regions(
func.func @regions(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>, %p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tally.check <s0 == s1>
  %a = arith.addf %x, %y : tensor<?xf32>
  // CHECK: scf.if
  scf.if %p {
    // CHECK-NEXT: arith.mulf
    %b = arith.mulf %x, %y : tensor<?xf32>
    // CHECK-NEXT: tally.check <s0 == s2>
    %c = arith.mulf %x, %z : tensor<?xf32>
  // CHECK: } else {
  } else {
    // CHECK-NEXT: tally.check <s0 == s2>
    %c = arith.mulf %x, %z : tensor<?xf32>
  }
  // CHECK: scf.for %[[I:.*]] =
  scf.for %i = %c0 to %n step %c1 {
    // CHECK-NEXT: tally.check <loop_index < s0> (loop_index = %[[I]] : index) required_by("tensor.extract")
    %v = tensor.extract %x[%i] : tensor<?xf32>
  }
  // CHECK: scf.forall
  %f = scf.forall (%i) in (%n) shared_outs(%o = %x) -> (tensor<?xf32>) {
    // CHECK-NEXT: tally.check <{{.*}}> ({{.*}}) required_by("tensor.extract_slice")
    %s = tensor.extract_slice %y[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    // What stands in the terminator is checked before it.
    // CHECK: tally.check <{{.*}}> ({{.*}}) required_by("tensor.parallel_insert_slice")
    // CHECK-NEXT: scf.forall.in_parallel
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return
}

// -----

// A precondition of every element is one condition before the operation, if it is
// linear in the indices.
// CHECK-LABEL: func.func @reversed(
func.func @reversed(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %d, %c1 : index
  // CHECK: tally.check <s1 == 0 or s1 <= s0> required_by("tensor.extract")
  // CHECK-NEXT: linalg.generic
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%o : tensor<?xf32>) {
  ^bb0(%b: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %last, %i : index
    // CHECK-NOT: tally.check
    %v = tensor.extract %x[%j] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// If it depends on data, it is computed.
// CHECK-LABEL: func.func @gathered(
func.func @gathered(%x: tensor<?xf32>, %at: tensor<?xi64>, %o: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: tally.check <s1 == s2> required_by("linalg.generic")
  // CHECK: %[[D:.*]] = tensor.dim %{{.*}}
  // CHECK: %[[ALL:.*]] = linalg.generic
  // CHECK-SAME: iterator_types = ["reduction"]
  // CHECK:   %[[J:.*]] = arith.index_cast
  // CHECK:   arith.cmpi ult, %[[J]], %[[D]] : index
  // CHECK:   arith.andi
  // CHECK: %[[OK:.*]] = tensor.extract %[[ALL]][]
  // CHECK: tally.check <ok>, "an index is out of bounds of arg0" (ok = %[[OK]] : i1) required_by("tensor.extract")
  // CHECK: linalg.generic
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: i64, %b: f32):
    %j = arith.index_cast %a : i64 to index
    // CHECK: tensor.extract %{{.*}} {tally.checked}
    %v = tensor.extract %x[%j] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Only the loops that the index depends on are run; without an iteration of the others
// no index is used. What is linear is stated apart.
// CHECK-LABEL: func.func @rows(
func.func @rows(%x: tensor<?x?xf32>, %at: tensor<?xi64>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}} : tensor<?xi64>)
  // CHECK: tally.check <ok or s4 == 0>, "an index is out of bounds of arg0"
  // CHECK: tally.check <s2 == 0 or s4 == 0 or s4 <= s1>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<?xi64>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: i64, %b: f32):
    %i = arith.index_cast %a : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%i, %j] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Data-dependent sizes have names where they are bound.
// CHECK-LABEL: func.func @unbacked(
// CHECK-SAME: -> (tensor<?x1xi64> {tally.shape = #tally.shape<u0, 1>})
func.func @unbacked(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %t: tensor<?xi64>) -> tensor<?x1xi64>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked [0, inf], u1 : unbacked>} {
  %nz = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  // CHECK: tally.check <s1 == 1> required_by("tally.item")
  %i = tally.item %t : tensor<?xi64> bind #tally.bindings<u1 = result(0)>
  %n = arith.index_cast %i : i64 to index
  // CHECK: tally.check <0 <= u1> required_by("tensor.empty")
  %e = tensor.empty(%n) : tensor<?xf32>
  return %nz : tensor<?x1xi64>
}

// -----

// What a function declares of its results is checked.
// CHECK-LABEL: func.func @declared(
func.func @declared(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  %y = "other.op"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: tally.check <s0 == other_op_arg0_size_0> ({{.*}}) required_by("func.return")
  // CHECK-NEXT: return
  return %y : tensor<?xf32>
}

// -----

// Callees come first, so that callers see their results.
// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    -> (tensor<?xf32> {tally.shape = #tally.shape<s0 + s1>})
func.func @caller(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = call @callee(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @callee(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Without a size there is nothing to do.
// CHECK-LABEL: func.func @nothing(%{{.*}}: tensor<4xf32>, %{{.*}}: memref<?xf32>) -> tensor<4xf32> {
func.func @nothing(%x: tensor<4xf32>, %m: memref<?xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: arith.addf
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// What is required of every element of a body that cannot be computed before it
// is not lost: the operation is marked, for tally-insert-runtime-asserts to
// report.

// CHECK-LABEL: func.func @unchecked
// CHECK:         tensor.extract %{{.*}}[%{{.*}}] {tally.unchecked} : tensor<?xf32>
func.func @unchecked(%x: tensor<?xf32>, %at: tensor<?xindex>, %p: i1, %n: index) -> tensor<?xf32> {
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %j = scf.if %p -> index {
      %k = index.ceildivu %n, %i
      scf.yield %k : index
    } else {
      scf.yield %i : index
    }
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
