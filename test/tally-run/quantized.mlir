// Matmuls whose weights are bytes with scales: constants and arguments, as they are and transposed.
// RUN: rm -rf %t && mkdir -p %t && cp %s %t/program.mlir
// RUN: %python -c "import struct; open(r'%t/w.bin', 'wb').write(struct.pack('<38850b', *(i * 37 % 255 - 127 for i in range(38850))))"
// RUN: %python -c "import struct; open(r'%t/s.bin', 'wb').write(struct.pack('<37f', *((i + 1) / 64 for i in range(37))))"
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry constant --input f32[0,1050]=random --input f32[0,37]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry constant --input f32[1,1050]=random --input f32[1,37]=random
// RUN: env TALLY_GUARD_PAGES=before tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry constant --input f32[3,1050]=random --input f32[3,37]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry constant --repeat 3 --input f32[5,1050]=random --input f32[5,37]=random
// RUN: env TALLY_GUARD_PAGES=before tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry constant --repeat 3 --input f32[29,1050]=random --input f32[29,37]=random
// RUN: env TALLY_RT_CPU=baseline tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry constant --input f32[3,1050]=random --input f32[3,37]=random
// RUN: env TALLY_RT_CPU=baseline tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry constant --input f32[19,1050]=random --input f32[19,37]=random
// RUN: env TALLY_RT_CPU=x86-64-v3 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry constant --input f32[4,1050]=random --input f32[4,37]=random
// RUN: env TALLY_RT_CPU=x86-64-v3 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry constant --input f32[19,1050]=random --input f32[19,37]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry argument --input f32[0,3]=random --input i8[2,3]=random --input f32[2]=random --input f32[0,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry argument --input f32[3,0]=random --input i8[2,0]=random --input f32[2]=random --input f32[3,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry argument --input f32[3,2]=random --input i8[0,2]=random --input f32[0]=random --input f32[3,0]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry argument --input f32[1,1]=random --input i8[1,1]=random --input f32[1]=random --input f32[1,1]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry argument --input f32[2,65]=random --input i8[33,65]=random --input f32[33]=random --input f32[2,33]=random
// RUN: env TALLY_GUARD_PAGES=before tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry argument --input f32[17,301]=random --input i8[70,301]=random --input f32[70]=random --input f32[17,70]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry argument --input f32[70,64]=random --input i8[129,64]=random --input f32[129]=random --input f32[70,129]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry halves --input bf16[1,65]=random --input i8[33,65]=random --input bf16[33]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry halves --input bf16[9,301]=random --input i8[33,301]=random --input bf16[33]=random
// RUN: env TALLY_RT_CPU=x86-64-v3 tally-run %t/program.mlir --compare --rtol 1e-3 --atol 1e-2 --entry halves --input bf16[3,301]=random --input i8[33,301]=random --input bf16[33]=random
// RUN: tally-run %t/program.mlir --explain --entry constant --input f32[0,1050]=random --input f32[0,37]=random 2>&1 | FileCheck %s

// CHECK:     remark: call of the runtime: tally.matmul at program.mlir:[[#@LINE+20]], linalg.matmul
// CHECK-NOT: remark: kernel

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#m2 = affine_map<(n, k) -> (n, k)>
#n2 = affine_map<(n, k) -> (n)>
#k2 = affine_map<(n, k) -> (k)>

