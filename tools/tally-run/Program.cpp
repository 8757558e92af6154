//===- Program.cpp - A program that can be called -------------------------===//

#include "Program.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace llvm;
using namespace tally::run;

RuntimeFunctions RuntimeFunctions::get() {
  RuntimeFunctions functions = {};
#define TALLY_RUN_SET(name) functions.name = &tally_rt_##name;
  TALLY_RUN_FUNCTIONS(TALLY_RUN_SET)
#undef TALLY_RUN_SET
  return functions;
}

Program::Program(std::unique_ptr<JitProgram> program)
    : compiled(std::move(program)), library(&compiled->getLibrary()),
      runtime(RuntimeFunctions::get()) {}

Expected<Program> Program::load(StringRef path) {
  auto fail = [&](const Twine &message) {
    return createStringError("'" + path + "' " + message);
  };
  // A name without a folder would be looked for elsewhere.
  SmallString<128> absolute(path);
  if (!sys::fs::exists(path) || sys::fs::make_absolute(absolute))
    return fail("does not exist");
  // It stays until the process ends: its results may live that long.
  void *handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return fail(Twine("cannot be loaded: ") + dlerror());
  Program program;
  auto *getLibrary = reinterpret_cast<const tally_rt_library *(*)()>(
      dlsym(handle, "tally_library"));
  bool complete = getLibrary != nullptr;
#define TALLY_RUN_LOAD(name)                                                   \
  program.runtime.name = reinterpret_cast<decltype(program.runtime.name)>(     \
      dlsym(handle, "tally_rt_" #name));                                       \
  complete &= program.runtime.name != nullptr;
  TALLY_RUN_FUNCTIONS(TALLY_RUN_LOAD)
#undef TALLY_RUN_LOAD
  if (getLibrary && program.runtime.abi_version &&
      program.runtime.abi_version() != TALLY_RT_ABI_VERSION)
    return fail(
        "was compiled for version " + Twine(program.runtime.abi_version()) +
        " of the runtime, this is version " + Twine(TALLY_RT_ABI_VERSION));
  if (!complete)
    return fail("is not a library that tally-compile wrote");
  program.library = getLibrary();
  return program;
}

Expected<std::string> tally::run::findChip() {
  tally_rt_context *context = tally_rt_context_create(nullptr);
  if (!context)
    return createStringError("out of memory");
  scope_exit destroy([&] { tally_rt_context_destroy(context); });
  tally_rt_gpu_info info;
  if (tally_rt_get_gpu_info(context, 0, &info) != TALLY_RT_OK)
    return createStringError(StringRef(tally_rt_last_error(context)->message));
  return std::string(info.chip);
}
