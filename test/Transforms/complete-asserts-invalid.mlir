// RUN: tally-opt %s --tally-complete-asserts --split-input-file --verify-diagnostics

// The indices are computed by an operation with regions in the body: no check
// before can say that they are in bounds.
func.func @element(%x: tensor<?xf32>, %at: tensor<?xi64>, %c: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %at, %c0 : tensor<?xi64>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: i64, %o: f32):
    %p = scf.if %c -> index {
      %i = arith.index_cast %in : i64 to index
      scf.yield %i : index
    } else {
      scf.yield %c0 : index
    }
    // expected-error @below {{which can neither be proven nor checked before}}
    %v = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
