// RUN: tally-opt %s --tally-forward-carried --split-input-file | FileCheck %s

// The loop alone has what it starts with, and what it makes.
// CHECK-LABEL: func.func @own
// CHECK: scf.while (%[[A:.*]] = %{{.*}})
// CHECK-NOT: memref.copy
// CHECK: scf.condition(%{{.*}}) %[[A]]
func.func @own(%n: index, %p: i1) -> memref<?xf32> {
  %init = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%init : memref<?xf32>) outs(%init : memref<?xf32>)
  %r = scf.while (%a = %init) : (memref<?xf32>) -> memref<?xf32> {
    %c = memref.alloc(%n) : memref<?xf32>
    memref.copy %a, %c : memref<?xf32> to memref<?xf32>
    scf.condition(%p) %c : memref<?xf32>
  } do {
  ^bb0(%b: memref<?xf32>):
    %next = memref.alloc(%n) : memref<?xf32>
    linalg.exp ins(%b : memref<?xf32>) outs(%next : memref<?xf32>)
    scf.yield %next : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// -----

// Carries change places; one of them stays as it is.
// CHECK-LABEL: func.func @places
// CHECK: scf.while (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK-NOT: memref.copy
// CHECK: scf.condition(%{{.*}}) %[[B]], %[[A]], %[[C]]
func.func @places(%n: index, %p: i1, %w: memref<?xf32>) -> memref<?xf32> {
  %one = memref.alloc(%n) : memref<?xf32>
  %two = memref.alloc(%n) : memref<?xf32>
  %r:3 = scf.while (%a = %one, %b = %two, %c = %w) : (memref<?xf32>, memref<?xf32>, memref<?xf32>) -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
    %d = memref.alloc(%n) : memref<?xf32>
    memref.copy %b, %d : memref<?xf32> to memref<?xf32>
    %e = memref.alloc(%n) : memref<?xf32>
    memref.copy %a, %e : memref<?xf32> to memref<?xf32>
    scf.condition(%p) %d, %e, %c : memref<?xf32>, memref<?xf32>, memref<?xf32>
  } do {
  ^bb0(%b: memref<?xf32>, %a: memref<?xf32>, %c: memref<?xf32>):
    linalg.exp ins(%c : memref<?xf32>) outs(%b : memref<?xf32>)
    scf.yield %a, %b, %c : memref<?xf32>, memref<?xf32>, memref<?xf32>
  }
  return %r#0 : memref<?xf32>
}

// -----

