//===- Signature.h - What a program is called with --------------*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYRUN_SIGNATURE_H
#define TALLY_TOOLS_TALLYRUN_SIGNATURE_H

#include "tally/Runtime/tally_runtime.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>
#include <vector>

namespace tally::run {

/// The arguments of a function, as a user gives them.
struct Signature {
  struct Argument {
    std::string name;
    /// The type as in a spec, with expressions for sizes: `f32[s0, 8]`, `i64`.
    std::string type;
  };

  std::string function;
  std::vector<Argument> arguments;

  /// Says that a number of inputs does not fit, and how each is given.
  std::string describeMismatch(size_t numGiven) const;
};

/// The signature of a compiled function.
Signature getSignature(const tally_rt_entry &entry);

/// The signature of a function that is interpreted.
Signature getSignature(mlir::FunctionOpInterface function);

} // namespace tally::run

#endif // TALLY_TOOLS_TALLYRUN_SIGNATURE_H
