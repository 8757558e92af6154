// An index in a body that only some elements use.
func.func @main(%x: tensor<?xf32>, %ids: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %init = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<?xi64>) outs(%init : tensor<?xf32>) {
  ^bb0(%id: i64, %out: f32):
    %some = arith.cmpi sge, %id, %none : i64
    %v = scf.if %some -> f32 {
      %i = arith.index_cast %id : i64 to index
      %e = tensor.extract %x[%i] : tensor<?xf32>
      scf.yield %e : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
