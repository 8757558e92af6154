func.func @main(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %a = math.expm1 %x : tensor<?xf64>
  %b = math.log1p %x : tensor<?xf64>
  return %a, %b : tensor<?xf64>, tensor<?xf64>
}
