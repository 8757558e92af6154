//===- DynamicLibrary.cpp - Libraries that are opened at run time ---------===//

#include "DynamicLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tally::runtime;

bool DynamicLibrary::open(const char *variable,
                          std::initializer_list<const char *> names,
                          std::string &why) {
  auto load = [&](const char *name) {
    handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    // The first name is the one to look for.
    if (!handle && why.empty())
      if (const char *text = dlerror())
        why = text;
    return handle != nullptr;
  };
  why.clear();
  if (const char *name = std::getenv(variable))
    return load(name);
  for (const char *name : names)
    if (load(name))
      return true;
  return false;
}

void *DynamicLibrary::findAddress(const std::string &symbol,
                                  std::string &why) const {
  void *address = dlsym(handle, symbol.c_str());
  if (!address)
    why = description + " has no " + symbol;
  return address;
}
