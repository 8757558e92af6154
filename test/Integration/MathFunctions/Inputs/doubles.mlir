func.func @main(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %a = math.expm1 %x : tensor<?xf64>
  %b = math.log1p %x : tensor<?xf64>
  %c = math.erf %x : tensor<?xf64>
  %d = math.tanh %x : tensor<?xf64>
  %e = math.sin %x : tensor<?xf64>
  %f = math.cos %x : tensor<?xf64>
  return %a, %b, %c, %d, %e, %f : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
