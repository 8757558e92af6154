// RUN: tally-opt %s --tally-strip-attributes | FileCheck %s

// CHECK-NOT: tally.
// CHECK: llvm.func @tally_rt_free(!llvm.ptr {llvm.noalias}, !llvm.ptr) attributes {sym_visibility = "private"}
llvm.func @tally_rt_free(!llvm.ptr {llvm.noalias, tally.name = "x"}, !llvm.ptr) attributes {sym_visibility = "private", tally.custom}

// CHECK-NOT: tally.
// CHECK: llvm.func internal @main(%{{.*}}: !llvm.ptr) -> i32 {
// CHECK-NOT: tally.
// CHECK: llvm.call @work(%{{.*}}) : (!llvm.ptr) -> i32
// CHECK-NOT: tally.
llvm.func @work(!llvm.ptr) -> i32
llvm.func internal @main(%ctx: !llvm.ptr) -> i32 attributes {tally.entry = {arguments = [], results = []}} {
  %0 = llvm.call @work(%ctx) {tally.status} : (!llvm.ptr) -> i32
  llvm.return %0 : i32
}

// CHECK: func.func private @results(index {llvm.noundef}) -> (index {llvm.noundef}, index)
func.func private @results(index {llvm.noundef, tally.name = "n"}) -> (index {llvm.noundef, tally.name = "m"}, index)
