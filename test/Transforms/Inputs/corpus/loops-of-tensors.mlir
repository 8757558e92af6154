func.func @forall(%x: tensor<?x?xf32>, %n: index, %o: index) -> tensor<?x?xf32> {
  %r = scf.forall (%i, %j) = (0, %o) to (%n, 8) step (1, 2) shared_outs(%t = %x) -> (tensor<?x?xf32>) {
    %0 = tensor.extract_slice %t[%i, %j] [1, 2] [1, 1] : tensor<?x?xf32> to tensor<1x2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %0 into %t[%i, %o] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<?x?xf32>
    }
  }
  return %r : tensor<?x?xf32>
}
func.func @carried(%x: tensor<4xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %0, %k = %n) -> (tensor<?xf32>, index) {
    %1 = tensor.concat dim(0) %t, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %2 = tensor.dim %1, %c0 : tensor<?xf32>
    scf.yield %1, %2 : tensor<?xf32>, index
  }
  return %r#0, %r#1 : tensor<?xf32>, index
}
func.func @nested(%x: tensor<?xf32>, %lb: i32, %ub: i32, %step: i32) -> tensor<?xf32> {
  %r = scf.for %i = %lb to %ub step %step iter_args(%t = %x) -> (tensor<?xf32>) : i32 {
    %k = arith.index_cast %i : i32 to index
    %s = scf.while (%u = %t) : (tensor<?xf32>) -> tensor<?xf32> {
      %f = tensor.extract %u[%k] : tensor<?xf32>
      %p = arith.cmpf ogt, %f, %f : f32
      scf.condition(%p) %u : tensor<?xf32>
    } do {
    ^bb0(%v: tensor<?xf32>):
      %w = tensor.extract_slice %v[%k] [%k] [2] : tensor<?xf32> to tensor<?xf32>
      scf.yield %w : tensor<?xf32>
    }
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
