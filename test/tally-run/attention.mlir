// Attention beside the interpreter, and beside its lowering to structured operations: without a mask, with masks that
// compare positions and that read elements, with grouped heads and dimensions in another order; at sizes 0 and 1, and
// around those of tiles, panels and blocks.
// RUN: tally-run %s --compare --entry causal_f32 --cases %S/Inputs/attention-causal-f32.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry causal_f64 --cases %S/Inputs/attention-causal-f64.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry causal_f16 --cases %S/Inputs/attention-causal-f16.json --rtol 0.02 --atol 0.02 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry causal_bf16 --cases %S/Inputs/attention-causal-bf16.json --rtol 0.02 --atol 0.02 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry window --cases %S/Inputs/attention-window.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %s --compare --entry grouped --cases %S/Inputs/attention-grouped.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-opt %s --tally-lower-attention -o %t.mlir
// RUN: tally-run %t.mlir --compare --entry window --cases %S/Inputs/attention-window.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.mlir --compare --entry grouped --cases %S/Inputs/attention-grouped.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// In blocks of queries, of one at least.
// RUN: tally-opt %s --tally-lower-attention=most-scores=12 -o %t.blocks.mlir
// RUN: tally-run %t.blocks.mlir --compare --entry causal_f32 --cases %S/Inputs/attention-causal-f32.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.blocks.mlir --compare --entry causal_bf16 --cases %S/Inputs/attention-causal-bf16.json --rtol 0.02 --atol 0.02 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.blocks.mlir --compare --entry window --cases %S/Inputs/attention-window.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: tally-run %t.blocks.mlir --compare --entry grouped --cases %S/Inputs/attention-grouped.json --rtol 1e-4 --atol 1e-5 | FileCheck %s --check-prefix=SAME
// RUN: not tally-run %s --compare --entry window --input f32[1,2,3]=random --input f32[1,2,4]=random --input f32[1,2,4]=random --input i64=0 --input i64=0 2>&1 | FileCheck %s --check-prefix=DEPTH
// SAME-NOT: FAIL
// SAME-COUNT-8: PASS
// SAME-NOT: FAIL
// DEPTH: tally-run: check failed:

#q = affine_map<(b, h, i, j, e, c) -> (b, h, i, e)>
#k = affine_map<(b, h, i, j, e, c) -> (b, h, j, e)>
#v = affine_map<(b, h, i, j, e, c) -> (b, h, j, c)>
#o = affine_map<(b, h, i, j, e, c) -> (b, h, i, c)>

func.func @causal_f32(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?x?xf32>
  %h = tensor.dim %q, %c1 : tensor<?x?x?x?xf32>
  %n = tensor.dim %q, %c2 : tensor<?x?x?x?xf32>
  %w = tensor.dim %v, %c3 : tensor<?x?x?x?xf32>
  %e = tensor.empty(%b, %h, %n, %w) : tensor<?x?x?x?xf32>
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%e : tensor<?x?x?x?xf32>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%z: index, %y: index, %i: index, %j: index, %p: f32):
        %scale = arith.constant 0.5 : f32
        %x = arith.mulf %p, %scale : f32
        tally.yield %x : f32
      } mask {
      ^bb0(%z: index, %y: index, %i: index, %j: index):
        %sees = arith.cmpi sle, %j, %i : index
        tally.yield %sees : i1
      } -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

func.func @causal_f64(%q: tensor<?x?x?x?xf64>, %k: tensor<?x?x?x?xf64>, %v: tensor<?x?x?x?xf64>) -> tensor<?x?x?x?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?x?xf64>
  %h = tensor.dim %q, %c1 : tensor<?x?x?x?xf64>
  %n = tensor.dim %q, %c2 : tensor<?x?x?x?xf64>
  %w = tensor.dim %v, %c3 : tensor<?x?x?x?xf64>
  %e = tensor.empty(%b, %h, %n, %w) : tensor<?x?x?x?xf64>
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>, tensor<?x?x?x?xf64>) outs(%e : tensor<?x?x?x?xf64>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%z: index, %y: index, %i: index, %j: index, %p: f64):
        %scale = arith.constant 0.5 : f64
        %x = arith.mulf %p, %scale : f64
        tally.yield %x : f64
      } mask {
      ^bb0(%z: index, %y: index, %i: index, %j: index):
        %sees = arith.cmpi sle, %j, %i : index
        tally.yield %sees : i1
      } -> tensor<?x?x?x?xf64>
  return %r : tensor<?x?x?x?xf64>
}

