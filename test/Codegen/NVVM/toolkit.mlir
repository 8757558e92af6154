// Where ptxas is looked for, in this order: the variables of CUDA's toolkit, the PATH,
// the active Python environment, in which the newest package counts. A folder that is
// named is the only one.
// RUN: rm -rf %t && mkdir -p %t/home/bin %t/path/bin %t/search/bin %t/packages/nvidia/cu13/bin
// RUN: mkdir -p %t/venv/lib/python3.11/site-packages/nvidia/cu12/bin %t/venv/lib/python3.11/site-packages/nvidia/cu13/bin
// RUN: mkdir -p %t/venv/lib/python3.11/site-packages/nvidia/dnn/bin
// RUN: echo '#!/bin/sh' > %t/home/bin/ptxas
// RUN: echo 'echo no such instruction; exit 3' >> %t/home/bin/ptxas
// RUN: chmod +x %t/home/bin/ptxas
// RUN: cp %t/home/bin/ptxas %t/path/bin/ && cp %t/home/bin/ptxas %t/search/bin/ && cp %t/home/bin/ptxas %t/packages/nvidia/cu13/bin/
// RUN: cp %t/home/bin/ptxas %t/venv/lib/python3.11/site-packages/nvidia/cu12/bin/
// RUN: cp %t/home/bin/ptxas %t/venv/lib/python3.11/site-packages/nvidia/cu13/bin/
// RUN: cp %t/home/bin/ptxas %t/venv/lib/python3.11/site-packages/nvidia/dnn/bin/

// DEFINE: %{home} = %t/home
// DEFINE: %{path} = %t/path
// DEFINE: %{search} = %t/search/bin
// DEFINE: %{options} =
// DEFINE: %{run} = not env CUDA_HOME=%{home} CUDA_PATH=%{path} VIRTUAL_ENV=%t/venv PATH=%{search} tally-opt %s --tally-serialize-kernels%{options} 2>&1
// RUN: %{run} | FileCheck %s --check-prefix=HOME
// HOME: error: {{.*}}/home/bin/ptxas failed: no such instruction
// REDEFINE: %{home} =
// RUN: %{run} | FileCheck %s --check-prefix=PATH
// PATH: error: {{.*}}/path/bin/ptxas failed: no such instruction
// REDEFINE: %{path} =
// RUN: %{run} | FileCheck %s --check-prefix=SEARCH
// SEARCH: error: {{.*}}/search/bin/ptxas failed: no such instruction
// A folder of the path may be one below the current one.
// RUN: cd %t
// REDEFINE: %{search} = search/bin
// RUN: %{run} | FileCheck %s --check-prefix=SEARCH
// REDEFINE: %{search} = %t/nowhere
// RUN: %{run} | FileCheck %s --check-prefix=VENV
// VENV: error: {{.*}}/venv/lib/python3.11/site-packages/nvidia/cu13/bin/ptxas failed: no such instruction
// REDEFINE: %{options} ==toolkit=%t/packages
// RUN: %{run} | FileCheck %s --check-prefix=PACKAGES
// PACKAGES: error: {{.*}}/packages/nvidia/cu13/bin/ptxas failed: no such instruction

gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx80">] {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
