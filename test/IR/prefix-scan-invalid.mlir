// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @mixed(%x: tensor<?xf32>, %y: memref<?xf32>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op needs operands that are all tensors, or all memrefs}}
  tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : memref<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  }
  return
}

// -----

func.func @dimension(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op scans along dimension 1 of 'tensor<?xf32>'}}
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f32) dim 1 {
  ^bb0(%i: index, %a: f32):
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<?xf32>
  return
}

// -----

func.func @ranks(%x: tensor<?xf32>, %y: tensor<?x?xf32>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op has operands of different sizes}}
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?x?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<?x?xf32>
  return
}

// -----

func.func @sizes(%x: tensor<4xf32>, %y: tensor<5xf32>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op has operands of different sizes}}
  %r = tally.prefix_scan ins(%x : tensor<4xf32>) outs(%y : tensor<5xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<5xf32>
  return
}

// -----

func.func @no_result(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op needs one result for each destination that is a tensor, of its type}}
  tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  }
  return
}

// -----

func.func @result_of_buffer(%x: memref<?xf32>, %y: memref<?xf32>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op needs one result for each destination that is a tensor, of its type}}
  %r = tally.prefix_scan ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<?xf32>
  return
}

// -----

func.func @arguments(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op needs arguments of types 'index', 'f32' in its region}}
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%a: f32):
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<?xf32>
  return
}

// -----

func.func @yielded(%x: tensor<?xf32>, %y: tensor<?xf64>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op must end its region with 'tally.yield' of 'f64'}}
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf64>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<?xf64>
  return
}

// -----

func.func @nothing(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op needs one 'tally.accumulate' in its body}}
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    %s = arith.negf %a : f32
    tally.yield %s : f32
  } -> tensor<?xf32>
  return
}

// -----

func.func @starts(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f64) {
  // expected-error @below {{'tally.prefix_scan' op accumulates 'f32', but starts with 'f64'}}
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f64) dim 0 {
  ^bb0(%i: index, %a: f32):
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<?xf32>
  return
}

// -----

func.func @no_inputs(%y: tensor<?xf32>, %zero: f32) {
  // expected-error @below {{'tally.prefix_scan' op needs inputs, destinations and accumulators}}
  %r = "tally.prefix_scan"(%y, %zero) <{dim = 0 : i64, operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: index):
    %a = arith.constant 1.0 : f32
    "tally.yield"(%a) : (f32) -> ()
  }) : (tensor<?xf32>, f32) -> tensor<?xf32>
  return
}

// -----

func.func @effects(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f32) {
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    %yes = arith.constant true
    // expected-error @below {{'tally.assert' op has effects, or is not on scalars, in a region of 'tally.prefix_scan'}}
    tally.assert %yes message("never")
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<?xf32>
  return
}

// -----

func.func @combine_arguments(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f32) {
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    // expected-error @below {{'tally.accumulate' op needs arguments of types 'f32', 'f32' in its region}}
    %s = tally.accumulate %a : f32 {
    ^bb0(%n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<?xf32>
  return
}

// -----

func.func @combine_yields(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f32) {
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    // expected-error @below {{'tally.accumulate' op must end its region with 'tally.yield' of 'f32'}}
    %s = tally.accumulate %a : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %l, %n : f32, f32
    }
    tally.yield %s : f32
  } -> tensor<?xf32>
  return
}

// -----

func.func @outside(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f32) {
  // expected-note @below {{required by region isolation constraints}}
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    // expected-error @below {{'arith.addf' op using value defined outside the region}}
    %b = arith.addf %a, %zero : f32
    %s = tally.accumulate %b : f32 {
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }
    tally.yield %s : f32
  } -> tensor<?xf32>
  return
}

// -----

func.func @alone(%a: f32) {
  // expected-error @below {{'tally.accumulate' op expects parent op 'tally.prefix_scan'}}
  %s = tally.accumulate %a : f32 {
  ^bb0(%l: f32, %n: f32):
    tally.yield %n : f32
  }
  return
}

// -----

func.func @types(%x: tensor<?xf32>, %y: tensor<?xf32>, %zero: f32) {
  %r = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) starts(%zero : f32) dim 0 {
  ^bb0(%i: index, %a: f32):
    // expected-error @below {{'tally.accumulate' op failed to verify that accumulators have the types of the values}}
    %s = "tally.accumulate"(%a) ({
    ^bb0(%l: f32, %n: f32):
      tally.yield %n : f32
    }) : (f32) -> f64
    tally.yield %a : f32
  } -> tensor<?xf32>
  return
}
