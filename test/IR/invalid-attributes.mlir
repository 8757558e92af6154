// RUN: tally-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Expressions and shapes
//===----------------------------------------------------------------------===//

// expected-error @below {{in expression 's0 +': expected an expression}}
func.func @operand_missing(%x: index {tally.value = #tally.expr<s0 +>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{in expression 's0 s1': }}
func.func @operator_missing(%x: index {tally.value = #tally.expr<s0 s1>}) attributes {tally.symbols = #tally.symbols<s0, s1>} { return }

// -----

// expected-error @below {{expected an expression}}
func.func @empty(%x: index {tally.value = #tally.expr<>}) { return }

// -----

// expected-error @below {{in expression 's0 < 2 + true': expected a number, found a boolean}}
func.func @types(%x: index {tally.value = #tally.expr<"s0 < 2 + true">}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{unexpected text ', s1'}}
func.func @two_expressions(%x: index {tally.value = #tally.expr<s0, s1>}) attributes {tally.symbols = #tally.symbols<s0, s1>} { return }

// -----

// expected-error @below {{in expression 's0 **': }}
func.func @shape_text(%x: tensor<?xf32> {tally.shape = #tally.shape<s0 **>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{expected an expression after ','}}
func.func @shape_comma(%x: tensor<?xf32> {tally.shape = #tally.shape<s0,>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{'tally.shape' of argument 1 has 1 sizes for a tensor of rank 2}}
func.func @shape_rank(%x: tensor<?xf32>, %y: tensor<?x?xf32> {tally.shape = #tally.shape<s0>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{'tally.shape' of result 0 has 2 sizes for a tensor of rank 1}}
func.func private @shape_rank_result() -> (tensor<?xf32> {tally.shape = #tally.shape<s0, s0>}) attributes {tally.symbols = #tally.symbols<s0>}

// -----

// expected-error @below {{'tally.shape' of argument 0 needs a ranked tensor, not 'index'}}
func.func @shape_type(%x: index {tally.shape = #tally.shape<s0>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{'tally.shape' of argument 0 must be a #tally.shape}}
func.func @shape_attribute(%x: tensor<?xf32> {tally.shape = "s0"}) { return }

// -----

// expected-error @below {{unknown symbol 's1' in argument 0; declared are 's0'}}
func.func @shape_unknown(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s0 + s1>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{unknown symbol 's0' in argument 0: the function has no 'tally.symbols' table}}
func.func @shape_no_table(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}) { return }

//===----------------------------------------------------------------------===//
// The other attributes of arguments and results
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{'tally.value' of argument 0 must be a #tally.expr on a scalar}}
func.func @value_tensor(%x: tensor<?xf32> {tally.value = #tally.expr<s0>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{'tally.value' of argument 0 must be a #tally.expr on a scalar}}
func.func @value_attribute(%x: index {tally.value = 3 : i64}) { return }

// -----

// expected-error @below {{'tally.value' of argument 0 must be a #tally.expr on a scalar of at most 64 bits, or on a tensor of rank 0}}
func.func @value_wide(%x: i128 {tally.value = #tally.expr<s0>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{'tally.value' of argument 0: a 'f32' cannot be the integer 's0'}}
func.func @value_int_of_float(%x: f32 {tally.value = #tally.expr<s0>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{'tally.value' of argument 0: a 'tensor<i64>' cannot be the float 'zf0'}}
func.func @value_float_of_int(%x: tensor<i64> {tally.value = #tally.expr<zf0>}) attributes {tally.symbols = #tally.symbols<zf0 : float>} { return }

// -----

// expected-error @below {{'tally.value' of argument 0: a 'i64' cannot be the boolean 'b0'}}
func.func @value_bool_of_int(%x: i64 {tally.value = #tally.expr<b0>}) attributes {tally.symbols = #tally.symbols<b0 : bool>} { return }

// -----

// expected-error @below {{in expression 'b0 + 1' of argument 0: expected a number, found a boolean}}
func.func @value_types(%x: i64 {tally.value = #tally.expr<b0 + 1>}) attributes {tally.symbols = #tally.symbols<b0 : bool>} { return }

// -----

// expected-error @below {{'tally.shape' of argument 0 has 'b0' as a size, which is no integer}}
func.func @shape_of_bool(%x: tensor<?xf32> {tally.shape = #tally.shape<b0>}) attributes {tally.symbols = #tally.symbols<b0 : bool>} { return }

// -----

// expected-error @below {{unknown symbol 's7' in argument 0; declared are 's0'}}
func.func @value_unknown(%x: index {tally.value = #tally.expr<s7>}) attributes {tally.symbols = #tally.symbols<s0>} { return }

// -----

// expected-error @below {{'tally.name' of argument 0 must be a string}}
func.func @name(%x: index {tally.name = 3 : i64}) { return }

// -----

// expected-error @below {{'tally.mutates' of result 0 must be the number of an argument}}
func.func private @mutates(%x: tensor<?xf32>) -> (tensor<?xf32> {tally.mutates = 1 : i64})

// -----

// expected-error @below {{'tally.mutates' of result 0: argument 0 has another type}}
func.func private @mutates_type(%x: tensor<?xf32>) -> (tensor<?x?xf32> {tally.mutates = 0 : i64})

//===----------------------------------------------------------------------===//
// Hidden arguments
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{'tally.hidden' of argument 1: expected a #tally.path to the stride or the storage_offset of a tensor argument}}
func.func @hidden_attribute(%x: tensor<?xf32>, %n: index {tally.hidden}) { return }

// -----

// expected-error @below {{'tally.hidden' of argument 1: expected a #tally.path to the stride or the storage_offset of a tensor argument}}
func.func @hidden_size(%x: tensor<?xf32>, %n: index {tally.hidden = #tally.path<argument(0).size(0)>}) { return }

// -----

// expected-error @below {{'tally.hidden' of argument 1: needs an index, not 'i64'}}
func.func @hidden_type(%x: tensor<?xf32>, %n: i64 {tally.hidden = #tally.path<argument(0).stride(0)>}) { return }

// -----

// expected-error @below {{'tally.hidden' of argument 1: argument 2 is no ranked tensor}}
func.func @hidden_of_nothing(%x: tensor<?xf32>, %n: index {tally.hidden = #tally.path<argument(2).stride(0)>}) { return }

// -----

// expected-error @below {{'tally.hidden' of argument 2: argument 1 is no ranked tensor}}
func.func @hidden_of_scalar(%x: tensor<?xf32>, %i: i64, %n: index {tally.hidden = #tally.path<argument(1).storage_offset>}) { return }

// -----

// expected-error @below {{'tally.hidden' of argument 1: argument 0 has no dimension 1}}
func.func @hidden_dim(%x: tensor<?xf32>, %n: index {tally.hidden = #tally.path<argument(0).stride(1)>}) { return }

// -----

// expected-error @below {{'tally.hidden' of argument 1: argument 2 is not hidden, and stands behind it; move hidden arguments to the end}}
func.func @hidden_first(%x: tensor<?xf32>, %n: index {tally.hidden = #tally.path<argument(0).stride(0)>}, %m: index) { return }

// -----

// expected-error @below {{'tally.hidden' of argument 1: the argument cannot have 'tally.unsigned' as well}}
func.func @hidden_unsigned(%x: tensor<?xf32>, %n: index {tally.hidden = #tally.path<argument(0).stride(0)>, tally.unsigned}) { return }

// -----

// expected-error @below {{'tally.hidden' of argument 1: only the entry of a public function fills it; pass an ordinary index to a private one}}
func.func private @hidden_private(%x: tensor<?xf32>, %n: index {tally.hidden = #tally.path<argument(0).stride(0)>}) { return }

// -----

// expected-error @below {{expected a key path, such as 'argument(0).size(1)'}}
func.func @hidden_path(%x: tensor<?xf32>, %n: index {tally.hidden = #tally.path<result(0).stride(0)>}) { return }

// -----

// expected-error @below {{unknown step 'strides' in a key path: one of 'size', 'stride', 'storage_offset'}}
func.func @hidden_step(%x: tensor<?xf32>, %n: index {tally.hidden = #tally.path<argument(0).strides(0)>}) { return }

// -----

// expected-error @below {{unexpected text '/ 2'}}
func.func @hidden_divided(%x: tensor<?xf32>, %n: index {tally.hidden = #tally.path<argument(0).stride(0) / 2>}) { return }

//===----------------------------------------------------------------------===//
// The size table
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{'tally.symbols' belongs on a function}}
module attributes {tally.symbols = #tally.symbols<s0>} {}

// -----

// expected-error @below {{'tally.symbols' must be a #tally.symbols}}
func.func @table() attributes {tally.symbols = "s0"} { return }

// -----

// expected-error @below {{symbol 's0' is declared twice}}
func.func @twice() attributes {tally.symbols = #tally.symbols<s0, s1, s0 : [0, 4]>} { return }

// -----

// expected-error @below {{'mod' cannot name a symbol}}
func.func @keyword() attributes {tally.symbols = #tally.symbols<mod>} { return }

// -----

func.func @keyword_bound(%t: tensor<1xi64>) -> i64 {
  // expected-error @below {{'mod' cannot name a symbol}}
  %i = tally.item %t : tensor<1xi64> bind #tally.bindings<mod = result(0)>
  return %i : i64
}

// -----

// expected-error @below {{the range of symbol 's0' is empty: [4, 3]}}
func.func @range() attributes {tally.symbols = #tally.symbols<s0 : [4, 3]>} { return }

// -----

// expected-error @below {{the divisor of symbol 's0' must be at least 1, not 0}}
func.func @divisor() attributes {tally.symbols = #tally.symbols<s0 : % 0>} { return }

// -----

// expected-error @below {{symbol 'b0' is a bool: only integers have a range or a divisor}}
func.func @bool_range() attributes {tally.symbols = #tally.symbols<b0 : bool [0, 1]>} { return }

// -----

// expected-error @below {{expected a property of the symbol: 'unbacked', 'float', 'bool', 'assumed', '[lo, hi]', '% n', 'hint n' or 'from "text"'}}
func.func @property() attributes {tally.symbols = #tally.symbols<s0 : positive>} { return }

// -----

// expected-error @below {{expected the name of a symbol}}
func.func @no_name() attributes {tally.symbols = #tally.symbols<s0, 4>} { return }

// -----

// expected-error @below {{expected ',' and the next symbol, or ':' and a property of 's0'}}
func.func @no_comma() attributes {tally.symbols = #tally.symbols<s0 s1>} { return }

// -----

// expected-error @below {{unbalanced '[' character in pretty dialect name}}
func.func @open_range() attributes {tally.symbols = #tally.symbols<s0 : [0, 4>} { return }

// -----

// expected-error @below {{expected an integer of at most 64 bits}}
func.func @big() attributes {tally.symbols = #tally.symbols<s0 : [0, 99999999999999999999]>} { return }

// -----

// expected-error @+1 {{unknown attribute 'tally.shpae' on argument 0; did you mean 'tally.shape'?}}
func.func @misspelled(%x: tensor<?xf32> {tally.shpae = #tally.shape<s0>}) {
  return
}

// -----

// expected-error @+1 {{unknown attribute 'tally.color' on an operation; there are 'tally.symbols', }}
func.func @unknown(%x: tensor<?xf32>) attributes {tally.color = 1} {
  return
}

// -----

// expected-error @+1 {{unknown attribute 'tally.value' on result 0; there are 'tally.shape', }}
func.func @result() -> (i64 {tally.value = #tally.expr<4>}) {
  %c4 = arith.constant 4 : i64
  return %c4 : i64
}

// -----

// expected-error @+1 {{'tally.name' of result 0 must be a string}}
func.func @name_of_a_result(%x: i64) -> (i64 {tally.name = 3}) {
  return %x : i64
}

// -----

// expected-error @+1 {{'tally.unsigned' of argument 0 must be a unit attribute}}
func.func @unsigned(%x: i64 {tally.unsigned = 3}) {
  return
}

// -----

func.func @checked(%x: i64) {
  // expected-error @+1 {{'tally.checked' must be a unit attribute, not 3}}
  %y = arith.addi %x, %x {tally.checked = 3} : i64
  return
}

// -----

// expected-error @+1 {{'tally.checked_by_callers' belongs on a private function: anybody may call another}}
func.func @checked_by_callers() attributes {tally.checked_by_callers} {
  return
}

// -----

// expected-error @+1 {{'tally.entry' must be a dictionary, as tally-describe-entries makes it}}
func.func @entry() attributes {tally.entry = 3} {
  return
}

// -----

func.func @entry_of_an_operation(%x: i64) {
  // expected-error @+1 {{'tally.entry' belongs on a function}}
  %y = arith.addi %x, %x {tally.entry = {arguments = [], results = []}} : i64
  return
}

// -----

func.func @status(%x: i64) {
  // expected-error @+1 {{'tally.status' belongs on a function or a call}}
  %y = arith.addi %x, %x {tally.status} : i64
  return
}

// -----

// expected-error @+1 {{'tally.custom' belongs on the declaration of a function}}
func.func @custom() attributes {tally.custom} {
  return
}

// -----

// expected-error @+1 {{'tally.dims' belongs on an operation in the body of a tally.kernel}}
func.func @dims_of_a_function() attributes {tally.dims = "x"} {
  return
}

// -----

func.func @loop(%n: index, %c: index) {
  // expected-error @+1 {{'tally.points' must be a positive integer, not 0}}
  scf.parallel (%i) = (%c) to (%n) step (%c) {
  } {tally.points = 0}
  return
}

// -----

func.func @no_loop(%x: i64) {
  // expected-error @+1 {{'tally.points' belongs on a loop}}
  %y = arith.addi %x, %x {tally.points = 3} : i64
  return
}

// -----

func.func @independent(%n: index) {
  // expected-error @+1 {{'tally.independent' must be a #llvm.loop_annotation, not 3}}
  scf.for %i = %n to %n step %n {
  } {tally.independent = 3}
  return
}

// -----

func.func @not_independent(%x: i64) {
  // expected-error @+1 {{'tally.independent' belongs on a loop, or on the branch that repeats it}}
  %y = arith.addi %x, %x {tally.independent = 3} : i64
  return
}

// -----

func.func @unchecked(%x: index) -> index {
  // expected-error @+1 {{'tally.unchecked' must be a unit attribute, not "no"}}
  %y = arith.addi %x, %x {tally.unchecked = "no"} : index
  return %y : index
}

// -----

// expected-error @+1 {{'tally.checked_by_callers' must be a unit attribute, not true}}
func.func private @callers(%x: index) -> index attributes {tally.checked_by_callers = true} {
  return %x : index
}

// -----

// expected-error @+1 {{'tally.status' must be a unit attribute, not 0}}
func.func @status() -> i32 attributes {tally.status = 0} {
  %c = arith.constant 0 : i32
  return %c : i32
}

// -----

// expected-error @+1 {{'tally.custom' must be a unit attribute, not "f"}}
func.func private @custom() attributes {tally.custom = "f"}

// -----

func.func @fallbacks(%n: index) -> index {
  // expected-error @+1 {{'tally.fallbacks' belongs on a tally.contract}}
  %a = arith.addi %n, %n {tally.fallbacks = [@a, @b]} : index
  return %a : index
}

// -----

func.func @no_fallback(%w: memref<4x4x1xf32>, %a: memref<4x4x4xf32>) {
  // expected-error @+1 {{'tally.fallbacks' must be one or two symbols, not []}}
  tally.contract ins(%w, %a : memref<4x4x1xf32>, memref<4x4x4xf32>) outs(%a : memref<4x4x4xf32>)
      maps [affine_map<(n, o, x, c, i) -> (o, c, i)>, affine_map<(n, o, x, c, i) -> (n, c, x + i)>,
            affine_map<(n, o, x, c, i) -> (n, o, x)>] {tally.fallbacks = []}
  return
}

// -----

func.func @initial_state() -> tensor<2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  return %zero : tensor<2xf32>
}
// expected-error @+1 {{'tally.state' of argument 0: expected a unit attribute, not 1}}
func.func @main(%kept: tensor<2xf32> {tally.state = 1}) attributes {tally.initial_state = @initial_state} {
  return
}

// -----

func.func @initial_state() -> tensor<?xf32> {
  %n = arith.constant 2 : index
  %zero = tensor.empty(%n) : tensor<?xf32>
  return %zero : tensor<?xf32>
}
// expected-error @+1 {{'tally.state' of argument 0: needs a tensor of fixed sizes, not 'tensor<?xf32>'}}
func.func @main(%kept: tensor<?xf32> {tally.state}) attributes {tally.initial_state = @initial_state} {
  return
}

// -----

// expected-error @+1 {{'tally.state' of argument 0: the function does not say what its first value is; name a function that returns it: 'tally.initial_state'}}
func.func @main(%kept: tensor<2xf32> {tally.state}) {
  return
}

// -----

func.func @initial_state() -> tensor<2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  return %zero : tensor<2xf32>
}
// expected-error @+1 {{'tally.state' of argument 0: argument 1 is the caller's, and stands behind it; move state behind the arguments of the caller}}
func.func @main(%kept: tensor<2xf32> {tally.state}, %x: f32) attributes {tally.initial_state = @initial_state} {
  return
}

// -----

func.func private @initial_state() -> tensor<2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  return %zero : tensor<2xf32>
}
// expected-error @+1 {{'tally.initial_state' must be a public function without arguments, which @initial_state is not}}
func.func @main(%kept: tensor<2xf32> {tally.state}) attributes {tally.initial_state = @initial_state} {
  return
}

// -----

// expected-error @+1 {{'tally.initial_state' must be a public function without arguments, which @missing is not}}
func.func @main(%kept: tensor<2xf32> {tally.state}) attributes {tally.initial_state = @missing} {
  return
}

// -----

// expected-error @+1 {{'tally.initial_state' must be a symbol, not "f"}}
func.func @main(%kept: tensor<2xf32> {tally.state}) attributes {tally.initial_state = "f"} {
  return
}

// -----

func.func @initial_state() -> tensor<2xf64> {
  %zero = arith.constant dense<0.0> : tensor<2xf64>
  return %zero : tensor<2xf64>
}
// expected-error @+1 {{'tally.initial_state' must return 'tensor<2xf32>', as the state is, and @initial_state returns 'tensor<2xf64>'}}
func.func @main(%kept: tensor<2xf32> {tally.state}) attributes {tally.initial_state = @initial_state} {
  return
}

// -----

func.func @initial_state() {
  return
}
// expected-error @+1 {{'tally.initial_state' is of no use: no argument has 'tally.state'}}
func.func @main(%kept: tensor<2xf32>) attributes {tally.initial_state = @initial_state} {
  return
}

// -----

func.func @initial_state() -> tensor<2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  return %zero : tensor<2xf32>
}
// expected-error @+1 {{'tally.initial_state' belongs on a public function: who calls another one passes its state}}
func.func private @inner(%kept: tensor<2xf32>) attributes {tally.initial_state = @initial_state} {
  return
}
