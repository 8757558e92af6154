// A stock mlir-opt with the plugin prints what tally-opt prints.
// UNSUPPORTED: asan
// RUN: mlir-opt %s --load-dialect-plugin=%tally_plugin | FileCheck %s --check-prefix=PARSE
// RUN: mlir-opt %s --load-dialect-plugin=%tally_plugin --load-pass-plugin=%tally_plugin --pass-pipeline='builtin.module(tally-lift-free-symbols,tally-lower-hops,tally-lower-data-dependent,canonicalize)' > %t.plugin
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-lift-free-symbols,tally-lower-hops,tally-lower-data-dependent,canonicalize)' > %t.own
// RUN: diff %t.plugin %t.own
// RUN: FileCheck %s < %t.plugin
// RUN: mlir-opt %s --load-dialect-plugin=%tally_plugin --load-pass-plugin=%tally_plugin --pass-pipeline='builtin.module(tally-check-pipeline)' > %t.plugin.checked
// RUN: tally-opt %s --pass-pipeline='builtin.module(tally-check-pipeline)' > %t.own.checked
// RUN: diff %t.plugin.checked %t.own.checked
// RUN: FileCheck %s --check-prefix=CHECKED < %t.plugin.checked
// RUN: mlir-opt %S/../../docs/Tutorial/rows.mlir --load-dialect-plugin=%tally_plugin --load-pass-plugin=%tally_plugin --pass-pipeline='builtin.module(tally-check-pipeline)' > %t.plugin.rows
// RUN: tally-opt %S/../../docs/Tutorial/rows.mlir --pass-pipeline='builtin.module(tally-check-pipeline)' > %t.own.rows
// RUN: diff %t.plugin.rows %t.own.rows
// RUN: FileCheck %s --check-prefix=ROWS < %t.plugin.rows
// RUN: mlir-opt --load-pass-plugin=%tally_plugin --help | FileCheck %s --check-prefix=HELP

// HELP: --tally-lift-free-symbols

// PARSE: tally.symbol "s0"
// PARSE: tally.cond

// CHECKED: tally.cond %{{.*}}(%{{.*}}, %s0) :
// ROWS: tally.assert %{{.*}}, <u0 == s1>

// CHECK-LABEL: func.func @f(
// CHECK: %s0 = tally.symbol "s0"
// CHECK: scf.for
// CHECK: scf.if
func.func @f(%p: i1, %x: tensor<?xf32>, %d: index) -> (tensor<?xf32>, tensor<?x1xi64>) {
  %s0 = tally.symbol "s0" = %d in [0, 64] : index
  %nz = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64>
  %r = tally.cond %p : () -> tensor<?xf32> {
    tally.yield %x : tensor<?xf32>
  } else {
    %e = tensor.empty(%s0) : tensor<?xf32>
    tally.yield %e : tensor<?xf32>
  }
  return %r, %nz : tensor<?xf32>, tensor<?x1xi64>
}
