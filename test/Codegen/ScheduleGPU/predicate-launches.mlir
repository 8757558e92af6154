// RUN: tally-opt %s --tally-predicate-launches --split-input-file | FileCheck %s
// RUN: tally-opt %s --tally-predicate-launches --split-input-file --remarks-filter=tally-form-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The number stays until both branches have read it; they write into one buffer.
// A kernel that others launch as well stays as it is.
// REMARK: the host does not wait for tally.read_back at {{.*}}: kernels of both branches are launched, and return at once where the other branch is taken
// CHECK-LABEL: gpu.func @fill(
// CHECK-SAME: %{{[^:]*}}: memref<1xf32>, %{{[^:]*}}: f32) kernel
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: memref.store
// CHECK-LABEL: gpu.func @add(
// CHECK-SAME: %[[ADD_TO:[^:]*]]: memref<1xf32>, %[[ADD_P:[^:]*]]: memref<1xi1>) kernel
// CHECK: %[[P:.*]] = memref.load %[[ADD_P]]
// CHECK-NEXT: scf.if %[[P]] {
// CHECK:   memref.store %{{.*}}, %[[ADD_TO]]
// CHECK: }
// CHECK-NEXT: gpu.return
// CHECK-LABEL: gpu.func @fill_0(
// CHECK-SAME: %{{[^:]*}}: memref<1xf32>, %{{[^:]*}}: f32, %[[FILL_P:[^:]*]]: memref<1xi1>) kernel
// CHECK: %[[Q:.*]] = memref.load %[[FILL_P]]
// CHECK: %[[NOT:.*]] = arith.xori %[[Q]], %true
// CHECK-NEXT: scf.if %[[NOT]] {
// CHECK-LABEL: func.func @shares(
// CHECK-SAME: %[[N:.*]]: index, %[[V:.*]]: f32
// CHECK-NOT: scf.if
// CHECK-NOT: tally.read_back
// CHECK: %[[FLAG:.*]] = memref.alloc() : memref<i1>
// CHECK: gpu.launch_func @kernels::@decide
// CHECK: %[[POINTER:.*]] = memref.reinterpret_cast %[[FLAG]]
// CHECK-SAME: memref<i1> to memref<1xi1>
// CHECK-NOT: memref.dealloc
// CHECK: %[[R:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NOT: memref.alloc
// CHECK: gpu.launch_func @kernels::@add
// CHECK-SAME: %[[POINTER]] : memref<1xi1>
// CHECK: gpu.launch_func @kernels::@fill_0
// CHECK-SAME: %[[POINTER]] : memref<1xi1>
// CHECK: memref.dealloc %[[FLAG]]
// CHECK: gpu.launch_func @kernels::@fill blocks
// CHECK-NEXT: return %[[R]]
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fill(%to: memref<1xf32>, %v: f32) kernel {
      %c0 = arith.constant 0 : index
      memref.store %v, %to[%c0] : memref<1xf32>
      gpu.return
    }
    gpu.func @add(%to: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      memref.store %one, %to[%c0] : memref<1xf32>
      gpu.return
    }
    gpu.func @decide(%to: memref<1xi1>) kernel {
      gpu.return
    }
  }
  func.func @shares(%n: index, %v: f32) -> memref<?xf32> {
    %c1 = arith.constant 1 : index
    %flag = memref.alloc() : memref<i1>
    %first = memref.reinterpret_cast %flag to offset: [0], sizes: [1], strides: [1] : memref<i1> to memref<1xi1>
    gpu.launch_func @kernels::@decide blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%first : memref<1xi1>)
    %p = tally.read_back %flag[] : memref<i1>
    memref.dealloc %flag : memref<i1>
    %r = scf.if %p -> memref<?xf32> {
      %size = arith.addi %n, %c1 : index
      %a = memref.alloc(%size) : memref<?xf32>
      %to = memref.reinterpret_cast %a to offset: [0], sizes: [1], strides: [1] : memref<?xf32> to memref<1xf32>
      gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%to : memref<1xf32>)
      scf.yield %a : memref<?xf32>
    } else {
      %size = arith.addi %n, %c1 : index
      %b = memref.alloc(%size) : memref<?xf32>
      %to = memref.reinterpret_cast %b to offset: [0], sizes: [1], strides: [1] : memref<?xf32> to memref<1xf32>
      gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%to : memref<1xf32>, %v : f32)
      scf.yield %b : memref<?xf32>
    }
    %last = memref.reinterpret_cast %r to offset: [0], sizes: [1], strides: [1] : memref<?xf32> to memref<1xf32>
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%last : memref<1xf32>, %v : f32)
    return %r : memref<?xf32>
  }
}

