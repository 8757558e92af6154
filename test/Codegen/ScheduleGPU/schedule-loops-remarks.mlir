// Scatters that have a form for any order say so, once each; sums of halves have none.
// RUN: tally-opt %s --tally-schedule-loops --remarks-filter=tally-form-kernels -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=Order

// CHECK: remark: {{.*}}Order{{.*}}scf.for at schedule-loops-remarks.mlir:[[@LINE+5]]: floats are added up in any order where the caller allows it (tally_rt_set_deterministic); else iterations are sorted by their places
func.func @adds(%x: memref<?xf64>, %at: memref<?xindex>, %m: index, %n: index) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%m) : memref<?xf64>
  scf.for %i = %c0 to %n step %c1 {
    %to = memref.load %at[%i] : memref<?xindex>
    %v = memref.load %x[%i] : memref<?xf64>
    %old = memref.load %y[%to] : memref<?xf64>
    %new = arith.addf %old, %v : f64
    memref.store %new, %y[%to] : memref<?xf64>
  }
  return %y : memref<?xf64>
}

// CHECK: remark: {{.*}}Order{{.*}}scf.for at schedule-loops-remarks.mlir:[[@LINE+5]]: any of the values for one element may stay where the caller allows it
func.func @writes(%x: memref<?xf16>, %at: memref<?xindex>, %m: index, %n: index) -> memref<?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%m) : memref<?xf16>
  scf.for %i = %c0 to %n step %c1 {
    %to = memref.load %at[%i] : memref<?xindex>
    %v = memref.load %x[%i] : memref<?xf16>
    memref.store %v, %y[%to] : memref<?xf16>
  }
  return %y : memref<?xf16>
}

func.func @adds_halves(%x: memref<?xf16>, %at: memref<?xindex>, %m: index, %n: index) -> memref<?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.alloc(%m) : memref<?xf16>
  scf.for %i = %c0 to %n step %c1 {
    %to = memref.load %at[%i] : memref<?xindex>
    %v = memref.load %x[%i] : memref<?xf16>
    %old = memref.load %y[%to] : memref<?xf16>
    %new = arith.addf %old, %v : f16
    memref.store %new, %y[%to] : memref<?xf16>
  }
  return %y : memref<?xf16>
}
