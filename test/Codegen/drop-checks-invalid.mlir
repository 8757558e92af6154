// RUN: not tally-opt %s --pass-pipeline="builtin.module(func.func(tally-drop-checks{keep=most}))" 2>&1 | FileCheck %s

// CHECK: tally-drop-checks: keep must be all, entry or none, not 'most'
func.func @f() {
  return
}
