// Integer division by zero is an error, the smallest number by -1 wraps.
// RUN: tally-run %s --input i8[4]=-128,7,-7,7 --input i8[4]=-1,2,2,-2 | FileCheck %s
// RUN: not tally-run %s --input i8[2]=1,2 --input i8[2]=1,0 2>&1 | FileCheck %s --check-prefix=ZERO

// CHECK: [-128    3   -4   -4]
// CHECK: [ 0  1 -1  1]
// ZERO: check failed: {{.*}}integer division by zero
func.func @main(%x: tensor<?xi8>, %y: tensor<?xi8>) -> (tensor<?xi8>, tensor<?xi8>) {
  %q = linalg.map { arith.floordivsi } ins(%x, %y : tensor<?xi8>, tensor<?xi8>) outs(%x : tensor<?xi8>)
  %r = linalg.map { arith.remsi } ins(%x, %y : tensor<?xi8>, tensor<?xi8>) outs(%x : tensor<?xi8>)
  return %q, %r : tensor<?xi8>, tensor<?xi8>
}
