// RUN: tally-opt %s --tally-schedule-gpu --canonicalize --cse --split-input-file | FileCheck %s

#id = affine_map<(i) -> (i)>

// Parts of one buffer, the second of which starts where the first one ends, are written by one launch: the first blocks
// are those of the first part. What is between the kernels runs before both. Where there are many points, each part is
// taken as its own buffers allow, by as many blocks as that takes.
// CHECK-LABEL: gpu.func @parts_kernel_0_joined(
// CHECK-SAME: {llvm.noalias, llvm.readonly}
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[BLOCK]], %[[COUNT:.*]] : index
// CHECK: scf.if %[[FIRST]]
// CHECK: arith.negf
// CHECK: else
// CHECK: arith.subi %[[BLOCK]], %[[COUNT]]
// CHECK: math.absf
// CHECK-LABEL: gpu.func @parts_kernel_0_joined_large(
// CHECK-SAME: %[[WIDE0:[^ ]*]]: i1, %[[WIDE1:[^ ]*]]: i1)
// CHECK: scf.if
// CHECK: scf.if %[[WIDE0]]
// CHECK: vector.load {{.*}}, vector<4xf32>
// CHECK: arith.negf
// CHECK: vector.store {{.*}}, vector<4xf32>
// CHECK: else
// CHECK: memref.load
// CHECK: arith.negf
// CHECK: else
// CHECK: scf.if %[[WIDE1]]
// CHECK: vector.load {{.*}}, vector<4xf32>
// CHECK: math.absf
// CHECK: vector.store {{.*}}, vector<4xf32>
// CHECK: else
// CHECK: memref.load
// CHECK: math.absf
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %{{[^:]*}}: memref<?xf32>, %{{[^:]*}}: memref<?xf32>, %{{[^:]*}}: memref<?xf32>, %[[M:[^:]*]]: index, %[[N:[^:]*]]: index
// CHECK: %[[ALL:.*]] = arith.addi %[[M]], %[[N]]
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[ALL]], %c262144
// CHECK: scf.if %[[FEW]]
// CHECK: gpu.launch_func @kernels::@parts_kernel_0_joined{{ }}
// CHECK: else
// CHECK-COUNT-2: arith.andi %{{.*}}, %c15
// CHECK-COUNT-2: arith.select
// CHECK: gpu.launch_func @kernels::@parts_kernel_0_joined_large{{ }}
// CHECK-NOT: gpu.launch_func
// CHECK: return
func.func @parts(%x: memref<?xf32>, %y: memref<?xf32>, %unused: memref<?xf32>, %m: index, %n: index) -> memref<?xf32> {
  %all = arith.addi %m, %n : index
  %r = memref.alloc(%all) : memref<?xf32>
  %r0 = memref.subview %r[0] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  tally.kernel(%m) ins(%x : memref<?xf32>) outs(%r0 : memref<?xf32, strided<[1]>>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  %r1 = memref.subview %r[%m] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  tally.kernel(%n) ins(%y : memref<?xf32>) outs(%r1 : memref<?xf32, strided<[1], offset: ?>>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%v: f32, %u: f32):
      %t = math.absf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  return %r : memref<?xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Three parts; offsets are sums.
// CHECK-LABEL: func.func @three(
// CHECK: gpu.launch_func @kernels::@three_kernel_0_joined
func.func @three(%x: memref<?xf32>, %m: index, %n: index) -> memref<?xf32> {
  %two = affine.apply affine_map<()[a, b] -> (a + b)>()[%m, %n]
  %all = affine.apply affine_map<()[a, b] -> (a + b + 7)>()[%m, %n]
  %r = memref.alloc(%all) : memref<?xf32>
  %r0 = memref.subview %r[0] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %r1 = memref.subview %r[%m] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %r2 = memref.subview %r[%two] [7] [1] : memref<?xf32> to memref<7xf32, strided<[1], offset: ?>>
  tally.kernel(%m) ins(%x : memref<?xf32>) outs(%r0 : memref<?xf32, strided<[1]>>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  tally.kernel(%n) ins(%x : memref<?xf32>) outs(%r1 : memref<?xf32, strided<[1], offset: ?>>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%v: f32, %u: f32):
      %t = math.absf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  %c7 = arith.constant 7 : index
  tally.kernel(%c7) ins(%x : memref<?xf32>) outs(%r2 : memref<7xf32, strided<[1], offset: ?>>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<7xf32>):
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<7xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%v: f32, %u: f32):
      %t = math.sqrt %v : f32
      linalg.yield %t : f32
    } -> tensor<7xf32>
    tally.yield %s : tensor<7xf32>
  }
  return %r : memref<?xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Parts that may overlap (%n may be negative for all that is known), and kernels that read what the other one writes,
// are launched one after the other.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: joined
func.func @apart(%x: memref<?xf32>, %m: index, %n: index) -> (memref<?xf32>, memref<?xf32>) {
  %start = arith.addi %m, %n : index
  %r = memref.alloc(%start) : memref<?xf32>
  %q = memref.alloc(%m) : memref<?xf32>
  %r0 = memref.subview %r[0] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %r1 = memref.subview %r[%start] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  tally.kernel(%m) ins(%x : memref<?xf32>) outs(%r0 : memref<?xf32, strided<[1]>>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  tally.kernel(%m) ins(%x : memref<?xf32>) outs(%r1 : memref<?xf32, strided<[1], offset: ?>>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%v: f32, %u: f32):
      %t = math.absf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  tally.kernel(%m) ins(%r : memref<?xf32>) outs(%q : memref<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%v: f32, %u: f32):
      %t = math.absf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  }
  return %r, %q : memref<?xf32>, memref<?xf32>
}
