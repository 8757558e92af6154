// An expression that is not solved for, but has to be so.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<max(s0, 4)>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s0>},
                %z: tensor<?xf32> {tally.name = "z", tally.shape = #tally.shape<s0 mod 3>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  tally.check <s0 mod 3 <= 2>, "always"
  %a = tally.size <max(s0, 4) - s0> : index
  return %a : index
}
