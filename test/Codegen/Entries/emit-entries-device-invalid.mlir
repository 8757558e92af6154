// RUN: tally-opt %s --tally-emit-entries=device=tpu --verify-diagnostics

// expected-error @below {{unknown device 'tpu': cpu or cuda}}
module {}
