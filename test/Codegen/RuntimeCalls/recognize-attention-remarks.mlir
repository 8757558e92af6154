// What keeps a product, a softmax and another product from being attention.
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-note-operators,tally-decompose-tensor-ops,tally-recognize-attention))' \
// RUN:     --remarks-filter=tally-form-kernels -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --implicit-check-not=tally.attention < %t.mlir
// IR: func.func @elsewhere

#i = affine_map<(i, j, d) -> (i, d)>
#j = affine_map<(i, j, d) -> (j, d)>
#ij = affine_map<(i, j, d) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>

// Weights are a result as well.
// CHECK: linalg.matmul at recognize-attention-remarks.mlir:[[@LINE+9]] is not fused with linalg.softmax at recognize-attention-remarks.mlir:[[@LINE+8]]: the result has more than one use
func.func @used(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %m: index, %n: index) -> (tensor<?x8xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = tensor.empty(%m) : tensor<?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.contract indexing_maps = [#i, #j, #ij] ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r, %w : tensor<?x8xf32>, tensor<?x?xf32>
}

// Values are wider than queries.
// CHECK: linalg.matmul at {{.*}} is not fused with linalg.softmax at {{.*}}: their elements are not of one type of floats
func.func @types(%q: tensor<?x8xf16>, %k: tensor<?x8xf16>, %v: tensor<?x8xf32>, %m: index, %n: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = tensor.empty(%m) : tensor<?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.contract indexing_maps = [#i, #j, #ij] ins(%q, %k : tensor<?x8xf16>, tensor<?x8xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// All heads have the same values.
// CHECK: linalg.contract at {{.*}} is not fused with linalg.softmax at {{.*}}: values do not run over the same dimensions of a batch as scores
func.func @batch(%q: tensor<?x?x8xf32>, %k: tensor<?x8x?xf32>, %v: tensor<?x8xf32>, %h: index, %m: index, %n: index) -> tensor<?x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%h, %m, %n) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %a = tensor.empty(%h, %m) : tensor<?x?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %p = linalg.batch_matmul ins(%q, %k : tensor<?x?x8xf32>, tensor<?x8x?xf32>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %w = linalg.softmax dimension(2) ins(%p : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %r = linalg.contract
      indexing_maps = [affine_map<(h, i, c, j) -> (h, i, j)>, affine_map<(h, i, c, j) -> (j, c)>, affine_map<(h, i, c, j) -> (h, i, c)>]
      ins(%w, %v : tensor<?x?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// A bias is looked up by an index.
// CHECK: linalg.matmul at {{.*}} is not fused with linalg.softmax at {{.*}}: one of them is more than arithmetic on elements
func.func @looked_up(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %biases: tensor<9xf32>, %m: index, %n: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = tensor.empty(%m) : tensor<?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.contract indexing_maps = [#i, #j, #ij] ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %c3 = arith.constant 3 : index
    %c = tensor.extract %biases[%c3] : tensor<9xf32>
    %y = arith.addf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Scores read the diagonal of a bias.
// CHECK: linalg.matmul at {{.*}} is not fused with linalg.softmax at {{.*}}: elements are read at other points than those at which they are made
func.func @diagonal(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %bias: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = tensor.empty(%m) : tensor<?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.contract indexing_maps = [#i, #j, #ij] ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i, i)>, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %c: f32, %o: f32):
    %y = arith.addf %x, %c : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Values are multiplied in one branch only.
// CHECK: linalg.matmul at {{.*}} is not fused with linalg.softmax at {{.*}}: one of them is in a branch or a loop that the other is not in
func.func @elsewhere(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>, %m: index, %n: index, %is: i1) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %a = tensor.empty(%m) : tensor<?x8xf32>
  %b = linalg.fill ins(%zero : f32) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.contract indexing_maps = [#i, #j, #ij] ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = scf.if %is -> tensor<?x8xf32> {
    %t = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %t : tensor<?x8xf32>
  } else {
    scf.yield %b : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}
