// RUN: tally-opt %s --allow-unregistered-dialect --tally-print-shapes -o /dev/null | FileCheck %s

// CHECK-LABEL: @exact
func.func @exact(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>},
                 %y: tensor<?xf32> {tally.shape = #tally.shape<s2>},
                 %n: index {tally.value = #tally.expr<s3>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, s3 : [-inf, inf]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %d2 = tensor.dim %y, %c0 : tensor<?xf32>
  // CHECK: %[[ADD:.*]] = s0 + s2
  %add = arith.addi %d0, %d2 : index
  // Two sizes of one argument have a product that fits.
  // CHECK: %[[MUL:.*]] = s0 * s1
  %mul = arith.muli %d0, %d1 : index
  // Those of two arguments may not.
  // CHECK-NOT: = s0 * s2
  %other = arith.muli %d0, %d2 : index
  // CHECK: = s0 floordiv 4
  %div = arith.divui %d0, %c4 : index
  // CHECK: = s0 ceildiv 4
  %ceil = arith.ceildivsi %d0, %c4 : index
  // CHECK: = s0 mod 4
  %rem = arith.remsi %d0, %c4 : index
  // Truncation is not flooring where the dividend may be negative.
  // CHECK-NOT: s3 floordiv
  %trunc = arith.divsi %n, %c4 : index
  // CHECK: = s3 floordiv 4
  %floor = arith.floordivsi %n, %c4 : index
  // An unsigned comparison says that the number is not negative.
  // CHECK: = 0 <= s3 and s3 < s0
  %in = arith.cmpi ult, %n, %d0 : index
  // CHECK: = s3 < s0
  %less = arith.cmpi sgt, %d0, %n : index
  // CHECK: = max(s0, s3)
  %sel = arith.select %less, %d0, %n : index
  // CHECK: = max(s0, s2)
  %max = arith.maxsi %d0, %d2 : index
  // s3 + 1 may overflow, unless the program excludes it.
  // CHECK-NOT: = s3 + 1
  // CHECK: = s3 + 2
  %over = arith.addi %n, %c1 : index
  %c2 = arith.constant 2 : index
  %noover = arith.addi %n, %c2 overflow<nsw> : index
  // CHECK: %{{.*}} = s0
  %i64 = arith.index_cast %d0 : index to i64
  // s0 may not fit 32 bits.
  // CHECK-NOT: = s0
  // CHECK: = 3 * s0 + s1
  %i32 = arith.trunci %i64 : i64 to i32
  %a = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0)>(%d0)[%d1]
  // CHECK: = min(s0, s1, 7)
  %b = affine.min affine_map<(d0, d1) -> (d0, d1, 7)>(%d0, %d1)
  return
}
