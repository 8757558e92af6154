// Operations of somebody else: two tell the range of their elements, of which one
// implements the interface and one has it attached from outside; ranges go through
// regions of others, as their interfaces tell.

// RUN: tally-test-opt %s --split-input-file --pass-pipeline='builtin.module(tally-check-pipeline{verify})' | FileCheck %s

// CHECK-LABEL: @top_positions
// CHECK-NOT: tally.assert
// CHECK: return
func.func @top_positions(%x: tensor<?xf32>) -> tensor<4xf32> {
  %at = test_hop.top_positions %x : (tensor<?xf32>) -> tensor<4xi64>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%at : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: i64, %o: f32):
    %i = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Positions of another tensor say nothing of this one.
// CHECK-LABEL: @positions_of_another
// CHECK: tally.assert %{{.*}} message("an index is out of bounds of y")
func.func @positions_of_another(%x: tensor<?xf32>, %y: tensor<?xf32> {tally.name = "y"}) -> tensor<4xf32> {
  %at = test_hop.top_positions %x : (tensor<?xf32>) -> tensor<4xi64>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%at : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: i64, %o: f32):
    %i = arith.index_cast %p : i64 to index
    %v = tensor.extract %y[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: @roll
// CHECK: tally.assert %{{.*}}, <{{.*}} < 5> {{.*}} required_by("tensor.extract")
// CHECK-NOT: tally.assert
func.func @roll(%x: tensor<6xf32>, %y: tensor<5xf32>) -> (f32, f32) {
  %i = test_hop.roll : index
  %a = tensor.extract %x[%i] : tensor<6xf32>
  %b = tensor.extract %y[%i] : tensor<5xf32>
  return %a, %b : f32, f32
}

// -----

// Loops of somebody else, which tell through upstream's interfaces what goes round:
// ranges go through them as through those of scf (element-ranges.mlir).

// The number that is counted with is below what the condition says.
// CHECK-LABEL: @during
// CHECK-NOT: tally.assert
// CHECK: return
func.func @during(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %f = arith.constant 0.0 : f32
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.index_cast %s : index to i64
  %r:2 = test_hop.during(%zero, %f) : (i64, f32) -> (i64, f32) {
  ^bb0(%i: i64, %a: f32):
    %go = arith.cmpi slt, %i, %n : i64
    test_hop.go_on while %go with (%i, %a : i64, f32)
  } do {
  ^bb0(%i: i64, %a: f32):
    %at = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    %next = arith.addi %i, %one : i64
    test_hop.yield %next, %b : i64, f32
  }
  return %r#1 : f32
}

// -----

// Behind the loop the condition does not hold: the number is the size, which is no
// index.
// CHECK-LABEL: @behind_during
// CHECK: tally.assert
// CHECK: return
func.func @behind_during(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.index_cast %s : index to i64
  %r = test_hop.during(%zero) : (i64) -> i64 {
  ^bb0(%i: i64):
    %go = arith.cmpi slt, %i, %n : i64
    test_hop.go_on while %go with (%i : i64)
  } do {
  ^bb0(%i: i64):
    %next = arith.addi %i, %one : i64
    test_hop.yield %next : i64
  }
  %at = arith.index_cast %r : i64 to index
  %v = tensor.extract %x[%at] : tensor<?xf32>
  return %v : f32
}

// -----

// Where the condition says nothing of the number it may be any.
// CHECK-LABEL: @during_goes_on
// CHECK: tally.assert %{{.*}}, <0 <= {{.*}} < s0>
func.func @during_goes_on(%x: tensor<?xf32>, %end: f32) -> f32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %f = arith.constant 0.0 : f32
  %r:2 = test_hop.during(%zero, %f) : (i64, f32) -> (i64, f32) {
  ^bb0(%i: i64, %a: f32):
    %go = arith.cmpf olt, %a, %end : f32
    test_hop.go_on while %go with (%i, %a : i64, f32)
  } do {
  ^bb0(%i: i64, %a: f32):
    %at = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    %next = arith.addi %i, %one : i64
    test_hop.yield %next, %b : i64, f32
  }
  return %r#1 : f32
}

