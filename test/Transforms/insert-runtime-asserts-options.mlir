// RUN: tally-opt %s --allow-unregistered-dialect --tally-insert-runtime-asserts=checks=all | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: tally-opt %s --allow-unregistered-dialect --tally-insert-runtime-asserts=checks=entry | FileCheck %s --check-prefixes=CHECK,ENTRY
// RUN: tally-opt %s --allow-unregistered-dialect --tally-insert-runtime-asserts=checks=none | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: tally-opt %s --allow-unregistered-dialect --tally-insert-runtime-asserts=explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tally-opt %s --allow-unregistered-dialect "--tally-insert-runtime-asserts=checks=none explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN-NONE

// A check that is dropped becomes an assumption, in its place; what follows
// from it needs none.

// CHECK-LABEL: func.func @dropped
// ALL:         tally.assert %{{.*}}, <s0 <= 64>
// ENTRY:       tally.assert %{{.*}}, <s0 <= 64>
// NONE:        tally.assume <s0 <= 64> (s0 = %{{.*}} : index) declared_by("x")
// CHECK:       "test.use"
// ALL:         tally.assert %{{.*}}, <s0 == s1>
// ENTRY:       tally.assume <s0 == s1> (s0 = %{{.*}}, s1 = %{{.*}} : index, index) required_by("linalg.add")
// NONE:        tally.assume <s0 == s1> (s0 = %{{.*}}, s1 = %{{.*}} : index, index) required_by("linalg.add")
// CHECK-NOT:   tally.{{check|assert|assume}}

// EXPLAIN:      remark: s0 <= 64: asserted
// EXPLAIN:      remark: s0 == s1: asserted
// EXPLAIN:      remark: s1 <= 64: proven (ranges) from s0 <= 64 (asserted at {{.*}}.mlir:28), 0 <= s0 (the declaration of s0), s0 == {{.*}} (asserted at {{.*}}.mlir:31){{$}}

// EXPLAIN-NONE: remark: s0 <= 64: assumed, as the option `checks` says
// EXPLAIN-NONE: remark: s0 == s1: assumed, as the option `checks` says
// EXPLAIN-NONE: remark: s1 <= 64: proven
func.func @dropped(%a: index, %b: index) {
  tally.check <s0 <= 64> (s0 = %a : index) declared_by("x")
  %s0 = tally.symbol "s0" = %a in [0, 64] : index
  %late = "test.use"(%s0) : (index) -> index
  tally.check <s0 == s1> (s0 = %s0, s1 = %late : index, index) required_by("linalg.add")
  tally.check <s1 <= 64> (s1 = %late : index)
  return
}

// A check that contradicts what is known is never reached.

// CHECK-LABEL: func.func @unreachable

// EXPLAIN:      remark: b == 1: never reached: what is known here excludes every run
func.func @unreachable(%a: index, %b: index) {
  tally.assume <a <= 3> (a = %a : index)
  tally.assume <5 <= a> (a = %a : index)
  tally.check <b == 1> (b = %b : index)
  return
}

// An assert that is dropped is told by the place where it was; values without a name of
// the user's by where they come from.

// CHECK-LABEL:  func.func @dropped_assert
// EXPLAIN-NONE: remark: a <= 4: proven (ranges) from arg0 <= 3 (assumed at {{.*}}.mlir:[[@LINE+4]]){{$}}
func.func @dropped_assert(%a: index) {
  %c3 = arith.constant 3 : index
  %ok = arith.cmpi sle, %a, %c3 : index
  tally.assert %ok, <a <= 3> (a = %a : index)
  tally.check <a <= 4> (a = %a : index)
  return
}

// Decided at the entry is what sizes and scalars of arguments tell, and the
// element of one without dimensions; nothing else is.

// CHECK-LABEL: func.func @entry
// ENTRY:       tally.assert %{{.*}}, <a <= 1>
// ENTRY:       tally.assert %{{.*}}, <b <= 2>
// ENTRY:       tally.assert %{{.*}}, <c <= 3>
// ENTRY:       tally.assume <d <= 4>
// ENTRY:       tally.assume <e <= 5>
// ENTRY:       tally.assume <a <= e>
// ENTRY:       scf.for
// ENTRY:         tally.assume <i <= 6>
func.func @entry(%a: index, %x: tensor<?xf32>, %y: tensor<index>, %z: tensor<4xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?xf32>
  %c = tensor.extract %y[] : tensor<index>
  %d = tensor.extract %z[%c1] : tensor<4xindex>
  %made = "test.make"() : () -> tensor<index>
  %e = tensor.extract %made[] : tensor<index>
  tally.check <a <= 1> (a = %a : index)
  tally.check <b <= 2> (b = %b : index)
  tally.check <c <= 3> (c = %c : index)
  tally.check <d <= 4> (d = %d : index)
  tally.check <e <= 5> (e = %e : index)
  tally.check <a <= e> (a = %a, e = %e : index, index)
  scf.for %i = %c0 to %n step %c1 {
    tally.check <i <= 6> (i = %i : index)
    "test.use"(%i) : (index) -> ()
  }
  return
}
