func.func @recursive(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = call @other(%x, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @other(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = call @recursive(%x, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
  %s = arith.addf %r, %x : tensor<?xf32>
  return %s : tensor<?xf32>
}
func.func @indirect(%f: (tensor<?xf32>) -> tensor<?xf32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %r = call_indirect %f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
module @inner {
  func.func @nested(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}
ml_program.func @program(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %x, %x : tensor<?xf32>
  ml_program.return %0 : tensor<?xf32>
}
ml_program.subgraph @graph(%x: tensor<?xf32>) -> tensor<?xf32> {
  %1 = arith.addf %0, %x : tensor<?xf32>
  %0 = arith.mulf %x, %x : tensor<?xf32>
  ml_program.output %1 : tensor<?xf32>
}
async.func @async(%x: tensor<?xf32>) -> !async.token {
  %t = async.execute {
    %0 = arith.addf %x, %x : tensor<?xf32>
    async.yield
  }
  async.await %t : !async.token
  return
}
