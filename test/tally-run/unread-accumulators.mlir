// A reduction whose body does not read what was there before starts from nothing.
// RUN: tally-run %s --compare --input i1[4]=1,0,1,0 | FileCheck %s
// RUN: tally-run %s --compare --input i1[1]=0
// RUN: tally-run %s --compare --input i1[0]=
// RUN: tally-run %s --compare --input i1[133]=random
// RUN: %if ptxas %{ tally-compile %s --target=cuda -o %t.so %}

// CHECK: [False False  True  True]
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?xi1>) -> tensor<?xi1> {
  %true = arith.constant true
  %any = linalg.generic {indexing_maps = [#row, #column, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x, %x : tensor<?xi1>, tensor<?xi1>) outs(%x : tensor<?xi1>) {
  ^bb0(%a: i1, %b: i1, %before: i1):
    linalg.yield %true : i1
  } -> tensor<?xi1>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%any : tensor<?xi1>) outs(%x : tensor<?xi1>) {
  ^bb0(%a: i1, %before: i1):
    %i = linalg.index 0 : index
    %c2 = arith.constant 2 : index
    %late = arith.cmpi uge, %i, %c2 : index
    %both = arith.andi %late, %a : i1
    linalg.yield %both : i1
  } -> tensor<?xi1>
  return %r : tensor<?xi1>
}
