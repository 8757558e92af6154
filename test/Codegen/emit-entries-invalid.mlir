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