// -----

// A body that runs again while the next number is below 5, and gives it where it is
// not: of 0 to 5 that leaves 5.
// CHECK-LABEL: @again
// CHECK: tally.assert %{{.*}}, <{{.*}} < 4> {{.*}} required_by("tensor.extract")
// CHECK-NOT: tally.assert
// CHECK: test_hop.go_on
// CHECK-NOT: tally.assert
// CHECK: return
func.func @again(%x: tensor<5xf32>, %y: tensor<4xf32>, %z: tensor<6xf32>) -> (f32, f32) {
  %zero = arith.constant 0 : index
  %five = arith.constant 5 : index
  %f = arith.constant 0.0 : f32
  %r:2 = test_hop.again(%zero, %f) : (index, f32) -> (index, f32) {
  ^bb0(%i: index, %a: f32):
    %v = tensor.extract %x[%i] : tensor<5xf32>
    %w = tensor.extract %y[%i] : tensor<4xf32>
    %b = arith.addf %a, %v : f32
    %c = arith.addf %b, %w : f32
    %next = test_hop.roll : index
    %go = arith.cmpi slt, %next, %five : index
    test_hop.go_on while %go with (%next, %c : index, f32)
  }
  %six = tensor.extract %z[%r#0] : tensor<6xf32>
  %from = arith.subi %r#0, %five : index
  %one = tensor.extract_slice %z[%from] [1] [1] : tensor<6xf32> to tensor<1xf32>
  %first = tensor.extract %one[%from] : tensor<1xf32>
  %sum = arith.addf %six, %first : f32
  return %r#1, %sum : f32, f32
}

// -----

// The number of an iteration is below the bound, and so is how often something was
// counted.
// CHECK-LABEL: @count
// CHECK-NOT: tally.assert
// CHECK: return
func.func @count(%x: tensor<?xf32>) -> (f32, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %r:2 = test_hop.count %c0 to %s step %c1 carries(%f, %c0) : (f32, index) -> (f32, index) {
  ^bb0(%i: index, %a: f32, %n: index):
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    %counts = arith.cmpf olt, %v, %a : f32
    %more = arith.addi %n, %c1 : index
    %m = arith.select %counts, %more, %n : index
    test_hop.yield %b, %m : f32, index
  }
  %t = tensor.extract_slice %x[0] [%r#1] [1] : tensor<?xf32> to tensor<?xf32>
  return %r#0, %t : f32, tensor<?xf32>
}

// -----

// Bounds that are compared as unsigned numbers say nothing of signed ones.
// CHECK-LABEL: @count_unsigned
// CHECK: tally.assert {{.*}}required_by("tensor.extract")
func.func @count_unsigned(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %r = test_hop.count %c0 to %s step %c1 carries(%f) {unsignedCmp} : (f32) -> f32 {
  ^bb0(%i: index, %a: f32):
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    test_hop.yield %b : f32
  }
  return %r : f32
}

// -----

// A higher-order loop: what it carries stays within a range, and what is captured is
// what it is outside.
// CHECK-LABEL: @repeat
// CHECK: tally.assert %{{.*}}, <{{.*}} < 5> {{.*}} required_by("tensor.extract")
// CHECK-NOT: tally.assert
// CHECK: return
func.func @repeat(%count: index, %x: tensor<6xf32>, %y: tensor<5xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %i = test_hop.roll : index
  %r = test_hop.repeat %count carries(%c0) uses(%i, %x) : (index, index, index, tensor<6xf32>) -> index {
  ^bb0(%a: index, %j: index, %z: tensor<6xf32>):
    %b = arith.subi %c5, %a : index
    %v = tensor.extract %z[%j] : tensor<6xf32>
    %is = arith.cmpf olt, %v, %v : f32
    %c = arith.select %is, %b, %j : index
    test_hop.yield %c : index
  }
  %v = tensor.extract %x[%r] : tensor<6xf32>
  %w = tensor.extract %y[%r] : tensor<5xf32>
  return %v, %w : f32, f32
}
