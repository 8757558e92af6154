// RUN: tally-opt %s --tally-lower-device-asserts --split-input-file | FileCheck %s

// CHECK: llvm.mlir.global internal constant @tally_device_assert_table_records("{{.*}}i0 < s0\00\00tensor.extract\00
// CHECK: llvm.mlir.global internal constant @tally_device_assert_table_offsets(dense<[0, {{[0-9]+}}, {{[0-9]+}}]> : tensor<3xi64>)
// CHECK: llvm.mlir.global internal constant @tally_device_assert_table()
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Both asserts go to one block, which one thread gets through; numbers start
    // at 1.
    // CHECK-LABEL: gpu.func @k(
    // CHECK-SAME: %[[I:.*]]: index, %[[OK:.*]]: i1, %[[OUT:.*]]: memref<1xindex>, %[[ERRORS:.*]]: memref<1xi64>) kernel
    // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
    // CHECK: memref.extract_aligned_pointer_as_index %[[ERRORS]]
    // CHECK: %[[P:.*]] = llvm.inttoptr
    // CHECK: %[[BEFORE:.*]] = llvm.load %[[P]]
    // CHECK: %[[NOW:.*]] = llvm.inline_asm has_side_effects "", "=l,0" %[[BEFORE]]
    // CHECK: %[[RIGHT:.*]] = arith.cmpi eq, %[[NOW]], %[[ZERO]]
    // CHECK: %[[BOTH:.*]] = arith.andi %[[OK]], %[[RIGHT]]
    // CHECK: %[[ONE:.*]] = llvm.mlir.constant(2 : i64)
    // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(1 : i64)
    // CHECK: %[[BITS:.*]] = arith.index_cast %[[I]]
    // CHECK: cf.cond_br %[[BOTH]] weights([1048576, 1]), ^[[NEXT:.*]], ^[[COLD:.*]](%[[ONE]], %[[COUNT]], %[[BITS]] : i64, i64, i64)
    // CHECK: ^[[NEXT]]:
    // CHECK: memref.store %[[I]], %[[OUT]]
    // CHECK: cf.cond_br %[[OK]] {{.*}}, ^[[COLD]](%{{.*}}, %{{.*}}, %[[ZERO]] : i64, i64, i64)
    // CHECK: gpu.return
    // CHECK: ^[[COLD]](%[[NUMBER:.*]]: i64, %[[N:.*]]: i64, %[[V:.*]]: i64):
    // CHECK: %[[CLAIM:.*]] = llvm.cmpxchg %[[P]], %[[ZERO]], %[[NUMBER]] syncscope("device") monotonic monotonic
    // CHECK: %[[FIRST:.*]] = llvm.extractvalue %[[CLAIM]][1]
    // CHECK: cf.cond_br %[[FIRST]], ^[[STORE:.*]], ^[[EXIT:.*]]
    // CHECK: ^[[STORE]]:
    // CHECK: %[[S1:.*]] = llvm.getelementptr %[[P]][1]
    // CHECK: llvm.store %[[N]], %[[S1]]
    // CHECK: %[[S2:.*]] = llvm.getelementptr %[[P]][2]
    // CHECK: llvm.store %[[V]], %[[S2]]
    // CHECK: cf.br ^[[EXIT]]
    // CHECK: ^[[EXIT]]:
    // CHECK-NEXT: gpu.return
    gpu.func @k(%i: index, %ok: i1, %out: memref<1xindex>) kernel {
      %c0 = arith.constant 0 : index
      %g = tally.assert %ok, <i0 < s0> (i0 = %i : index) required_by("tensor.extract") guards(%i : index)
      memref.store %g, %out[%c0] : memref<1xindex>
      tally.assert %ok message("last")
      gpu.return
    }
    // CHECK-LABEL: gpu.func @quiet(
    // CHECK-SAME: %{{.*}}: index, %[[ERRORS:.*]]: memref<1xi64>) kernel
    // CHECK-NOT: cmpxchg
    gpu.func @quiet(%n: index) kernel {
      gpu.return
    }
    // One without asserts does nothing after an error. It reads its arguments
    // meanwhile, and returns before it writes.
    // CHECK-LABEL: gpu.func @writes(
    // CHECK-SAME: %[[X:.*]]: memref<1xf32>, %[[Y:.*]]: memref<1xf32>, %[[ERRORS:.*]]: memref<1xi64>) kernel
    // CHECK: %[[BEFORE:.*]] = llvm.load
    // CHECK: %[[V:.*]] = memref.load %[[X]]
    // CHECK: %[[RIGHT:.*]] = arith.cmpi eq, %[[BEFORE]]
    // CHECK: cf.cond_br %[[RIGHT]] weights([1048576, 1]), ^[[BODY:.*]], ^[[RETURN:.*]]{{$}}
    // CHECK: ^[[BODY]]:
    // CHECK-NEXT: memref.store %[[V]], %[[Y]]
    // CHECK-NEXT: gpu.return
    // CHECK: ^[[RETURN]]:
    // CHECK-NEXT: gpu.return
    // CHECK-NOT: cmpxchg
    gpu.func @writes(%x: memref<1xf32>, %y: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%c0] : memref<1xf32>
      memref.store %v, %y[%c0] : memref<1xf32>
      gpu.return
    }
    // What has been read decides where it reads next: that waits.
    // CHECK-LABEL: gpu.func @lookup(
    // CHECK: memref.load %{{.*}} : memref<1xindex>
    // CHECK-NEXT: arith.cmpi eq
    // CHECK-NEXT: cf.cond_br
    // CHECK: memref.load %{{.*}} : memref<1xf32>
    gpu.func @lookup(%i: memref<1xindex>, %x: memref<1xf32>, %y: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %at = memref.load %i[%c0] : memref<1xindex>
      %v = memref.load %x[%at] : memref<1xf32>
      memref.store %v, %y[%c0] : memref<1xf32>
      gpu.return
    }
    // So does a branch; the other one has an end of its own.
    // CHECK-LABEL: gpu.func @decides(
    // CHECK: cf.cond_br %{{.*}}, ^[[YES:.*]], ^[[NO:.*]]{{$}}
    // CHECK: ^[[YES]]:
    // CHECK-NEXT: memref.load
    // CHECK-NEXT: arith.cmpi eq
    // CHECK-NEXT: cf.cond_br
    // CHECK: ^[[NO]]:
    // CHECK-NEXT: gpu.return
    gpu.func @decides(%p: i1, %b: memref<1xi1>, %y: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %f = arith.constant 0.0 : f32
      cf.cond_br %p, ^yes, ^no
    ^yes:
      %q = memref.load %b[%c0] : memref<1xi1>
      cf.cond_br %q, ^write, ^no
    ^write:
      memref.store %f, %y[%c0] : memref<1xf32>
      cf.br ^no
    ^no:
      gpu.return
    }
    // Iterations that write without an assert would all look: the kernel returns at its start.
    // CHECK-LABEL: gpu.func @loop(
    // CHECK: %[[BEFORE:.*]] = llvm.load
    // CHECK-NEXT: arith.cmpi eq, %[[BEFORE]]
    // CHECK-NEXT: cf.cond_br
    // CHECK-NOT: inline_asm
    gpu.func @loop(%n: index, %x: memref<1xf32>, %y: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      cf.br ^next(%c0 : index)
    ^next(%i: index):
      %p = arith.cmpi slt, %i, %n : index
      cf.cond_br %p, ^body, ^end
    ^body:
      %v = memref.load %x[%i] : memref<1xf32>
      memref.store %v, %y[%i] : memref<1xf32>
      %j = arith.addi %i, %c1 : index
      cf.br ^next(%j : index)
    ^end:
      gpu.return
    }
    // One with an assert looks there, in each. What it writes is read before.
    // CHECK-LABEL: gpu.func @checked(
    // CHECK: %[[BEFORE:.*]] = llvm.load
    // CHECK: cf.br
    // CHECK: %[[V:.*]] = memref.load %{{.*}} : memref<1xf32>
    // CHECK: %[[I:.*]] = memref.load %{{.*}} : memref<1xindex>
    // CHECK: %[[NOW:.*]] = llvm.inline_asm has_side_effects "", "=l,0" %[[BEFORE]]
    // CHECK: %[[W:.*]] = llvm.inline_asm has_side_effects "", "=f,0" %[[V]]
    // CHECK: cf.cond_br
    // CHECK: memref.store %[[W]], %{{.*}}[%[[I]]]
    gpu.func @checked(%n: index, %x: memref<1xf32>, %places: memref<1xindex>, %y: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      cf.br ^next(%c0 : index)
    ^next(%i: index):
      %p = arith.cmpi slt, %i, %n : index
      cf.cond_br %p, ^body, ^end
    ^body:
      %v = memref.load %x[%i] : memref<1xf32>
      %at = memref.load %places[%i] : memref<1xindex>
      %ok = arith.cmpi ult, %at, %n : index
      tally.assert %ok message("out of range")
      memref.store %v, %y[%at] : memref<1xf32>
      %j = arith.addi %i, %c1 : index
      cf.br ^next(%j : index)
    ^end:
      gpu.return
    }
    // Nobody but the runtime launches it.
    // CHECK-LABEL: gpu.func @unused(
    // CHECK-SAME: %{{.*}}: index) kernel
    gpu.func @unused(%n: index) kernel {
      gpu.return
    }
  }
  // One operand for both launches; the public function waits, once.
  // CHECK-LABEL: func.func @main(
  // CHECK: %[[E:.*]] = tally.device_errors : memref<1xi64>
  // CHECK: gpu.launch_func @kernels::@k {{.*}}%[[E]] : memref<1xi64>)
  // CHECK-NOT: tally.device_errors
  // CHECK: gpu.launch_func @kernels::@k {{.*}}%[[E]] : memref<1xi64>)
  // CHECK: tally.check_device
  // CHECK-NEXT: return
  func.func @main(%ctx: !llvm.ptr, %n: index, %ok: i1, %out: memref<1xindex>) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index, %ok : i1, %out : memref<1xindex>)
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index, %ok : i1, %out : memref<1xindex>)
    return
  }
  func.func private @others(%n: index, %p: i1, %x: memref<1xf32>, %y: memref<1xf32>, %i: memref<1xindex>, %b: memref<1xi1>) {
    gpu.launch_func @kernels::@writes blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<1xf32>, %y : memref<1xf32>)
    gpu.launch_func @kernels::@lookup blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%i : memref<1xindex>, %x : memref<1xf32>, %y : memref<1xf32>)
    gpu.launch_func @kernels::@decides blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%p : i1, %b : memref<1xi1>, %y : memref<1xf32>)
    gpu.launch_func @kernels::@loop blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index, %x : memref<1xf32>, %y : memref<1xf32>)
    gpu.launch_func @kernels::@checked blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index, %x : memref<1xf32>, %i : memref<1xindex>, %y : memref<1xf32>)
    return
  }
  // A private function leaves that to who calls it.
  // CHECK-LABEL: func.func private @inner(
  // CHECK: scf.if
  // CHECK: %[[E:.*]] = tally.device_errors
  // CHECK: gpu.launch_func {{.*}}%[[E]] : memref<1xi64>)
  // CHECK-NOT: tally.check_device
  func.func private @inner(%ctx: !llvm.ptr, %n: index, %ok: i1, %out: memref<1xindex>) {
    scf.if %ok {
      gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index, %ok : i1, %out : memref<1xindex>)
    }
    return
  }
  // CHECK-LABEL: func.func @outer(
  // CHECK: call @inner
  // CHECK-NEXT: tally.check_device
  // CHECK-NEXT: return
  func.func @outer(%ctx: !llvm.ptr, %n: index, %ok: i1, %out: memref<1xindex>) {
    call @inner(%ctx, %n, %ok, %out) : (!llvm.ptr, index, i1, memref<1xindex>) -> ()
    return
  }
  // Through any number of calls.
  // CHECK-LABEL: func.func private @between(
  // CHECK-NOT: tally.check_device
  // CHECK-LABEL: func.func @outermost(
  // CHECK: call @between
  // CHECK-NEXT: tally.check_device
  // CHECK-NEXT: return
  func.func private @between(%ctx: !llvm.ptr, %n: index, %ok: i1, %out: memref<1xindex>) {
    call @inner(%ctx, %n, %ok, %out) : (!llvm.ptr, index, i1, memref<1xindex>) -> ()
    return
  }
  func.func @outermost(%ctx: !llvm.ptr, %n: index, %ok: i1, %out: memref<1xindex>) {
    call @between(%ctx, %n, %ok, %out) : (!llvm.ptr, index, i1, memref<1xindex>) -> ()
    return
  }
  // Who reads a number back has read the errors of what was launched before; what can fail later counts.
  // CHECK-LABEL: func.func @looks(
  // CHECK: tally.read_back
  // CHECK-NOT: tally.check_device
  // CHECK-LABEL: func.func @looks_too_early(
  // CHECK: tally.check_device
  // CHECK-NEXT: return
  // CHECK-LABEL: func.func @calls_later(
  // CHECK: tally.check_device
  // CHECK-NEXT: return
  // CHECK-LABEL: func.func @may_look(
  // CHECK: tally.check_device
  // CHECK-NEXT: return
  func.func @looks(%ctx: !llvm.ptr, %n: index, %ok: i1, %out: memref<1xindex>) {
    %c0 = arith.constant 0 : index
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index, %ok : i1, %out : memref<1xindex>)
    %size = tally.read_back %out[%c0] : memref<1xindex>
    scf.if %ok {
      gpu.launch_func @kernels::@quiet blocks in (%size, %n, %n) threads in (%n, %n, %n) args(%n : index)
    }
    return
  }
  func.func @looks_too_early(%ctx: !llvm.ptr, %n: index, %ok: i1, %out: memref<1xindex>) {
    %c0 = arith.constant 0 : index
    %size = tally.read_back %out[%c0] : memref<1xindex>
    scf.if %ok {
      gpu.launch_func @kernels::@k blocks in (%size, %n, %n) threads in (%n, %n, %n) args(%n : index, %ok : i1, %out : memref<1xindex>)
    }
    return
  }
  func.func @calls_later(%ctx: !llvm.ptr, %n: index, %ok: i1, %out: memref<1xindex>) {
    %c0 = arith.constant 0 : index
    %size = tally.read_back %out[%c0] : memref<1xindex>
    call @between(%ctx, %size, %ok, %out) : (!llvm.ptr, index, i1, memref<1xindex>) -> ()
    return
  }
  func.func @may_look(%ctx: !llvm.ptr, %n: index, %ok: i1, %out: memref<1xindex>) {
    %c0 = arith.constant 0 : index
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index, %ok : i1, %out : memref<1xindex>)
    scf.if %ok {
      %size = tally.read_back %out[%c0] : memref<1xindex>
      gpu.launch_func @kernels::@quiet blocks in (%size, %n, %n) threads in (%n, %n, %n) args(%n : index)
    }
    return
  }
  // Nobody waits where no kernel can fail.
  // CHECK-LABEL: func.func @silent(
  // CHECK-NOT: tally.check_device
  func.func @silent(%ctx: !llvm.ptr, %n: index) {
    gpu.launch_func @kernels::@quiet blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%n : index)
    return
  }
}

// -----

// There is room for 30 values; the record tells of as many.
// CHECK: @tally_device_assert_table_records({{.*}}\0030\00i\00v0\00{{.*}}i\00v29\00\00")
// CHECK: llvm.getelementptr %{{.*}}[31]
// CHECK-NOT: llvm.getelementptr %{{.*}}[32]
gpu.module @kernels {
  gpu.func @k(%ok: i1, %i: i8) kernel {
    tally.assert %ok, <0 <= 1> (v0 = %i, v1 = %i, v2 = %i, v3 = %i, v4 = %i, v5 = %i, v6 = %i, v7 = %i, v8 = %i, v9 = %i, v10 = %i, v11 = %i, v12 = %i, v13 = %i, v14 = %i, v15 = %i, v16 = %i, v17 = %i, v18 = %i, v19 = %i, v20 = %i, v21 = %i, v22 = %i, v23 = %i, v24 = %i, v25 = %i, v26 = %i, v27 = %i, v28 = %i, v29 = %i, v30 = %i, v31 = %i : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8)
    gpu.return
  }
}
