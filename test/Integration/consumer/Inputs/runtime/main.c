#include "tally/Runtime/tally_runtime.h"

#include <stdio.h>

int main(void) {
  printf("version %u of the interface\n", (unsigned)tally_rt_abi_version());
  tally_rt_context *ctx = tally_rt_context_create(NULL);
  int failed = !ctx || tally_rt_last_error(ctx);
  tally_rt_context_destroy(ctx);
  return failed;
}
