// RUN: tally-opt %s --tally-lower-device-asserts --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @loop(%ok: i1) kernel {
    scf.if %ok {
      // expected-error @below {{is inside of 'scf.if', which has not become branches; it cannot be lowered there}}
      tally.assert %ok message("")
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @helper(%ok: i1) {
    // expected-error @below {{is inside of 'gpu.func' that is no kernel; inline it first}}
    tally.assert %ok message("")
    gpu.return
  }
}
