// RUN: tally-opt %s --tally-bufferize --split-input-file | FileCheck %s

// Functions take and return buffers without strides.

// CHECK-LABEL: func.func @read(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[I:.*]]: index) -> f32
// CHECK:         %[[E:.*]] = memref.load %[[X]][%[[I]]] : memref<?xf32>
// CHECK:         return %[[E]]
func.func @read(%x: tensor<?xf32>, %i: index) -> f32 {
  %e = tensor.extract %x[%i] : tensor<?xf32>
  return %e : f32
}

// CHECK-LABEL: func.func @call(
// CHECK:         call @read(%{{.*}}, %{{.*}}) : (memref<?xf32>, index) -> f32
func.func @call(%x: tensor<?xf32>, %i: index) -> f32 {
  %e = func.call @read(%x, %i) : (tensor<?xf32>, index) -> f32
  return %e : f32
}

// -----

// What is read afterwards is copied before it is written.

// CHECK-LABEL: func.func @write(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>
// CHECK:         %[[COPY:.*]] = memref.alloc
// CHECK:         memref.copy %[[X]], %[[COPY]]
// CHECK:         memref.store %{{.*}}, %[[COPY]]
// CHECK:         memref.load %[[X]]
func.func @write(%x: tensor<?xf32>, %v: f32, %i: index) -> (tensor<?xf32>, f32) {
  %w = tensor.insert %v into %x[%i] : tensor<?xf32>
  %e = tensor.extract %x[%i] : tensor<?xf32>
  return %w, %e : tensor<?xf32>, f32
}

// -----

// Loops in loops: the time does not double with a level.

// CHECK-LABEL: func.func @nested(
// CHECK-COUNT-8: scf.for
// CHECK:         memref.store
// CHECK-NOT:     tensor<
func.func @nested(%x: tensor<?xf32>, %n: index, %v: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %a = %c0 to %n step %c1 iter_args(%t0 = %x) -> tensor<?xf32> {
    %r1 = scf.for %b = %c0 to %n step %c1 iter_args(%t1 = %t0) -> tensor<?xf32> {
      %r2 = scf.for %c = %c0 to %n step %c1 iter_args(%t2 = %t1) -> tensor<?xf32> {
        %r3 = scf.for %d = %c0 to %n step %c1 iter_args(%t3 = %t2) -> tensor<?xf32> {
          %r4 = scf.for %e = %c0 to %n step %c1 iter_args(%t4 = %t3) -> tensor<?xf32> {
            %r5 = scf.for %f = %c0 to %n step %c1 iter_args(%t5 = %t4) -> tensor<?xf32> {
              %r6 = scf.for %g = %c0 to %n step %c1 iter_args(%t6 = %t5) -> tensor<?xf32> {
                %r7 = scf.for %h = %c0 to %n step %c1 iter_args(%t7 = %t6) -> tensor<?xf32> {
                  %w = tensor.insert %v into %t7[%h] : tensor<?xf32>
                  scf.yield %w : tensor<?xf32>
                }
                scf.yield %r7 : tensor<?xf32>
              }
              scf.yield %r6 : tensor<?xf32>
            }
            scf.yield %r5 : tensor<?xf32>
          }
          scf.yield %r4 : tensor<?xf32>
        }
        scf.yield %r3 : tensor<?xf32>
      }
      scf.yield %r2 : tensor<?xf32>
    }
    scf.yield %r1 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
