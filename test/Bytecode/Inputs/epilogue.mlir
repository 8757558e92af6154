// What version 4 of the dialect added: version-4.mlirbc is its bytecode.

func.func @linear(%a: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?xf16>, %e: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %c = tally.matmul ins(%a, %w : tensor<?x?xf16>, tensor<?x?xf16>) bias(%v : tensor<?xf16>)
                    outs(%e : tensor<?x?xf16>) {relu, transpose_b} -> tensor<?x?xf16>
  return %c : tensor<?x?xf16>
}

func.func @computed(%a: tensor<?x?xf32>, %w: tensor<?x?xi8>, %scale: tensor<?xf32>, %zero: f32,
                    %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = tally.matmul ins(%a, %w : tensor<?x?xf32>, tensor<?x?xi8>) elements(%scale, %zero : tensor<?xf32>, f32)
                    maps [affine_map<(n, k) -> (n)>, affine_map<(n, k) -> ()>] outs(%e : tensor<?x?xf32>) prologue {
  ^bb0(%byte: i8, %s: f32, %z: f32):
    %f = arith.sitofp %byte : i8 to f32
    %d = arith.subf %f, %z : f32
    %r = arith.mulf %d, %s : f32
    tally.yield %r : f32
  } -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
