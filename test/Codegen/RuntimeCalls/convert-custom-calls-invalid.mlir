// RUN: tally-opt %s --tally-convert-custom-calls --split-input-file --verify-diagnostics

func.func @context() {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.custom_call_dps @f is_scalar []
  return
}

// -----

func.func @tensors(%ctx: !llvm.ptr, %x: tensor<?xf32>) {
  // expected-error @below {{is on tensors; bufferize it first}}
  tally.custom_call_dps @f ins(%x : tensor<?xf32>) is_scalar []
  return
}

// -----

func.func private @f(!llvm.ptr)
func.func @name(%ctx: !llvm.ptr) {
  // expected-error @below {{calls 'f', which is a name of this program already; custom functions need names of their own}}
  tally.custom_call_dps @f is_scalar []
  return
}
