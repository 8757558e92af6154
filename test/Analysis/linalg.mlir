// RUN: tally-opt %s --allow-unregistered-dialect --tally-print-shapes -o /dev/null | FileCheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>},
                  %b: tensor<?x?xf32> {tally.shape = #tally.shape<s2, s3>},
                  %c: tensor<?x?xf32> {tally.shape = #tally.shape<s4, s5>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2, s3, s4, s5>} {
  // CHECK: linalg.matmul needs s1 == s2
  // CHECK: linalg.matmul needs s0 == s4
  // CHECK: linalg.matmul needs s3 == s5
  // CHECK: [s4, s5]
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}

// A window requires a size, not an equality.
// CHECK-LABEL: @conv
func.func @conv(%i: tensor<?xf32> {tally.shape = #tally.shape<s0>},
                %k: tensor<?xf32> {tally.shape = #tally.shape<s1>},
                %o: tensor<?xf32> {tally.shape = #tally.shape<s2>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  // CHECK: linalg.conv_1d needs s1 == 0 or s2 == 0 or s1 + s2 <= s0 + 1
  // CHECK: [s2]
  %r = linalg.conv_1d ins(%i, %k : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>},
                     %y: tensor<?xf32> {tally.shape = #tally.shape<s2>},
                     %o: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  // CHECK-NEXT: %{{.*}}: [s0, s1]
  // CHECK-NEXT: %{{.*}}: [s2]
  // CHECK-NEXT: %{{.*}}: [s0, s1]
  // CHECK-NEXT: linalg.generic needs s1 == s2
  // CHECK-NEXT: %{{.*}}: [s0, s1]
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %sm = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}

// No model, but ReifyRankedShapedTypeOpInterface.
// CHECK-LABEL: @reified
func.func @reified(%x: tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  // CHECK: %[[A:.*]]: [s0, s1]
  %a = bufferization.alloc_tensor() copy(%x) : tensor<?x?xf32>
  // CHECK: [s0, s1]
  %m = bufferization.to_buffer %a : tensor<?x?xf32> to memref<?x?xf32>
  %b = bufferization.to_tensor %m restrict : memref<?x?xf32> to tensor<?x?xf32>
  return
}
