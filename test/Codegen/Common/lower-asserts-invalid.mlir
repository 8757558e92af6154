// RUN: tally-opt %s --tally-lower-asserts --split-input-file --verify-diagnostics

func.func @structured(%ctx: !llvm.ptr, %p: i1, %ok: i1) {
  scf.if %p {
    // expected-error @below {{is inside of 'scf.if', which has not become branches; it cannot be lowered there}}
    tally.assert %ok message("no")
  }
  return
}

// -----

func.func @no_context() {
  %ok = arith.constant false
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.assert %ok message("no")
  return
}

// -----

func.func @other_argument(%ok: i1) {
  // expected-error @below {{needs the call context}}
  tally.assert %ok message("no")
  return
}
