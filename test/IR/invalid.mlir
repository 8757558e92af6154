// RUN: tally-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// tally.size, tally.check, tally.assume
//===----------------------------------------------------------------------===//

func.func @unknown_symbol() attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  // expected-error @below {{'tally.size' op mentions unknown symbol 's1'; declared are 's0', 'u0'}}
  %n = tally.size <s0 + s1> : index
  return
}

// -----

func.func @no_table() {
  // expected-error @below {{'tally.check' op mentions unknown symbol 's0': the function has no 'tally.symbols' table}}
  tally.check <s0 <= 64>
  return
}

// -----

func.func @bad_text() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{in expression 's0 *': expected an expression}}
  %n = tally.size <s0 *> : index
  return
}

// -----

func.func @quote_needed() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{expected an expression between '<' and '>'; an expression with '>', '!=', '%', '/' or a point is quoted: <"a > b">}}
  tally.check <s0 != 3>
  return
}

// -----

func.func @condition_as_size() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{'tally.size' op cannot give the value of 's0 == 1' as 'index'}}
  %n = tally.size <s0 == 1> : index
  return
}

// -----

func.func @float_as_size() attributes {tally.symbols = #tally.symbols<f0 : float>} {
  // expected-error @below {{'tally.size' op cannot give the value of 'f0' as 'index'}}
  %n = tally.size <f0> : index
  return
}

// -----

func.func @size_as_bool() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{'tally.size' op cannot give the value of 's0' as 'f32'}}
  %n = tally.size <s0> : f32
  return
}

// -----

func.func @no_condition() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{'tally.check' op needs a condition, not the number 's0 + 1'}}
  tally.check <s0 + 1>
  return
}

// -----

func.func @no_condition_name() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{'tally.assume' op needs a condition, not the number 's0'}}
  tally.assume <s0>
  return
}

// -----

func.func @types_of_symbols() attributes {tally.symbols = #tally.symbols<s0, b0 : bool>} {
  tally.check <b0 and s0 <= 3>
  tally.check <b0>
  // expected-error @below {{'tally.check' op in expression 's0 and b0': expected a boolean, found a number}}
  tally.check <s0 and b0>
  return
}

// -----

func.func @given_twice(%a: index) {
  // expected-error @below {{'tally.check' op gives 'a' twice}}
  tally.check <a <= 64> (a = %a, a = %a : index, index)
  return
}

// -----

