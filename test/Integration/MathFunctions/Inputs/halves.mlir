func.func @main(%x: tensor<?xf16>) -> (tensor<?xf16>, tensor<?xf16>, tensor<?xf16>) {
  %a = math.sin %x : tensor<?xf16>
  %b = math.cos %x : tensor<?xf16>
  %c = math.tan %x : tensor<?xf16>
  return %a, %b, %c : tensor<?xf16>, tensor<?xf16>, tensor<?xf16>
}
