// A check where the condition of a loop is computed runs once more than its body.
func.func @main(%n: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> (index, f32)
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %s0 = tally.size <s0> : index
  %r:2 = scf.while (%i = %n, %a = %zero) : (index, f32) -> (index, f32) {
    tally.check <-2 <= i>, "not below minus two" (i = %i : index)
    %v = tensor.extract %x[%c3] : tensor<?xf32>
    %b = arith.addf %a, %v : f32
    %go = arith.cmpi slt, %i, %s0 : index
    scf.condition(%go) %i, %b : index, f32
  } do {
  ^bb0(%i: index, %a: f32):
    %next = arith.addi %i, %c3 : index
    scf.yield %next, %a : index, f32
  }
  return %r#0, %r#1 : index, f32
}
