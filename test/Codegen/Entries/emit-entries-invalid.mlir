// RUN: tally-opt %s --tally-emit-entries --verify-diagnostics --split-input-file --allow-unregistered-dialect

llvm.func @main(%ctx: !llvm.ptr, %n: i64) -> i64 {
  // expected-error @below {{cannot be compiled for the CPU}}
  %r = arith.addi %n, %n : i64
  llvm.return %r : i64
}

// -----

llvm.func @unknown(%ctx: !llvm.ptr) {
  // expected-error @below {{'their.op' op cannot be compiled for the CPU: a pass has to lower it before}}
  "their.op"() : () -> ()
  llvm.return
}

// -----

// The operation is told, not the cast of what it takes.
llvm.func @cast(%ctx: !llvm.ptr, %n: i64) {
  %i = builtin.unrealized_conversion_cast %n : i64 to index
  // expected-error @below {{'their.op' op cannot be compiled for the CPU: a pass has to lower it before}}
  "their.op"(%i) : (index) -> ()
  llvm.return
}

// -----

// expected-error @below {{'tally.entry' is not what tally-describe-entries makes}}
llvm.func @empty(%ctx: !llvm.ptr) -> i32 attributes {tally.entry = {}} {
  %r = llvm.mlir.constant(0 : i32) : i32
  llvm.return %r : i32
}

// -----

// expected-error @below {{'tally.entry' is not what tally-describe-entries makes}}
llvm.func @untyped(%ctx: !llvm.ptr) -> i32 attributes {tally.entry = {arguments = [{name = "x"}], results = []}} {
  %r = llvm.mlir.constant(0 : i32) : i32
  llvm.return %r : i32
}

// -----

// expected-error @below {{'tally.entry' is not what tally-describe-entries makes}}
llvm.func @hidden(%ctx: !llvm.ptr, %n: i64) -> i32 attributes {tally.entry = {
    arguments = [{name = "n", type = index, shape = [], hidden = array<i64: 0>}], results = []}} {
  %r = llvm.mlir.constant(0 : i32) : i32
  llvm.return %r : i32
}

// -----

// expected-error @below {{'tally.entry' is not what tally-describe-entries makes}}
llvm.func @hidden_by_name(%ctx: !llvm.ptr, %n: i64) -> i32 attributes {tally.entry = {
    arguments = [{name = "n", type = index, shape = [], hidden = "x"}], results = []}} {
  %r = llvm.mlir.constant(0 : i32) : i32
  llvm.return %r : i32
}
