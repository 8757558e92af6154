#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @convert(%x: tensor<?x?xf32>) -> tensor<?x?xf32, #csr> {
  %0 = sparse_tensor.convert %x : tensor<?x?xf32> to tensor<?x?xf32, #csr>
  return %0 : tensor<?x?xf32, #csr>
}
func.func @scale(%x: tensor<?x?xf32, #csr>, %y: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<?x?xf32, #csr>, tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @foreach(%x: tensor<?x?xf32, #csr>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = sparse_tensor.foreach in %x init(%o) : tensor<?x?xf32, #csr>, tensor<?x?xf32> -> tensor<?x?xf32> do {
  ^bb0(%i: index, %j: index, %v: f32, %a: tensor<?x?xf32>):
    %w = tensor.insert %v into %a[%i, %j] : tensor<?x?xf32>
    sparse_tensor.yield %w : tensor<?x?xf32>
  }
  %n = sparse_tensor.number_of_entries %x : tensor<?x?xf32, #csr>
  return %0 : tensor<?x?xf32>
}
