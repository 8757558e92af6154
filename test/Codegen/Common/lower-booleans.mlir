// RUN: tally-opt %s --tally-lower-booleans | FileCheck %s

// CHECK-LABEL: llvm.func @booleans(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !llvm.ptr, %[[Y:[a-z0-9]+]]: !llvm.ptr)
// CHECK-NEXT:    %[[BYTE:.*]] = llvm.load %[[X]] {access_groups = [#{{.*}}]} : !llvm.ptr -> i8
// CHECK-NEXT:    %[[ZERO:.*]] = llvm.mlir.constant(0 : i8) : i8
// CHECK-NEXT:    %[[SET:.*]] = llvm.icmp "ne" %[[BYTE]], %[[ZERO]] : i8
// CHECK-NEXT:    %[[TO:.*]] = llvm.zext %[[SET]] : i1 to i8
// CHECK-NEXT:    llvm.store %[[TO]], %[[Y]] {access_groups = [#{{.*}}]} : i8, !llvm.ptr
// CHECK-NEXT:    llvm.return %[[SET]] : i1
#group = #llvm.access_group<id = distinct[0]<>>
llvm.func @booleans(%x: !llvm.ptr, %y: !llvm.ptr) -> i1 {
  %b = llvm.load %x {access_groups = [#group]} : !llvm.ptr -> i1
  llvm.store %b, %y {access_groups = [#group]} : i1, !llvm.ptr
  llvm.return %b : i1
}

// Several are as many bytes.
// CHECK-LABEL: llvm.func @vectors(
// CHECK-NEXT:    %[[BYTES:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xi8>
// CHECK-NEXT:    %[[ZERO:.*]] = llvm.mlir.constant(dense<0> : vector<4xi8>) : vector<4xi8>
// CHECK-NEXT:    %[[SET:.*]] = llvm.icmp "ne" %[[BYTES]], %[[ZERO]] : vector<4xi8>
// CHECK-NEXT:    %[[TO:.*]] = llvm.zext %[[SET]] : vector<4xi1> to vector<4xi8>
// CHECK-NEXT:    llvm.store %[[TO]], %{{.*}} {alignment = 4 : i64} : vector<4xi8>, !llvm.ptr
llvm.func @vectors(%x: !llvm.ptr, %y: !llvm.ptr) {
  %b = llvm.load %x {alignment = 4 : i64} : !llvm.ptr -> vector<4xi1>
  llvm.store %b, %y {alignment = 4 : i64} : vector<4xi1>, !llvm.ptr
  llvm.return
}

// Other types, and structures of booleans, stay.
// CHECK-LABEL: llvm.func @others(
// CHECK-NEXT:    %[[F:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NEXT:    llvm.store %[[F]], %{{.*}} : f32, !llvm.ptr
// CHECK-NEXT:    llvm.load %{{.*}} : !llvm.ptr -> !llvm.struct<(i1, i8)>
llvm.func @others(%x: !llvm.ptr, %y: !llvm.ptr) {
  %f = llvm.load %x : !llvm.ptr -> f32
  llvm.store %f, %y : f32, !llvm.ptr
  %s = llvm.load %x : !llvm.ptr -> !llvm.struct<(i1, i8)>
  llvm.return
}