func.func @names_for_values(%a: index) {
  // expected-error @below {{'tally.check' op has 2 names for 1 values}}
  "tally.check"(%a) {condition = #tally.expr<"a <= b">, names = ["a", "b"]} : (index) -> ()
  return
}

// -----

func.func @value_of_tensor(%a: tensor<?xf32>) {
  // expected-error @below {{operand #0 must be variadic of index, integer or float, but got 'tensor<?xf32>'}}
  tally.check <a <= 64> (a = %a : tensor<?xf32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// tally.symbol
//===----------------------------------------------------------------------===//

func.func @symbol_name(%a: index) {
  // expected-error @below {{'tally.symbol' op 's 0' cannot name a symbol}}
  %s = tally.symbol "s 0" = %a : index
  return
}

// -----

func.func @symbol_range(%a: index) {
  // expected-error @below {{'tally.symbol' op has an empty range: [4, 3]}}
  %s = tally.symbol "s0" = %a in [4, 3] : index
  return
}

// -----

func.func @symbol_negative_range(%a: index) {
  // expected-error @below {{'tally.symbol' op has an empty range: [3, -4]}}
  %s = tally.symbol "s0" = %a in [3, -4] : index
  return
}

// -----

func.func @symbol_negative_divisor(%a: index) {
  // expected-error @below {{'tally.symbol' op needs a divisor of at least 1, not -8}}
  %s = tally.symbol "s0" = %a divisible_by -8 : index
  return
}

// -----

func.func @symbol_divisor(%a: index) {
  // expected-error @below {{'tally.symbol' op needs a divisor of at least 1, not 0}}
  %s = tally.symbol "s0" = %a divisible_by 0 : index
  return
}

// -----

func.func @symbol_float(%a: f64) {
  // expected-error @below {{'tally.symbol' op declares a range of a float}}
  %s = tally.symbol "f0" = %a in [0, 3] : f64
  return
}

// -----

//===----------------------------------------------------------------------===//
// tally.assert
//===----------------------------------------------------------------------===//

func.func @assert_says_nothing(%ok: i1) {
  // expected-error @below {{'tally.assert' op needs an expression or a message to report}}
  tally.assert %ok
  return
}

// -----

func.func @assert_source(%ok: i1, %a: index) {
  // expected-error @below {{'tally.assert' op needs a string as the source of 's0'}}
  tally.assert %ok, <s0 <= 3> (s0 = %a : index) sources({s0 = 3 : i64})
  return
}

// -----

func.func @assert_guards(%ok: i1, %a: index) {
  // expected-error @below {{'tally.assert' op returns other types than it guards}}
  %g = "tally.assert"(%ok, %a) {message = "m", names = [], operandSegmentSizes = array<i32: 1, 0, 1>} : (i1, index) -> i64
  return
}

// -----

func.func @assert_names(%ok: i1, %a: index) {
  // expected-error @below {{'tally.assert' op has 0 names for 1 values}}
  "tally.assert"(%ok, %a) {message = "m", names = [], operandSegmentSizes = array<i32: 1, 1, 0>} : (i1, index) -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// tally.constant
//===----------------------------------------------------------------------===//

func.func @constant_offset() {
  // expected-error @below {{'tally.constant' op needs an offset of at least 0}}
  %c = tally.constant "w.bin"[-4] : tensor<4xf32>
  return
}

// -----

func.func @constant_element() {
  // expected-error @below {{'tally.constant' op cannot hold elements of type 'index'}}
  %c = tally.constant "w.bin"[0] : tensor<4xindex>
  return
}

// -----

func.func @constant_range() {
  // expected-error @below {{'tally.constant' op needs a range of two numbers, the least and the greatest element}}
  %c = tally.constant "w.bin"[0] in [4, 3] : tensor<4xi64>
  return
}

// -----

func.func @constant_range_of_floats() {
  // expected-error @below {{'tally.constant' op has a range, but elements of type 'f32': only integers of at most 64 bits have one}}
  %c = tally.constant "w.bin"[0] in [0, 3] : tensor<4xf32>
  return
}

// -----

func.func @constant_shape() {
  // expected-error @below {{result #0 must be statically shaped tensor of any type values}}
  %c = tally.constant "w.bin"[0] : tensor<?xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// tally.item, tally.nonzero, bindings
//===----------------------------------------------------------------------===//

func.func @item_of_many(%t: tensor<1x2xf32>) {
  // expected-error @below {{'tally.item' op needs a tensor of one element, not 'tensor<1x2xf32>'}}
  %v = tally.item %t : tensor<1x2xf32>
  return
}

// -----

func.func @nonzero_rows(%t: tensor<4xi1>) {
  // expected-error @below {{'tally.nonzero' op has a number of rows that no type can know}}
  %r = tally.nonzero %t : tensor<4xi1> -> tensor<4x1xi64>
  return
}

// -----

func.func @nonzero_columns(%t: tensor<?x?xi1>) {
  // expected-error @below {{'tally.nonzero' op needs a column for each of the 2 dimensions of its source}}
  %r = tally.nonzero %t : tensor<?x?xi1> -> tensor<?x1xi64>
  return
}

// -----

func.func @nonzero_unsigned(%t: tensor<?xui8>) {
  // expected-error @below {{'tally.nonzero' op cannot compare elements of type 'ui8' with zero}}
  %r = tally.nonzero %t : tensor<?xui8> -> tensor<?x1xi64>
  return
}

// -----

func.func @nonzero_strings(%t: tensor<?x!llvm.ptr>) {
  // expected-error @below {{'tally.nonzero' op cannot compare elements of type '!llvm.ptr' with zero}}
  %r = tally.nonzero %t : tensor<?x!llvm.ptr> -> tensor<?x1xi64>
  return
}

// -----

func.func @bound_twice(%t: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{symbol 'u0' is bound twice}}
  %r = tally.nonzero %t : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0), u0 = result(0).size(1)>
  return
}

// -----

func.func @binds_undeclared(%t: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.nonzero' op binds 'u1', which the function's 'tally.symbols' does not declare}}
  %r = tally.nonzero %t : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u1 = result(0).size(0)>
  return
}

// -----

func.func @binds_backed(%t: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @below {{'tally.nonzero' op binds 's0', which is not declared as 'unbacked'}}
  %r = tally.nonzero %t : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<s0 = result(0).size(0)>
  return
}

// -----

func.func @binds_result(%t: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.nonzero' op binds 'u0' to result 1, but has 1 results}}
  %r = tally.nonzero %t : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(1).size(0)>
  return
}

// -----

func.func @binds_dimension(%t: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.nonzero' op binds 'u0' to dimension 2 of a tensor of rank 2}}
  %r = tally.nonzero %t : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(2)>
  return
}

// -----

func.func @binds_tensor(%t: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.nonzero' op binds 'u0' to the value of a 'tensor<?x1xi64>'; read one of its sizes}}
  %r = tally.nonzero %t : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0)>
  return
}

