//===- Z3.cpp - The solver above the ladder -------------------------------===//
//
// The few functions of Z3's C interface that are needed, looked up by name.
//
//===----------------------------------------------------------------------===//

#include "tally/Z3/Z3.h"

#include "llvm/ADT/ScopeExit.h"

#include <dlfcn.h>

using namespace tally;

namespace {

// Declarations of the C interface, stable since Z3 4.8.
using Config = struct Z3ConfigOpaque *;
using Context = struct Z3ContextOpaque *;
using Solver = struct Z3SolverOpaque *;
using ErrorHandler = void (*)(Context, unsigned);

} // namespace

struct Z3Solver::Library {
  void *handle = nullptr;
  Config (*mk_config)();
  void (*del_config)(Config);
  void (*set_param_value)(Config, const char *, const char *);
  Context (*mk_context)(Config);
  void (*del_context)(Context);
  void (*set_error_handler)(Context, ErrorHandler);
  unsigned (*get_error_code)(Context);
  const char *(*get_error_msg)(Context, unsigned);
  Solver (*mk_solver)(Context);
  void (*solver_inc_ref)(Context, Solver);
  void (*solver_dec_ref)(Context, Solver);
  void (*solver_from_string)(Context, Solver, const char *);
  int (*solver_check)(Context, Solver);

  ~Library() {
    if (handle)
      dlclose(handle);
  }
  bool lookUp(std::string &error);

private:
  template <typename Function>
  bool find(Function &function, const char *name, std::string &error) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (!function)
      error = std::string("Z3 has no function ") + name;
    return function != nullptr;
  }
};

bool Z3Solver::Library::lookUp(std::string &error) {
  return find(mk_config, "Z3_mk_config", error) &&
         find(del_config, "Z3_del_config", error) &&
         find(set_param_value, "Z3_set_param_value", error) &&
         find(mk_context, "Z3_mk_context", error) &&
         find(del_context, "Z3_del_context", error) &&
         find(set_error_handler, "Z3_set_error_handler", error) &&
         find(get_error_code, "Z3_get_error_code", error) &&
         find(get_error_msg, "Z3_get_error_msg", error) &&
         find(mk_solver, "Z3_mk_solver", error) &&
         find(solver_inc_ref, "Z3_solver_inc_ref", error) &&
         find(solver_dec_ref, "Z3_solver_dec_ref", error) &&
         find(solver_from_string, "Z3_solver_from_string", error) &&
         find(solver_check, "Z3_solver_check", error);
}

Z3Solver::Z3Solver(std::unique_ptr<Library> library)
    : library(std::move(library)) {}
Z3Solver::~Z3Solver() = default;

std::unique_ptr<Z3Solver> Z3Solver::open(std::string &error) {
  auto library = std::make_unique<Library>();
  for (const char *name : {"libz3.so.4", "libz3.so"})
    if (!library->handle)
      library->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library->handle) {
    error = dlerror();
    return nullptr;
  }
  if (!library->lookUp(error))
    return nullptr;
  return std::unique_ptr<Z3Solver>(new Z3Solver(std::move(library)));
}

/// Errors are asked for.
static void ignoreError(Context, unsigned) {}

Satisfiability Z3Solver::check(llvm::StringRef script, unsigned milliseconds,
                               std::string &error) {
  const Library &z3 = *library;
  // A context of its own for each question keeps memory and errors apart.
  Config config = z3.mk_config();
  z3.set_param_value(config, "timeout", std::to_string(milliseconds).c_str());
  Context context = z3.mk_context(config);
  z3.del_config(config);
  llvm::scope_exit deleteContext([&] { z3.del_context(context); });
  z3.set_error_handler(context, ignoreError);
  Solver solver = z3.mk_solver(context);
  z3.solver_inc_ref(context, solver);
  llvm::scope_exit release([&] { z3.solver_dec_ref(context, solver); });
  z3.solver_from_string(context, solver, script.str().c_str());
  if (unsigned code = z3.get_error_code(context)) {
    error = z3.get_error_msg(context, code);
    return Satisfiability::Unknown;
  }
  int result = z3.solver_check(context, solver);
  if (unsigned code = z3.get_error_code(context)) {
    error = z3.get_error_msg(context, code);
    return Satisfiability::Unknown;
  }
  if (result == 0)
    return Satisfiability::Unknown;
  return result > 0 ? Satisfiability::Sat : Satisfiability::Unsat;
}
