// What runs as one kernel, and what keeps two operations apart.
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-note-operators,linalg-generalize-named-ops,tally-form-kernels))' \
// RUN:     --remarks-filter=tally-form-kernels -o /dev/null 2>&1 | FileCheck %s --implicit-check-not='not fused'
// Nobody who listens, nothing told.
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-form-kernels))' -o /dev/null 2>&1 | count 0

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i) -> (i)>

// CHECK: remarks.mlir:[[#@LINE+5]]:8: remark: [Passed] Kernel | Category:tally-form-kernels | Function=fused |
// CHECK-SAME: "kernel: linalg.add at form-kernels-remarks.mlir:[[#@LINE+3]], linalg.exp at form-kernels-remarks.mlir:[[#@LINE+4]]"
func.func @fused(%x: tensor<?xf32>, %y: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // A comment between them.
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK: Function=other_points | {{.*}}"linalg.generic at {{.*}} is not fused with linalg.exp at {{.*}}: elements are read at other points than those at which they are made"
func.func @other_points(%x: tensor<8xf32>, %e: tensor<8xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i + 4)>, #one], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %t = arith.negf %v : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// What an operation reads of the one before is at the same points; what they
// both read need not be.
// CHECK: [Passed] Kernel | {{.*}} | Function=shared_transposed | {{.*}}"kernel: linalg.exp at {{.*}}, linalg.generic at
func.func @shared_transposed(%x: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (j, i)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%0, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%v: f32, %w: f32, %unused: f32):
    %t = arith.addf %v, %w : f32
    linalg.yield %t : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// CHECK: Function=other_sizes | {{.*}}: their loops are not known to run equally often (arg0.size(1) and arg1.size(1) times)"
func.func @other_sizes(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %zeros: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %sum: f32, %unused: f32):
    %t = arith.divf %v, %sum : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK: Function=looked_up | {{.*}}: elements are looked up by an index"
func.func @looked_up(%x: tensor<8xf32>, %at: tensor<8xindex>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%at : tensor<8xindex>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: index, %unused: f32):
    %t = tensor.extract %0[%i] : tensor<8xf32>
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK: Function=other_reduction | {{.*}}: they reduce different dimensions"
func.func @other_reduction(%x: tensor<4x8xf32>, %rows: tensor<4xf32>, %zero: tensor<f32>) -> tensor<f32> {
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%rows : tensor<4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#one, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%sums : tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK: Function=repeated | {{.*}}: elements would be computed again for many points, and that is not cheap, or the result is needed elsewhere"
func.func @repeated(%x: tensor<8xf32>, %e: tensor<8xf32>, %f: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8xf32>) outs(%f : tensor<8x4xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %t = arith.negf %v : f32
    linalg.yield %t : f32
  } -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// CHECK: Function=in_between | {{.*}}: tally.assert at form-kernels-remarks.mlir:[[#@LINE+7]] has to run between them"
func.func @in_between(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %first = tensor.extract %0[%c0] : tensor<8xf32>
  %ok = arith.cmpf ogt, %first, %zero : f32
  tally.assert %ok message("the first is not positive")
  %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK: Function=moved | {{.*}}"linalg.exp at {{.*}}: a reshape, a slice or another move of elements is between them"
func.func @moved(%x: tensor<8xf32>, %e: tensor<8xf32>, %f: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %2 = linalg.exp ins(%1 : tensor<2x4xf32>) outs(%f : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// CHECK: Function=branch | {{.*}}: one of them is in a branch or a loop that the other is not in"
func.func @branch(%x: tensor<8xf32>, %e: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = scf.if %c -> tensor<8xf32> {
    %2 = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %0 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// CHECK: Function=as_a_whole | {{.*}}"call of the runtime: tally.matmul at
// CHECK: Function=as_a_whole | {{.*}}"linalg.exp at {{.*}} is not fused with tally.matmul at {{.*}}: one of them is run as a whole, by a kernel of its own or by the runtime"
func.func @as_a_whole(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tally.matmul ins(%x, %y : tensor<4x8xf32>, tensor<8x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.exp ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Parts of one operator have one name and one place.
// CHECK: Function=parts | {{.*}}"parts of softmax at model.py:7 are not fused: they reduce different dimensions"
func.func @parts(%x: tensor<4x8xf32>, %rows: tensor<4xf32>, %zero: tensor<f32>) -> tensor<f32> {
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%rows : tensor<4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<4xf32> loc(fused<{tally.operator = "softmax"}>["model.py":7:1])
  %r = linalg.generic {indexing_maps = [#one, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%sums : tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<f32> loc(fused<{tally.operator = "softmax"}>["model.py":7:1])
  return %r : tensor<f32>
}

// A part that has become one with its reader, and the rest.
// CHECK: Function=rest | {{.*}}"parts of softmax at model.py:8 are not fused: they reduce different dimensions"
// CHECK: Function=rest | {{.*}}"kernel: softmax at model.py:8, sum at model.py:9"
func.func @rest(%x: tensor<4x8xf32>, %rows: tensor<4xf32>, %columns: tensor<8xf32>) -> tensor<8xf32> {
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%rows : tensor<4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<4xf32> loc(fused<{tally.operator = "softmax"}>["model.py":8:1])
  %r = linalg.generic {indexing_maps = [#all, #row, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x, %sums : tensor<4x8xf32>, tensor<4xf32>) outs(%columns : tensor<8xf32>) {
  ^bb0(%v: f32, %sum: f32, %total: f32):
    %q = arith.divf %v, %sum : f32
    %t = arith.addf %total, %q : f32
    linalg.yield %t : f32
  } -> tensor<8xf32> loc(fused[fused<{tally.operator = "softmax"}>["model.py":8:1], fused<{tally.operator = "sum"}>["model.py":9:1]])
  return %r : tensor<8xf32>
}

// A loop that is no kernel, with one line for those in it, and one that has a
// kernel in it.
// CHECK: model.py:10:1: {{.*}} Function=loops | {{.*}}"loop: cumsum at model.py:10"
// CHECK-NOT: "loop:
// CHECK: Function=loops | {{.*}}"kernel: linalg.exp at
// CHECK-NOT: "loop:
func.func @loops(%x: tensor<?x?xf32>, %m: index, %n: index, %e: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sums = scf.for %i = %c0 to %m step %c1 iter_args(%rows = %e) -> (tensor<?x?xf32>) {
    %row:2 = scf.for %j = %c0 to %n step %c1 iter_args(%t = %rows, %sum = %zero) -> (tensor<?x?xf32>, f32) {
      %v = tensor.extract %x[%i, %j] : tensor<?x?xf32>
      %next = arith.addf %sum, %v : f32
      %inserted = tensor.insert %next into %t[%i, %j] : tensor<?x?xf32>
      scf.yield %inserted, %next : tensor<?x?xf32>, f32
    } loc(fused<{tally.operator = "cumsum"}>["model.py":10:1])
    scf.yield %row#0 : tensor<?x?xf32>
  } loc(fused<{tally.operator = "cumsum"}>["model.py":10:1])
  %powers = scf.for %i = %c0 to %m step %c1 iter_args(%t = %x) -> (tensor<?x?xf32>) {
    %1 = linalg.exp ins(%t : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %1 : tensor<?x?xf32>
  }
  return %sums, %powers : tensor<?x?xf32>, tensor<?x?xf32>
}
