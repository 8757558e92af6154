// The pipelines hand on where the toolkit is: a folder without one is an error, whatever
// else there is.
// RUN: mkdir -p %t
// RUN: not tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=bin toolkit=%t})' 2>&1 | FileCheck %s
// RUN: not tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=isa stop-after=schedule},tally-kernel-pipeline{format=bin toolkit=%t})' 2>&1 | FileCheck %s
// RUN: not tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{format=fat})' 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline,tally-gpu-pipeline{chip=sm_2})' 2>&1 | FileCheck %s --check-prefix=CHIP

// CHECK: error: ptxas was not found
// FORMAT: error: unknown format 'fat'; known are auto, bin and isa
// CHIP: error: unknown GPU 'sm_2'
func.func @exp(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
