func.func @packed(%x: tensor<?x?xf32>, %d: tensor<?x?x?x16xf32>, %t: index) -> tensor<?x?xf32> {
  %0 = linalg.pack %x outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [%t, 16] into %d : tensor<?x?xf32> -> tensor<?x?x?x16xf32>
  %1 = linalg.unpack %0 outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [%t, 16] into %x : tensor<?x?x?x16xf32> -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
func.func @packed_padded(%x: tensor<30x?xf32>, %d: tensor<?x?x8x4xf32>, %f: f32) -> tensor<?x?x8x4xf32> {
  %0 = linalg.pack %x padding_value(%f : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %d : tensor<30x?xf32> -> tensor<?x?x8x4xf32>
  return %0 : tensor<?x?x8x4xf32>
}
func.func @ranks(%x: tensor<?x?xf32>, %u: tensor<*xf32>, %i: index) -> (tensor<?xf32>, index) {
  %c1 = arith.constant 1 : index
  %0 = tensor.cast %x : tensor<?x?xf32> to tensor<*xf32>
  %1 = tensor.cast %0 : tensor<*xf32> to tensor<?xf32>
  %2 = tensor.dim %0, %c1 : tensor<*xf32>
  %3 = tensor.cast %u : tensor<*xf32> to tensor<?x?x4xf32>
  %4 = tensor.dim %u, %c1 : tensor<*xf32>
  %5 = arith.addi %2, %4 : index
  return %1, %5 : tensor<?xf32>, index
}
func.func @transfers(%x: tensor<?x?xf32>, %i: index, %f: f32, %m: vector<4xi1>) -> tensor<?x?xf32> {
  %0 = vector.transfer_read %x[%i, %i], %f {in_bounds = [true]} : tensor<?x?xf32>, vector<4xf32>
  %1 = vector.mask %m { vector.transfer_read %x[%i, %i], %f {in_bounds = [true]} : tensor<?x?xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  %2 = vector.transfer_read %x[%i, %i], %f : tensor<?x?xf32>, vector<[4]x2xf32>
  %3 = vector.transfer_write %1, %x[%i, %i] : vector<4xf32>, tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}
