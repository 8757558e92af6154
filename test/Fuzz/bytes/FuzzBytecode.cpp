//===- FuzzBytecode.cpp - Any bytes as MLIR's bytecode --------------------===//

#include "CheckModule.h"

#include <cstdint>

/// What bytecode starts with. Anything else is read as text.
static constexpr llvm::StringLiteral kMagic("ML\xefR");

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef content(reinterpret_cast<const char *>(data), size);
  if (content.starts_with(kMagic))
    tally::fuzz::checkModule(content);
  return 0;
}
