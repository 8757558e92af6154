// What upstream's canonicalization makes of a checked program is checked still.
// RUN: tally-opt %s --tally-check-pipeline=verify=true --split-input-file --allow-unregistered-dialect | FileCheck %s

// Behind the first assert the sum of the second cannot wrap around; what it
// says is known behind it.
// CHECK-LABEL: func.func @twice(
// CHECK-COUNT-2: tally.assert
// CHECK-NOT: tally.assert
func.func @twice(%t: tensor<?x?xf32>, %u: tensor<1x2xf32>, %i: index) -> tensor<?x?xf32> {
  %r = tensor.insert_slice %u into %t[%i, %i] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// What holds by construction of a value in a loop is known in every walk of it.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK: = scf.for
// CHECK: tally.assert
// CHECK-NOT: tally.assert
func.func @in_a_loop(%x: tensor<?xf32>, %y: tensor<4xf32>, %from: index, %to: index, %step: index) -> tensor<?xf32> {
  %r = scf.for %i = %from to %to step %step iter_args(%t = %x) -> (tensor<?xf32>) {
    %u = tensor.insert_slice %y into %t[%i] [4] [1] : tensor<4xf32> into tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @grows(
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<?xf32>)
func.func @grows(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%t = %start) -> (tensor<?xf32>) {
    %longer = "their.longer"(%t) : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %longer : tensor<?xf32>
  }
  return %end : tensor<?xf32>
}

// -----

// The static sizes that upstream finds follow from the asserts.
// CHECK-LABEL: func.func @pack(
// CHECK: tally.assert {{.*}} <s2 == 20>
// CHECK: tensor.cast {{.*}} : tensor<?x?x8xf32> to tensor<?x20x8xf32>
func.func @pack(%x: tensor<?x20xf32>, %o: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %r = linalg.pack %x inner_dims_pos = [0] inner_tiles = [8] into %o : tensor<?x20xf32> -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// -----

// CHECK-LABEL: func.func @unranked(
// CHECK: tally.assert %{{.*}}, <arg0_size_0 == arg1_size_0>
func.func @unranked(%x: tensor<*xf32>, %y: tensor<*xf32>) -> tensor<*xf32> {
  %0 = tensor.cast %x : tensor<*xf32> to tensor<?xf32>
  %1 = tensor.cast %y : tensor<*xf32> to tensor<?xf32>
  %2 = linalg.add ins(%0, %1 : tensor<?xf32>, tensor<?xf32>) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  %3 = tensor.cast %2 : tensor<?xf32> to tensor<*xf32>
  return %3 : tensor<*xf32>
}

// -----

// The body of an operation of another dialect that is code like any has checks.
// CHECK-LABEL: func.func @assuming(
// CHECK: shape.assuming
// CHECK:   tally.assert {{.*}} required_by("arith.addf")
// CHECK:   arith.addf
func.func @assuming(%x: tensor<?xf32>, %w: !shape.witness) -> tensor<?xf32> {
  %r = shape.assuming %w -> (tensor<?xf32>) {
    %y = "their.tensor"() : () -> tensor<?xf32>
    %sum = arith.addf %x, %y : tensor<?xf32>
    shape.assuming_yield %sum : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// What an assert says of a size is no type of what stands before the assert:
// there 64 elements would be written before anybody knows that there are 64.
// CHECK-LABEL: func.func @static_behind(
// CHECK:         linalg.exp {{.*}} -> tensor<?xf32>
// CHECK:         tally.assert %{{.*}}, <s0 == 64>
// CHECK:         linalg.add {{.*}} -> tensor<64xf32>
func.func @static_behind(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %i: index {tally.value = #tally.expr<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1 : [0, 1]>} {
  %z = arith.constant 0.0 : f32
  %n = tally.size <s0> : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  tally.check <s1 < s0>
  %first = tensor.extract %a[%i] : tensor<?xf32>
  %ok = arith.cmpf oge, %first, %z : f32
  tally.check <ok> (ok = %ok : i1)
  tally.check <s0 == 64>
  %m = tally.size <s0> : index
  %f = tensor.empty(%m) : tensor<?xf32>
  %b = linalg.add ins(%a, %a : tensor<?xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

// That the indices of an access have been checked is not forgotten with the cast
// that it looks through.
// CHECK-LABEL: func.func @checked_mark(
// CHECK:         tensor.extract %{{.*}} {tally.checked}
func.func @checked_mark(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %at: tensor<8xi64>) -> tensor<8xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [6, 6]>} {
  %n = tally.size <s0> : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %o = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : tensor<8xi64>) outs(%o : tensor<8xf32>) {
  ^bb0(%in: i64, %out: f32):
    %p = arith.index_cast %in : i64 to index
    %v = tensor.extract %a[%p] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
