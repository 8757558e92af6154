// A pass that reports an error fails, and one that fails has reported an error; whoever
// breaks that is found out, whatever the test says of diagnostics.

// RUN: not --crash tally-test-opt %s --tally-test-fail-silently 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: not --crash tally-test-opt %s --tally-test-report-and-go-on --verify-diagnostics=only-expected 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not --crash tally-test-opt %s --pass-pipeline='builtin.module(func.func(tally-test-report-and-go-on))' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not tally-test-opt %s.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tally-test-opt %s -o %t.missing/out 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: tally-test-opt %s --canonicalize -o %t && FileCheck %s --check-prefix=WRITTEN < %t
// RUN: tally-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: tally-opt --list-passes | FileCheck %s --check-prefix=PASSES

// SILENT: pass 'tally-test-fail-silently' fails and reports no error
// WRONG: pass 'tally-test-report-and-go-on' reports an error and does not fail
// NESTED: error: is wrong
// NESTED: pass '' reports an error and does not fail
// MISSING: cannot open input file '{{.*}}.missing'
// NOWHERE: cannot open output file '{{.*}}out'
// WRITTEN: func.func @f
// DIALECTS: tally
// PASSES: --tally-bind-symbols
module {
  func.func @f() {
    return
  }
}
