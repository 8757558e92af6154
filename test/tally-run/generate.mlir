// An index that the body of tensor.generate reads from data is checked for every
// element before any is computed; so is what it takes to read it.
// RUN: tally-run %s --input f32[3]=5,6,7 --input i64[2]=2,1 --input i64=2 | FileCheck %s
// RUN: tally-run %s --input f32[3]=5,6,7 --input i64[2]=2,3 --input i64=1 | FileCheck %s --check-prefix=ONE
// RUN: tally-run %s --input f32[3]=5,6,7 --input i64[2]=2,3 --input i64=0 | FileCheck %s --check-prefix=EMPTY
// RUN: not tally-run %s --input f32[3]=5,6,7 --input i64[2]=2,3 --input i64=2 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not tally-run %s --input f32[3]=5,6,7 --input i64[2]=-1,0 --input i64=2 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not tally-run %s --input f32[3]=5,6,7 --input i64[2]=2,1 --input i64=3 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not tally-run %s --input f32[3]=5,6,7 --input i64[2]=2,1 --input i64=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// CHECK: [7. 6.]
// ONE: [7.]
// EMPTY: out0: f32[0] =
// DATA: check failed: {{.*}}an index is out of bounds of arg0; needed by tensor.extract
// SIZE: check failed: {{.*}}: s2 == 0 or s2 <= s1 does not hold: s2 = 3, s1 = 2
// NEGATIVE: check failed: {{.*}}: 0 <= s2 does not hold: s2 = -1
func.func @main(%x: tensor<?xf32>, %at: tensor<?xindex>, %n: index) -> tensor<?xf32> {
  %r = tensor.generate %n {
  ^bb0(%i: index):
    %j = tensor.extract %at[%i] : tensor<?xindex>
    // This mark is not believed.
    %v = tensor.extract %x[%j] {tally.checked} : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}
