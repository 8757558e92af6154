// RUN: tally-opt %s --tally-outline-parallel=work=1000 --split-input-file | FileCheck %s

// All dimensions but the last are one range, the last is a loop in the body; only the first
// iteration divides to find its place. The constant is cloned; everything else travels in a struct. The name says what is computed.
// CHECK: func.func private @main_parallel_0_cmpf(%[[CTX:.*]]: !llvm.ptr, %[[BEGIN:.*]]: index, %[[END:.*]]: index, %[[DATA:.*]]: !llvm.ptr) -> i32 attributes {tally.status}
// CHECK: llvm.load %[[DATA]]
// CHECK: %[[COLUMN:.*]] = arith.remui %[[BEGIN]]
// CHECK: %[[ROW:.*]] = arith.divui %[[BEGIN]]
// CHECK: %[[J0:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: %[[I0:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %{{.*}} iter_args(%[[I:.*]] = %[[I0]], %[[J:.*]] = %[[J0]])
// CHECK-NOT: {{rem|div}}ui
// CHECK: scf.for %[[K:.*]] =
// CHECK: %[[V:.*]] = memref.load %{{.*}}[%[[I]], %[[J]], %[[K]]]
// CHECK: tally.assert %{{.*}} message("negative")
// CHECK: memref.store %[[V]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %{{.*}}
// CHECK: %[[WRAPS:.*]] = arith.cmpi sge, %[[NEXT]], %{{.*}}
// CHECK: %[[J1:.*]] = arith.select %[[WRAPS]], %{{.*}}, %[[NEXT]]
// CHECK: %[[BELOW:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK: %[[I1:.*]] = arith.select %[[WRAPS]], %[[BELOW]], %[[I]]
// CHECK: scf.yield %[[I1]], %[[J1]]
// CHECK: return %{{.*}} : i32

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr
// CHECK: %[[ROOM:.*]] = llvm.alloca
// CHECK: llvm.store %{{.*}}, %[[ROOM]]
// CHECK: %[[BODY:.*]] = constant @main_parallel_0_cmpf
// CHECK: %[[F:.*]] = builtin.unrealized_conversion_cast %[[BODY]]
// CHECK: call @tally_rt_parallel_for(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %[[F]], %[[ROOM]]) {tally.status}
// CHECK-NOT: scf.parallel
func.func @main(%ctx: !llvm.ptr, %x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>, %a: index, %b: index, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%a, %b, %c) step (%c1, %c1, %c1) {
    %v = memref.load %x[%i, %j, %k] : memref<?x?x?xf32>
    %ok = arith.cmpf oge, %v, %zero : f32
    tally.assert %ok message("negative")
    memref.store %v, %y[%i, %j, %k] : memref<?x?x?xf32>
    scf.reduce
  }
  return
}

// -----

// A loop with a result stays where it is, and what is in it.
// CHECK-LABEL: func.func @reduction
// CHECK-NOT: tally_rt_parallel_for
// CHECK: scf.parallel
// CHECK: return
func.func @reduction(%ctx: !llvm.ptr, %x: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %v = memref.load %x[%i] : memref<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// -----

// Only the outer loop goes to the runtime. Its grain counts the inner one.
// CHECK: func.func private @nested_parallel_0(
// CHECK: scf.parallel
// CHECK-LABEL: func.func @nested
// CHECK: arith.divui
// CHECK: call @tally_rt_parallel_for
// CHECK-NOT: call @tally_rt_parallel_for
func.func @nested(%ctx: !llvm.ptr, %x: memref<?x?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%m) step (%c1) {
      memref.store %zero, %x[%i, %j] : memref<?x?xf32>
      scf.reduce
    }
    scf.reduce
  }
  return
}

// -----

