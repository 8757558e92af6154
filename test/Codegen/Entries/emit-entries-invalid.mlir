// RUN: tally-opt %s --tally-emit-entries --verify-diagnostics --split-input-file --allow-unregistered-dialect

llvm.func @main(%ctx: !llvm.ptr, %n: i64) -> i64 {
  // expected-error @below {{cannot be compiled for the CPU}}
  %r = arith.addi %n, %n : i64
  llvm.return %r : i64
}

// -----

llvm.func @unknown(%ctx: !llvm.ptr) {
  // expected-error @below {{cannot be compiled for the CPU}}
  "their.op"() : () -> ()
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
