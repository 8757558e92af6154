// Sizes of four tensors, which are equal two by two, and so all.
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<?xf32>) -> tensor<?xf32> {
  %ab = arith.addf %a, %b : tensor<?xf32>
  %cd = arith.mulf %c, %d : tensor<?xf32>
  %bc = arith.subf %b, %c : tensor<?xf32>
  %ad = arith.addf %a, %d : tensor<?xf32>
  %x = arith.addf %ab, %cd : tensor<?xf32>
  %y = arith.addf %bc, %ad : tensor<?xf32>
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
