// Programs over MLIR's own dialects, and over dialects that nobody knows, go
// through: what comes out parses and verifies, and a second run adds nothing.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %S/Inputs/run_corpus.py tally-opt %S/Inputs/corpus %t | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} programs, 0 failed
