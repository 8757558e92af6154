// RUN: tally-run %s --input i64[4]=7,-9,8,7 | FileCheck %s

// Two tensors that a loop carries start as one, %e0: CSE merges those that are
// alike. Each is written on its own. (A merge sort that drops repeated numbers.)

// CHECK:      out0: i64[3] =
// CHECK-NEXT: [-9  7  8]
module {
  func.func @main(%arg0: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?xi64>
    %0 = tensor.empty(%dim) : tensor<?xi64>
    %1 = tensor.empty(%dim) : tensor<?xi64>
    %dim_0 = tensor.dim %arg0, %c0 : tensor<?xi64>
    %2:3 = scf.for %arg1 = %c0 to %dim_0 step %c1 iter_args(%arg2 = %0, %arg3 = %1, %arg4 = %c0) -> (tensor<?xi64>, tensor<?xi64>, index) {
      %13 = arith.subi %dim, %c1 : index
      %14 = arith.minsi %arg4, %13 : index
      %15 = arith.maxsi %14, %c0 : index
      %extracted = tensor.extract %arg0[%arg1] : tensor<?xi64>
      %inserted = tensor.insert %extracted into %arg2[%15] : tensor<?xi64>
      %16 = arith.index_cast %15 : index to i64
      %inserted_4 = tensor.insert %16 into %arg3[%15] : tensor<?xi64>
      %17 = arith.addi %arg4, %c1 : index
      scf.yield %inserted, %inserted_4, %17 : tensor<?xi64>, tensor<?xi64>, index
    }
    %e0 = tensor.empty(%dim) : tensor<?xi64>
    %3:5 = scf.while (%arg1 = %2#0, %arg2 = %2#1, %arg3 = %e0, %arg4 = %e0, %arg5 = %c1) : (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, index) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, index) {
      %13 = arith.cmpi slt, %arg5, %dim : index
      scf.condition(%13) %arg1, %arg2, %arg3, %arg4, %arg5 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, index
    } do {
    ^bb0(%arg1: tensor<?xi64>, %arg2: tensor<?xi64>, %arg3: tensor<?xi64>, %arg4: tensor<?xi64>, %arg5: index):
      %13 = arith.addi %arg5, %arg5 : index
      %14:4 = scf.for %arg6 = %c0 to %dim step %c1 iter_args(%arg7 = %arg3, %arg8 = %arg4, %arg9 = %c0, %arg10 = %c0) -> (tensor<?xi64>, tensor<?xi64>, index, index) {
        %17 = arith.addi %arg5, %arg5 : index
        %18 = arith.subi %17, %c1 : index
        %19 = arith.andi %arg6, %18 : index
        %20 = arith.subi %arg6, %19 : index
        %21 = arith.addi %20, %arg5 : index
        %22 = arith.minsi %21, %dim : index
        %23 = arith.addi %20, %17 : index
        %24 = arith.minsi %23, %dim : index
        %25 = arith.cmpi eq, %19, %c0 : index
        %26 = arith.select %25, %20, %arg9 : index
        %27 = arith.select %25, %22, %arg10 : index
        %28 = arith.subi %dim, %c1 : index
        %29 = arith.minsi %26, %28 : index
        %30 = arith.maxsi %29, %c0 : index
        %31 = arith.subi %dim, %c1 : index
        %32 = arith.minsi %27, %31 : index
        %33 = arith.maxsi %32, %c0 : index
        %extracted = tensor.extract %arg1[%33] : tensor<?xi64>
        %extracted_4 = tensor.extract %arg1[%30] : tensor<?xi64>
        %34 = arith.cmpi slt, %extracted, %extracted_4 : i64
        %35 = arith.cmpi sge, %26, %22 : index
        %36 = arith.cmpi slt, %27, %24 : index
        %37 = arith.ori %35, %34 : i1
        %38 = arith.andi %36, %37 : i1
        %39 = arith.select %38, %33, %30 : index
        %extracted_5 = tensor.extract %arg1[%39] : tensor<?xi64>
        %inserted = tensor.insert %extracted_5 into %arg7[%arg6] : tensor<?xi64>
        %extracted_6 = tensor.extract %arg2[%39] : tensor<?xi64>
        %inserted_7 = tensor.insert %extracted_6 into %arg8[%arg6] : tensor<?xi64>
        %40 = arith.select %38, %c0, %c1 : index
        %41 = arith.addi %26, %40 : index
        %42 = arith.select %38, %c1, %c0 : index
        %43 = arith.addi %27, %42 : index
        scf.yield %inserted, %inserted_7, %41, %43 : tensor<?xi64>, tensor<?xi64>, index, index
      }
      %15:4 = scf.for %arg6 = %c0 to %dim step %c1 iter_args(%arg7 = %arg1, %arg8 = %arg2, %arg9 = %c0, %arg10 = %c0) -> (tensor<?xi64>, tensor<?xi64>, index, index) {
        %17 = arith.addi %13, %13 : index
        %18 = arith.subi %17, %c1 : index
        %19 = arith.andi %arg6, %18 : index
        %20 = arith.subi %arg6, %19 : index
        %21 = arith.addi %20, %13 : index
        %22 = arith.minsi %21, %dim : index
        %23 = arith.addi %20, %17 : index
        %24 = arith.minsi %23, %dim : index
        %25 = arith.cmpi eq, %19, %c0 : index
        %26 = arith.select %25, %20, %arg9 : index
        %27 = arith.select %25, %22, %arg10 : index
        %28 = arith.subi %dim, %c1 : index
        %29 = arith.minsi %26, %28 : index
        %30 = arith.maxsi %29, %c0 : index
        %31 = arith.subi %dim, %c1 : index
        %32 = arith.minsi %27, %31 : index
        %33 = arith.maxsi %32, %c0 : index
        %extracted = tensor.extract %14#0[%33] : tensor<?xi64>
        %extracted_4 = tensor.extract %14#0[%30] : tensor<?xi64>
        %34 = arith.cmpi slt, %extracted, %extracted_4 : i64
        %35 = arith.cmpi sge, %26, %22 : index
        %36 = arith.cmpi slt, %27, %24 : index
        %37 = arith.ori %35, %34 : i1
        %38 = arith.andi %36, %37 : i1
        %39 = arith.select %38, %33, %30 : index
        %extracted_5 = tensor.extract %14#0[%39] : tensor<?xi64>
        %inserted = tensor.insert %extracted_5 into %arg7[%arg6] : tensor<?xi64>
        %extracted_6 = tensor.extract %14#1[%39] : tensor<?xi64>
        %inserted_7 = tensor.insert %extracted_6 into %arg8[%arg6] : tensor<?xi64>
        %40 = arith.select %38, %c0, %c1 : index
        %41 = arith.addi %26, %40 : index
        %42 = arith.select %38, %c1, %c0 : index
        %43 = arith.addi %27, %42 : index
        scf.yield %inserted, %inserted_7, %41, %43 : tensor<?xi64>, tensor<?xi64>, index, index
      }
      %16 = arith.addi %13, %13 : index
      scf.yield %15#0, %15#1, %14#0, %14#1, %16 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, index
    }
    %4 = scf.for %arg1 = %c0 to %dim step %c1 iter_args(%arg2 = %c0) -> (index) {
      %13 = arith.subi %arg1, %c1 : index
      %14 = arith.maxsi %13, %c0 : index
      %15 = arith.cmpi eq, %arg1, %c0 : index
      %extracted = tensor.extract %3#0[%arg1] : tensor<?xi64>
      %extracted_4 = tensor.extract %3#0[%14] : tensor<?xi64>
      %16 = arith.cmpi ne, %extracted, %extracted_4 : i64
      %17 = arith.ori %15, %16 : i1
      %18 = arith.select %17, %c1, %c0 : index
      %19 = arith.addi %arg2, %18 : index
      scf.yield %19 : index
    }
    %5 = arith.minsi %dim, %c1 : index
    %6 = arith.maxsi %4, %5 : index
    %7 = arith.minsi %6, %dim : index
    %8 = tensor.empty(%7) : tensor<?xi64>
    %9 = tensor.empty(%7) : tensor<?xi64>
    %10 = linalg.fill ins(%c0_i64 : i64) outs(%9 : tensor<?xi64>) -> tensor<?xi64>
    %11 = tensor.empty(%dim) : tensor<?xi64>
    %12:4 = scf.for %arg1 = %c0 to %dim step %c1 iter_args(%arg2 = %8, %arg3 = %10, %arg4 = %11, %arg5 = %c0) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, index) {
      %13 = arith.subi %arg1, %c1 : index
      %14 = arith.maxsi %13, %c0 : index
      %15 = arith.cmpi eq, %arg1, %c0 : index
      %extracted = tensor.extract %3#0[%arg1] : tensor<?xi64>
      %extracted_4 = tensor.extract %3#0[%14] : tensor<?xi64>
      %16 = arith.cmpi ne, %extracted, %extracted_4 : i64
      %17 = arith.ori %15, %16 : i1
      %18 = arith.select %17, %c1, %c0 : index
      %19 = arith.addi %arg5, %18 : index
      %20 = arith.subi %19, %c1 : index
      %21 = arith.cmpi ult, %20, %7 : index
      %22 = arith.andi %17, %21 : i1
      %23 = scf.if %22 -> (tensor<?xi64>) {
        %extracted_5 = tensor.extract %3#0[%arg1] : tensor<?xi64>
        %inserted = tensor.insert %extracted_5 into %arg2[%20] : tensor<?xi64>
        scf.yield %inserted : tensor<?xi64>
      } else {
        scf.yield %arg2 : tensor<?xi64>
      }
      %24 = arith.cmpi ult, %20, %7 : index
      %25:2 = scf.if %24 -> (tensor<?xi64>, tensor<?xi64>) {
        %extracted_5 = tensor.extract %arg3[%20] : tensor<?xi64>
        %26 = arith.addi %extracted_5, %c1_i64 : i64
        %inserted = tensor.insert %26 into %arg3[%20] : tensor<?xi64>
        %extracted_6 = tensor.extract %3#1[%arg1] : tensor<?xi64>
        %27 = arith.index_cast %extracted_6 : i64 to index
        %28 = arith.subi %dim, %c1 : index
        %29 = arith.minsi %27, %28 : index
        %30 = arith.maxsi %29, %c0 : index
        %31 = arith.index_cast %20 : index to i64
        %inserted_7 = tensor.insert %31 into %arg4[%30] : tensor<?xi64>
        scf.yield %inserted, %inserted_7 : tensor<?xi64>, tensor<?xi64>
      } else {
        scf.yield %arg3, %arg4 : tensor<?xi64>, tensor<?xi64>
      }
      scf.yield %23, %25#0, %25#1, %19 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, index
    }
    %dim_1 = tensor.dim %arg0, %c0 : tensor<?xi64>
    %extracted_slice = tensor.extract_slice %12#2[0] [%dim_1] [1] : tensor<?xi64> to tensor<?xi64>
    %extracted_slice_2 = tensor.extract_slice %12#0[0] [%7] [1] : tensor<?xi64> to tensor<?xi64>
    %extracted_slice_3 = tensor.extract_slice %12#1[0] [%7] [1] : tensor<?xi64> to tensor<?xi64>
    return %extracted_slice_2, %extracted_slice, %extracted_slice_3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  }
}

