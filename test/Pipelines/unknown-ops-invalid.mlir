// An operation that nobody has lowered is told so where it stands, and how to mend it.
// RUN: tally-test-opt %s --tally-cpu-pipeline --verify-diagnostics
// RUN: tally-test-opt %s --tally-gpu-pipeline --verify-diagnostics

func.func @of_a_guest(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'test_hop.append' op is on tensors, and bufferization does not know it: lower it before this pipeline, to operations of linalg, tensor or scf or to a 'tally.custom_call', or have it implement BufferizableOpInterface}}
  %p = test_hop.append %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %p : tensor<?xf32>
}
