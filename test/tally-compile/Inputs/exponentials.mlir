func.func @main(%x: tensor<?xf32>, %y: tensor<?xf64>) -> (tensor<?xf32>, tensor<?xf64>) {
  %a = math.exp %x : tensor<?xf32>
  %b = math.exp %y : tensor<?xf64>
  return %a, %b : tensor<?xf32>, tensor<?xf64>
}
