//===- Error.h - Errors of a call -------------------------------*- C++ -*-===//

#ifndef TALLY_LIB_RUNTIME_ERROR_H
#define TALLY_LIB_RUNTIME_ERROR_H

#include "Context.h"

namespace tally::runtime {

/// Returns the one line that a person reads.
std::string renderMessage(const ErrorRecord &record);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_ERROR_H
