func.func @f(%p: i1, %x: tensor<?xf32>, %d: index) -> tensor<?xf32> {
  %s0 = tally.symbol "s0" = %d in [0, 64] : index
  %r = tally.cond %p : () -> tensor<?xf32> {
    tally.yield %x : tensor<?xf32>
  } else {
    %e = tensor.empty(%s0) : tensor<?xf32>
    tally.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
