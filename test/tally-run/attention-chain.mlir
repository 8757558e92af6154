// Attention that is written out, beside the interpreter, which follows each operation: with rows that are masked
// completely, whose weights are NaN; with scores of f16 and with reshapes in between; at sizes 0 and 1, and around those
// of tiles, panels and blocks.
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,func.func(tally-decompose-tensor-ops,tally-recognize-attention),tally-prepare-attention,canonicalize)' | FileCheck %s
// RUN: tally-opt %s --tally-decompose-tensor-ops -o %t.chain.mlir
// RUN: tally-run %t.chain.mlir --compare --entry chain_f32 --cases %S/Inputs/attention-chain-f32.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.chain.mlir --compare --entry chain_f16 --cases %S/Inputs/attention-chain-f16.json --rtol 0.02 --atol 0.02 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.chain.mlir --compare --entry grouped --cases %S/Inputs/attention-chain-grouped.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.chain.mlir --compare --entry shared --cases %S/Inputs/attention-chain-shared.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.chain.mlir --compare --entry split --cases %S/Inputs/attention-chain-split.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.chain.mlir --entry chain_f32 --input f32[1,1,1]=1 --input f32[1,2,1]=1,2 --input f32[1,2,1]=5,7 --input i1[1,2]=0,0 | FileCheck %s --check-prefix=HIDDEN
// RUN: tally-run %t.chain.mlir --entry chain_f32 --input f32[1,1,1]=1 --input f32[1,2,1]=1,2 --input f32[1,2,1]=5,inf --input i1[1,2]=1,0 | FileCheck %s --check-prefix=HIDDEN
// RUN: tally-run %t.chain.mlir --entry chain_f32 --input f32[1,1,1]=1 --input f32[1,0,1]=0 --input f32[1,0,1]=0 --input i1[1,0]=0 | FileCheck %s --check-prefix=NONE
// The reference lowering, which the GPU takes, keeps this.
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,func.func(tally-decompose-tensor-ops,tally-recognize-attention),tally-lower-attention)' -o %t.mlir
// RUN: tally-run %t.mlir --compare --entry chain_f32 --cases %S/Inputs/attention-chain-f32.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.mlir --entry chain_f32 --input f32[1,1,1]=1 --input f32[1,2,1]=1,2 --input f32[1,2,1]=5,7 --input i1[1,2]=0,0 | FileCheck %s --check-prefix=HIDDEN
// SAME-NOT: FAIL
// SAME-COUNT-7: PASS
// SAME-NOT: FAIL
// HIDDEN: [nan]
// NONE: [0.]

// CHECK-LABEL: func.func @chain_f32
// CHECK:         tally.attention {{.*}} strict score
// CHECK-LABEL: func.func @chain_f16
// CHECK:         tally.attention {{.*}} strict score
// CHECK-LABEL: func.func @grouped(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xf32> {{.*}}, %[[K:[a-z0-9]+]]: tensor<?x2x?x8xf32> {{.*}}, %[[V:[a-z0-9]+]]: tensor<?x2x?x8xf32>
// CHECK:         tally.attention ins(%[[Q]], %[[K]], %[[V]] : {{.*}} grouped strict score
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xf32> {{.*}}, %[[K:[a-z0-9]+]]: tensor<?x1x?x8xf32> {{.*}}, %[[V:[a-z0-9]+]]: tensor<?x1x?x8xf32>
// CHECK:         tally.attention ins(%[[Q]], %[[K]], %[[V]] : {{.*}} grouped strict score
// CHECK-LABEL: func.func @split(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xf32> {{.*}}, %[[K:[a-z0-9]+]]: tensor<?x4x?x8xf32> {{.*}}, %[[V:[a-z0-9]+]]: tensor<?x4x?x8xf32>
// CHECK:         tally.attention ins(%[[Q]], %[[K]], %[[V]] : {{.*}} strict score

#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#all = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, j)>