// The grain counts a loop in a branch as well: four rows at once, or what is left
// of them.
// CHECK: func.func private @branches_parallel_0_
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    (%{{[^ ]*}}: !llvm.ptr, %{{[^ ]*}}: memref<?x?xf32>, %{{[^ ]*}}: index, %[[M:[^ ]*]]: index)
// CHECK: %[[POINTS:.*]] = arith.muli %{{.*}}, %[[M]]
// CHECK: %[[INNER:.*]] = arith.maxsi %[[POINTS]],
// CHECK: arith.divui %{{.*}}, %[[INNER]]
// CHECK: call @tally_rt_parallel_for
func.func @branches(%ctx: !llvm.ptr, %x: memref<?x?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %blocks = arith.ceildivui %n, %c4 : index
  scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
    %begin = arith.muli %block, %c4 : index
    %end = arith.addi %begin, %c4 : index
    %is_whole = arith.cmpi ule, %end, %n : index
    scf.if %is_whole {
      scf.for %j = %c0 to %m step %c1 {
        memref.store %zero, %x[%begin, %j] : memref<?x?xf32>
      }
    } else {
      scf.for %i = %begin to %n step %c1 {
        scf.for %j = %c0 to %m step %c1 {
          memref.store %zero, %x[%i, %j] : memref<?x?xf32>
        }
      }
    }
    scf.reduce
  }
  return
}

// -----

// Loops that do the same share a function; one with another constant does not,
// and one with an assert, which says where it is from, does not.
// CHECK: func.func private @shared_parallel_0(
// CHECK-NOT: @shared_parallel_1(
// CHECK: func.func private @shared_parallel_2(
// CHECK: func.func private @shared_parallel_3(
// CHECK: func.func private @shared_parallel_4(
// CHECK-LABEL: func.func @shared(
// CHECK: constant @shared_parallel_0
// CHECK: constant @shared_parallel_0
// CHECK: constant @shared_parallel_2
// CHECK: constant @shared_parallel_3
// CHECK: constant @shared_parallel_4
func.func @shared(%ctx: !llvm.ptr, %x: memref<?xf32>, %y: memref<?xf32>, %p: i1, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %zero, %x[%i] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    memref.store %zero, %y[%i] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %one, %x[%i] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    tally.assert %p message("first")
    memref.store %zero, %x[%i] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    tally.assert %p message("first")
    memref.store %zero, %x[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// Operators of the program that have names lend them to the function.
// CHECK: func.func private @named_parallel_0_my__relu_add(
func.func @named(%ctx: !llvm.ptr, %x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf32>
    %r = arith.maximumf %v, %zero : f32 loc(fused<{tally.operator = "my::relu"}>["model.py":2:1])
    %s = arith.addf %r, %v : f32 loc(fused<{tally.operator = "add"}>["model.py":3:1])
    memref.store %s, %x[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// What is the same in all iterations over the last dimension is read before them;
// what is behind a write is not. A loop may say how many points an iteration
// takes.
// CHECK-LABEL: func.func private @gathers_parallel_0
// CHECK:         scf.for
// CHECK:           %[[INDEX:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<?xindex>
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             %[[V:.*]] = memref.load %{{.*}}[%[[INDEX]], %[[J]]] : memref<?x?xf32>
// CHECK:             memref.store %[[V]]
// CHECK:             memref.load %{{.*}} : memref<?xf32>
// CHECK-LABEL: func.func @gathers(
// CHECK:         arith.constant 4096 : index
func.func @gathers(%ctx: !llvm.ptr, %x: memref<?x?xf32>, %i: memref<?xindex>, %y: memref<?x?xf32>, %z: memref<?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%a, %b) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
    %at = memref.load %i[%a] : memref<?xindex>
    %v = memref.load %x[%at, %b] : memref<?x?xf32>
    memref.store %v, %y[%a, %b] : memref<?x?xf32>
    %w = memref.load %z[%a] : memref<?xf32>
    memref.store %w, %y[%a, %b] : memref<?x?xf32>
    scf.reduce
  } {tally.points = 4096 : index}
  return
}
