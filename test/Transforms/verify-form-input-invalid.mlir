// RUN: tally-opt %s --tally-verify-form=form=input --split-input-file --verify-diagnostics

// A program is named or bound, not a little of both.
func.func @both(%n: index) attributes {tally.symbols = #tally.symbols<s1>} {
  // expected-error @below {{belongs to the bound form: in the named form a symbol is an entry of the function's 'tally.symbols'}}
  %s0 = tally.symbol "s0" = %n : index
  tally.check <s1 <= 4>
  return
}

// -----

func.func @never_bound() -> index attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{mentions symbol 'u0', which is unbacked, but no operation binds it}}
  %n = tally.size <u0 + 1> : index
  return %n : index
}

// -----

// In the bound form a name of the signature is but a word.
func.func @bound(%x: tensor<?xi1>) -> (tensor<?x1xi64> {tally.shape = #tally.shape<u0, 1>})
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %a = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64>
  return %a : tensor<?x1xi64>
}
