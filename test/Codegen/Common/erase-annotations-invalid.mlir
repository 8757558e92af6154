// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "open(r'%t/w.bin', 'wb').write(b'0123456789')"
// RUN: tally-opt %s --tally-erase-annotations=data-directory=%t --split-input-file --verify-diagnostics

func.func @missing() -> tensor<2xf32> {
  // expected-error @below {{cannot read data file}}
  %w = tally.constant "none.bin" [0] : tensor<2xf32>
  return %w : tensor<2xf32>
}

// -----

func.func @truncated() -> tensor<2xf32> {
  // expected-error @below {{needs 8 bytes at offset 4 of}}
  %w = tally.constant "w.bin" [4] : tensor<2xf32>
  return %w : tensor<2xf32>
}

// -----

func.func @range() -> tensor<4xi8> {
  // expected-error @below {{has an element 51 in 'w.bin', outside of the range [48, 50] that it states; import the program again}}
  %w = tally.constant "w.bin" [0] in [48, 50] : tensor<4xi8>
  return %w : tensor<4xi8>
}

// -----

func.func @unchecked(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{is not allowed in a checked program; run 'tally-check-pipeline' first}}
  tally.check <s0 <= 4>
  return
}
