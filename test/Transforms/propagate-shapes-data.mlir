// What operations read where data tells them to.
// RUN: tally-opt %s --tally-propagate-shapes --split-input-file | FileCheck %s
// A second run finds all of it there.
// RUN: tally-opt %s --tally-propagate-shapes --split-input-file > %t.once
// RUN: tally-opt %t.once --tally-propagate-shapes --split-input-file | diff %t.once -

// CHECK-LABEL: func.func @generated(
// CHECK: tally.check <0 <= s2> required_by("tensor.generate")
// CHECK: tally.check <s2 == 0 or s2 <= s1> required_by("tensor.extract")
// CHECK: %[[SPACE:.*]] = tensor.empty(%{{.*}}) : tensor<?xi1>
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} ins(%[[SPACE]] : tensor<?xi1>)
// CHECK:   %[[I:.*]] = linalg.index 0
// CHECK:   %[[J:.*]] = tensor.extract %{{.*}}[%[[I]]]
// CHECK:   arith.cmpi ult, %[[J]]
// CHECK: %[[OK:.*]] = tensor.extract %[[ALL]][]
// CHECK: tally.check <ok>, "an index is out of bounds of arg0" (ok = %[[OK]] : i1) required_by("tensor.extract")
// CHECK: tensor.generate
// CHECK:   {tally.checked}
func.func @generated(%x: tensor<?xf32>, %at: tensor<?xindex>, %n: index) -> tensor<?xf32> {
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %j = tensor.extract %at[%i] : tensor<?xindex>
    %v = tensor.extract %x[%j] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The body of a pad is run for every element, those that are no padding too.
// CHECK-LABEL: func.func @padded(
// CHECK: tally.check <s0 + s2 == 0 or s0 + s2 <= s1> required_by("tensor.extract")
func.func @padded(%x: tensor<?xf32>, %edge: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tensor.pad %x low[0] high[%n] {
  ^bb0(%i: index):
    %v = tensor.extract %edge[%i] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @gathered(
// CHECK-SAME: -> (tensor<?x?xf32> {tally.shape = #tally.shape<s3, s1>})
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%arg1
// CHECK:   linalg.index 1
// CHECK:   %[[SIZE:.*]] = arith.select
// CHECK:   arith.cmpi ult, %{{.*}}, %[[SIZE]] : index
// CHECK: %[[OK:.*]] = tensor.extract %[[ALL]][]
// CHECK: tally.check <ok>, "an index is out of bounds of arg0" (ok = %[[OK]] : i1) required_by("tensor.gather")
func.func @gathered(%x: tensor<?x?x?xf32>, %at: tensor<?x2xi32>) -> tensor<?x?xf32> {
  %r = tensor.gather %x[%at] gather_dims([0, 2]) : (tensor<?x?x?xf32>, tensor<?x2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// Coordinates that are known need no computation.
// CHECK-LABEL: func.func @known(
// CHECK-NOT: linalg.generic
// CHECK: tally.check <2 < s0> required_by("tensor.gather")
// CHECK: tally.check <5 < s0> required_by("tensor.gather")
// CHECK-NOT: tally.check
func.func @known(%x: tensor<?xf32>) -> tensor<2xf32> {
  %at = arith.constant dense<[[2], [5]]> : tensor<2x1xindex>
  %r = tensor.gather %x[%at] gather_dims([0]) : (tensor<?xf32>, tensor<2x1xindex>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @scattered(
// CHECK: tally.check <s3 == s4> required_by("tensor.scatter")
// CHECK: tally.check <s0 == s5> required_by("tensor.scatter")
// CHECK: tally.check <s2 == s6> required_by("tensor.scatter")
// CHECK: linalg.generic {{.*}} ins(%arg1
// CHECK: tally.check <ok>, "an index is out of bounds of arg0" {{.*}} required_by("tensor.scatter")
func.func @scattered(%x: tensor<?x?x?xf32>, %at: tensor<?x1xindex>, %new: tensor<?x?x1x?xf32>) -> tensor<?x?x?xf32> {
  %r = tensor.scatter %new into %x[%at] scatter_dims([1]) unique : (tensor<?x?x1x?xf32>, tensor<?x?x?xf32>, tensor<?x1xindex>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// The elements of a shape are sizes.
// CHECK-LABEL: func.func @reshaped(
// CHECK: %[[A:.*]] = tensor.extract %arg1[%c0] : tensor<2xi32>
// CHECK: %[[N:.*]] = arith.index_cast %[[A]] : i32 to index
// CHECK: %[[M:.*]] = arith.index_cast
// CHECK: tensor.from_elements %[[N]], %[[M]] : tensor<2xindex>
// CHECK: tally.check <0 <= arg1_0> (arg1_0 = %[[A]] : i32) required_by("tensor.reshape")
// CHECK: tally.check <s0 == arg1_0 * arg1_1>
// CHECK: tensor.reshape
func.func @reshaped(%x: tensor<?xf32>, %shape: tensor<2xi32>) -> tensor<?x?xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// The same index into two tensors that are as long is looked at once, and into
// one of another length once more.
// CHECK-LABEL: func.func @twice(
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} ins(%arg2
// CHECK: %[[OK:.*]] = tensor.extract %[[ALL]][]
// CHECK: tally.check <ok or s6 == 0>, "an index is out of bounds of arg0" (ok = %[[OK]]
// CHECK: = math.exp
// CHECK-NOT: iterator_types = ["reduction"]
// CHECK: tally.check <ok or s6 == 0>, "an index is out of bounds of math.exp(arg0)" (ok = %[[OK]]
// CHECK: %[[OTHER:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%arg2
// CHECK: %[[OTHER_OK:.*]] = tensor.extract %[[OTHER]][]
// CHECK: tally.check <ok or s6 == 0>, "an index is out of bounds of arg1" (ok = %[[OTHER_OK]]
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @twice(%x: tensor<?x?xf32>, %other: tensor<?x?xf32>, %at: tensor<?xi32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %1 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<?xi32>) outs(%out : tensor<?x?xf32>) {
  ^bb0(%i: i32, %o: f32):
    %c0 = arith.constant 0 : index
    %k = arith.index_cast %i : i32 to index
    %v = tensor.extract %x[%k, %c0] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %y = math.exp %x : tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<?xi32>) outs(%1 : tensor<?x?xf32>) {
  ^bb0(%i: i32, %o: f32):
    %c0 = arith.constant 0 : index
    %k = arith.index_cast %i : i32 to index
    %v = tensor.extract %y[%k, %c0] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %3 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<?xi32>) outs(%2 : tensor<?x?xf32>) {
  ^bb0(%i: i32, %o: f32):
    %c0 = arith.constant 0 : index
    %k = arith.index_cast %i : i32 to index
    %v = tensor.extract %other[%k, %c0] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// -----

// A function that is bound gets the checks that it lacks.
// CHECK-LABEL: func.func @bound(
// CHECK: %[[X:.*]] = tally.symbol "s0"
// CHECK: tally.check <s0 == arg1_size_0> (s0 = %[[X]], {{.*}}) required_by("arith.addf")
// CHECK-NOT: tally.check
func.func @bound(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %s0 = tally.symbol "s0" = %d : index
  %r = arith.addf %x, %y : tensor<?xf32>
  %q = arith.addf %r, %y : tensor<?xf32>
  return %q : tensor<?xf32>
}
