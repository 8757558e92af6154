//===- DynamicLibrary.h - Libraries that are opened at run time -*- C++ -*-===//
//
// A compiled library runs without them as long as it calls nothing that needs
// them. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_DYNAMICLIBRARY_H
#define TALLY_LIB_RUNTIME_DYNAMICLIBRARY_H

#include <initializer_list>
#include <string>

namespace tally::runtime {

/// A library that stays open until the process ends, and its functions.
class DynamicLibrary {
public:
  /// `description` is how messages call it.
  explicit DynamicLibrary(std::string description)
      : description(std::move(description)) {}

  /// Opens the first of `names` that there is, or the file that the environment
  /// variable names. Returns false after saying why not.
  bool open(const char *variable, std::initializer_list<const char *> names,
            std::string &why);

  /// Looks a function up. Returns false after saying that it is missing.
  template <typename Function>
  bool find(Function *&function, const std::string &symbol,
            std::string &why) const {
    function = reinterpret_cast<Function *>(findAddress(symbol, why));
    return function != nullptr;
  }

private:
  void *findAddress(const std::string &symbol, std::string &why) const;

  std::string description;
  void *handle = nullptr;
};

/// The table of functions of a library, which `Functions::load` fills in on the
/// first call; null, after saying why, where it could not.
template <typename Functions>
const Functions *getFunctions(std::string &why) {
  static Functions functions;
  static std::string failure;
  static const bool loaded = functions.load(failure);
  why = failure;
  return loaded ? &functions : nullptr;
}

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_DYNAMICLIBRARY_H
