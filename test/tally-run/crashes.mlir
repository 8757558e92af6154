// A crash is one message and exit status 1, also where the stack overflows.
// UNSUPPORTED: asan
// RUN: %cc -std=gnu11 -Wall -Wno-infinite-recursion -shared -fPIC %S/Inputs/crashes.c -I%tally_src/include -o %t.so
// DEFINE: %{way} =
// DEFINE: %{prefixes} = CHECK
// DEFINE: %{run} = not tally-run %s --link %t.so --input i64=%{way} 2>&1 | FileCheck %s --match-full-lines --check-prefixes=%{prefixes}
// REDEFINE: %{way} = 0
// RUN: %{run}
// REDEFINE: %{way} = 1
// RUN: %{run}
// REDEFINE: %{way} = 2
// RUN: %{run}
// REDEFINE: %{way} = 3
// RUN: %{run}
// REDEFINE: %{way} = 4
// RUN: %{run}
// REDEFINE: %{way} = 5
// RUN: %{run}
// REDEFINE: %{way} = 6
// REDEFINE: %{prefixes} = CHECK,REASON
// RUN: %{run}
// CHECK-NOT: {{.+}}
// CHECK: tally-run: internal error: the compiler or the compiled program crashed; please report it
// REASON-NEXT: out of ideas
// CHECK-NOT: {{.+}}

func.func @main(%way: i64) {
  tally.custom_call @crash(%way) : (i64) -> ()
  return
}
