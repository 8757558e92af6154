func.func @exp(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @exp2(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp2 %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @expm1(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.expm1 %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @log(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.log %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @log2(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.log2 %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @log10(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.log10 %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @log1p(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.log1p %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @tanh(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.tanh %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @erf(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.erf %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
