// RUN: tally-opt %s --tally-attach-target=chip=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: tally-opt %s --tally-attach-target | FileCheck %s --check-prefix=SM90A
// RUN: tally-opt %s --tally-attach-target=chip=sm_103a | FileCheck %s --check-prefix=SM103A

// SM80: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">]
// SM90A: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx80">]
// SM103A: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_103a", features = "+ptx88">]
gpu.module @kernels {
}
