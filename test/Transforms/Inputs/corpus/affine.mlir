func.func @loops(%x: tensor<?x?xf32>, %m: memref<?xf32>, %n: index) -> f32 {
  %z = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to %n iter_args(%a = %z) -> (f32) {
    %v = tensor.extract %x[%i, %i] : tensor<?x?xf32>
    %s = arith.addf %a, %v : f32
    affine.yield %s : f32
  }
  affine.for %i = 0 to min affine_map<(d0) -> (d0, 8)>(%n) step 2 {
    affine.if affine_set<(d0)[s0] : (d0 - 4 >= 0, s0 - d0 >= 0)>(%i)[%n] {
      affine.store %z, %m[%i] : memref<?xf32>
    }
  }
  affine.parallel (%i, %j) = (0, 0) to (%n, 4) {
    affine.store %z, %m[%i + %j] : memref<?xf32>
  }
  %t = affine.for %i = 0 to 4 iter_args(%a = %x) -> (tensor<?x?xf32>) {
    %b = arith.addf %a, %x : tensor<?x?xf32>
    affine.yield %b : tensor<?x?xf32>
  }
  %k = affine.apply affine_map<(d0)[s0] -> ((d0 + s0) floordiv 3 + d0 mod 5 + d0 ceildiv 2)>(%n)[%n]
  %q = affine.max affine_map<(d0) -> (d0, d0 * -1, 7)>(%k)
  %e = tensor.empty(%q) : tensor<?xf32>
  return %r : f32
}
