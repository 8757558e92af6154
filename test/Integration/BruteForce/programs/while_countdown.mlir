// A loop as long as a number is more than the size.
func.func @main(%n: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> (index, f32)
    attributes {tally.symbols = #tally.symbols<s0>} {
  %cm2 = arith.constant -2 : index
  %zero = arith.constant 0.0 : f32
  %s0 = tally.size <s0> : index
  %r:2 = scf.while (%i = %n, %a = %zero) : (index, f32) -> (index, f32) {
    %go = arith.cmpi sgt, %i, %s0 : index
    scf.condition(%go) %i, %a : index, f32
  } do {
  ^bb0(%i: index, %a: f32):
    %next = arith.addi %i, %cm2 : index
    %v = tensor.extract %x[%next] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %next, %b : index, f32
  }
  tally.check <r <= s0>, "follows from the end of the loop" (r = %r#0 : index)
  return %r#0, %r#1 : index, f32
}
