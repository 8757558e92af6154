// Matmuls of integers, added to what there is, and sums of products that are none, beside the interpreter.
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i8 --input i8[0,3]=random --input i8[2,3]=random --input i8[0,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i8 --input i8[3,0]=random --input i8[2,0]=random --input i8[3,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i8 --input i8[1,1]=random --input i8[1,1]=random --input i8[1,1]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i8 --input i8[5,7]=random --input i8[9,7]=random --input i8[5,9]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i8 --input i8[33,65]=random --input i8[40,65]=random --input i8[33,40]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i8 --input i8[70,130]=random --input i8[129,130]=random --input i8[70,129]=random
// RUN: env TALLY_RT_CPU=baseline tally-run %s --compare --entry i8 --input i8[33,65]=random --input i8[40,65]=random --input i8[33,40]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i16 --input i16[0,3]=random --input i16[2,3]=random --input i16[0,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i16 --input i16[3,0]=random --input i16[2,0]=random --input i16[3,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i16 --input i16[1,1]=random --input i16[1,1]=random --input i16[1,1]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i16 --input i16[5,7]=random --input i16[9,7]=random --input i16[5,9]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i16 --input i16[33,65]=random --input i16[40,65]=random --input i16[33,40]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i16 --input i16[70,130]=random --input i16[129,130]=random --input i16[70,129]=random
// RUN: env TALLY_RT_CPU=baseline tally-run %s --compare --entry i16 --input i16[33,65]=random --input i16[40,65]=random --input i16[33,40]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i32 --input i32[0,3]=random --input i32[2,3]=random --input i32[0,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i32 --input i32[3,0]=random --input i32[2,0]=random --input i32[3,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i32 --input i32[1,1]=random --input i32[1,1]=random --input i32[1,1]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i32 --input i32[5,7]=random --input i32[9,7]=random --input i32[5,9]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i32 --input i32[33,65]=random --input i32[40,65]=random --input i32[33,40]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i32 --input i32[70,130]=random --input i32[129,130]=random --input i32[70,129]=random
// RUN: env TALLY_RT_CPU=baseline tally-run %s --compare --entry i32 --input i32[33,65]=random --input i32[40,65]=random --input i32[33,40]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i64 --input i64[0,3]=random --input i64[2,3]=random --input i64[0,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i64 --input i64[3,0]=random --input i64[2,0]=random --input i64[3,2]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i64 --input i64[1,1]=random --input i64[1,1]=random --input i64[1,1]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i64 --input i64[5,7]=random --input i64[9,7]=random --input i64[5,9]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i64 --input i64[33,65]=random --input i64[40,65]=random --input i64[33,40]=random
// RUN: env TALLY_GUARD_PAGES=1 tally-run %s --compare --entry i64 --input i64[70,130]=random --input i64[129,130]=random --input i64[70,129]=random
// RUN: env TALLY_RT_CPU=baseline tally-run %s --compare --entry i64 --input i64[33,65]=random --input i64[40,65]=random --input i64[33,40]=random

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mn2 = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

func.func @i8(%x: tensor<?x?xi8> {tally.shape = #tally.shape<m, k>}, %y: tensor<?x?xi8> {tally.shape = #tally.shape<n, k>}, %z: tensor<?x?xi8> {tally.shape = #tally.shape<m, n>}) -> (tensor<?x?xi8>, tensor<?xi8>)
    attributes {tally.symbols = #tally.symbols<m, n, k>} {
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %y : tensor<?x?xi8>, tensor<?x?xi8>) outs(%z : tensor<?x?xi8>) -> tensor<?x?xi8>
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i8
  %n = tensor.dim %z, %c1 : tensor<?x?xi8>
  %e = tensor.empty(%n) : tensor<?xi8>
  %f = linalg.fill ins(%none : i8) outs(%e : tensor<?xi8>) -> tensor<?xi8>
  %s = linalg.generic {indexing_maps = [#mn2, #mn2, #n], iterator_types = ["reduction", "parallel"]}
      ins(%z, %r : tensor<?x?xi8>, tensor<?x?xi8>) outs(%f : tensor<?xi8>) {
  ^bb0(%a: i8, %b: i8, %sum: i8):
    %p = arith.muli %a, %b : i8
    %q = arith.addi %sum, %p : i8
    linalg.yield %q : i8
  } -> tensor<?xi8>
  return %r, %s : tensor<?x?xi8>, tensor<?xi8>
}

func.func @i16(%x: tensor<?x?xi16> {tally.shape = #tally.shape<m, k>}, %y: tensor<?x?xi16> {tally.shape = #tally.shape<n, k>}, %z: tensor<?x?xi16> {tally.shape = #tally.shape<m, n>}) -> (tensor<?x?xi16>, tensor<?xi16>)
    attributes {tally.symbols = #tally.symbols<m, n, k>} {
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %y : tensor<?x?xi16>, tensor<?x?xi16>) outs(%z : tensor<?x?xi16>) -> tensor<?x?xi16>
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i16
  %n = tensor.dim %z, %c1 : tensor<?x?xi16>
  %e = tensor.empty(%n) : tensor<?xi16>
  %f = linalg.fill ins(%none : i16) outs(%e : tensor<?xi16>) -> tensor<?xi16>
  %s = linalg.generic {indexing_maps = [#mn2, #mn2, #n], iterator_types = ["reduction", "parallel"]}
      ins(%z, %r : tensor<?x?xi16>, tensor<?x?xi16>) outs(%f : tensor<?xi16>) {
  ^bb0(%a: i16, %b: i16, %sum: i16):
    %p = arith.muli %a, %b : i16
    %q = arith.addi %sum, %p : i16
    linalg.yield %q : i16
  } -> tensor<?xi16>
  return %r, %s : tensor<?x?xi16>, tensor<?xi16>
}

func.func @i32(%x: tensor<?x?xi32> {tally.shape = #tally.shape<m, k>}, %y: tensor<?x?xi32> {tally.shape = #tally.shape<n, k>}, %z: tensor<?x?xi32> {tally.shape = #tally.shape<m, n>}) -> (tensor<?x?xi32>, tensor<?xi32>)
    attributes {tally.symbols = #tally.symbols<m, n, k>} {
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %y : tensor<?x?xi32>, tensor<?x?xi32>) outs(%z : tensor<?x?xi32>) -> tensor<?x?xi32>
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %n = tensor.dim %z, %c1 : tensor<?x?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %f = linalg.fill ins(%none : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  %s = linalg.generic {indexing_maps = [#mn2, #mn2, #n], iterator_types = ["reduction", "parallel"]}
      ins(%z, %r : tensor<?x?xi32>, tensor<?x?xi32>) outs(%f : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32, %sum: i32):
    %p = arith.muli %a, %b : i32
    %q = arith.addi %sum, %p : i32
    linalg.yield %q : i32
  } -> tensor<?xi32>
  return %r, %s : tensor<?x?xi32>, tensor<?xi32>
}

func.func @i64(%x: tensor<?x?xi64> {tally.shape = #tally.shape<m, k>}, %y: tensor<?x?xi64> {tally.shape = #tally.shape<n, k>}, %z: tensor<?x?xi64> {tally.shape = #tally.shape<m, n>}) -> (tensor<?x?xi64>, tensor<?xi64>)
    attributes {tally.symbols = #tally.symbols<m, n, k>} {
  %r = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %y : tensor<?x?xi64>, tensor<?x?xi64>) outs(%z : tensor<?x?xi64>) -> tensor<?x?xi64>
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %n = tensor.dim %z, %c1 : tensor<?x?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %f = linalg.fill ins(%none : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %s = linalg.generic {indexing_maps = [#mn2, #mn2, #n], iterator_types = ["reduction", "parallel"]}
      ins(%z, %r : tensor<?x?xi64>, tensor<?x?xi64>) outs(%f : tensor<?xi64>) {
  ^bb0(%a: i64, %b: i64, %sum: i64):
    %p = arith.muli %a, %b : i64
    %q = arith.addi %sum, %p : i64
    linalg.yield %q : i64
  } -> tensor<?xi64>
  return %r, %s : tensor<?x?xi64>, tensor<?xi64>
}
