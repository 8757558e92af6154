// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=isa chip=sm_80})' | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ tally-opt %s --pass-pipeline='builtin.module(tally-kernel-pipeline{format=bin chip=sm_80})' | FileCheck %s --check-prefix=CODE %}
// REQUIRES: libdevice

// Whatever a scalar function of a program may be made of.
// PTX: gpu.binary @kernels {{.*}}assembly = "
// CODE: gpu.binary @kernels {{.*}}bin = "\7FELF
gpu.module @kernels {
  gpu.func @f16(%p: memref<2xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %p[%c0] : memref<2xf16>
    %y = memref.load %p[%c1] : memref<2xf16>
    %0 = math.absf %x : f16
    %1 = math.acos %0 : f16
    %2 = math.acosh %1 : f16
    %3 = math.asin %2 : f16
    %4 = math.asinh %3 : f16
    %5 = math.atan %4 : f16
    %6 = math.atanh %5 : f16
    %7 = math.ceil %6 : f16
    %8 = math.cos %7 : f16
    %9 = math.cosh %8 : f16
    %10 = math.erf %9 : f16
    %11 = math.erfc %10 : f16
    %12 = math.exp %11 : f16
    %13 = math.exp2 %12 : f16
    %14 = math.expm1 %13 : f16
    %15 = math.floor %14 : f16
    %16 = math.log10 %15 : f16
    %17 = math.log1p %16 : f16
    %18 = math.log2 %17 : f16
    %19 = math.log %18 : f16
    %20 = math.roundeven %19 : f16
    %21 = math.round %20 : f16
    %22 = math.rsqrt %21 : f16
    %23 = math.sin %22 : f16
    %24 = math.sinh %23 : f16
    %25 = math.sqrt %24 : f16
    %26 = math.tan %25 : f16
    %27 = math.tanh %26 : f16
    %28 = math.trunc %27 : f16
    %29 = math.atan2 %28, %y : f16
    %30 = math.copysign %29, %y : f16
    %31 = math.powf %30, %y : f16
    %32 = arith.addf %31, %y : f16
    %33 = arith.divf %32, %y : f16
    %34 = arith.maxnumf %33, %y : f16
    %35 = arith.maximumf %34, %y : f16
    %36 = arith.minnumf %35, %y : f16
    %37 = arith.minimumf %36, %y : f16
    %38 = arith.mulf %37, %y : f16
    %39 = arith.remf %38, %y : f16
    %40 = arith.subf %39, %y : f16
    %i = arith.fptosi %40 : f16 to i64
    %f = arith.sitofp %i : i64 to f16
    %s = math.fma %40, %f, %y : f16
    %nan = math.isnan %s : f16
    %r = arith.select %nan, %y, %s : f16
    memref.store %r, %p[%c0] : memref<2xf16>
    gpu.return
  }
  gpu.func @bf16(%p: memref<2xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %p[%c0] : memref<2xbf16>
    %y = memref.load %p[%c1] : memref<2xbf16>
    %0 = math.absf %x : bf16
    %1 = math.acos %0 : bf16
    %2 = math.acosh %1 : bf16
    %3 = math.asin %2 : bf16
    %4 = math.asinh %3 : bf16
    %5 = math.atan %4 : bf16
    %6 = math.atanh %5 : bf16
    %7 = math.ceil %6 : bf16
    %8 = math.cos %7 : bf16
    %9 = math.cosh %8 : bf16
    %10 = math.erf %9 : bf16
    %11 = math.erfc %10 : bf16
    %12 = math.exp %11 : bf16
    %13 = math.exp2 %12 : bf16
    %14 = math.expm1 %13 : bf16
    %15 = math.floor %14 : bf16
    %16 = math.log10 %15 : bf16
    %17 = math.log1p %16 : bf16
    %18 = math.log2 %17 : bf16
    %19 = math.log %18 : bf16
    %20 = math.roundeven %19 : bf16
    %21 = math.round %20 : bf16
    %22 = math.rsqrt %21 : bf16
    %23 = math.sin %22 : bf16
    %24 = math.sinh %23 : bf16
    %25 = math.sqrt %24 : bf16
    %26 = math.tan %25 : bf16
    %27 = math.tanh %26 : bf16
    %28 = math.trunc %27 : bf16
    %29 = math.atan2 %28, %y : bf16
    %30 = math.copysign %29, %y : bf16
    %31 = math.powf %30, %y : bf16
    %32 = arith.addf %31, %y : bf16
    %33 = arith.divf %32, %y : bf16
    %34 = arith.maxnumf %33, %y : bf16
    %35 = arith.maximumf %34, %y : bf16
    %36 = arith.minnumf %35, %y : bf16
    %37 = arith.minimumf %36, %y : bf16
    %38 = arith.mulf %37, %y : bf16
    %39 = arith.remf %38, %y : bf16
    %40 = arith.subf %39, %y : bf16
    %i = arith.fptosi %40 : bf16 to i64
    %f = arith.sitofp %i : i64 to bf16
    %s = math.fma %40, %f, %y : bf16
    %nan = math.isnan %s : bf16
    %r = arith.select %nan, %y, %s : bf16
    memref.store %r, %p[%c0] : memref<2xbf16>
    gpu.return
  }
  gpu.func @f32(%p: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %p[%c0] : memref<2xf32>
    %y = memref.load %p[%c1] : memref<2xf32>
    %0 = math.absf %x : f32
    %1 = math.acos %0 : f32
    %2 = math.acosh %1 : f32
    %3 = math.asin %2 : f32
    %4 = math.asinh %3 : f32
    %5 = math.atan %4 : f32
    %6 = math.atanh %5 : f32
    %7 = math.ceil %6 : f32
    %8 = math.cos %7 : f32
    %9 = math.cosh %8 : f32
    %10 = math.erf %9 : f32
    %11 = math.erfc %10 : f32
    %12 = math.exp %11 : f32
    %13 = math.exp2 %12 : f32
    %14 = math.expm1 %13 : f32
    %15 = math.floor %14 : f32
    %16 = math.log10 %15 : f32
    %17 = math.log1p %16 : f32
    %18 = math.log2 %17 : f32
    %19 = math.log %18 : f32
    %20 = math.roundeven %19 : f32
    %21 = math.round %20 : f32
    %22 = math.rsqrt %21 : f32
    %23 = math.sin %22 : f32
    %24 = math.sinh %23 : f32
    %25 = math.sqrt %24 : f32
    %26 = math.tan %25 : f32
    %27 = math.tanh %26 : f32
    %28 = math.trunc %27 : f32
    %29 = math.atan2 %28, %y : f32
    %30 = math.copysign %29, %y : f32
    %31 = math.powf %30, %y : f32
    %32 = arith.addf %31, %y : f32
    %33 = arith.divf %32, %y : f32
    %34 = arith.maxnumf %33, %y : f32
    %35 = arith.maximumf %34, %y : f32
    %36 = arith.minnumf %35, %y : f32
    %37 = arith.minimumf %36, %y : f32
    %38 = arith.mulf %37, %y : f32
    %39 = arith.remf %38, %y : f32
    %40 = arith.subf %39, %y : f32
    %i = arith.fptosi %40 : f32 to i64
    %f = arith.sitofp %i : i64 to f32
    %s = math.fma %40, %f, %y : f32
    %nan = math.isnan %s : f32
    %r = arith.select %nan, %y, %s : f32
    memref.store %r, %p[%c0] : memref<2xf32>
    gpu.return
  }
  gpu.func @f64(%p: memref<2xf64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %p[%c0] : memref<2xf64>
    %y = memref.load %p[%c1] : memref<2xf64>
    %0 = math.absf %x : f64
    %1 = math.acos %0 : f64
    %2 = math.acosh %1 : f64
    %3 = math.asin %2 : f64
    %4 = math.asinh %3 : f64
    %5 = math.atan %4 : f64
    %6 = math.atanh %5 : f64
    %7 = math.ceil %6 : f64
    %8 = math.cos %7 : f64
    %9 = math.cosh %8 : f64
    %10 = math.erf %9 : f64
    %11 = math.erfc %10 : f64
    %12 = math.exp %11 : f64
    %13 = math.exp2 %12 : f64
    %14 = math.expm1 %13 : f64
    %15 = math.floor %14 : f64
    %16 = math.log10 %15 : f64
    %17 = math.log1p %16 : f64
    %18 = math.log2 %17 : f64
    %19 = math.log %18 : f64
    %20 = math.roundeven %19 : f64
    %21 = math.round %20 : f64
    %22 = math.rsqrt %21 : f64
    %23 = math.sin %22 : f64
    %24 = math.sinh %23 : f64
    %25 = math.sqrt %24 : f64
    %26 = math.tan %25 : f64
    %27 = math.tanh %26 : f64
    %28 = math.trunc %27 : f64
    %29 = math.atan2 %28, %y : f64
    %30 = math.copysign %29, %y : f64
    %31 = math.powf %30, %y : f64
    %32 = arith.addf %31, %y : f64
    %33 = arith.divf %32, %y : f64
    %34 = arith.maxnumf %33, %y : f64
    %35 = arith.maximumf %34, %y : f64
    %36 = arith.minnumf %35, %y : f64
    %37 = arith.minimumf %36, %y : f64
    %38 = arith.mulf %37, %y : f64
    %39 = arith.remf %38, %y : f64
    %40 = arith.subf %39, %y : f64
    %i = arith.fptosi %40 : f64 to i64
    %f = arith.sitofp %i : i64 to f64
    %s = math.fma %40, %f, %y : f64
    %nan = math.isnan %s : f64
    %r = arith.select %nan, %y, %s : f64
    memref.store %r, %p[%c0] : memref<2xf64>
    gpu.return
  }
  gpu.func @i8(%p: memref<2xi8>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %p[%c0] : memref<2xi8>
    %y = memref.load %p[%c1] : memref<2xi8>
    %0 = math.absi %x : i8
    %1 = math.ctpop %0 : i8
    %2 = math.ctlz %1 : i8
    %3 = math.cttz %2 : i8
    %4 = arith.addi %3, %y : i8
    %5 = arith.muli %4, %y : i8
    %6 = arith.subi %5, %y : i8
    %7 = arith.andi %6, %y : i8
    %8 = arith.ori %7, %y : i8
    %9 = arith.xori %8, %y : i8
    %10 = arith.shli %9, %y : i8
    %11 = arith.shrsi %10, %y : i8
    %12 = arith.shrui %11, %y : i8
    %13 = arith.maxsi %12, %y : i8
    %14 = arith.maxui %13, %y : i8
    %15 = arith.minsi %14, %y : i8
    %16 = arith.minui %15, %y : i8
    %17 = arith.ceildivsi %16, %y : i8
    %18 = arith.floordivsi %17, %y : i8
    %19 = arith.ceildivui %18, %y : i8
    memref.store %19, %p[%c0] : memref<2xi8>
    gpu.return
  }
  gpu.func @i32(%p: memref<2xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %p[%c0] : memref<2xi32>
    %y = memref.load %p[%c1] : memref<2xi32>
    %0 = math.absi %x : i32
    %1 = math.ctpop %0 : i32
    %2 = math.ctlz %1 : i32
    %3 = math.cttz %2 : i32
    %4 = arith.addi %3, %y : i32
    %5 = arith.muli %4, %y : i32
    %6 = arith.subi %5, %y : i32
    %7 = arith.andi %6, %y : i32
    %8 = arith.ori %7, %y : i32
    %9 = arith.xori %8, %y : i32
    %10 = arith.shli %9, %y : i32
    %11 = arith.shrsi %10, %y : i32
    %12 = arith.shrui %11, %y : i32
    %13 = arith.maxsi %12, %y : i32
    %14 = arith.maxui %13, %y : i32
    %15 = arith.minsi %14, %y : i32
    %16 = arith.minui %15, %y : i32
    %17 = arith.ceildivsi %16, %y : i32
    %18 = arith.floordivsi %17, %y : i32
    %19 = arith.ceildivui %18, %y : i32
    memref.store %19, %p[%c0] : memref<2xi32>
    gpu.return
  }
  gpu.func @i64(%p: memref<2xi64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = memref.load %p[%c0] : memref<2xi64>
    %y = memref.load %p[%c1] : memref<2xi64>
    %0 = math.absi %x : i64
    %1 = math.ctpop %0 : i64
    %2 = math.ctlz %1 : i64
    %3 = math.cttz %2 : i64
    %4 = arith.addi %3, %y : i64
    %5 = arith.muli %4, %y : i64
    %6 = arith.subi %5, %y : i64
    %7 = arith.andi %6, %y : i64
    %8 = arith.ori %7, %y : i64
    %9 = arith.xori %8, %y : i64
    %10 = arith.shli %9, %y : i64
    %11 = arith.shrsi %10, %y : i64
    %12 = arith.shrui %11, %y : i64
    %13 = arith.maxsi %12, %y : i64
    %14 = arith.maxui %13, %y : i64
    %15 = arith.minsi %14, %y : i64
    %16 = arith.minui %15, %y : i64
    %17 = arith.ceildivsi %16, %y : i64
    %18 = arith.floordivsi %17, %y : i64
    %19 = arith.ceildivui %18, %y : i64
    memref.store %19, %p[%c0] : memref<2xi64>
    gpu.return
  }
}