// -----

// A branch overwrites the number, so kernels read a copy. A branch in a branch:
// kernels read both numbers, the inner one only where the outer one is true.
// REMARK-COUNT-2: the host does not wait for
// CHECK-LABEL: gpu.func @clear(
// CHECK-SAME: %[[P0:[^:]*]]: memref<1xi1>, %[[INNER:[^:]*]]: memref<1xi1>, %[[OUTER:[^:]*]]: memref<1xi1>) kernel
// CHECK: %[[P:.*]] = memref.load %[[OUTER]]
// CHECK-NEXT: scf.if %[[P]] {
// CHECK:   %[[Q:.*]] = memref.load %[[INNER]]
// CHECK:   %[[NOT:.*]] = arith.xori %[[Q]]
// CHECK:   scf.if %[[NOT]] {
// CHECK:     memref.store %{{.*}}, %[[P0]]
// CHECK-LABEL: gpu.func @overwrites_predicate(
// CHECK:   scf.if
// CHECK:     memref.load
// CHECK:     memref.store
// CHECK-LABEL: gpu.func @overwrites_predicate_0(
// CHECK-NOT: scf.if
// CHECK:   memref.load
// CHECK:   memref.store
// CHECK-LABEL: func.func @overwrites(
// CHECK-SAME: %[[X:.*]]: memref<1xi1>, %[[Y:.*]]: memref<1xi1>
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<1xi1>
// CHECK: gpu.launch_func @kernels::@overwrites_predicate_0
// CHECK-SAME: args(%[[X]] : memref<1xi1>, %[[COPY]] : memref<1xi1>)
// CHECK: %[[OTHER:.*]] = memref.alloc() : memref<1xi1>
// CHECK: gpu.launch_func @kernels::@overwrites_predicate blocks
// CHECK-SAME: args(%[[Y]] : memref<1xi1>, %[[OTHER]] : memref<1xi1>, %[[COPY]] : memref<1xi1>)
// CHECK: gpu.launch_func @kernels::@clear
// CHECK-SAME: args(%[[X]] : memref<1xi1>, %[[OTHER]] : memref<1xi1>, %[[COPY]] : memref<1xi1>)
// CHECK-NEXT: memref.dealloc %[[OTHER]]
// CHECK-NEXT: memref.dealloc %[[COPY]]
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @clear(%to: memref<1xi1>) kernel {
      %c0 = arith.constant 0 : index
      %no = arith.constant false
      memref.store %no, %to[%c0] : memref<1xi1>
      gpu.return
    }
  }
  func.func @overwrites(%x: memref<1xi1>, %y: memref<1xi1>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %p = tally.read_back %x[%c0] : memref<1xi1>
    scf.if %p {
      %q = tally.read_back %y[%c0] : memref<1xi1>
      scf.if %q {
      } else {
        gpu.launch_func @kernels::@clear blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<1xi1>)
      }
    }
    return
  }
}

// -----