// -----

func.func @binds_size_of_scalar(%t: tensor<i64>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.item' op binds 'u0' to the size of a 'i64'}}
  %r = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0).size(0)>
  return
}

// -----

func.func @key_path(%t: tensor<i64>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{expected a key path, such as 'result(0).size(1)'}}
  %r = tally.item %t : tensor<i64> bind #tally.bindings<u0 = operand(0)>
  return
}

// -----

func.func @key_path_step(%t: tensor<i64>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{unknown step 'rank' in a key path: one of 'size', 'stride', 'storage_offset'}}
  %r = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0).rank(1)>
  return
}

// -----

func.func @key_path_divisor(%t: tensor<i64>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{the divisor in the key path of 'u0' must be at least 1, not 0}}
  %r = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0) / 0>
  return
}

// -----

func.func @key_path_index(%t: tensor<i64>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{an index must not be negative}}
  %r = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(-1)>
  return
}

// -----

//===----------------------------------------------------------------------===//
// tally.cond, tally.invoke_subgraph
//===----------------------------------------------------------------------===//

func.func @region_arguments(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'tally.cond' op passes ('tensor<?xf32>') to its 'else' region, which takes ('index')}}
  %r = tally.cond %p(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  } else {
  ^bb0(%a: index):
    tally.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @region_no_arguments(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'tally.cond' op passes ('tensor<?xf32>') to its 'then' region, which takes ()}}
  %r = tally.cond %p(%x) : (tensor<?xf32>) -> tensor<?xf32> {
    tally.yield %x : tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @region_results(%p: i1, %x: tensor<?xf32>) -> tensor<?xf32> {
  %r = tally.cond %p(%x) : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a : tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    // expected-error @below {{'tally.yield' op yields () from the 'else' region of a tally.cond that returns ('tensor<?xf32>')}}
    tally.yield
  }
  return %r : tensor<?xf32>
}

// -----

func.func @region_end(%p: i1) {
  // expected-error @below {{'tally.cond' op needs a tally.yield at the end of its 'then' region}}
  tally.cond %p : () -> () {
    llvm.unreachable
  } else {
    tally.yield
  }
  return
}

// -----

func.func @callee_unknown(%x: index) {
  // expected-error @below {{'tally.invoke_subgraph' op calls 'nobody', which is not a function of this module}}
  tally.invoke_subgraph @nobody(%x) : (index) -> ()
  return
}

// -----

func.func private @callee(index) -> index
func.func @callee_arguments(%x: tensor<?xf32>) -> index {
  // expected-error @below {{'tally.invoke_subgraph' op passes ('tensor<?xf32>') to 'callee', which takes ('index')}}
  %r = tally.invoke_subgraph @callee(%x) : (tensor<?xf32>) -> index
  return %r : index
}

