// RUN: tally-test-opt %s --test-rebind-symbols --split-input-file --verify-diagnostics

func.func @ranges(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked [0, 4], u1 : unbacked [6, 9]>} {
  // expected-error @below {{contradicts what is known of symbol 'u0': no value is in [0, 4] and in [6, 9]}}
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(0)>, test.types = [tensor<?xf32>],
                           test.bind = #tally.bindings<u1 = result(0).size(0)>} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @divisors(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked [1, 11] % 4, u1 : unbacked % 6>} {
  // expected-error @below {{contradicts what is known of symbol 'u0': no value is in [1, 11] % 4 and in [-inf, inf] % 6}}
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(0)>, test.types = [tensor<?xf32>],
                           test.bind = #tally.bindings<u1 = result(0).size(0)>} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @number(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked [0, 4]>} {
  // expected-error @below {{contradicts what is known of symbol 'u0': it is 5 now, which is not in [0, 4]}}
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(0)>, test.types = [tensor<5xf32>]} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @remainder(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{contradicts what is known of symbol 'u0': the size 5 is no multiple of 2}}
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(0) / 2>, test.types = [tensor<5xf32>]} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @types(%b: i1) attributes {tally.symbols = #tally.symbols<b0 : unbacked bool, u1 : unbacked>} {
  // expected-error @below {{contradicts what is known of symbol 'b0': it is of type bool, and 'u1' of type int}}
  %r = test_hop.definition(%b) {bindings = #tally.bindings<b0 = result(0)>, test.types = [i1],
                           test.bind = #tally.bindings<u1 = result(0)>} : (i1) -> i1
  return
}

// -----

func.func @dimension(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{has no 'result(0).size(1)' to read symbol 'u0' from, as the operation before it has}}
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0).size(1)>, test.types = [tensor<?xf32>]} : (tensor<?xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @result(%x: tensor<?xf32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{has no 'result(0)' to read symbol 'u0' from, as the operation before it has}}
  %r = test_hop.definition(%x) {bindings = #tally.bindings<u0 = result(0)>, test.types = [tensor<?xf32>]} : (tensor<?xf32>) -> i64
  return
}
