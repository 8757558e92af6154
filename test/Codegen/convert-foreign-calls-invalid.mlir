// RUN: tally-opt %s --tally-convert-foreign-calls --split-input-file --verify-diagnostics

func.func @context() {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.foreign_call @f is_number []
  return
}

// -----

func.func @tensors(%ctx: !llvm.ptr, %x: tensor<?xf32>) {
  // expected-error @below {{is on tensors; bufferize it first}}
  tally.foreign_call @f ins(%x : tensor<?xf32>) is_number []
  return
}

// -----

func.func private @f(!llvm.ptr)
func.func @name(%ctx: !llvm.ptr) {
  // expected-error @below {{calls 'f', which is a name of this program already; foreign functions need names of their own}}
  tally.foreign_call @f is_number []
  return
}
