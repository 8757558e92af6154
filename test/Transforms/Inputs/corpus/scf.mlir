func.func @sum(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %d step %c1 iter_args(%a = %z) -> (f32) {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %s = arith.addf %a, %v : f32
    scf.yield %s : f32
  }
  return %r : f32
}
func.func @tiled(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %t: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %m step %t iter_args(%acc = %o) -> (tensor<?x?xf32>) {
    %s = affine.min affine_map<(d0)[s0, s1] -> (s0, s1 - d0)>(%i)[%t, %m]
    %a = tensor.extract_slice %x[%i, 0] [%s, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    %b = tensor.extract_slice %acc[%i, 0] [%s, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
    %c = linalg.exp ins(%a : tensor<?x?xf32>) outs(%b : tensor<?x?xf32>) -> tensor<?x?xf32>
    %d = tensor.insert_slice %c into %acc[%i, 0] [%s, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
    scf.yield %d : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
func.func @growing(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %q = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> (tensor<?xf32>) {
      %s = tensor.concat dim(0) %b, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      scf.yield %s : tensor<?xf32>
    }
    scf.yield %q : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @branches(%x: tensor<?xf32>, %y: tensor<?xf32>, %k: index, %p: i1) -> tensor<?xf32> {
  %a = scf.if %p -> (tensor<?xf32>) {
    %s = arith.addf %x, %y : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  %b = scf.index_switch %k -> tensor<?xf32>
  case 2 {
    scf.yield %a : tensor<?xf32>
  }
  default {
    scf.yield %x : tensor<?xf32>
  }
  %c = scf.execute_region -> tensor<?xf32> {
    cf.cond_br %p, ^one, ^two
  ^one:
    scf.yield %b : tensor<?xf32>
  ^two:
    scf.yield %x : tensor<?xf32>
  }
  %d = arith.mulf %c, %x : tensor<?xf32>
  return %d : tensor<?xf32>
}
func.func @while(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %n, %a = %x) : (index, tensor<?xf32>) -> (index, tensor<?xf32>) {
    %p = arith.cmpi ult, %c1, %i : index
    scf.condition(%p) %i, %a : index, tensor<?xf32>
  } do {
  ^bb0(%i: index, %a: tensor<?xf32>):
    %h = arith.shrui %i, %c1 : index
    %s = tensor.extract_slice %a[0] [%h] [1] : tensor<?xf32> to tensor<?xf32>
    scf.yield %h, %s : index, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}
func.func @parallel(%x: tensor<?xf32>, %o: tensor<?xf32>, %n: index) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> f32 {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  %f = scf.forall (%i) = (0) to (%n) step (8) shared_outs(%a = %o) -> (tensor<?xf32>) {
    %s = affine.min affine_map<(d0)[s0] -> (8, s0 - d0)>(%i)[%n]
    %v = tensor.extract_slice %x[%i] [%s] [1] : tensor<?xf32> to tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %a[%i] [%s] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %f, %r : tensor<?xf32>, f32
}