// -----

func.func private @callee(index) -> index
func.func @callee_results(%x: index) -> i64 {
  // expected-error @below {{'tally.invoke_subgraph' op expects ('i64') from 'callee', which returns ('index')}}
  %r = tally.invoke_subgraph @callee(%x) : (index) -> i64
  return %r : i64
}

// -----

func.func @count_of_what(%x: tensor<4xcomplex<f32>>, %b: tensor<2xi64>) {
  // expected-error @below {{'tally.count_nonzero' op looks at numbers only, not at 'tensor<4xcomplex<f32>>'}}
  %r = tally.count_nonzero ins(%x : tensor<4xcomplex<f32>>) outs(%b : tensor<2xi64>) tile 1024 -> tensor<2xi64>
  return
}

// -----

func.func @count_in_what(%x: tensor<4xf32>, %b: tensor<2xi32>) {
  // expected-error @below {{'tally.count_nonzero' op counts in one dimension of i64, not in 'tensor<2xi32>'}}
  %r = tally.count_nonzero ins(%x : tensor<4xf32>) outs(%b : tensor<2xi32>) tile 1024 -> tensor<2xi32>
  return
}

// -----

func.func @count_tile(%x: tensor<4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{'tally.count_nonzero' op needs tiles of a multiple of 32 elements, at most 65536, not of 100}}
  %r = tally.count_nonzero ins(%x : tensor<4xf32>) outs(%b : tensor<2xi64>) tile 100 -> tensor<2xi64>
  return
}

// -----

func.func @write_columns(%x: tensor<4xf32>, %b: tensor<2xi64>, %r: tensor<?x2xi64>) {
  // expected-error @below {{'tally.write_nonzero' op writes rows of 1 i64, not to 'tensor<?x2xi64>'}}
  %0 = tally.write_nonzero ins(%x, %b : tensor<4xf32>, tensor<2xi64>) outs(%r : tensor<?x2xi64>) tile 1024 -> tensor<?x2xi64>
  return
}

// -----

func.func @binds_float_to_int(%t: tensor<i64>) attributes {tally.symbols = #tally.symbols<zuf0 : unbacked float>} {
  // expected-error @below {{'tally.item' op binds 'zuf0', which is declared as float, to a value of type 'i64'}}
  %r = tally.item %t : tensor<i64> bind #tally.bindings<zuf0 = result(0)>
  return
}

// -----

func.func @binds_int_to_float(%t: tensor<f32>) attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  // expected-error @below {{'tally.item' op binds 'u0', which is declared as int, to a value of type 'f32'}}
  %r = tally.item %t : tensor<f32> bind #tally.bindings<u0 = result(0)>
  return
}

// -----

func.func @binds_bool_to_int(%t: tensor<i64>) attributes {tally.symbols = #tally.symbols<b0 : unbacked bool>} {
  // expected-error @below {{'tally.item' op binds 'b0', which is declared as bool, to a value of type 'i64'}}
  %r = tally.item %t : tensor<i64> bind #tally.bindings<b0 = result(0)>
  return
}

// -----

func.func @binds_float_to_size(%t: tensor<?xi1>) attributes {tally.symbols = #tally.symbols<zuf0 : unbacked float>} {
  // expected-error @below {{'tally.nonzero' op binds 'zuf0', which is declared as float, to the size of a 'tensor<?x1xi64>'}}
  %r = tally.nonzero %t : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<zuf0 = result(0).size(0)>
  return
}

// -----

func.func @divides_float(%t: tensor<f32>) attributes {tally.symbols = #tally.symbols<zuf0 : unbacked float>} {
  // expected-error @below {{'tally.item' op divides the value of 'zuf0', which is no integer}}
  %r = tally.item %t : tensor<f32> bind #tally.bindings<zuf0 = result(0) / 2>
  return
}

// -----

func.func @size_without_type() attributes {tally.symbols = #tally.symbols<s0>} {
  // expected-error @+2 {{expected ': type'}}
  %n = tally.size #tally.expr<s0>
  return
}
