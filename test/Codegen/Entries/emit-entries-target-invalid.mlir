// RUN: tally-opt %s --tally-emit-entries=target=tpu --verify-diagnostics

// RUN: not tally-opt %S/emit-entries-invalid.mlir --split-input-file --allow-unregistered-dialect --tally-emit-entries=target=cuda 2>&1 | FileCheck %s
// CHECK: cannot be compiled for the host code of the GPU

// expected-error @below {{unknown target 'tpu': cpu or cuda}}
module {}
