// Checks, rows, branches and divisions in a loop that runs in one block of a
// GPU. The first seven rounds are right; behind a check that fails nothing is
// looked up any more.
// DEFINE: %{run} = tally-run %s --interpret=gpu --call-time
// RUN: %{run} --entry looks_up --input 'i64[4]=1,2,3,0' --input i64=7 --expect 'i64[4]=3,0,1,2' | FileCheck %s --check-prefix=UP
// RUN: not %{run} --entry looks_up --input 'i64[4]=1,2,4,0' --input i64=7 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: not %{run} --entry looks_up --input 'i64[4]=1,2,4,0' --input i64=7 --seed 5 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: %{run} --entry looks_up --input 'i64[4]=1,2,4,0' --input i64=0 --expect 'i64[4]=0,1,2,3'
// RUN: %{run} --entry divides --input 'i64[3,2]=1,2,3,4,5,6' --input i64=60 --expect 'i64[3]=20,8,5' | FileCheck %s --check-prefix=DIVIDES
// RUN: not %{run} --entry divides --input 'i64[3,2]=1,2,3,-3,5,6' --input i64=60 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: %{run} --entry divides --input 'i64[0,2]=' --input i64=60 --expect 'i64[0]='

// UP: launch: looks_up_while x 1
// OUT: check failed: {{.*}}in bounds
// DIVIDES: launch: divides_while x 1
// ZERO: check failed: {{.*}}integer division by zero

#scalar = affine_map<() -> ()>
#id = affine_map<(i) -> (i)>

// a[i] = a[x[i]], until a[0] and the number of rounds say so.
func.func @looks_up(%x: tensor<4xi64>, %most: tensor<i64>) -> tensor<4xi64> {
  %init = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %none = arith.constant dense<0> : tensor<i64>
  %r:2 = scf.while (%a = %init, %i = %none) : (tensor<4xi64>, tensor<i64>) -> (tensor<4xi64>, tensor<i64>) {
    %c0 = arith.constant 0 : index
    %first = tensor.extract %a[%c0] : tensor<4xi64>
    %ten = arith.constant 10 : i64
    %isLess = arith.cmpi slt, %first, %ten : i64
    %count = tensor.extract %i[] : tensor<i64>
    %m = tensor.extract %most[] : tensor<i64>
    %isBelow = arith.cmpi slt, %count, %m : i64
    %p = arith.andi %isLess, %isBelow : i1
    scf.condition(%p) %a, %i : tensor<4xi64>, tensor<i64>
  } do {
  ^bb0(%a: tensor<4xi64>, %i: tensor<i64>):
    %e = tensor.empty() : tensor<4xi64>
    %found = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : tensor<4xi64>) outs(%e : tensor<4xi64>) {
    ^bb0(%v: i64, %unused: i64):
      %at = arith.index_cast %v : i64 to index
      %c4 = arith.constant 4 : index
      %ok = arith.cmpi ult, %at, %c4 : index
      tally.assert %ok message("in bounds")
      %w = tensor.extract %a[%at] : tensor<4xi64>
      linalg.yield %w : i64
    } -> tensor<4xi64>
    %f = tensor.empty() : tensor<i64>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
        ins(%i : tensor<i64>) outs(%f : tensor<i64>) {
    ^bb0(%v: i64, %unused: i64):
      %one = arith.constant 1 : i64
      %w = arith.addi %v, %one : i64
      linalg.yield %w : i64
    } -> tensor<i64>
    scf.yield %found, %next : tensor<4xi64>, tensor<i64>
  }
  return %r#0 : tensor<4xi64>
}

// Rows are summed up, and the number is divided by each sum, once: a float
// counts.
func.func @divides(%x: tensor<?x2xi64>, %y: tensor<i64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xi64>
  %zero = arith.constant 0 : i64
  %e = tensor.empty(%n) : tensor<?xi64>
  %start = linalg.fill ins(%zero : i64) outs(%e : tensor<?xi64>) -> tensor<?xi64>
  %none = arith.constant dense<0.0> : tensor<f32>
  %r:2 = scf.while (%a = %start, %i = %none) : (tensor<?xi64>, tensor<f32>) -> (tensor<?xi64>, tensor<f32>) {
    %count = tensor.extract %i[] : tensor<f32>
    %one = arith.constant 1.0 : f32
    %p = arith.cmpf olt, %count, %one : f32
    scf.condition(%p) %a, %i : tensor<?xi64>, tensor<f32>
  } do {
  ^bb0(%a: tensor<?xi64>, %i: tensor<f32>):
    %f = tensor.empty(%n) : tensor<?xi64>
    %g = linalg.fill ins(%zero : i64) outs(%f : tensor<?xi64>) -> tensor<?xi64>
    %sums = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x2xi64>) outs(%g : tensor<?xi64>) {
    ^bb0(%v: i64, %s: i64):
      %t = arith.addi %s, %v : i64
      linalg.yield %t : i64
    } -> tensor<?xi64>
    %h = tensor.empty(%n) : tensor<?xi64>
    %parts = linalg.generic {indexing_maps = [#id, affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]}
        ins(%sums, %y : tensor<?xi64>, tensor<i64>) outs(%h : tensor<?xi64>) {
    ^bb0(%v: i64, %w: i64, %unused: i64):
      %q = arith.divsi %w, %v : i64
      linalg.yield %q : i64
    } -> tensor<?xi64>
    %k = tensor.empty() : tensor<f32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
        ins(%i : tensor<f32>) outs(%k : tensor<f32>) {
    ^bb0(%v: f32, %unused: f32):
      %step = arith.constant 1.0 : f32
      %w = arith.addf %v, %step : f32
      linalg.yield %w : f32
    } -> tensor<f32>
    scf.yield %parts, %next : tensor<?xi64>, tensor<f32>
  }
  return %r#0 : tensor<?xi64>
}
