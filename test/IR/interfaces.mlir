// What the helpers of the interfaces say of operations: where they may run, whether they
// access memory, and which operands the arguments of their bodies get.

// RUN: tally-test-opt %s --test-interfaces --allow-unregistered-dialect | FileCheck %s

func.func private @callee(memref<?xf32>)

// CHECK-LABEL: func.func @placement
// CHECK: memref.load{{.*}}test.runs = ["thread", "accesses"]
// CHECK: memref.store{{.*}}test.runs = ["thread", "accesses"]
// CHECK: memref.alloc{{.*}}test.runs = ["host"]
// CHECK: memref.dealloc{{.*}}test.runs = ["host"]
// CHECK: memref.copy{{.*}}test.runs = ["host", "accesses"]
// CHECK: memref.dim{{.*}}test.runs = ["thread", "host"]
// CHECK: memref.subview{{.*}}test.runs = ["thread", "host"]
// CHECK: memref.prefetch{{.*}}test.runs = ["accesses"]
// CHECK: memref.atomic_rmw{{.*}}test.runs = ["accesses"]
// CHECK: call{{.*}}test.runs = ["host"]
// CHECK: arith.addf{{.*}}test.runs = ["thread", "host"]
// CHECK: tensor.extract{{.*}}test.runs = ["host"]
// CHECK: tensor.splat{{.*}}test.runs = ["host"]
// CHECK: tensor.dim{{.*}}test.runs = ["host"]
// CHECK: scf.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: }{{.*}}test.passed = [-1, -1], test.runs = ["thread", "host"]
// CHECK: memref.store{{.*}}test.runs = ["thread", "accesses"]
// CHECK: }{{.*}}test.runs = ["thread", "host"]
// CHECK: scf.reduce{{.*}}test.runs = ["thread", "host"]
// CHECK: }{{.*}}test.passed = [-1], test.runs = ["thread", "host"]
// CHECK: linalg.fill{{.*}}test.passed = [-1, -1], test.runs = ["accesses"]
// CHECK: scf.condition{{.*}}test.runs = ["thread", "host"]
// CHECK: scf.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: }{{.*}}test.passed = [-1, -1], test.runs = ["thread", "host"]
// CHECK: "other.op"{{.*}}test.runs = []
// CHECK: "other.op"{{.*}}test.runs = ["host"]
// CHECK: cf.assert{{.*}}test.runs = ["host"]
// CHECK: gpu.wait{{.*}}test.runs = ["host"]
// CHECK: memref.assume_alignment{{.*}}test.runs = ["thread", "host"]
// CHECK: return{{.*}}test.runs = ["thread", "host"]
func.func @placement(%m: memref<?xf32>, %t: tensor<?xf32>, %c: i1, %i: index, %f: f32, %u: memref<*xf32>) {
  %load = memref.load %m[%i] : memref<?xf32>
  memref.store %f, %m[%i] : memref<?xf32>
  %alloc = memref.alloc(%i) : memref<?xf32>
  memref.dealloc %alloc : memref<?xf32>
  memref.copy %m, %m : memref<?xf32> to memref<?xf32>
  %dim = memref.dim %m, %i : memref<?xf32>
  %view = memref.subview %m[0] [%i] [1] : memref<?xf32> to memref<?xf32>
  memref.prefetch %m[%i], read, locality<3>, data : memref<?xf32>
  %old = memref.atomic_rmw addf %f, %m[%i] : (f32, memref<?xf32>) -> f32
  call @callee(%m) : (memref<?xf32>) -> ()
  %sum = arith.addf %f, %f : f32
  %element = tensor.extract %t[%i] : tensor<?xf32>
  %splat = tensor.splat %f : tensor<4xf32>
  %size = tensor.dim %t, %i : tensor<?xf32>
  %r = scf.for %k = %i to %i step %i iter_args(%a = %f) -> f32 {
    scf.yield %a : f32
  }
  scf.if %c {
    memref.store %f, %m[%i] : memref<?xf32>
  }
  scf.parallel (%k) = (%i) to (%i) step (%i) {
    scf.reduce
  }
  linalg.fill ins(%f : f32) outs(%m : memref<?xf32>)
  %w = scf.while (%a = %f) : (f32) -> f32 {
    scf.condition(%c) %a : f32
  } do {
  ^bb0(%a: f32):
    scf.yield %a : f32
  }
  "other.op"(%m) : (memref<?xf32>) -> ()
  "other.op"(%f) : (f32) -> ()
  cf.assert %c, "no"
  %token = gpu.wait async
  memref.assume_alignment %m, 16 : memref<?xf32>
  return
}

