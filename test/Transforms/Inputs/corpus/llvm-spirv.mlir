llvm.func @f(%a: i64, %p: !llvm.ptr) -> i64 {
  %0 = llvm.add %a, %a : i64
  llvm.return %0 : i64
}
spirv.module Logical GLSL450 {
  spirv.func @g(%a: i32) -> i32 "None" {
    %0 = spirv.IAdd %a, %a : i32
    spirv.ReturnValue %0 : i32
  }
}
emitc.func @h(%a: i32) -> i32 {
  %0 = emitc.add %a, %a : (i32, i32) -> i32
  emitc.return %0 : i32
}
