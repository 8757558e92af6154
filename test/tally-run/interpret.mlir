// What tally-run says with --interpret and --compare.
// RUN: tally-run %s --interpret --input 'f32[2]=1,2' --input 'f32[2]=3,4' --rtol 0 --expect 'f32[2]=4,6'
// RUN: tally-run %s --compare --input 'f32[2]=1,2' --input 'f32[2]=3,4' | FileCheck %s --check-prefix=SUM
// RUN: not tally-run %s --interpret --input 'f32[2]=1' --input 'f32[3]=1' 2>&1 | FileCheck %s --check-prefix=CHECK-FAILED
// RUN: not tally-run %s --compare --input 'f32[2]=1' --input 'f32[3]=1' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not tally-run %s --interpret=lowered --input 'f32[2]=1' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not tally-run %s --interpret --device=cuda 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not tally-run %s --interpret --entry nobody 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not tally-run %s --interpret --input 'f32[2]=1' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tally-run %s --interpret --input 'f64[2]=1' --input 'f32[2]=1' 2>&1 | FileCheck %s --check-prefix=DTYPE
// RUN: not tally-run %s --interpret --input 'f32[2,2]=1' --input 'f32[2]=1' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not tally-run %s --compare --entry fixed --input 'f32[281474976710657,0]=' 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not tally-run %s --compare --entry fixed --input 'f32[4,1]=1' 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: tally-run %s --compare --entry updates --input 'i32[2]=1,2' | FileCheck %s --check-prefix=UPDATES
// RUN: not tally-run %s --compare --entry undefined --input f32=nan 2>&1 | FileCheck %s --check-prefix=DIFFER

// SUM: [4. 6.]
// CHECK-FAILED: tally-run: check failed: {{.*}}interpret.mlir:[[#@LINE+4]]:{{.*}}2 == 3 does not hold
// BOTH: tally-run: check failed: {{.*}}interpret.mlir:[[#@LINE+3]]:{{.*}}s0 == s1 does not hold
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // The sizes have to be equal.
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// FORM: unknown --interpret=lowered: named, bound, checked or gpu, or nothing to run the program as it stands
// DEVICE: --target, --checks, --elide and -O decide how a program is compiled
// ENTRY: there is no public function 'nobody'; there are: main, updates, fixed, undefined
// MISSING: main takes 2 arguments, 1 given; each is an --input, with numbers for sizes:
// DTYPE: tally-run: main: argument 0 ('arg0') has data type f64, expected f32
// RANK: tally-run: main: argument 0 ('arg0') has rank 2, expected 1

// UPDATES: arg0: i32[2] =
// UPDATES-NEXT: [2 4]
func.func @updates(%x: tensor<?xi32>) -> (tensor<?xi32> {tally.mutates = 0 : i64}) {
  %r = arith.addi %x, %x : tensor<?xi32>
  return %r : tensor<?xi32>
}

// LIMIT: tally-run: check failed: {{.*}} <= 281474976710656 does not hold
// FIXED: tally-run: check failed: {{.*}}x.size(1) == 0 does not hold
func.func @fixed(%x: tensor<?x0xf32> {tally.name = "x"}) -> tensor<?x0xf32> {
  return %x : tensor<?x0xf32>
}

// DIFFER: compiled and interpreted differ:
// DIFFER-NEXT: compiled:    no error
// DIFFER-NEXT: interpreted: {{.*}}result 0 is poison
func.func @undefined(%x: f32) -> i32 {
  %r = arith.fptosi %x : f32 to i32
  return %r : i32
}
