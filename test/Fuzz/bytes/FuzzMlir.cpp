//===- FuzzMlir.cpp - Any bytes as an .mlir file --------------------------===//

#include "CheckModule.h"
#include "TextMutator.h"

TALLY_FUZZ_TEXT

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tally::fuzz::checkModule(
      llvm::StringRef(reinterpret_cast<const char *>(data), size));
  return 0;
}