// What the host has to know of a branch, it waits for.
// REMARK-DAG: it decides which branch is taken, and the sizes of its results are not known to be the same in both branches
// REMARK-DAG: it decides which branch is taken, and the host gets a number out of it
// REMARK-DAG: it decides which branch is taken, and the host checks something in a branch
// REMARK-DAG: it decides which branch is taken, and a branch calls the runtime
// REMARK-DAG: it decides which branch is taken, and a branch results in a buffer of others
// REMARK-DAG: it decides which branch is taken, and there is a loop of the host in a branch
// REMARK-DAG: it decides which branch is taken, and a branch may free a buffer of others
// REMARK-DAG: it decides which branch is taken, and a branch computes what is only defined in it
// REMARK-DAG: it decides which branch is taken, and a branch has one buffer for two results
// CHECK-LABEL: func.func @waits(
// CHECK-COUNT-9: scf.if
func.func @waits(%flags: memref<9xi1>, %x: memref<?xf32>, %n: index, %m: index, %own: memref<?xf32>)
    -> (memref<?xf32>, index, memref<?xf32>, index, memref<?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p0 = tally.read_back %flags[%c0] : memref<9xi1>
  %r0 = scf.if %p0 -> memref<?xf32> {
    %a = memref.alloc(%n) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    %a = memref.alloc(%m) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  }
  %p1 = tally.read_back %flags[%c0] : memref<9xi1>
  %r1 = scf.if %p1 -> index {
    scf.yield %n : index
  } else {
    scf.yield %m : index
  }
  %p2 = tally.read_back %flags[%c0] : memref<9xi1>
  scf.if %p2 {
    %are_equal = arith.cmpi eq, %n, %m : index
    tally.assert %are_equal, <n == m> (n = %n, m = %m : index, index) required_by("linalg.add")
  }
  %p3 = tally.read_back %flags[%c0] : memref<9xi1>
  scf.if %p3 {
    memref.copy %x, %own : memref<?xf32> to memref<?xf32>
  }
  %p4 = tally.read_back %flags[%c0] : memref<9xi1>
  %r4 = scf.if %p4 -> memref<?xf32> {
    %a = memref.alloc(%n) : memref<?xf32>
    scf.yield %a : memref<?xf32>
  } else {
    scf.yield %x : memref<?xf32>
  }
  %p5 = tally.read_back %flags[%c0] : memref<9xi1>
  scf.if %p5 {
    scf.for %i = %c0 to %n step %c1 {
    }
  }
  %p6 = tally.read_back %flags[%c0] : memref<9xi1>
  scf.if %p6 {
    memref.dealloc %own : memref<?xf32>
  }
  %p7 = tally.read_back %flags[%c0] : memref<9xi1>
  %r7 = scf.if %p7 -> index {
    %quotient = arith.divui %n, %m : index
    scf.yield %quotient : index
  } else {
    scf.yield %n : index
  }
  %p8 = tally.read_back %flags[%c0] : memref<9xi1>
  %r8:2 = scf.if %p8 -> (memref<?xf32>, memref<?xf32>) {
    %a = memref.alloc(%n) : memref<?xf32>
    scf.yield %a, %a : memref<?xf32>, memref<?xf32>
  } else {
    %a = memref.alloc(%n) : memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    scf.yield %a, %b : memref<?xf32>, memref<?xf32>
  }
  return %r0, %r1, %r4, %r7, %r8#0, %r8#1 : memref<?xf32>, index, memref<?xf32>, index, memref<?xf32>, memref<?xf32>
}

// -----

// A number that the host needs anyway is not told here. Two branches are decided
// at once.
// REMARK-NOT: the host waits for
// CHECK-LABEL: func.func @several(
// CHECK: %[[P:.*]] = tally.read_back
// CHECK: scf.if %[[P]]
// CHECK-NOT: scf.if
// CHECK: gpu.launch_func @kernels::@nothing{{[_0-9]*}} blocks
// CHECK: gpu.launch_func @kernels::@nothing{{[_0-9]*}} blocks
// CHECK: return %[[P]]
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @nothing(%to: memref<1xi1>) kernel {
      gpu.return
    }
  }
  func.func @several(%x: memref<i1>, %y: memref<1xi1>) -> i1 {
    %c1 = arith.constant 1 : index
    %p = tally.read_back %x[] : memref<i1>
    scf.if %p {
      gpu.launch_func @kernels::@nothing blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<1xi1>)
    }
    %q = tally.read_back %x[] : memref<i1>
    scf.if %q {
      gpu.launch_func @kernels::@nothing blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<1xi1>)
    }
    scf.if %q {
    } else {
      gpu.launch_func @kernels::@nothing blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<1xi1>)
    }
    return %p : i1
  }
}