// A loop in a loop starts with what that one carries, and ends with what it
// yields.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: memref.copy
// CHECK: return
func.func @nested(%n: index, %p: i1) -> memref<?xf32> {
  %init = memref.alloc(%n) : memref<?xf32>
  %r = scf.while (%a = %init) : (memref<?xf32>) -> memref<?xf32> {
    %c = memref.alloc(%n) : memref<?xf32>
    memref.copy %a, %c : memref<?xf32> to memref<?xf32>
    scf.condition(%p) %c : memref<?xf32>
  } do {
  ^bb0(%b: memref<?xf32>):
    %inner = scf.while (%d = %b) : (memref<?xf32>) -> memref<?xf32> {
      %c = memref.alloc(%n) : memref<?xf32>
      memref.copy %d, %c : memref<?xf32> to memref<?xf32>
      scf.condition(%p) %c : memref<?xf32>
    } do {
    ^bb0(%d: memref<?xf32>):
      %next = memref.alloc(%n) : memref<?xf32>
      linalg.exp ins(%d : memref<?xf32>) outs(%next : memref<?xf32>)
      scf.yield %next : memref<?xf32>
    }
    scf.yield %inner : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// -----

// Somebody else has what the loop starts with: the caller, what comes after the
// loop, its body, or another iteration of the loop around.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: memref.copy
// CHECK-NOT: memref.copy
// CHECK: return
func.func @others(%n: index, %p: i1, %x: memref<?xf32>, %i: index) -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
  %after = memref.alloc(%n) : memref<?xf32>
  %inside = memref.alloc(%n) : memref<?xf32>
  %again = memref.alloc(%n) : memref<?xf32>
  %r:3 = scf.while (%a = %x, %b = %after, %c = %inside) : (memref<?xf32>, memref<?xf32>, memref<?xf32>) -> (memref<?xf32>, memref<?xf32>, memref<?xf32>) {
    %d = memref.alloc(%n) : memref<?xf32>
    memref.copy %a, %d : memref<?xf32> to memref<?xf32>
    %e = memref.alloc(%n) : memref<?xf32>
    memref.copy %b, %e : memref<?xf32> to memref<?xf32>
    %f = memref.alloc(%n) : memref<?xf32>
    memref.copy %c, %f : memref<?xf32> to memref<?xf32>
    scf.condition(%p) %d, %e, %f : memref<?xf32>, memref<?xf32>, memref<?xf32>
  } do {
  ^bb0(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>):
    linalg.exp ins(%inside : memref<?xf32>) outs(%a : memref<?xf32>)
    scf.yield %a, %b, %c : memref<?xf32>, memref<?xf32>, memref<?xf32>
  }
  linalg.exp ins(%after : memref<?xf32>) outs(%r#1 : memref<?xf32>)
  scf.for %j = %n to %n step %n {
    %s = scf.while (%a = %again) : (memref<?xf32>) -> memref<?xf32> {
      %d = memref.alloc(%n) : memref<?xf32>
      memref.copy %a, %d : memref<?xf32> to memref<?xf32>
      scf.condition(%p) %d : memref<?xf32>
    } do {
    ^bb0(%a: memref<?xf32>):
      scf.yield %a : memref<?xf32>
    }
  }
  return %r#0, %r#1, %r#2 : memref<?xf32>, memref<?xf32>, memref<?xf32>
}

// -----

// What the second region yields is someone else's, the same twice, or a part of
// what it got; and the first region writes behind its copy.
// CHECK-LABEL: func.func @yields
// CHECK-COUNT-5: memref.copy
// CHECK-NOT: memref.copy
// CHECK: return
func.func @yields(%n: index, %p: i1, %x: memref<4xf32>, %v: f32, %i: index) {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.alloc() : memref<4xf32>
  %2 = memref.alloc() : memref<4xf32>
  %3 = memref.alloc() : memref<4xf32>
  %4 = memref.alloc() : memref<4xf32>
  %r:4 = scf.while (%a = %0, %b = %1, %c = %2, %d = %3) : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) {
    %ca = memref.alloc() : memref<4xf32>
    memref.copy %a, %ca : memref<4xf32> to memref<4xf32>
    %cb = memref.alloc() : memref<4xf32>
    memref.copy %b, %cb : memref<4xf32> to memref<4xf32>
    %cc = memref.alloc() : memref<4xf32>
    memref.copy %c, %cc : memref<4xf32> to memref<4xf32>
    %cd = memref.alloc() : memref<4xf32>
    memref.copy %d, %cd : memref<4xf32> to memref<4xf32>
    scf.condition(%p) %ca, %cb, %cc, %cd : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>
  } do {
  ^bb0(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>, %d: memref<4xf32>):
    linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    %twice = memref.alloc() : memref<4xf32>
    %part = memref.cast %d : memref<4xf32> to memref<?xf32>
    %back = memref.cast %part : memref<?xf32> to memref<4xf32>
    scf.yield %x, %twice, %twice, %back : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>
  }
  %s = scf.while (%a = %4) : (memref<4xf32>) -> memref<4xf32> {
    %ca = memref.alloc() : memref<4xf32>
    memref.copy %a, %ca : memref<4xf32> to memref<4xf32>
    memref.store %v, %a[%i] : memref<4xf32>
    scf.condition(%p) %ca : memref<4xf32>
  } do {
  ^bb0(%a: memref<4xf32>):
    scf.yield %a : memref<4xf32>
  }
  return
}
