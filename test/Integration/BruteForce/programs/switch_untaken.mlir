// A way that can never be right for its size, and is refused only when taken.
func.func @main(%i: index, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0 : [0, 9]>} {
  %r = scf.index_switch %i -> index
  case 0 {
    tally.check <s0 <= 4>, "small"
    %v = tally.size <s0> : index
    scf.yield %v : index
  }
  case 1 {
    tally.check <s0 >= 5>, "large"
    %v = tally.size <s0 * 2> : index
    scf.yield %v : index
  }
  default {
    tally.check <s0 == 7 and s0 <= 9>, "seven"
    %v = tally.size <s0 * 3> : index
    scf.yield %v : index
  }
  return %r : index
}
