// RUN: tally-opt %s --tally-lower-memory --split-input-file --verify-diagnostics

func.func @no_context() {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  %m = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func @layout(%ctx: !llvm.ptr, %n: index) {
  // expected-error @below {{failed to legalize operation 'memref.alloc' that was explicitly marked illegal}}
  %m = memref.alloc(%n) : memref<?xf32, strided<[2]>>
  return
}

// -----

func.func @unranked(%ctx: !llvm.ptr, %m: memref<*xf32>) {
  // expected-error @below {{failed to legalize operation 'memref.dealloc' that was explicitly marked illegal}}
  memref.dealloc %m : memref<*xf32>
  return
}
