// RUN: tally-opt %s --tally-mark-parallel-accesses | FileCheck %s

// CHECK-DAG: #[[GROUP:.*]] = #llvm.access_group<id = distinct[0]<>>
// CHECK-DAG: #[[LOOP:.*]] = #llvm.loop_annotation<parallelAccesses = #[[GROUP]]>
// CHECK-DAG: #[[PLAIN:.*]] = #llvm.loop_annotation<>

// CHECK-DAG: #[[FEW:.*]] = #llvm.loop_annotation<vectorize = #{{.*}}, unroll = #{{.*}}, parallelAccesses = #[[GROUP]]>

// CHECK-LABEL: llvm.func @loop(
// CHECK: llvm.load %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK: llvm.store %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[LOOP]]}
// CHECK-NOT: tally.independent
llvm.func @loop(%x: !llvm.ptr, %n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %p : !llvm.ptr -> f32
  llvm.store %v, %p : f32, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64) {tally.independent = #llvm.loop_annotation<>}
^done:
  llvm.return
}

// Iterations share what is on the stack: no access of it is in the group, so
// that the loop is none with independent iterations for LLVM. Others are.
// CHECK-LABEL: llvm.func @stack(
// CHECK: llvm.load %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK-NOT: access_groups
// CHECK: llvm.store %{{[^}]*}} : f32, !llvm.ptr
// CHECK-NOT: access_groups
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[LOOP]]}
llvm.func @stack(%x: !llvm.ptr, %n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.mlir.constant(64 : i64) : i64
  %slot = llvm.alloca %size x f32 : (i64) -> !llvm.ptr
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %from : !llvm.ptr -> f32
  %to = llvm.getelementptr %slot[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %v, %to : f32, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64) {tally.independent = #llvm.loop_annotation<>}
^done:
  llvm.return
}

// Something else may access the stack of these: its address is stored, or
// passed on to the next iteration. A loop without a mark has none.
// CHECK-LABEL: llvm.func @escaping(
// CHECK-NOT: access_groups
// CHECK-NOT: loop_annotation
// CHECK-LABEL: llvm.func @carried(
// CHECK-NOT: access_groups
// CHECK-NOT: loop_annotation
// CHECK-LABEL: llvm.func @sequential(
// CHECK-NOT: access_groups
// CHECK-NOT: loop_annotation
llvm.func @escaping(%x: !llvm.ptr, %n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %slot = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  llvm.store %slot, %x : !llvm.ptr, !llvm.ptr
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %other = llvm.load %x : !llvm.ptr -> !llvm.ptr
  llvm.store %i, %other : i64, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64) {tally.independent = #llvm.loop_annotation<>}
^done:
  llvm.return
}

llvm.func @carried(%n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %slot = llvm.alloca %c1 x i64 : (i64) -> !llvm.ptr
  llvm.br ^header(%c0, %slot : i64, !llvm.ptr)
^header(%i: i64, %to: !llvm.ptr):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  llvm.store %i, %to : i64, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next, %to : i64, !llvm.ptr) {tally.independent = #llvm.loop_annotation<>}
^done:
  llvm.return
}

llvm.func @sequential(%x: !llvm.ptr, %n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  llvm.store %i, %x : i64, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64)
^done:
  llvm.return
}

// A loop that ends in a branch with a condition.
// CHECK-LABEL: llvm.func @rotated(
// CHECK: llvm.store %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}, ^{{.*}} {loop_annotation = #[[LOOP]]}
// CHECK-NOT: tally.independent
llvm.func @rotated(%x: !llvm.ptr, %n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^body(%c0 : i64)
^body(%i: i64):
  %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %i, %p : i64, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  %more = llvm.icmp "slt" %next, %n : i64
  llvm.cond_br %more, ^body(%next : i64), ^done {tally.independent = #llvm.loop_annotation<>}
^done:
  llvm.return
}

// Of a loop with few iterations no vectors are made.
// CHECK-LABEL: llvm.func @few(
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[FEW]]}
llvm.func @few(%x: !llvm.ptr, %n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %i, %p : i64, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64) {tally.independent = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <disable = true>>}
^done:
  llvm.return
}

// An iteration loads what it has stored, from the same field of a structure. LLVM would take the two accesses for
// independent, too: the loop is none with independent iterations.
// CHECK-LABEL: llvm.func @ordered(
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[PLAIN]]}
// CHECK-LABEL: llvm.func @apart(
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[LOOP]]}
llvm.func @ordered(%x: !llvm.struct<(ptr, ptr)>, %n: i64, %v: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %to = llvm.extractvalue %x[1] : !llvm.struct<(ptr, ptr)>
  %p = llvm.getelementptr %to[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %v, %p : i64, !llvm.ptr
  %from = llvm.extractvalue %x[1] : !llvm.struct<(ptr, ptr)>
  %q = llvm.getelementptr %from[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %w = llvm.load %q : !llvm.ptr -> i64
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64) {tally.independent = #llvm.loop_annotation<>}
^done:
  llvm.return
}

// What it loads from is another field.
llvm.func @apart(%x: !llvm.struct<(ptr, ptr)>, %n: i64, %v: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^header(%c0 : i64)
^header(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %to = llvm.extractvalue %x[1] : !llvm.struct<(ptr, ptr)>
  %p = llvm.getelementptr %to[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %v, %p : i64, !llvm.ptr
  %from = llvm.extractvalue %x[0] : !llvm.struct<(ptr, ptr)>
  %q = llvm.getelementptr %from[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %w = llvm.load %q : !llvm.ptr -> i64
  %next = llvm.add %i, %c1 : i64
  llvm.br ^header(%next : i64) {tally.independent = #llvm.loop_annotation<>}
^done:
  llvm.return
}
