func.func @elementwise(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %p: tensor<?x?xi1>, %q: i1) -> tensor<?x?xf32> {
  %0 = math.exp %x : tensor<?x?xf32>
  %1 = math.fma %0, %y, %x : tensor<?x?xf32>
  %2 = arith.select %p, %1, %0 : tensor<?x?xi1>, tensor<?x?xf32>
  %3 = arith.select %q, %2, %y : tensor<?x?xf32>
  %4 = arith.cmpf olt, %3, %x : tensor<?x?xf32>
  %5 = arith.extui %4 : tensor<?x?xi1> to tensor<?x?xi32>
  %6 = arith.sitofp %5 : tensor<?x?xi32> to tensor<?x?xf32>
  %7 = arith.truncf %6 : tensor<?x?xf32> to tensor<?x?xf16>
  %8 = arith.extf %7 : tensor<?x?xf16> to tensor<?x?xf32>
  return %8 : tensor<?x?xf32>
}
func.func @scalars(%a: i64, %b: i32, %c: index, %d: i128, %e: i8, %f: i1, %u: ui8) -> index {
  %0 = arith.extsi %b : i32 to i64
  %1 = arith.addi %a, %0 : i64
  %2 = arith.muli %1, %1 overflow<nsw> : i64
  %3 = arith.index_castui %2 : i64 to index
  %4 = arith.trunci %d : i128 to i8
  %5 = arith.extui %e : i8 to i64
  %6 = arith.extui %f : i1 to i64
  %7 = arith.extsi %f : i1 to i64
  %8 = arith.shli %a, %a : i64
  %c63 = arith.constant 63 : i64
  %cm1 = arith.constant -1 : i64
  %cmin = arith.constant -9223372036854775808 : i64
  %c0 = arith.constant 0 : i64
  %big = arith.constant 170141183460469231731687303715884105727 : i128
  %9 = arith.shrsi %a, %c63 : i64
  %10 = arith.divsi %cmin, %cm1 : i64
  %11 = arith.remsi %cmin, %cm1 : i64
  %12 = arith.ceildivsi %a, %cm1 : i64
  %13:2 = arith.addui_extended %a, %5 : i64, i1
  %14 = arith.andi %a, %c63 : i64
  %15 = arith.minui %a, %5 : i64
  %16 = arith.maxui %5, %6 : i64
  %17 = arith.xori %f, %f : i1
  %18 = arith.addi %f, %f : i1
  %19 = arith.cmpi ugt, %a, %5 : i64
  %20 = arith.subi %c0, %cmin : i64
  %21 = index.casts %20 : i64 to index
  %22 = index.add %21, %3
  %23 = index.ceildivs %22, %c
  %24 = index.cmp ult(%23, %c)
  %25 = index.bool.constant true
  %26 = arith.index_cast %16 : i64 to index
  %t = tensor.empty(%26, %22) : tensor<?x?xf32>
  return %23 : index
}
func.func @constants() -> tensor<3xi64> {
  %0 = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  %1 = arith.constant dense<0.0> : tensor<2x2xf32>
  %2 = arith.constant dense_resource<blob> : tensor<2xf32>
  %3 = arith.constant sparse<[[0]], [1.0]> : tensor<4xf32>
  %c = arith.constant 1.0 : bf16
  return %0 : tensor<3xi64>
}
{-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-}
