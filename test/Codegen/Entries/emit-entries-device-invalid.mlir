// RUN: tally-opt %s --tally-emit-entries=device=tpu --verify-diagnostics

// RUN: not tally-opt %S/emit-entries-invalid.mlir --split-input-file --allow-unregistered-dialect --tally-emit-entries=device=cuda 2>&1 | FileCheck %s
// CHECK: cannot be compiled for the host code of the GPU

// expected-error @below {{unknown device 'tpu': cpu or cuda}}
module {}
