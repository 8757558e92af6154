func.func @main(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %a = math.expm1 %x : tensor<?xf64>
  %b = math.log1p %x : tensor<?xf64>
  %c = math.erf %x : tensor<?xf64>
  %d = math.tanh %x : tensor<?xf64>
  %e = math.sin %x : tensor<?xf64>
  %f = math.cos %x : tensor<?xf64>
  %g = math.tan %x : tensor<?xf64>
  %h = math.asin %x : tensor<?xf64>
  %i = math.acos %x : tensor<?xf64>
  %j = math.atan %x : tensor<?xf64>
  %k = math.sinh %x : tensor<?xf64>
  %l = math.cosh %x : tensor<?xf64>
  %m = math.asinh %x : tensor<?xf64>
  %n = math.acosh %x : tensor<?xf64>
  %o = math.atanh %x : tensor<?xf64>
  %p = math.erfc %x : tensor<?xf64>
  %q = math.powf %x, %x : tensor<?xf64>
  %r = math.atan2 %x, %f : tensor<?xf64>
  return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o, %p, %q, %r : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}
