// RUN: not tally-opt %s --tally-attach-target=chip=sm_70 2>&1 | FileCheck %s
// RUN: not tally-opt %s --tally-attach-target=chip= 2>&1 | FileCheck %s --check-prefix=EMPTY

// CHECK: error: unknown GPU 'sm_70'; known are sm_80, sm_86, {{.*}}sm_90a, sm_100, {{.*}}sm_121a
// EMPTY: error: unknown GPU ''; known are sm_80
module {
}
