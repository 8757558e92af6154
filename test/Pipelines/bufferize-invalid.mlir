// RUN: tally-opt %s --tally-bufferize --allow-unregistered-dialect --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'lab.interleave' op is on tensors, and bufferization does not know it: lower it before this pipeline, to operations of linalg, tensor or scf or to a 'tally.custom_call', or have it implement BufferizableOpInterface}}
  %r = "lab.interleave"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  // One of each name is enough.
  %s = "lab.interleave"(%r) : (tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

func.func @upstream(%x: tensor<?xi32>) -> tensor<?xf32> {
  // expected-error @below {{'tensor.bitcast' op is on tensors, and how MLIR bufferizes it is not registered: have mlir::registerAllDialects do it}}
  %r = tensor.bitcast %x : tensor<?xi32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
