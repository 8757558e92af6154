// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline)' | FileCheck %s

// What loops and branches give has no source but the operation: its name, and
// the number of the result.

// CHECK-LABEL: func.func @named_by_operation
// CHECK:         <2 * loop_carried_size_0 <= 9223372036854775807>
// CHECK:         <scf_if_y_size_0 == scf_while_1_size_0> {{.*}} sources({scf_if_y_size_0 = "scf.if(y).size(0)", scf_while_1_size_0 = "scf.while(...)#1.size(0)"}) required_by("linalg.add")
// CHECK-NOT:     d0
func.func @named_by_operation(%n: index, %t: tensor<?xf32>, %y: i1 {tally.name = "y"}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %a = %t) : (index, tensor<?xf32>) -> (index, tensor<?xf32>) {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i, %a : index, tensor<?xf32>
  } do {
  ^bb0(%j: index, %b: tensor<?xf32>):
    %q = arith.addi %j, %c1 : index
    %u = tensor.concat dim(0) %b, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %q, %u : index, tensor<?xf32>
  }
  %s = scf.if %y -> tensor<?xf32> {
    scf.yield %r#1 : tensor<?xf32>
  } else {
    scf.yield %t : tensor<?xf32>
  }
  %o = linalg.add ins(%s, %r#1: tensor<?xf32>, tensor<?xf32>) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  return %o : tensor<?xf32>
}