func.func @constant(%x: tensor<?x1050xf32> {tally.shape = #tally.shape<m, 1050>}, %y: tensor<?x37xf32> {tally.shape = #tally.shape<m, 37>})
    -> (tensor<?x37xf32>, tensor<?x1050xf32>) attributes {tally.symbols = #tally.symbols<m>} {
  %w = tally.constant "w.bin" [0] : tensor<37x1050xi8>
  %s = tally.constant "s.bin" [0] : tensor<37xf32>
  %zero = arith.constant 0.0 : f32
  %m = tally.size <m> : index
  %d0 = tensor.empty() : tensor<37x1050xf32>
  %e = tensor.empty(%m) : tensor<?x37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x37xf32>) -> tensor<?x37xf32>
  %d = linalg.generic {indexing_maps = [#m2, #n2, #m2], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<37x1050xi8>, tensor<37xf32>) outs(%d0 : tensor<37x1050xf32>) {
  ^bb0(%byte: i8, %scale: f32, %o: f32):
    %number = arith.sitofp %byte : i8 to f32
    %r = arith.mulf %number, %scale : f32
    linalg.yield %r : f32
  } -> tensor<37x1050xf32>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %d : tensor<?x1050xf32>, tensor<37x1050xf32>) outs(%f : tensor<?x37xf32>) -> tensor<?x37xf32>
  %e2 = tensor.empty(%m) : tensor<?x1050xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x1050xf32>) -> tensor<?x1050xf32>
  %d2 = linalg.generic {indexing_maps = [#m2, #m2], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<37x1050xi8>) outs(%d0 : tensor<37x1050xf32>) {
  ^bb0(%byte: i8, %o: f32):
    %number = arith.uitofp %byte : i8 to f32
    linalg.yield %number : f32
  } -> tensor<37x1050xf32>
  %t = linalg.matmul indexing_maps = [#mk, #kn, #mn] ins(%y, %d2 : tensor<?x37xf32>, tensor<37x1050xf32>) outs(%f2 : tensor<?x1050xf32>) -> tensor<?x1050xf32>
  return %r, %t : tensor<?x37xf32>, tensor<?x1050xf32>
}

func.func @argument(%x: tensor<?x?xf32> {tally.shape = #tally.shape<m, k>}, %w: tensor<?x?xi8> {tally.shape = #tally.shape<n, k>},
                    %s: tensor<?xf32> {tally.shape = #tally.shape<n>}, %y: tensor<?x?xf32> {tally.shape = #tally.shape<m, n>})
    -> (tensor<?x?xf32>, tensor<?x?xf32>) attributes {tally.symbols = #tally.symbols<m, n, k>} {
  %zero = arith.constant 0.0 : f32
  %m = tally.size <m> : index
  %n = tally.size <n> : index
  %k = tally.size <k> : index
  %d0 = tensor.empty(%n, %k) : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#m2, #n2, #m2], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<?x?xi8>, tensor<?xf32>) outs(%d0 : tensor<?x?xf32>) {
  ^bb0(%byte: i8, %scale: f32, %o: f32):
    %number = arith.sitofp %byte : i8 to f32
    %r = arith.mulf %number, %scale : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %d : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m, %k) : tensor<?x?xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d2 = linalg.generic {indexing_maps = [#m2, #n2, #m2], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<?x?xi8>, tensor<?xf32>) outs(%d0 : tensor<?x?xf32>) {
  ^bb0(%byte: i8, %scale: f32, %o: f32):
    %number = arith.sitofp %byte : i8 to f32
    %q = arith.subf %number, %scale : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  %t = linalg.matmul indexing_maps = [#mk, #kn, #mn] ins(%y, %d2 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r, %t : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @halves(%x: tensor<?x?xbf16> {tally.shape = #tally.shape<m, k>}, %w: tensor<?x?xi8> {tally.shape = #tally.shape<n, k>},
                  %s: tensor<?xbf16> {tally.shape = #tally.shape<n>})
    -> tensor<?x?xf32> attributes {tally.symbols = #tally.symbols<m, n, k>} {
  %zero = arith.constant 0.0 : f32
  %m = tally.size <m> : index
  %n = tally.size <n> : index
  %k = tally.size <k> : index
  %d0 = tensor.empty(%n, %k) : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#m2, #n2, #m2], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<?x?xi8>, tensor<?xbf16>) outs(%d0 : tensor<?x?xbf16>) {
  ^bb0(%byte: i8, %scale: bf16, %o: bf16):
    %number = arith.sitofp %byte : i8 to bf16
    %r = arith.mulf %number, %scale : bf16
    linalg.yield %r : bf16
  } -> tensor<?x?xbf16>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %d : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
