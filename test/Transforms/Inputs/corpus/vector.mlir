func.func @transfers(%x: tensor<?x?xf32>, %i: index) -> tensor<?x?xf32> {
  %f = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = vector.create_mask %n, %i : vector<4x8xi1>
  %v = vector.transfer_read %x[%i, %i], %f, %m : tensor<?x?xf32>, vector<4x8xf32>
  %s = arith.addf %v, %v : vector<4x8xf32>
  %w = vector.transfer_write %s, %x[%c0, %i] : vector<4x8xf32>, tensor<?x?xf32>
  %k = vector.mask %m { vector.transfer_write %s, %w[%c0, %c0] : vector<4x8xf32>, tensor<?x?xf32> } : vector<4x8xi1> -> tensor<?x?xf32>
  %r = arith.mulf %k, %w : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @scalable(%x: vector<[4]xf32>, %n: index) -> vector<[4]xf32> {
  %vs = vector.vscale
  %m = vector.create_mask %n : vector<[4]xi1>
  %r = arith.select %m, %x, %x : vector<[4]xi1>, vector<[4]xf32>
  return %r : vector<[4]xf32>
}
