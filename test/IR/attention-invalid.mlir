// RUN: tally-opt %s -split-input-file -verify-diagnostics

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @integers(%q: tensor<?x?x?xi32>, %k: tensor<?x?x?xi32>, %v: tensor<?x?x?xi32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xi32>, %n: index) {
  // expected-error @below {{'tally.attention' op works on f16, bf16, f32 or f64, not on 'i32'}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x?xi32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xi32>)
      maps [#q, #k, #v, #x, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xi32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @types(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf16>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op needs queries, keys, values and results of one element type}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf16>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #x, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @mixed(%q: tensor<?x?x?xf32>, %k: memref<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op needs operands that are all tensors, or all memrefs, with a rank}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, memref<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #x, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @few_maps(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op has 4 maps for 5 operands}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @symbols(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op needs maps of the same loops, at least 4 of them, without symbols}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, affine_map<(b, i, j, e, c)[s] -> (i, s)>, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @rank(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op has a map of its elements with another number of dimensions: affine_map<(d0, d1, d2, d3, d4) -> (d2)>}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, affine_map<(b, i, j, e, c) -> (j)>, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @keys(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op has a map of its keys that does not give each of their loops once: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #q, #v, #x, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @output(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op has a map of its output that does not give each of their loops once: affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #x, #v] 
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @elements(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op has a map of its elements that does not give loops of scores: affine_map<(d0, d1, d2, d3, d4) -> (d2, d3)>}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, affine_map<(b, i, j, e, c) -> (j, e)>, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @not_one(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op has a map of its elements that does not give loops of scores: affine_map<(d0, d1, d2, d3, d4) -> (0, d2)>}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, affine_map<(b, i, j, e, c) -> (0, j)>, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @sizes(%q: tensor<?x?x4xf32>, %k: tensor<?x?x3xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op has operands of sizes 4 and 3 for loop 3}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x4xf32>, tensor<?x?x3xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #x, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @groups(%q: tensor<5x?x?xf32>, %k: tensor<2x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op cannot group 5 heads of queries for 2 heads of keys}}
  %r = tally.attention ins(%q, %k, %v : tensor<5x?x?xf32>, tensor<2x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #x, #o] grouped
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @score_arguments(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op needs arguments of types 'index', 'index', 'index', 'f32', 'f32' in its region 'score'}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #x, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @score_type(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op must end its region 'score' with 'tally.yield' of 'f32'}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #x, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %i : index
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        %t = arith.constant true
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @mask_type(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  // expected-error @below {{'tally.attention' op must end its region 'mask' with 'tally.yield' of 'i1'}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #x, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        tally.yield %y : f32
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#x = affine_map<(b, i, j, e, c) -> (i, j)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

func.func @tensors(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %x: tensor<?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) {
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) elements(%x : tensor<?x?xf32>) outs(%e : tensor<?x?x?xf32>)
      maps [#q, #k, #v, #x, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32, %y: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index, %y: f32):
        // expected-error @below {{'tensor.dim' op has effects, or is not on scalars, in region 'mask' of 'tally.attention'}}
        %s = tensor.dim %q, %n : tensor<?x?x?xf32>
        %t = arith.cmpi slt, %j, %s : index
        tally.yield %t : i1
      } -> tensor<?x?x?xf32>
  return
}

// -----

#q = affine_map<(i, j, e, c) -> (i, e)>
#k = affine_map<(i, j, e, c) -> (j, e)>
#v = affine_map<(i, j, e, c) -> (j, c)>
#o = affine_map<(i, j, e, c) -> (i, c)>

func.func @no_heads(%q: tensor<?x?xf32>, %k: tensor<?x?xf32>, %v: tensor<?x?xf32>, %e: tensor<?x?xf32>) {
  // expected-error @below {{'tally.attention' op has grouped heads, but no loop over heads}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>)
      maps [#q, #k, #v, #o] grouped
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<?x?xf32>
  return
}

// -----

#q = affine_map<(i, j, e, c) -> (i, e)>
#k = affine_map<(i, j, e, c) -> (j, e)>
#v = affine_map<(i, j, e, c) -> (j, c)>
#o = affine_map<(i, j, e, c) -> (i, c)>

func.func @result(%q: tensor<?x?xf32>, %k: tensor<?x?xf32>, %v: tensor<?x?xf32>, %e: tensor<?x?xf32>) {
  // expected-error @below {{'tally.attention' op needs one result, of the type of its output, if that is a tensor}}
  %r = tally.attention ins(%q, %k, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<?x4xf32>
  return
}

// -----

#q = affine_map<(i, j, e, c) -> (i, e)>
#k = affine_map<(i, j, e, c) -> (j, e)>
#v = affine_map<(i, j, e, c) -> (j, c)>
#o = affine_map<(i, j, e, c) -> (i, c)>

func.func @masks(%q: tensor<?x?xf32>, %k: tensor<?x?xf32>, %v: tensor<?x?xf32>, %e: tensor<?x?xf32>) {
  // expected-error @below {{'tally.attention' op has more than one region 'mask'}}
  %r = "tally.attention"(%q, %k, %v, %e) <{maps = [#q, #k, #v, #o]}> ({
  ^bb0(%i: index, %j: index, %p: f32):
    "tally.yield"(%p) : (f32) -> ()
  }, {
  ^bb0(%i: index, %j: index):
    %t = arith.constant true
    "tally.yield"(%t) : (i1) -> ()
  }, {
  ^bb0(%i: index, %j: index):
    %t = arith.constant true
    "tally.yield"(%t) : (i1) -> ()
  }) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}
