// A constant that is multiplied as it is, and transposed: each has a packed copy of its own.
// RUN: rm -rf %t && mkdir -p %t && cp %s %t/program.mlir
// RUN: %python -c "import struct; open(r'%t/w.bin', 'wb').write(struct.pack('<561f', *(i % 13 - 6 for i in range(561))))"
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --input f32[0,17]=random --input f32[0,33]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --input f32[1,17]=random --input f32[1,33]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --input f32[7,17]=random --input f32[7,33]=random
// RUN: env TALLY_GUARD_PAGES=before tally-run %t/program.mlir --compare --input f32[70,17]=random --input f32[70,33]=random
// RUN: env TALLY_RT_CPU=baseline tally-run %t/program.mlir --compare --input f32[70,17]=random --input f32[70,33]=random

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @main(%x: tensor<?x17xf32> {tally.shape = #tally.shape<m, 17>}, %y: tensor<?x33xf32> {tally.shape = #tally.shape<m, 33>})
    -> (tensor<?x33xf32>, tensor<?x17xf32>) attributes {tally.symbols = #tally.symbols<m>} {
  %w = tally.constant "w.bin" [0] : tensor<17x33xf32>
  %zero = arith.constant 0.0 : f32
  %m = tally.size <m> : index
  %e = tensor.empty(%m) : tensor<?x33xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x33xf32>) -> tensor<?x33xf32>
  %r = linalg.matmul indexing_maps = [#mk, #kn, #mn] ins(%x, %w : tensor<?x17xf32>, tensor<17x33xf32>) outs(%f : tensor<?x33xf32>) -> tensor<?x33xf32>
  %e2 = tensor.empty(%m) : tensor<?x17xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x17xf32>) -> tensor<?x17xf32>
  %t = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%y, %w : tensor<?x33xf32>, tensor<17x33xf32>) outs(%f2 : tensor<?x17xf32>) -> tensor<?x17xf32>
  return %r, %t : tensor<?x33xf32>, tensor<?x17xf32>
}
