// What the interpreter refuses of attention.
// DEFINE: %{refuse} = not tally-run %s --interpret 2>&1 --entry
// RUN: %{refuse} poison --input 'f32[3,2]=1' --input i64=3 | FileCheck %s --check-prefix=POISON
// RUN: %{refuse} buffers | FileCheck %s --check-prefix=BUFFERS

#q = affine_map<(i, j, e, c) -> (i, e)>
#k = affine_map<(i, j, e, c) -> (j, e)>
#v = affine_map<(i, j, e, c) -> (j, c)>
#o = affine_map<(i, j, e, c) -> (i, c)>

// POISON: tally-run: {{.*}}attention-invalid.mlir:[[#@LINE+1]]:1: element 0 of result 0 is poison; poison was first made at {{.*}}attention-invalid.mlir:[[#@LINE+3]]:8 by tally.attention: an operand is poison
func.func @poison(%q: tensor<?x2xf32>, %n: index) -> tensor<?x2xf32> {
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %r = tally.attention ins(%q, %q, %e : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>)
      outs(%q : tensor<?x2xf32>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// BUFFERS: tally-run: {{.*}}attention-invalid.mlir:[[#@LINE+3]]:3: the interpreter runs this on tensors only
func.func @buffers() {
  %m = memref.alloc() : memref<2x2xf32>
  tally.attention ins(%m, %m, %m : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>)
      outs(%m : memref<2x2xf32>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      }
  return
}
