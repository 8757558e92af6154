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
func.func @sin(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.sin %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @cos(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.cos %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @exp_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.exp %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @exp2_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.exp2 %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @expm1_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.expm1 %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @log_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.log %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @log2_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.log2 %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @log10_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.log10 %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @log1p_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.log1p %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @tanh_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.tanh %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @erf_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.erf %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @pow(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = math.powf %x, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}
func.func @asin(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.asin %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @acos(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.acos %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @atan(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.atan %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @sinh(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.sinh %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @tan(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.tan %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @cosh(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.cosh %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @asinh(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.asinh %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @acosh(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.acosh %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @atanh(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.atanh %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @erfc(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.erfc %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @atan2(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = math.atan2 %x, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}
func.func @sin_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.sin %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @cos_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.cos %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @tan_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.tan %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @asin_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.asin %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @acos_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.acos %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @atan_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.atan %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @sinh_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.sinh %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @cosh_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.cosh %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @asinh_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.asinh %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @acosh_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.acosh %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @atanh_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.atanh %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @erfc_f64(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = math.erfc %x : tensor<?xf64>
  return %y : tensor<?xf64>
}
func.func @pow_f64(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %z = math.powf %x, %y : tensor<?xf64>
  return %z : tensor<?xf64>
}
func.func @atan2_f64(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %z = math.atan2 %x, %y : tensor<?xf64>
  return %z : tensor<?xf64>
}