func.func @causal_f16(%q: tensor<?x?x?x?xf16>, %k: tensor<?x?x?x?xf16>, %v: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?x?xf16>
  %h = tensor.dim %q, %c1 : tensor<?x?x?x?xf16>
  %n = tensor.dim %q, %c2 : tensor<?x?x?x?xf16>
  %w = tensor.dim %v, %c3 : tensor<?x?x?x?xf16>
  %e = tensor.empty(%b, %h, %n, %w) : tensor<?x?x?x?xf16>
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) outs(%e : tensor<?x?x?x?xf16>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%z: index, %y: index, %i: index, %j: index, %p: f32):
        %scale = arith.constant 0.5 : f32
        %x = arith.mulf %p, %scale : f32
        tally.yield %x : f32
      } mask {
      ^bb0(%z: index, %y: index, %i: index, %j: index):
        %sees = arith.cmpi sle, %j, %i : index
        tally.yield %sees : i1
      } -> tensor<?x?x?x?xf16>
  return %r : tensor<?x?x?x?xf16>
}

func.func @causal_bf16(%q: tensor<?x?x?x?xbf16>, %k: tensor<?x?x?x?xbf16>, %v: tensor<?x?x?x?xbf16>) -> tensor<?x?x?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?x?xbf16>
  %h = tensor.dim %q, %c1 : tensor<?x?x?x?xbf16>
  %n = tensor.dim %q, %c2 : tensor<?x?x?x?xbf16>
  %w = tensor.dim %v, %c3 : tensor<?x?x?x?xbf16>
  %e = tensor.empty(%b, %h, %n, %w) : tensor<?x?x?x?xbf16>
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?x?xbf16>, tensor<?x?x?x?xbf16>, tensor<?x?x?x?xbf16>) outs(%e : tensor<?x?x?x?xbf16>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%z: index, %y: index, %i: index, %j: index, %p: f32):
        %scale = arith.constant 0.5 : f32
        %x = arith.mulf %p, %scale : f32
        tally.yield %x : f32
      } mask {
      ^bb0(%z: index, %y: index, %i: index, %j: index):
        %sees = arith.cmpi sle, %j, %i : index
        tally.yield %sees : i1
      } -> tensor<?x?x?x?xbf16>
  return %r : tensor<?x?x?x?xbf16>
}

// Query i sees keys i - %before to i + %behind, of which there may be none.
func.func @window(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %before: index, %behind: index) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?xf32>
  %n = tensor.dim %q, %c1 : tensor<?x?x?xf32>
  %w = tensor.dim %v, %c2 : tensor<?x?x?xf32>
  %e = tensor.empty(%b, %n, %w) : tensor<?x?x?xf32>
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [affine_map<(b, i, j, e, c) -> (b, i, e)>, affine_map<(b, i, j, e, c) -> (b, j, e)>,
            affine_map<(b, i, j, e, c) -> (b, j, c)>, affine_map<(b, i, j, e, c) -> (b, i, c)>]
      score {
      ^bb0(%y: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%y: index, %i: index, %j: index):
        %last = arith.addi %i, %behind : index
        %low = arith.cmpi sle, %j, %last : index
        %first = arith.addi %j, %before : index
        %high = arith.cmpi sge, %first, %i : index
        %sees = arith.andi %low, %high : i1
        tally.yield %sees : i1
      } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// Operands of [queries, batch, heads, ...] or the like; a bias for each head,
// and keys that are not there.
func.func @grouped(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %v: tensor<?x?x?x?xf32>, %keep: tensor<1x?xi1>) -> tensor<?x?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %h = tensor.dim %q, %c0 : tensor<?x?x?x?xf32>
  %b = tensor.dim %q, %c1 : tensor<?x?x?x?xf32>
  %n = tensor.dim %q, %c2 : tensor<?x?x?x?xf32>
  %w = tensor.dim %v, %c3 : tensor<?x?x?x?xf32>
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty(%b, %n, %w, %h) : tensor<?x?x?x?xf32>
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      elements(%keep, %scale : tensor<1x?xi1>, f32) outs(%e : tensor<?x?x?x?xf32>)
      maps [affine_map<(b, h, i, j, e, c) -> (h, b, i, e)>, affine_map<(b, h, i, j, e, c) -> (b, h, j, e)>,
            affine_map<(b, h, i, j, e, c) -> (b, h, j, c)>, affine_map<(b, h, i, j, e, c) -> (0, j)>,
            affine_map<(b, h, i, j, e, c) -> ()>, affine_map<(b, h, i, j, e, c) -> (b, i, c, h)>] grouped
      score {
      ^bb0(%z: index, %y: index, %i: index, %j: index, %p: f32, %there: i1, %factor: f32):
        %s = arith.mulf %p, %factor : f32
        %head = arith.index_cast %y : index to i32
        %bias = arith.sitofp %head : i32 to f32
        %far = arith.subi %i, %j : index
        %distance = arith.index_cast %far : index to i32
        %away = arith.sitofp %distance : i32 to f32
        %slope = arith.mulf %away, %bias : f32
        %part = arith.mulf %slope, %factor : f32
        %x = arith.addf %s, %part : f32
        tally.yield %x : f32
      } mask {
      ^bb0(%z: index, %y: index, %i: index, %j: index, %there: i1, %factor: f32):
        tally.yield %there : i1
      } -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
