// Kernels that pass over rows more than once (tally-form-kernels{rows-only}, tally-schedule-cpu), beside the interpreter.
// RUN: tally-run %s --compare --entry softmax --cases %S/Inputs/rows-f32.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry statistics --cases %S/Inputs/rows-f32.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry half --cases %S/Inputs/rows-f16.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry images --cases %S/Inputs/rows-images.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry nearest --cases %S/Inputs/rows-i32.json | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry depthwise --cases %S/Inputs/rows-images.json | FileCheck %s --check-prefix=SAME
// SAME-COUNT-6: PASS
// RUN: tally-run %s --compare --entry one_window --input f32[3,4]=1,2,3,4,5,6,7,8,12,11,10,9 | FileCheck %s --check-prefix=WINDOW
// WINDOW: {{\[\[ 3.\]}}
// WINDOW: {{\[ 7.\]}}
// WINDOW: {{\[12.\]\]}}
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-cpu-pipeline)' --mlir-print-ir-after=tally-form-kernels -o /dev/null 2>&1 \
// RUN:   | grep -c 'tally.kernel(' | FileCheck %s --check-prefix=KERNELS
// What chooses an element, as @nearest does, is left to lanes.
// KERNELS: 6

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// The exponentials are kept in the result.
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  %exps = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %s = arith.subf %a, %b : f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exps : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exps, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A value that is needed in three loops is a result itself; two reductions run in one loop; results of rows and of elements.
func.func @statistics(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %tanh = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %t = math.tanh %a : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%tanh : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  %max = linalg.reduce { arith.maximumf } ins(%tanh : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  %centered = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%tanh, %sum, %max : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %unused: f32):
    %s = arith.subf %a, %b : f32
    %t = arith.divf %s, %c : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %tanh, %sum, %max, %centered : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
}

// Nothing of f16 can hold the exponentials, which are of f32: they are computed again.
func.func @half(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xf16>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %wide = tensor.empty(%m, %n) : tensor<?x?xf32>
  %narrow = tensor.empty(%m, %n) : tensor<?x?xf16>
  %exps = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf16>) outs(%wide : tensor<?x?xf32>) {
  ^bb0(%a: f16, %unused: f32):
    %s = arith.extf %a : f16 to f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exps : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exps, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%narrow : tensor<?x?xf16>) {
  ^bb0(%a: f32, %b: f32, %unused: f16):
    %t = arith.divf %a, %b : f32
    %r = arith.truncf %t : f32 to f16
    linalg.yield %r : f16
  } -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

// Rows of two dimensions, of a batch; the mean of each is subtracted.
func.func @images(%x: tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %a = tensor.dim %x, %c0 : tensor<?x?x?x3xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x?x3xf32>
  %c = tensor.dim %x, %c2 : tensor<?x?x?x3xf32>
  %rows = tensor.empty(%a, %b) : tensor<?x?xf32>
  %e = tensor.empty(%a, %b, %c) : tensor<?x?x?x3xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x?x?x3xf32>) outs(%zeros : tensor<?x?xf32>) dimensions = [2, 3]
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j)>, affine_map<(i, j, k, l) -> (i, j, k, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<?x?x?x3xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?x?x3xf32>) {
  ^bb0(%p: f32, %q: f32, %unused: f32):
    %t = arith.subf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x3xf32>
  return %y : tensor<?x?x?x3xf32>
}

// A reduction with two results that belong together, and the element's own index.
func.func @nearest(%x: tensor<?x?xi32>) -> (tensor<?xi64>, tensor<?x?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant 0 : i64
  %lowest = arith.constant -2147483648 : i32
  %m = tensor.dim %x, %c0 : tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %values = tensor.empty(%m) : tensor<?xi32>
  %indices = tensor.empty(%m) : tensor<?xi64>
  %e = tensor.empty(%m, %n) : tensor<?x?xi1>
  %v0 = linalg.fill ins(%lowest : i32) outs(%values : tensor<?xi32>) -> tensor<?xi32>
  %i0 = linalg.fill ins(%first : i64) outs(%indices : tensor<?xi64>) -> tensor<?xi64>
  %max:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xi32>) outs(%v0, %i0 : tensor<?xi32>, tensor<?xi64>) {
  ^bb0(%a: i32, %best: i32, %at: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %larger = arith.cmpi sgt, %a, %best : i32
    %value = arith.select %larger, %a, %best : i32
    %index = arith.select %larger, %here, %at : i64
    linalg.yield %value, %index : i32, i64
  } -> (tensor<?xi32>, tensor<?xi64>)
  %is = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max#0 : tensor<?x?xi32>, tensor<?xi32>) outs(%e : tensor<?x?xi1>) {
  ^bb0(%a: i32, %b: i32, %unused: i1):
    %t = arith.cmpi eq, %a, %b : i32
    linalg.yield %t : i1
  } -> tensor<?x?xi1>
  return %max#1, %is : tensor<?xi64>, tensor<?x?xi1>
}

// A window of 2 by 2, with what follows for each point.
func.func @depthwise(%x: tensor<?x?x?x3xf32>) -> tensor<?x?x?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<[[1.0, -2.0], [0.5, 3.0]]> : tensor<2x2xf32>
  %a = tensor.dim %x, %c0 : tensor<?x?x?x3xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x?x3xf32>
  %c = tensor.dim %x, %c2 : tensor<?x?x?x3xf32>
  %padded = tensor.pad %x low[0, 0, 0, 0] high[0, 0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x?x?x3xf32> to tensor<?x?x?x3xf32>
  %e = tensor.empty(%a, %b, %c) : tensor<?x?x?x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x2xf32>) -> tensor<?x?x?x2xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(i, j, k, l, p, q) -> (i, j, k + p, l + q)>, affine_map<(i, j, k, l, p, q) -> (p, q)>, affine_map<(i, j, k, l, p, q) -> (i, j, k, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %w : tensor<?x?x?x3xf32>, tensor<2x2xf32>) outs(%zeros : tensor<?x?x?x2xf32>) {
  ^bb0(%u: f32, %v: f32, %sum: f32):
    %p = arith.mulf %u, %v : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : tensor<?x?x?x2xf32>) outs(%e : tensor<?x?x?x2xf32>) {
  ^bb0(%u: f32, %unused: f32):
    %t = arith.maximumf %u, %zero : f32
    linalg.yield %t : f32
  } -> tensor<?x?x?x2xf32>
  return %y : tensor<?x?x?x2xf32>
}

// One window of three of the four elements of each row.
func.func @one_window(%x: tensor<?x4xf32>) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%m) : tensor<?x1xf32>
  %w = tensor.empty() : tensor<3xf32>
  %start = linalg.fill ins(%lowest : f32) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j * 2 + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x4xf32>, tensor<3xf32>) outs(%start : tensor<?x1xf32>) {
  ^bb0(%u: f32, %v: f32, %max: f32):
    %t = arith.maximumf %max, %u : f32
    linalg.yield %t : f32
  } -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
