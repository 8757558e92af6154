// RUN: tally-opt %s --tally-emit-entries=prefix=model | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: tally-opt %s --tally-emit-entries="prefix=model target=cuda" | FileCheck %s --check-prefixes=CHECK,CUDA

// CHECK: llvm.func internal @main(
llvm.func @main(%ctx: !llvm.ptr, %a: !llvm.ptr, %b: !llvm.ptr, %o: i64, %s: i64, %t: i64, %p: i1) -> !llvm.struct<(i32, i1)>
    attributes {tally.entry = {arguments = [{name = "x", shape = ["s0"], type = tensor<?xf32>}, {name = "p", shape = [], type = i1}],
                               results = [{name = "out0", shape = [], type = i1}],
                               symbols = #tally.symbols<s0 : [0, 8] % 2 from "x.size(0)", b0 : bool assumed,
                                                        f0 : unbacked float, s1 : [-3, inf]>}} {
  %0 = llvm.mlir.poison : !llvm.struct<(i32, i1)>
  %1 = llvm.insertvalue %p, %0[1] : !llvm.struct<(i32, i1)>
  llvm.return %1 : !llvm.struct<(i32, i1)>
}

// A descriptor is five words here; a boolean is a byte.
// CHECK-LABEL: llvm.func internal @tally_thunk_main(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: %[[P:.*]] = llvm.trunc %[[BYTE]] : i8 to i1
// CHECK: %[[R:.*]] = llvm.call @main(%[[CTX]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[P]])
// CHECK: llvm.zext %{{.*}} : i1 to i8
// CHECK: %[[S:.*]] = llvm.extractvalue %[[R]][0]
// CHECK: llvm.return %[[S]] : i32

// Of each symbol: its kind, whether it is unbacked, which bounds it has, these, its
// divisor, and whether it is assumed.
// CHECK-LABEL: llvm.mlir.global internal constant @tally_symbols
// CHECK: llvm.mlir.addressof @tally_text
// CHECK-NEXT: llvm.mlir.addressof @tally_text
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(1 : i32)
// CHECK-NEXT: llvm.mlir.constant(1 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.mlir.constant(8 : i64)
// CHECK-NEXT: llvm.mlir.constant(2 : i64)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.addressof @tally_text
// CHECK-NEXT: llvm.mlir.addressof @tally_text
// CHECK-NEXT: llvm.mlir.constant(1 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.mlir.constant(1 : i64)
// CHECK-NEXT: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.addressof @tally_text
// CHECK-NEXT: llvm.mlir.addressof @tally_text
// CHECK-NEXT: llvm.mlir.constant(2 : i32)
// CHECK-NEXT: llvm.mlir.constant(1 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.mlir.constant(1 : i64)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.addressof @tally_text
// CHECK-NEXT: llvm.mlir.addressof @tally_text
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(1 : i32)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.mlir.constant(-3 : i64)
// CHECK-NEXT: llvm.mlir.constant(0 : i64)
// CHECK-NEXT: llvm.mlir.constant(1 : i64)
// CHECK-NEXT: llvm.mlir.constant(0 : i32)

// What compiles fills it in where constants are in a file.
// CHECK-LABEL: llvm.mlir.global internal @tally_data_description() {{.*}} : !llvm.struct<(ptr, ptr, i64, i64, i32, i32)>
// CHECK-NEXT: llvm.mlir.zero

// A field is the device's type of DLPack.
// CHECK-LABEL: llvm.mlir.global internal constant @tally_tally_library_description
// CHECK: llvm.mlir.addressof @tally_entries
// CPU-NEXT: %[[DEVICE:.*]] = llvm.mlir.constant(1 : i32)
// CUDA-NEXT: %[[DEVICE:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[DATA:.*]] = llvm.mlir.addressof @tally_data_description
// CHECK: llvm.insertvalue %[[DEVICE]], %{{.*}}[3]
// CHECK: llvm.insertvalue %[[DATA]], %{{.*}}[5]

// CHECK-LABEL: llvm.func @model_main(
// CHECK: llvm.call @tally_rt_invoke(
// CHECK-LABEL: llvm.func @tally_library() -> !llvm.ptr
// CHECK-LABEL: llvm.func @model_library() -> !llvm.ptr