// Which operands bodies get: the last arguments are what is handed in, unless a loop
// carries it.

// CHECK-LABEL: func.func @passed
// CHECK: test_hop.repeat{{.*}}test.passed = [-1, 2], test.runs = ["host"]
// CHECK: test_hop.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: test_hop.rounds{{.*}}test.passed = [-1, -1, 1], test.runs = ["host"]
// CHECK: test_hop.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: test_hop.rounds{{.*}}test.passed = [-1, -1, -1], test.runs = ["host"]
// CHECK: test_hop.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: test_hop.rounds{{.*}}test.passed = [-1, -1, -1], test.runs = ["host"]
// CHECK: test_hop.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: test_hop.pick{{.*}}test.passed = [1, 2, 1, 2], test.runs = ["host"]
// CHECK: test_hop.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: test_hop.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: tally.cond{{.*}}test.passed = [1, 2, 1, 2], test.runs = ["host"]
// CHECK: tally.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: tally.yield{{.*}}test.runs = ["thread", "host"]
// CHECK: test_hop.repeat{{.*}}test.passed = [-1, -1, 3], test.runs = ["host"]
// CHECK: return{{.*}}test.runs = ["thread", "host"]
func.func @passed(%n: index, %f: f32, %g: f32, %p: i1) {
  // The second argument changes, the third does not.
  %a = test_hop.repeat %n carries(%f) uses(%g) : (index, f32, f32) -> f32 {
  ^bb0(%x: f32, %y: f32):
    test_hop.yield %y : f32
  }
  // The first is the body's own.
  %b = test_hop.rounds carries(%f) uses(%g) : (f32, f32) -> f32 {
  ^bb0(%i: index, %x: f32, %y: f32):
    test_hop.yield %y : f32
  }
  // Nothing is known of what this one carries.
  %c = test_hop.rounds carries(%f) uses(%g) {hides} : (f32, f32) -> f32 {
  ^bb0(%i: index, %x: f32, %y: f32):
    test_hop.yield %y : f32
  }
  // Nor of this one, as one of its results is not what it carries.
  %o:2 = test_hop.rounds carries(%f) uses(%g) : (f32, f32) -> (f32, f32) {
  ^bb0(%i: index, %x: f32, %y: f32):
    test_hop.yield %y : f32
  }
  %d = test_hop.pick %n(%f, %g) : (index, f32, f32) -> f32 {
  ^bb0(%x: f32, %y: f32):
    test_hop.yield %x : f32
  } or {
  ^bb0(%x: f32, %y: f32):
    test_hop.yield %y : f32
  }
  %e = tally.cond %p(%f, %g) : (f32, f32) -> f32 {
  ^bb0(%x: f32, %y: f32):
    tally.yield %x : f32
  } else {
  ^bb0(%x: f32, %y: f32):
    tally.yield %y : f32
  }
  // Two arguments change.
  %s:2 = test_hop.repeat %n carries(%f, %g) uses(%p) : (index, f32, f32, i1) -> (f32, f32) {
  ^bb0(%x: f32, %y: f32, %q: i1):
    test_hop.yield %y, %x : f32, f32
  }
  return
}
