// RUN: tally-opt %s --tally-keep-masked-extrema | FileCheck %s

// The identity of a maximum, on either side of the select.
// CHECK-LABEL: llvm.func @maximum(
// CHECK: %[[VALUE:.*]] = llvm.mlir.constant(0xFF800000 : f32)
// CHECK: %[[SLOT:.*]] = llvm.alloca
// CHECK: llvm.store %[[VALUE]], %[[SLOT]]
// CHECK: %[[HIDDEN:.*]] = llvm.load volatile %[[SLOT]]
// CHECK: llvm.select %{{.*}}, %{{.*}}, %[[HIDDEN]]
// CHECK: llvm.select %{{.*}}, %[[HIDDEN]], %{{.*}}
llvm.func @maximum(%max: f32, %x: f32, %keep: i1) -> f32 {
  %inf = llvm.mlir.constant(0xFF800000 : f32) : f32
  %0 = llvm.select %keep, %x, %inf : i1, f32
  %1 = llvm.intr.maximum(%max, %0) : (f32, f32) -> f32
  %2 = llvm.select %keep, %inf, %x : i1, f32
  %3 = llvm.intr.maximum(%2, %1) : (f32, f32) -> f32
  llvm.return %3 : f32
}

// CHECK-LABEL: llvm.func @integers(
// CHECK: llvm.mlir.constant(127 : i8)
// CHECK: %[[GREATEST:.*]] = llvm.load volatile
// CHECK: llvm.mlir.constant(-128 : i8)
// CHECK: %[[LEAST:.*]] = llvm.load volatile
// CHECK: llvm.select %{{.*}}, %{{.*}}, %[[LEAST]]
// CHECK: llvm.select %{{.*}}, %{{.*}}, %[[GREATEST]]
llvm.func @integers(%m: i8, %x: i8, %keep: i1) -> i8 {
  %least = llvm.mlir.constant(-128 : i8) : i8
  %greatest = llvm.mlir.constant(127 : i8) : i8
  %0 = llvm.select %keep, %x, %least : i1, i8
  %1 = llvm.intr.smax(%m, %0) : (i8, i8) -> i8
  %2 = llvm.select %keep, %x, %greatest : i1, i8
  %3 = llvm.intr.smin(%1, %2) : (i8, i8) -> i8
  llvm.return %3 : i8
}

// LLVM sees through no other constant, and a select that others use stays.
// CHECK-LABEL: llvm.func @others(
// CHECK-NOT: llvm.alloca
llvm.func @others(%max: f32, %x: f32, %keep: i1) -> f32 {
  %inf = llvm.mlir.constant(0x7F800000 : f32) : f32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %least = llvm.mlir.constant(0xFF800000 : f32) : f32
  %0 = llvm.select %keep, %x, %inf : i1, f32
  %1 = llvm.intr.maximum(%max, %0) : (f32, f32) -> f32
  %2 = llvm.select %keep, %x, %zero : i1, f32
  %3 = llvm.intr.maximum(%1, %2) : (f32, f32) -> f32
  %4 = llvm.select %keep, %x, %least : i1, f32
  %5 = llvm.intr.maximum(%3, %4) : (f32, f32) -> f32
  %6 = llvm.fadd %4, %5 : f32
  llvm.return %6 : f32
}
