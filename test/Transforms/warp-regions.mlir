// RUN: tally-opt %s --tally-propagate-shapes --tally-bind-symbols --tally-insert-runtime-asserts --split-input-file | FileCheck %s

// The region of gpu.warp_execute_on_lane_0 runs in the first thread of a warp, where
// that is known; behind it, what is asserted there is not.
// CHECK-LABEL: func.func @first(
// CHECK:         gpu.warp_execute_on_lane_0
// CHECK-NOT:       lane == 0
// CHECK:           tally.assert %{{.*}}, <n <= 64>
// CHECK-NEXT:    {{^ *}$}}
// CHECK:         tally.assert %{{.*}}, <lane == 0>
// CHECK:         tally.assert %{{.*}}, <n <= 64>
func.func @first(%lane: index, %n: index) {
  gpu.warp_execute_on_lane_0(%lane)[32] {
    tally.check <lane == 0> (lane = %lane : index)
    tally.check <n <= 64> (n = %n : index)
    gpu.yield
  }
  tally.check <lane == 0> (lane = %lane : index)
  tally.check <n <= 64> (n = %n : index)
  return
}

// -----

// An assert that cannot wait until the region says where it matters.
// CHECK-LABEL: func.func @earlier(
// CHECK-SAME:    %[[LANE:[a-z0-9]+]]: index
// CHECK:         %[[OTHER:.*]] = arith.cmpi ne, %[[LANE]], %c0
// CHECK:         %[[FITS:.*]] = arith.cmpi sle
// CHECK:         %[[OK:.*]] = arith.ori %[[OTHER]], %[[FITS]]
// CHECK:         tally.assert %[[OK]], <n <= 64>
// CHECK:         memref.store
// CHECK:         gpu.warp_execute_on_lane_0
// CHECK-NOT:       tally.assert
func.func @earlier(%lane: index, %n: index, %m: memref<index>) {
  memref.store %n, %m[] : memref<index>
  gpu.warp_execute_on_lane_0(%lane)[32] {
    tally.check <n <= 64> (n = %n : index)
    gpu.yield
  }
  return
}

// -----

// The other threads are given the first one's value, not their own.
// CHECK-LABEL: func.func @given(
// CHECK:         %[[R:.*]] = gpu.warp_execute_on_lane_0
// CHECK:         %[[EQ:.*]] = arith.cmpi eq, %[[R]], %{{.*}} : index
// CHECK:         tally.assert %[[EQ]], <r == t>
func.func @given(%lane: index) -> index {
  %t = gpu.thread_id x
  %r = gpu.warp_execute_on_lane_0(%lane)[32] -> (index) {
    gpu.yield %t : index
  }
  tally.check <r == t> (r = %r, t = %t : index, index)
  return %r : index
}
