// RUN: tally-opt %s --tally-describe-entries --split-input-file --verify-diagnostics

// expected-error @below {{argument 1 of type 'tensor<?xi4>' cannot be passed through the C interface}}
func.func @int4(%x: tensor<?xf32>, %y: tensor<?xi4>) {
  return
}

// -----

// expected-error @below {{argument 0 of type 'tensor<*xf32>' cannot be passed through the C interface}}
func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}

// -----

// expected-error @below {{result 1 is written back to argument 0, which another result is written back to already}}
func.func @twice(%x: tensor<?xf32>) -> (tensor<?xf32> {tally.mutates = 0 : i64}, tensor<?xf32> {tally.mutates = 0 : i64}) {
  return %x, %x : tensor<?xf32>, tensor<?xf32>
}

// -----

// expected-error @below {{result 0 cannot be written back to argument 0, which is no tensor}}
func.func @scalar(%n: i64) -> (i64 {tally.mutates = 0 : i64}) {
  return %n : i64
}

// -----

// expected-error @below {{result 0 of type 'tensor<?xi7>' cannot be passed through the C interface}}
func.func @result(%n: index) -> tensor<?xi7> {
  %x = tensor.empty(%n) : tensor<?xi7>
  return %x : tensor<?xi7>
}

// -----

func.func @named(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{'tally.size' op mentions 's0' by name: the program is in the named form; run 'tally-check-pipeline' first, which gives names values}}
  %n = tally.size <s0> : index
  return %n : index
}
