/* The C interface is C: what this file needs of it compiles as C99. */

#include "tally/Runtime/tally_runtime.h"

int tallyHeaderCompilesAsC(void) {
  tally_rt_context *ctx = tally_rt_context_create(NULL);
  int clean = ctx && tally_rt_last_error(ctx) == NULL &&
              tally_rt_live_allocations(ctx) == 0;
  tally_rt_context_destroy(ctx);
  return clean && tally_rt_abi_version() == TALLY_RT_ABI_VERSION;
}
