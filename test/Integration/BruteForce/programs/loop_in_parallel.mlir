// Iterations that may run at once, each with a precondition of its own.
func.func @main(%n: index, %x: tensor<?xf32>, %ids: tensor<?xi64>) -> tensor<?xf32> {
  %init = tensor.empty(%n) : tensor<?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %init) -> tensor<?xf32> {
    %id = tensor.extract %ids[%i] : tensor<?xi64>
    %j = arith.index_cast %id : i64 to index
    %one = tensor.extract_slice %x[%j] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}
