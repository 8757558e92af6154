// RUN: tally-opt %s --allow-unregistered-dialect --tally-print-shapes -o /dev/null | FileCheck %s

// CHECK-LABEL: @loops
func.func @loops(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>},
                 %y: tensor<?xf32> {tally.shape = #tally.shape<s1>}, %n: index)
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // The first carry keeps its size, the second grows.
  // CHECK: %[[R:.*]]#0: [s0]
  // CHECK: %[[R]]#1: [dim(%[[R]]#1, 0)]
  // CHECK: %[[A:arg[0-9]+]]: [s0]
  // CHECK: %[[B:arg[0-9]+]]: [dim(%[[B]], 0)]
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xf32>, tensor<?xf32>) {
    // CHECK: %[[S:.*]]: [s0]
    %s = arith.addf %a, %x : tensor<?xf32>
    // CHECK: [s0 + dim(%[[B]], 0)]
    %g = tensor.concat dim(0) %s, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %s, %g : tensor<?xf32>, tensor<?xf32>
  }
  return
}

// What holds of the outer loop's carry is only known when the inner one has been
// walked, and depends on it.
// CHECK-LABEL: @nested
func.func @nested(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>},
                  %y: tensor<?xf32> {tally.shape = #tally.shape<s1>}, %n: index)
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // The two change places: neither is known.
  // CHECK: %[[R:.*]]#0: [dim(%[[R]]#0, 0)]
  // CHECK: %[[R]]#1: [dim(%[[R]]#1, 0)]
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?xf32>, tensor<?xf32>) {
    // The inner loop changes nothing.
    // CHECK: %[[Q:.*]]: [dim(%[[A:.*]], 0)]
    // CHECK: %{{.*}}: [dim(%[[A]], 0)]
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%k = %a) -> (tensor<?xf32>) {
      %s = math.exp %k : tensor<?xf32>
      scf.yield %s : tensor<?xf32>
    }
    scf.yield %b, %q : tensor<?xf32>, tensor<?xf32>
  }
  return
}

// CHECK-LABEL: @branches
func.func @branches(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>},
                    %y: tensor<?xf32> {tally.shape = #tally.shape<s1>}, %p: i1)
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  // CHECK: %[[R:.*]]#0: [s0]
  // CHECK: %[[R]]#1: [dim(%[[R]]#1, 0)]
  %r:2 = scf.if %p -> (tensor<?xf32>, tensor<?xf32>) {
    %a = math.exp %x : tensor<?xf32>
    scf.yield %a, %x : tensor<?xf32>, tensor<?xf32>
  } else {
    scf.yield %x, %y : tensor<?xf32>, tensor<?xf32>
  }
  // CHECK: %[[C:.*]]#0: [u0]
  // CHECK: %[[C]]#1: [s0]
  %c:2 = tally.cond %p(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) bind #tally.bindings<u0 = result(0).size(0)> {
  ^bb0(%a: tensor<?xf32>):
    tally.yield %a, %a : tensor<?xf32>, tensor<?xf32>
  } else {
  ^bb0(%a: tensor<?xf32>):
    %b = tensor.concat dim(0) %a, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tally.yield %b, %a : tensor<?xf32>, tensor<?xf32>
  }
  return
}

// CHECK-LABEL: @while
func.func @while(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %n: index)
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  // CHECK: %[[R:.*]]#0: [s0]
  %r:2 = scf.while (%a = %x, %i = %n) : (tensor<?xf32>, index) -> (tensor<?xf32>, index) {
    %p = arith.cmpi sgt, %i, %c0 : index
    scf.condition(%p) %a, %i : tensor<?xf32>, index
  } do {
  ^bb0(%a: tensor<?xf32>, %i: index):
    %e = math.exp %a : tensor<?xf32>
    %j = arith.subi %i, %c1 : index
    scf.yield %e, %j : tensor<?xf32>, index
  }
  // CHECK: %[[F:.*]]: [s0]
  %f = scf.forall (%i) in (%n) shared_outs(%o = %r#0) -> (tensor<?xf32>) {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return
}

// The size of a value that was made in an earlier iteration is not that of this one.
// CHECK-LABEL: @definitions
func.func @definitions(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %n: index)
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%c0) : tensor<?x1xi64>
  // CHECK: %[[R:.*]]: [dim(%[[R]], 0), 1]
  // CHECK: %[[A:arg[0-9]+]]: [dim(%[[A]], 0), 1]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> (tensor<?x1xi64>) {
    // CHECK: [u0, 1]
    %nz = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
    // CHECK: arith.addi needs u0 == dim(%[[A]], 0)
    %s = arith.addi %nz, %a : tensor<?x1xi64>
    scf.yield %nz : tensor<?x1xi64>
  }
  return
}

// What an assert gives is what it guards.
// CHECK-LABEL: @guarded
func.func @guarded(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %ok: i1)
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %g = tally.assert %ok message("no") guards(%d : index)
  // CHECK: [s0]
  %e = tensor.empty(%g) : tensor<?xf32>
  return
}
