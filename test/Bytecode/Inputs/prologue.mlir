// What version 3 of the dialect added: version-3.mlirbc is its bytecode.

func.func @computed(%a: tensor<?x?xf32>, %w: tensor<?x?xi8>, %scale: tensor<?xf32>,
                    %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = tally.matmul ins(%a, %w : tensor<?x?xf32>, tensor<?x?xi8>)
                    elements(%scale : tensor<?xf32>) maps [affine_map<(n, k) -> (n)>]
                    outs(%e : tensor<?x?xf32>) prologue {
  ^bb0(%byte: i8, %s: f32):
    %f = arith.sitofp %byte : i8 to f32
    %r = arith.mulf %f, %s : f32
    tally.yield %r : f32
  } {transpose_b} -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

func.func @plain(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = tally.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
                    outs(%e : tensor<?x?xf32>) {transpose_a} -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
