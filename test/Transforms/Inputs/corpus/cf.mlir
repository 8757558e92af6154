func.func @blocks(%x: tensor<?xf32>, %y: tensor<?xf32>, %p: i1) -> tensor<?xf32> {
  cf.cond_br %p, ^a, ^b(%y : tensor<?xf32>)
^a:
  %0 = arith.addf %x, %y : tensor<?xf32>
  cf.br ^b(%0 : tensor<?xf32>)
^b(%z: tensor<?xf32>):
  %1 = arith.mulf %z, %x : tensor<?xf32>
  cf.cond_br %p, ^b(%1 : tensor<?xf32>), ^c
^c:
  return %1 : tensor<?xf32>
^dead:
  %2 = arith.mulf %2, %x : tensor<?xf32>
  return %2 : tensor<?xf32>
}
func.func @returns(%x: tensor<?xf32>, %y: tensor<?xf32>, %p: i1) -> tensor<?xf32> {
  cf.cond_br %p, ^a, ^b
^a:
  return %x : tensor<?xf32>
^b:
  return %y : tensor<?xf32>
}
func.func @assert(%x: tensor<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %ok = arith.cmpi eq, %d, %n : index
  cf.assert %ok, "sizes"
  return
}
