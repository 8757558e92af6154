// What a loop carries: positions that it writes, and a number that it counts up.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %n: i64) -> (tensor<?xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %m = arith.index_cast %n : i64 to index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%a) : tensor<?xi64>
  %z = linalg.fill ins(%zero : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %at, %count = scf.for %i = %c0 to %m step %c1 iter_args(%t = %z, %k = %c0) -> (tensor<?xi64>, index) {
    %half = arith.divui %i, %c2 : index
    %v = arith.index_cast %half : index to i64
    %next = tensor.insert %v into %t[%i] : tensor<?xi64>
    %more = arith.addi %k, %c1 : index
    scf.yield %next, %more : tensor<?xi64>, index
  }
  %f = tensor.empty(%a) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %half = arith.divui %count, %c2 : index
  %last = tensor.extract %x[%half] : tensor<?xf32>
  %s = tensor.from_elements %last : tensor<1xf32>
  return %r, %s : tensor<?xf32>, tensor<1xf32>
}
