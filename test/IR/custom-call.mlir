// RUN: tally-opt %s | tally-opt | FileCheck %s
// RUN: tally-opt %s --mlir-print-op-generic | tally-opt | FileCheck %s

// CHECK-LABEL: func.func @named
// CHECK: %{{.*}}:3 = tally.custom_call @f(%{{.*}}, %{{.*}}) bounds(%{{.*}}, %{{.*}}) : (tensor<?xf32>, i1) -> (tensor<?x4xf16>, index, tensor<?xi1>) bind #tally.bindings<u0 = result(0).size(0), u1 = result(1)>
func.func @named(%x: tensor<?xf32>, %b: i1, %n: index) -> tensor<?x4xf16>
    attributes {tally.symbols = #tally.symbols<u0 : unbacked, u1 : unbacked>} {
  %y, %m, %z = tally.custom_call @f(%x, %b) bounds(%n, %n) : (tensor<?xf32>, i1) -> (tensor<?x4xf16>, index, tensor<?xi1>)
      bind #tally.bindings<u0 = result(0).size(0), u1 = result(1)>
  return %y : tensor<?x4xf16>
}

// CHECK-LABEL: func.func @pure
// CHECK: tally.custom_call @g() pure {note = 1 : i64} : () -> f64
func.func @pure() -> f64 {
  %y = tally.custom_call @g() pure {note = 1} : () -> f64
  return %y : f64
}

// CHECK-LABEL: func.func @custom
// CHECK: tally.custom_call_dps @f ins(%{{.*}}, %{{.*}} : tensor<?xf32>, i1) outs(%{{.*}} : tensor<?xf32>) is_scalar [false, true] pure -> (tensor<?xf32>) sizes(index) scalars(i64)
// CHECK: tally.custom_call_dps @g is_scalar []
func.func @custom(%x: tensor<?xf32>, %b: i1) -> index {
  %y, %s, %n = tally.custom_call_dps @f ins(%x, %b : tensor<?xf32>, i1) outs(%x : tensor<?xf32>) is_scalar [false, true] pure
      -> (tensor<?xf32>) sizes(index) scalars(i64)
  tally.custom_call_dps @g is_scalar []
  return %s : index
}
