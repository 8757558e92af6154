// RUN: tally-opt %s --tally-bind-symbols --split-input-file | FileCheck %s

// Sizes of arguments: a check on the raw value, then the symbol.

// CHECK-LABEL: func.func @reshape_add(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: tensor<?xf32>
// CHECK-DAG:     %[[D0:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x?xf32>
// CHECK-DAG:     %[[D1:.*]] = tensor.dim %[[X]], %{{.*}} : tensor<?x?xf32>
// CHECK-DAG:     %[[D2:.*]] = tensor.dim %[[Y]], %{{.*}} : tensor<?xf32>
// CHECK:         tally.check <s0 <= 4096> (s0 = %[[D0]] : index) declared_by("x")
// CHECK-NEXT:    %[[S0:.*]] = tally.symbol "s0" = %[[D0]] from "x.size(0)" in [0, 4096] : index
// CHECK-NEXT:    tally.check <s1 <= 65536> (s1 = %[[D1]] : index) declared_by("x")
// CHECK-NEXT:    tally.check <s1 mod 8 == 0> (s1 = %[[D1]] : index) declared_by("x")
// CHECK-NEXT:    %[[S1:.*]] = tally.symbol "s1" = %[[D1]] from "x.size(1)" in [0, 65536] divisible_by 8 : index
// CHECK-NEXT:    %[[S2:.*]] = tally.symbol "s2" = %[[D2]] from "y.size(0)" : index
// CHECK-NEXT:    %[[N:.*]] = arith.muli %[[S0]], %[[S1]] : index
// CHECK:         tensor.empty(%[[N]])
// CHECK:         tally.check <s0 * s1 == s2> (s0 = %[[S0]], s1 = %[[S1]], s2 = %[[S2]] : index, index, index) required_by("linalg.add")
func.func @reshape_add(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                       %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s2>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [0, 4096], s1 : [0, 65536] % 8, s2>, no_inline} {
  %n = tally.size #tally.expr<s0 * s1> : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  tally.check <s0 * s1 == s2> required_by("linalg.add")
  %sum = linalg.add ins(%flat, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// -----

// A size that occurs twice is checked; a static one that is declared needs none.

// CHECK-LABEL: func.func @twice
// CHECK:         %[[S0:.*]] = tally.symbol "s0" = %{{.*}} from "arg0.size(0)" : index
// CHECK-NEXT:    tally.check <s0 == arg1_size_0> (s0 = %[[S0]], arg1_size_0 = %{{.*}} : index, index) declared_by("arg1")
// CHECK-NOT:     tally.check
func.func @twice(%x: tensor<?x4xf32> {tally.shape = #tally.shape<s0, 4>},
                 %y: tensor<?xf32> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0>} {
  return
}

// -----

// Symbols that stand only inside of expressions are solved for.

// CHECK-LABEL: func.func @solve
// CHECK:         tally.check <x_size_0 mod 2 == 0> (x_size_0 = %[[D0:.*]] : index) declared_by("x")
// CHECK:         %[[HALF:.*]] = arith.divui %[[D0]], %c2
// CHECK:         %[[S0:.*]] = tally.symbol "s0" = %[[HALF]] from "x.size(0) floordiv 2"
// CHECK:         %[[REST:.*]] = arith.subi %{{.*}}, %[[S0]] : index
// CHECK:         tally.check <s1 <= 5> (s1 = %[[REST]] : index) declared_by("x")
// CHECK:         tally.symbol "s1" = %[[REST]] from "x.size(1) - s0" in [0, 5] : index
func.func @solve(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<2 * s0, s0 + s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1 : [0, 5]>} {
  %n = tally.size <s0 * s1> : index
  return %n : index
}

// -----

// Scalars: the value of an argument, of every type that the ABI has.

// CHECK-LABEL: func.func @scalars
// CHECK-SAME:    %[[N:[a-z0-9]+]]: i64 {{.*}} %[[B:[a-z0-9]+]]: i1 {{.*}} %[[F:[a-z0-9]+]]: f64
// CHECK:         %[[I:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK:         tally.check <1 <= s0> (s0 = %[[I]] : index) declared_by("n")
// CHECK:         tally.check <s0 <= 8> (s0 = %[[I]] : index) declared_by("n")
// CHECK:         tally.symbol "s0" = %[[I]] from "n" in [1, 8] : index
// CHECK:         tally.symbol "b0" = %[[B]] from "arg1" : i1
// CHECK:         tally.symbol "zf0" = %[[F]] from "arg2" : f64
func.func @scalars(%n: i64 {tally.name = "n", tally.value = #tally.expr<s0>},
                   %b: i1 {tally.value = #tally.expr<b0>},
                   %f: f64 {tally.value = #tally.expr<zf0>}) -> i64
    attributes {tally.symbols = #tally.symbols<s0 : [1, 8], b0 : bool, zf0 : float>} {
  %r = tally.size <s0 + 1> : i64
  return %r : i64
}

// -----

// An assumed declaration is a fact without a check; what is taken on trust can
// be read in the program.

// CHECK-LABEL: func.func @assumed
// CHECK-NOT:     tally.check
// CHECK:         tally.assume <1 <= s0> (s0 = %{{.*}} : index) declared_by("x")
// CHECK-NEXT:    tally.assume <s0 <= 4> (s0 = %{{.*}} : index) declared_by("x")
// CHECK-NEXT:    tally.symbol "s0" = %{{.*}} from "x.size(0)" in [1, 4] : index
func.func @assumed(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0 : [1, 4] assumed>} {
  return
}

// -----

// What an operation makes is bound right behind it.

// CHECK-LABEL: func.func @unbacked
// CHECK:         %[[NZ:.*]] = tally.nonzero %{{.*}} : tensor<?xf32> -> tensor<?x1xi64>{{$}}
// CHECK:         %[[D:.*]] = tensor.dim %[[NZ]], %c0
// CHECK-NEXT:    tally.check <u0 <= 100> (u0 = %[[D]] : index)
// CHECK-NEXT:    %[[U0:.*]] = tally.symbol "u0" = %[[D]] from "tally.nonzero(arg0).size(0)" in [0, 100] : index
// CHECK:         %[[V:.*]] = tally.item %{{.*}} : tensor<i64>{{$}}
// CHECK:         %[[I:.*]] = arith.index_cast %[[V]] : i64 to index
// CHECK:         tally.check <arg1_item mod 4 == 0> (arg1_item = %[[I]] : index) required_by("tally.item")
// CHECK:         %[[Q:.*]] = arith.floordivsi %[[I]], %c4
// CHECK:         tally.symbol "u1" = %[[Q]] from "arg1.item() / 4" : index
func.func @unbacked(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %t: tensor<i64>) -> index
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked [0, 100], u1 : unbacked>} {
  %nz = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u1 = result(0) / 4>
  %n = tally.size <u0 + s0> : index
  return %n : index
}

// -----

// That a size fits 64 bits is checked before it is computed.

// CHECK-LABEL: func.func @overflow
// CHECK:         tally.check <s0 * s1 <= 9223372036854775807>, "the number does not fit 64 bits" (s0 = %{{.*}}, s1 = %{{.*}} : index, index) required_by("tally.size")
// CHECK-NEXT:    arith.muli %{{.*}}, %{{.*}} : index
func.func @overflow(%n: i64 {tally.value = #tally.expr<s0>}, %m: i64 {tally.value = #tally.expr<s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %r = tally.size <s0 * s1> : index
  return %r : index
}

// -----

// What is checked before a size is known where it is computed; what is checked
// after it, or in a branch beside it, is not.

// CHECK-LABEL: func.func @after_checks
// CHECK:         tally.check <2 * u0 <= s0>
// CHECK-NEXT:    tally.check <u0 >= -4>
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NOT:     required_by("tally.size")
// CHECK:         return
func.func @after_checks(%x: tensor<?xf32> {tally.shape = #tally.shape<s0>}, %t: tensor<i64>) -> index
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  tally.check <2 * u0 <= s0>
  tally.check <u0 >= -4>
  %n = tally.size <2 * u0> : index
  return %n : index
}

// CHECK-LABEL: func.func @beside_checks
// CHECK:         scf.if
// CHECK-NEXT:      tally.check <u0 <= 8>
// CHECK-NEXT:      tally.check <-8 <= u0>
// CHECK:         tally.check <u0 <= 3074457345618258602>, "the number does not fit 64 bits" {{.*}} required_by("tally.size")
// CHECK:         tally.check <-3074457345618258602 <= u0>, "the number does not fit 64 bits" {{.*}} required_by("tally.size")
func.func @beside_checks(%p: i1, %t: tensor<i64>) -> index
    attributes {tally.symbols = #tally.symbols<u0 : unbacked>} {
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  scf.if %p {
    tally.check <u0 <= 8>
    tally.check <-8 <= u0>
  }
  %n = tally.size <3 * u0> : index
  tally.check <u0 == 1>
  return %n : index
}

// -----

// A range may begin, or lie, below zero.

// CHECK-LABEL: func.func @below_zero
// CHECK:         tally.check <-100 <= s0> (s0 = %{{.*}} : index) declared_by("n")
// CHECK:         tally.symbol "s0" = %{{.*}} from "n" in [-100, 100] : index
// CHECK:         tally.symbol "s1" = %{{.*}} from "m" in [-9, -2] : index
func.func @below_zero(%n: i64 {tally.name = "n", tally.value = #tally.expr<s0>},
                      %m: i64 {tally.name = "m", tally.value = #tally.expr<s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0 : [-100, 100], s1 : [-9, -2]>} {
  %r = tally.size <s0 - s1> : index
  return %r : index
}

// -----

// Symbols that share equations are solved for together; an assumed range of a
// solution is not checked.

// CHECK-LABEL: func.func @simultaneous
// CHECK:         tally.check <(x_size_0 + x_size_1) mod 2 == 0> (x_size_0 = %[[D0:.*]], x_size_1 = %[[D1:.*]] : index, index) declared_by("x")
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %[[D0]], %[[D1]] : index
// CHECK:         %[[HALF:.*]] = arith.divui %[[SUM]], %c2
// CHECK-NEXT:    tally.check <0 <= s0> (s0 = %[[HALF]] : index) declared_by("x")
// CHECK-NEXT:    %[[S0:.*]] = tally.symbol "s0" = %[[HALF]] from "(x.size(0) + x.size(1)) floordiv 2" in [0, inf] : index
// CHECK-NEXT:    %[[REST:.*]] = arith.subi %[[D0]], %[[S0]] : index
// CHECK-NEXT:    tally.assume <0 <= s1> (s1 = %[[REST]] : index) declared_by("x")
// CHECK-NEXT:    tally.assume <s1 <= 5> (s1 = %[[REST]] : index) declared_by("x")
// CHECK-NEXT:    tally.symbol "s1" = %[[REST]] from "x.size(0) - s0" in [0, 5] : index
// CHECK-NOT:     tally.check
func.func @simultaneous(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 + s1, s0 - s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1 : [0, 5] assumed>} {
  %n = tally.size <s0 * s1> : index
  return %n : index
}

// CHECK-LABEL: func.func @across_arguments
// CHECK:         tally.check <(x_size_0 + y_size_0 + n) mod 2 == 0> {{.*}} declared_by("x")
// CHECK:         tally.symbol "s0" = %{{.*}} from "(x.size(0) + y.size(0) + n) floordiv 2 - y.size(0)"
// CHECK:         tally.check <s1 mod 2 == 0> (s1 = %[[S1:.*]] : index) declared_by("x")
// CHECK:         tally.symbol "s1" = %[[S1]] from "x.size(0) - s0" in [0, inf] divisible_by 2 : index
// CHECK:         tally.symbol "s2" = %{{.*}} from "s0 - x.size(0) + y.size(0)" in [0, inf] : index
func.func @across_arguments(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 + s1>},
                            %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1 + s2>},
                            %n: i32 {tally.name = "n", tally.value = #tally.expr<s2 + s0>})
    attributes {tally.symbols = #tally.symbols<s0, s1 : % 2, s2>} {
  return
}

// -----

// A factor that is known divides, if it is not zero.

// CHECK-LABEL: func.func @product
// CHECK:         %[[S0:.*]] = tally.symbol "s0" = %{{.*}} from "x.size(0)" : index
// CHECK-NEXT:    tally.check <"s0 != 0"> (s0 = %[[S0]] : index) declared_by("x")
// CHECK-NEXT:    tally.check <x_size_1 mod s0 == 0> (s0 = %[[S0]], x_size_1 = %[[D:.*]] : index, index) declared_by("x")
// CHECK-NEXT:    %[[Q:.*]] = arith.divui %[[D]], %[[S0]] : index
// CHECK-NEXT:    tally.check <0 <= s1> (s1 = %[[Q]] : index) declared_by("x")
// CHECK-NEXT:    tally.symbol "s1" = %[[Q]] from "x.size(1) floordiv s0" in [0, inf] : index
func.func @product(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s0 * s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  return
}

// -----

// A quotient that is declared to be exact is solved for without a remainder.

// CHECK-LABEL: func.func @quotient
// CHECK:         %[[S0:.*]] = arith.muli %{{.*}}, %c4
// CHECK-NEXT:    tally.check <0 <= s0> (s0 = %[[S0]] : index) declared_by("x")
// CHECK-NEXT:    tally.check <s0 <= 64> (s0 = %[[S0]] : index) declared_by("x")
// CHECK:         tally.symbol "s0" = %[[S0]] from "4 * x.size(0)" in [0, 64] divisible_by 4 : index
func.func @quotient(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 floordiv 4>})
    attributes {tally.symbols = #tally.symbols<s0 : [0, 64] % 4>} {
  return
}

// -----

// What is solved from scalars may not fit 64 bits.

// CHECK-LABEL: func.func @difference
// CHECK:         tally.check <s1 + n <= 9223372036854775807>, "the number does not fit 64 bits" (s1 = %[[S1:.*]], n = %[[D0:.*]] : index, index) declared_by("n")
// CHECK-NEXT:    %[[S0:.*]] = arith.addi %[[S1]], %[[D0]] : index
// CHECK-NEXT:    tally.symbol "s0" = %[[S0]] from "s1 + n" : index
func.func @difference(%n: i64 {tally.name = "n", tally.value = #tally.expr<s0 - s1>},
                      %m: i64 {tally.name = "m", tally.value = #tally.expr<s1>})
    attributes {tally.symbols = #tally.symbols<s0 : [-inf, inf], s1>} {
  return
}

// -----

// Elements of tensors of rank 0, booleans as 0 or 1, bytes without a sign, and
// narrow floats.

// CHECK-LABEL: func.func @elements
// CHECK:         %[[T:.*]] = tensor.extract %arg0[] : tensor<i64>
// CHECK-NEXT:    %[[I:.*]] = arith.index_cast %[[T]] : i64 to index
// CHECK-NEXT:    %[[F:.*]] = tensor.extract %arg1[] : tensor<f32>
// CHECK-NEXT:    %[[W:.*]] = arith.extf %[[F]] : f32 to f64
// CHECK-NEXT:    %[[P:.*]] = arith.index_castui %arg2 : i1 to index
// CHECK-NEXT:    %[[B:.*]] = arith.index_castui %arg3 : i8 to index
// CHECK-NEXT:    %[[H:.*]] = arith.extf %arg4 : f16 to f64
// CHECK-NEXT:    %[[Q:.*]] = tensor.extract %arg5[] : tensor<i1>
// CHECK:         tally.check <s0 <= 8> (s0 = %[[I]] : index) declared_by("t")
// CHECK:         tally.symbol "s0" = %[[I]] from "t.item()" in [0, 8] : index
// CHECK:         tally.symbol "zf0" = %[[W]] from "arg1.item()" : f64
// CHECK:         tally.symbol "s1" = %[[P]] from "p" in [0, 1] : index
// CHECK:         tally.symbol "s2" = %[[B]] from "arg3" in [0, 200] : index
// CHECK:         tally.symbol "zf1" = %[[H]] from "arg4" : f64
// CHECK:         tally.symbol "b0" = %[[Q]] from "arg5.item()" : i1
// CHECK:         tally.check <"zf0 > 0.5"> (zf0 = %{{.*}} : f64)
// CHECK:         tally.check <b0 or s1 == 1> (b0 = %{{.*}}, s1 = %{{.*}} : i1, index)
func.func @elements(%t: tensor<i64> {tally.name = "t", tally.value = #tally.expr<s0>},
                    %f: tensor<f32> {tally.value = #tally.expr<zf0>},
                    %p: i1 {tally.name = "p", tally.value = #tally.expr<s1>},
                    %b: i8 {tally.unsigned, tally.value = #tally.expr<s2>},
                    %h: f16 {tally.value = #tally.expr<zf1>},
                    %q: tensor<i1> {tally.value = #tally.expr<b0>})
    attributes {tally.symbols = #tally.symbols<s0 : [0, 8], s1 : [0, 1], s2 : [0, 200], zf0 : float, zf1 : float, b0 : bool>} {
  tally.check <"zf0 > 0.5">
  tally.check <b0 or s1 == 1>
  return
}

// -----

// A condition that an argument is declared to be is checked.

// CHECK-LABEL: func.func @conditions
// CHECK:         tally.check <p == (4 <= s0)> (s0 = %{{.*}}, p = %arg1 : index, i1) declared_by("p")
// CHECK:         tally.check <q == (not b0)> (b0 = %{{.*}}, q = %arg2 : i1, i1) declared_by("q")
func.func @conditions(%n: i64 {tally.value = #tally.expr<s0>}, %p: i1 {tally.name = "p", tally.value = #tally.expr<"s0 > 3">},
                      %q: i1 {tally.name = "q", tally.value = #tally.expr<not b0>}, %r: i1 {tally.value = #tally.expr<b0>})
    attributes {tally.symbols = #tally.symbols<s0, b0 : bool>} {
  return
}

// -----

// Strides and offsets are arguments that callers do not see.

// CHECK-LABEL: func.func @hidden
// CHECK:         tally.check <s3 <= 64> (s3 = %arg2 : index) declared_by("x.storage_offset()")
// CHECK:         tally.symbol "s3" = %arg2 from "x.storage_offset()" in [0, 64] : index
// CHECK:         tally.check <x_stride_0 mod 4 == 0> (x_stride_0 = %arg1 : index) declared_by("x.stride(0)")
// CHECK:         tally.symbol "s2" = %{{.*}} from "x.stride(0) floordiv 4" in [0, inf] : index
func.func @hidden(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                  %pitch: index {tally.hidden = #tally.path<argument(0).stride(0)>, tally.value = #tally.expr<4 * s2>},
                  %offset: index {tally.hidden = #tally.path<argument(0).storage_offset>, tally.value = #tally.expr<s3>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, s3 : [0, 64]>} {
  return
}

// -----

// A division behind `or`, `and` or in a `select` counts only where it is
// evaluated; any other one has a divisor that is not 0.

// CHECK-LABEL: func.func @lazy_divisions
// CHECK-NOT:     "a division by zero"
// CHECK:         tally.check <select(s1 == 0, 0, 0 floordiv s0) == 0>, "the number is undefined" {{.*}} required_by("tally.size")
// CHECK-NOT:     "a division by zero"
// CHECK:         tally.check <select(s1 == 0, 0 floordiv s2, 0) == 0>, "the number is undefined" {{.*}} required_by("tally.size")
// CHECK-NOT:     "a division by zero"
// CHECK:         tally.check <select(s1 == 0, 0, 0 floordiv s3) == 0>, "the number is undefined" {{.*}} required_by("tally.size")
// CHECK:         tally.check <"s1 != 0">, "a division by zero" (s1 = %{{.*}} : index) required_by("tally.size")
func.func @lazy_divisions(%x: tensor<?x?x?x?xf32> {tally.shape = #tally.shape<s0, s1, s2, s3>}) -> (i1, i1, index, index)
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, s3>} {
  %0 = tally.size <"s1 == 0 or 8 floordiv s0 > 2"> : i1
  %1 = tally.size <"s1 == 0 and 8 floordiv s2 > 2"> : i1
  %2 = tally.size <select(s1 == 0, 1, 8 floordiv s3)> : index
  %3 = tally.size <8 floordiv s1> : index
  return %0, %1, %2, %3 : i1, i1, index, index
}

// -----

// A boolean that is made may be the number 0 or 1.

// CHECK-LABEL: func.func @boolean_definitions
// CHECK:         %[[P:.*]] = tally.item %arg0 : tensor<i1>
// CHECK-NEXT:    %[[I:.*]] = arith.index_castui %[[P]] : i1 to index
// CHECK-NEXT:    %[[U0:.*]] = tally.symbol "u0" = %[[I]] from "arg0.item()" : index
// CHECK-NEXT:    %[[Q:.*]] = tally.item %arg0 : tensor<i1>
// CHECK-NEXT:    tally.symbol "b0" = %[[Q]] from "arg0.item()" : i1
// CHECK:         tally.check <b0 or u0 == 1>
func.func @boolean_definitions(%p: tensor<i1>) attributes {tally.symbols = #tally.symbols<u0 : unbacked, b0 : unbacked bool>} {
  %v = tally.item %p : tensor<i1> bind #tally.bindings<u0 = result(0)>
  %w = tally.item %p : tensor<i1> bind #tally.bindings<b0 = result(0)>
  tally.check <b0 or u0 == 1>
  return
}