func.func @chain_f32(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %mask: tensor<?x?xi1>) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?xf32>
  %m = tensor.dim %q, %c1 : tensor<?x?x?xf32>
  %n = tensor.dim %k, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %v, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.contract indexing_maps = [#q, #k, #all] ins(%q, %k : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %mask : tensor<?x?x?xf32>, tensor<?x?xi1>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %sees: i1, %o: f32):
    %z = arith.mulf %x, %scale : f32
    %r = arith.select %sees, %z, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %a = tensor.empty(%b, %m, %c) : tensor<?x?x?xf32>
  %g = linalg.fill ins(%zero : f32) outs(%a : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.batch_matmul ins(%w, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%g : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

func.func @chain_f16(%q: tensor<?x?x?xf16>, %k: tensor<?x?x?xf16>, %v: tensor<?x?x?xf16>, %mask: tensor<?x?xi1>) -> tensor<?x?x?xf16> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?xf16>
  %m = tensor.dim %q, %c1 : tensor<?x?x?xf16>
  %n = tensor.dim %k, %c1 : tensor<?x?x?xf16>
  %c = tensor.dim %v, %c2 : tensor<?x?x?xf16>
  %e = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.contract indexing_maps = [#q, #k, #all] ins(%q, %k : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %h = tensor.empty(%b, %m, %n) : tensor<?x?x?xf16>
  %pr = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<?x?x?xf32>) outs(%h : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?x?xf16>
  %s = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%pr, %mask : tensor<?x?x?xf16>, tensor<?x?xi1>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%x: f16, %sees: i1, %o: f32):
    %y = arith.extf %x : f16 to f32
    %z = arith.mulf %y, %scale : f32
    %r = arith.select %sees, %z, %lowest : f32
    linalg.yield %r : f32
  } -> tensor<?x?x?xf32>
  %w = linalg.softmax dimension(2) ins(%s : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %wr = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<?x?x?xf32>) outs(%h : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?x?xf16>
  %a = tensor.empty(%b, %m, %c) : tensor<?x?x?xf32>
  %g = linalg.fill ins(%zero : f32) outs(%a : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.batch_matmul ins(%wr, %v : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%g : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %d = tensor.empty(%b, %m, %c) : tensor<?x?x?xf16>
  %rr = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r : tensor<?x?x?xf32>) outs(%d : tensor<?x?x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?x?xf16>
  return %rr : tensor<?x?x?xf16>
}

// There are twice as many heads of queries as of keys and values.
func.func @grouped(%q: tensor<?x4x?x8xf32>, %k: tensor<?x2x?x8xf32>, %v: tensor<?x2x?x8xf32>, %mask: tensor<?x?xf32>) -> tensor<?x4x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x4x?x8xf32>
  %m = tensor.dim %q, %c2 : tensor<?x4x?x8xf32>
  %n = tensor.dim %k, %c2 : tensor<?x2x?x8xf32>
  %wide = tensor.empty(%b, %n) : tensor<?x2x2x?x8xf32>
  %kw = linalg.broadcast ins(%k : tensor<?x2x?x8xf32>) outs(%wide : tensor<?x2x2x?x8xf32>) dimensions = [2]
  %vw = linalg.broadcast ins(%v : tensor<?x2x?x8xf32>) outs(%wide : tensor<?x2x2x?x8xf32>) dimensions = [2]
  %kh = tensor.collapse_shape %kw [[0], [1, 2], [3], [4]] : tensor<?x2x2x?x8xf32> into tensor<?x4x?x8xf32>
  %vh = tensor.collapse_shape %vw [[0], [1, 2], [3], [4]] : tensor<?x2x2x?x8xf32> into tensor<?x4x?x8xf32>
  %e = tensor.empty(%b, %m, %n) : tensor<?x4x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %p = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
      ins(%q, %kh : tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) outs(%f : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p, %mask : tensor<?x4x?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x4x?x?xf32>) {
  ^bb0(%c: f32, %d: f32, %o: f32):
    %u = arith.addf %c, %d : f32
    linalg.yield %u : f32
  } -> tensor<?x4x?x?xf32>
  %w = linalg.softmax dimension(3) ins(%t : tensor<?x4x?x?xf32>) outs(%e : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %a = tensor.empty(%b, %m) : tensor<?x4x?x8xf32>
  %g = linalg.fill ins(%zero : f32) outs(%a : tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  %r = linalg.contract indexing_maps = [affine_map<(b, h, i, c, j) -> (b, h, i, j)>, affine_map<(b, h, i, c, j) -> (b, h, j, c)>, affine_map<(b, h, i, c, j) -> (b, h, i, c)>]
      ins(%w, %vh : tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32>) outs(%g : tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %r : tensor<?x4x?x8xf32>
}

// All heads of queries have the same keys and values.
func.func @shared(%q: tensor<?x4x?x8xf32>, %k: tensor<?x1x?x8xf32>, %v: tensor<?x1x?x8xf32>, %mask: tensor<?x?xf32>) -> tensor<?x4x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x4x?x8xf32>
  %m = tensor.dim %q, %c2 : tensor<?x4x?x8xf32>
  %n = tensor.dim %k, %c2 : tensor<?x1x?x8xf32>
  %e = tensor.empty(%b, %m, %n) : tensor<?x4x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, 0, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x4x?x8xf32>, tensor<?x1x?x8xf32>) outs(%f : tensor<?x4x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %xy = arith.mulf %x, %y : f32
    %sum = arith.addf %o, %xy : f32
    linalg.yield %sum : f32
  } -> tensor<?x4x?x?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p, %mask : tensor<?x4x?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x4x?x?xf32>) {
  ^bb0(%c: f32, %d: f32, %o: f32):
    %u = arith.addf %c, %d : f32
    linalg.yield %u : f32
  } -> tensor<?x4x?x?xf32>
  %w = linalg.softmax dimension(3) ins(%t : tensor<?x4x?x?xf32>) outs(%e : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %a = tensor.empty(%b, %m) : tensor<?x4x?x8xf32>
  %g = linalg.fill ins(%zero : f32) outs(%a : tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, h, i, c, j) -> (b, h, i, j)>, affine_map<(b, h, i, c, j) -> (b, 0, j, c)>, affine_map<(b, h, i, c, j) -> (b, h, i, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<?x4x?x?xf32>, tensor<?x1x?x8xf32>) outs(%g : tensor<?x4x?x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %xy = arith.mulf %x, %y : f32
    %sum = arith.addf %o, %xy : f32
    linalg.yield %sum : f32
  } -> tensor<?x4x?x8xf32>
  return %r : tensor<?x4x?x8xf32>
}

// Heads are a dimension of their own only where the mask is added.
func.func @split(%q: tensor<?x4x?x8xf32>, %k: tensor<?x4x?x8xf32>, %v: tensor<?x4x?x8xf32>, %mask: tensor<?x?xf32>) -> tensor<?x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %b = tensor.dim %q, %c0 : tensor<?x4x?x8xf32>
  %m = tensor.dim %q, %c2 : tensor<?x4x?x8xf32>
  %n = tensor.dim %k, %c2 : tensor<?x4x?x8xf32>
  %bh = arith.muli %b, %c4 : index
  %x = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<?x4x?x8xf32> into tensor<?x?x8xf32>
  %y = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<?x4x?x8xf32> into tensor<?x?x8xf32>
  %z = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<?x4x?x8xf32> into tensor<?x?x8xf32>
  %ye = tensor.empty(%bh, %n) : tensor<?x8x?xf32>
  %yt = linalg.transpose ins(%y : tensor<?x?x8xf32>) outs(%ye : tensor<?x8x?xf32>) permutation = [0, 2, 1]
  %e = tensor.empty(%bh, %m, %n) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.batch_matmul ins(%x, %yt : tensor<?x?x8xf32>, tensor<?x8x?xf32>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = tensor.expand_shape %p [[0, 1], [2], [3]] output_shape [%b, 4, %m, %n] : tensor<?x?x?xf32> into tensor<?x4x?x?xf32>
  %g = tensor.empty(%b, %m, %n) : tensor<?x4x?x?xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (b, j)>, affine_map<(b, h, i, j) -> (b, h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<?x4x?x?xf32>, tensor<?x?xf32>) outs(%g : tensor<?x4x?x?xf32>) {
  ^bb0(%c: f32, %d: f32, %o: f32):
    %u = arith.addf %c, %d : f32
    linalg.yield %u : f32
  } -> tensor<?x4x?x?xf32>
  %w = linalg.softmax dimension(3) ins(%t : tensor<?x4x?x?xf32>) outs(%g : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %u = tensor.collapse_shape %w [[0, 1], [2], [3]] : tensor<?x4x?x?xf32> into tensor<?x?x?xf32>
  %a = tensor.empty(%bh, %m) : tensor<?x?x8xf32>
  %h = linalg.fill ins(%zero : f32) outs(%a : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %r = linalg.batch_matmul ins(%u, %z : tensor<?x?x?xf32>, tensor<?x?x8xf32>) outs(%h : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}
