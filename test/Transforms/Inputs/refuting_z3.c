/* A Z3 that finds a counterexample to everything. */
void *Z3_mk_config(void) { return 0; }
void Z3_set_param_value(void *config, const char *name, const char *value) {}
void *Z3_mk_context(void *config) { return 0; }
void Z3_set_error_handler(void *context, void (*handler)(void *, unsigned)) {}
unsigned Z3_get_error_code(void *context) { return 0; }
const char *Z3_get_error_msg(void *context, unsigned code) { return ""; }
void *Z3_mk_solver(void *context) { return 0; }
void Z3_solver_inc_ref(void *context, void *solver) {}
void Z3_solver_dec_ref(void *context, void *solver) {}
void Z3_solver_from_string(void *context, void *solver, const char *script) {}
int Z3_solver_check(void *context, void *solver) { return 1; }
