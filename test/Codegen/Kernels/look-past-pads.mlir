// RUN: tally-opt %s --tally-look-past-pads --canonicalize --split-input-file | FileCheck %s

// A lookup is of the tensor itself, where it has the element, also within loops. Nothing is asked along a dimension that
// has the same size.
// CHECK-LABEL: func.func @search(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>, %{{[^:]*}}: index, %[[N:[^:]*]]: index,
// CHECK-NOT: tensor.insert_slice
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %[[N]]
// CHECK: scf.if %[[IN]] -> (f32)
// CHECK-NEXT: tensor.extract %[[X]][%[[I]], %{{.*}}]
// CHECK: else
// CHECK-NEXT: scf.yield %cst
func.func @search(%x: tensor<?x?xf32>, %m: index, %n: index, %more: index, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %e = tensor.empty(%m, %more) : tensor<?x?xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%two : f32) outs(%e : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x?xf32>
  %pad = tensor.insert_slice %x into %f[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  %sum = scf.for %k = %c0 to %m step %c1 iter_args(%s = %two) -> (f32) {
    %v = tensor.extract %pad[%k, %i] : tensor<?x?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %sum : f32
}

// -----

// One that is among other elements stays, and so does one that an operation may compute in its place; one that is not at
// the start does not. One that is needed as a whole is a lookup for each element.
// CHECK-LABEL: func.func @stay(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[N:[^:]*]]: index, %{{[^:]*}}: index, %[[I:[^:]*]]: index
// CHECK: %[[WHOLE:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]*}}], {{.*}} outs(%{{.*}} :
// CHECK: %[[J:.*]] = linalg.index 0
// CHECK: %[[THERE:.*]] = arith.cmpi ult, %[[J]], %[[N]]
// CHECK: %[[V:.*]] = scf.if %[[THERE]] -> (f32)
// CHECK-NEXT: tensor.extract %[[X]][%[[J]]]
// CHECK: linalg.yield %[[V]]
// CHECK: tensor.insert_slice %[[X]]
// CHECK: %[[NEG:.*]] = linalg.generic {{.*}} ins(%[[X]] :
// CHECK: %[[PLACED:.*]] = tensor.insert_slice %[[NEG]]
// CHECK: tensor.extract %[[WHOLE]]
// CHECK: %[[AT:.*]] = arith.subi %[[I]], %c1
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[AT]], %[[N]]
// CHECK: scf.if %[[IN]] -> (f32)
// CHECK-NEXT: tensor.extract %[[X]][%[[AT]]]
// CHECK: return {{.*}}, %[[WHOLE]], %[[PLACED]]
func.func @stay(%x: tensor<?xf32>, %n: index, %more: index, %i: index, %others: tensor<?xf32>)
    -> (f32, f32, f32, tensor<?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%more) : tensor<?xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  %whole = tensor.insert_slice %x into %f[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %behind = tensor.insert_slice %x into %f[1] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %among = tensor.insert_slice %x into %others[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %g = tensor.empty(%n) : tensor<?xf32>
  %negated = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%g : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.negf %in : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %placed = tensor.insert_slice %negated into %f[1] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %a = tensor.extract %whole[%i] : tensor<?xf32>
  %b = tensor.extract %behind[%i] : tensor<?xf32>
  %c = tensor.extract %among[%i] : tensor<?xf32>
  return %a, %b, %c, %whole, %placed : f32, f32, f32, tensor<?xf32>, tensor<?xf32>
}

// -----

// Windows of a padded tensor look their elements up.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[N:[^:]*]]: index
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<3xf32>)
// CHECK-DAG: %[[I:.*]] = linalg.index 0
// CHECK-DAG: %[[K:.*]] = linalg.index 1
// CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %c2
// CHECK: %[[PADDED:.*]] = arith.addi %[[FIRST]], %[[K]]
// CHECK: %[[AT:.*]] = arith.subi %[[PADDED]], %c1
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[AT]], %[[N]]
// CHECK: %[[V:.*]] = scf.if %[[IN]] -> (f32)
// CHECK-NEXT: tensor.extract %[[X]][%[[AT]]]
// CHECK: arith.addf %{{.*}}, %[[V]]
func.func @windows(%x: tensor<?xf32>, %n: index, %more: index, %m: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%more) : tensor<?xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  %pad = tensor.insert_slice %x into %f[1] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %window = tensor.empty() : tensor<3xf32>
  %g = tensor.empty(%m) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%g : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%pad, %window : tensor<?xf32>, tensor<3xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// What is broadcast from a column that may not be there is looked up, too. Windows of which nobody knows how large they
// are read a copy, which is one operation.
// CHECK-LABEL: func.func @column(
// CHECK-NOT: tensor.insert_slice
// CHECK: scf.if
// CHECK-NEXT: tensor.extract
func.func @column(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %m: index, %n: index, %one: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %part = tensor.extract_slice %x[0, 0] [%m, %one] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?x1xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%zero : f32) outs(%e : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x1xf32>
  %pad = tensor.insert_slice %part into %f[0, 0] [%m, %one] [1, 1] : tensor<?x?xf32> into tensor<?x1xf32>
  %g = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y, %pad : tensor<?x?xf32>, tensor<?x1xf32>) outs(%g : tensor<?x?xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %s = arith.mulf %in, %factor : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: tensor.insert_slice
// CHECK: %[[COPY:.*]] = linalg.generic {indexing_maps = [#{{[a-z0-9]*}}], {{.*}} outs(
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} ins(%[[COPY]],
func.func @unknown(%x: tensor<?xf32>, %window: tensor<?xf32>, %n: index, %more: index, %m: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%more) : tensor<?xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  %pad = tensor.insert_slice %x into %f[1] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %g = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i * 2 + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%pad, %window : tensor<?xf32>, tensor<?xf32>) outs(%g : tensor<?xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
