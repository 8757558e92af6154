// On the CPU: what fusion of elements and groups of points have joined is one kernel, with all of its
// parts, and what kept the rest apart is told in the words of every target.
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-note-operators,linalg-generalize-named-ops,tally-fuse-elementwise,tally-form-kernels{rows-only}))' \
// RUN:     --remarks-filter=tally-form-kernels -o /dev/null 2>&1 | FileCheck %s --implicit-check-not='not fused'

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>

// CHECK: Function=elements | {{.*}}"kernel: linalg.add at form-kernels-rows-remarks.mlir:[[#@LINE+2]], linalg.exp at form-kernels-rows-remarks.mlir:[[#@LINE+3]]"
func.func @elements(%x: tensor<?xf32>, %y: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// The location of an operation that a constant becomes part of stays its own.
// CHECK: Function=constant | {{.*}}"kernel: linalg.add at form-kernels-rows-remarks.mlir:[[#@LINE+3]], linalg.mul at form-kernels-rows-remarks.mlir:[[#@LINE+4]]"
func.func @constant(%x: tensor<4xf32>, %y: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %0 = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.mul ins(%half, %0 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A result with several uses, and all that uses it for the same points.
// CHECK: Function=users | {{.*}}"kernel: linalg.exp at form-kernels-rows-remarks.mlir:[[#@LINE+2]], linalg.abs at form-kernels-rows-remarks.mlir:[[#@LINE+3]], linalg.log at form-kernels-rows-remarks.mlir:[[#@LINE+4]]"
func.func @users(%x: tensor<?xf32>, %e: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.abs ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.log ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}

// CHECK: Function=reduced_too | {{.*}}"kernel: linalg.exp at form-kernels-rows-remarks.mlir:[[#@LINE+3]], linalg.abs at form-kernels-rows-remarks.mlir:[[#@LINE+4]]"
// CHECK: Function=reduced_too | {{.*}}"linalg.generic at {{.*}} is not fused with linalg.abs at {{.*}}: the result has more than one use, and elements would be computed for each"
func.func @reduced_too(%x: tensor<?xf32>, %zero: tensor<f32>, %e: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.abs ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%0 : tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%v: f32, %s: f32):
    %t = arith.addf %s, %v : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %1, %sum : tensor<?xf32>, tensor<f32>
}

// CHECK: Function=reduced | {{.*}}: a reduction has its result when its loop has ended"
func.func @reduced(%x: tensor<?xf32>, %zero: tensor<f32>, %e: tensor<f32>) -> tensor<f32> {
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%v: f32, %s: f32):
    %t = arith.addf %s, %v : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %1 = linalg.exp ins(%sum : tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// CHECK: Function=columns | {{.*}}: elements of a row are not next to each other in memory"
func.func @columns(%x: tensor<?x?xf32>, %zeros: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sums = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %sum: f32, %unused: f32):
    %t = arith.divf %v, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK: Function=one_pass | {{.*}}: nothing passes over a row more than once, so having it in the cache gains nothing"
func.func @one_pass(%x: tensor<?x?xf32>, %zeros: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %1 = linalg.exp ins(%sums : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK: Function=more | {{.*}}: one of them is more than arithmetic on elements"
func.func @more(%x: tensor<?x?xf32>, %zeros: tensor<?xf32>, %e: tensor<?x?xf32>, %table: memref<8xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %sum: f32, %unused: f32):
    %w = memref.load %table[%c0] : memref<8xf32>
    %u = arith.divf %v, %w : f32
    %t = arith.divf %u, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK: Function=part | {{.*}}: one of them writes a part of its result, or has a loop that runs over no dimension of an operand"
func.func @part(%x: tensor<4xf32>, %e: tensor<4xf32>, %f: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4x2xf32>) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]}
      ins(%0 : tensor<4xf32>) outs(%f : tensor<4x2xf32>) {
  ^bb0(%v: f32, %old: f32):
    %t = arith.addf %v, %old : f32
    linalg.yield %t : f32
  } -> tensor<4x2xf32>
  return %0, %1 : tensor<4xf32>, tensor<4x2xf32>
}
