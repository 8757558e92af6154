// RUN: tally-opt %s --tally-lower-asserts --split-input-file --verify-diagnostics

func.func @structured(%ctx: !llvm.ptr, %p: i1, %ok: i1) {
  scf.if %p {
    // expected-error @below {{is inside of 'scf.if', which has not become branches; it cannot be lowered there}}
    tally.assert %ok message("no")
  }
  return
}
