// A private function with declarations: they are checked where it is called, and not
// where it is not.
func.func private @middle(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>}, %k: index) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<n : [3, 8]>} {
  %r = tensor.extract_slice %x[1] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @main(%p: i1, %x: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %r = scf.if %p -> tensor<?xf32> {
    %m = func.call @middle(%x, %k) : (tensor<?xf32>, index) -> tensor<?xf32>
    scf.yield %m : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
