// Halves a vector until it is small; an odd one is refused on the way.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = scf.while (%t = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %n = tensor.dim %t, %c0 : tensor<?xf32>
    %go = arith.cmpi sgt, %n, %c3 : index
    scf.condition(%go) %t : tensor<?xf32>
  } do {
  ^bb0(%t: tensor<?xf32>):
    %n = tensor.dim %t, %c0 : tensor<?xf32>
    %half = arith.divsi %n, %c2 : index
    %front = tensor.extract_slice %t[0] [%half] [1] : tensor<?xf32> to tensor<?xf32>
    %rest = arith.subi %n, %half : index
    %behind = tensor.extract_slice %t[%half] [%rest] [1] : tensor<?xf32> to tensor<?xf32>
    %sum = arith.addf %front, %behind : tensor<?xf32>
    scf.yield %sum : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
