//===- FuzzMlir.cpp - Any bytes as an .mlir file --------------------------===//

#include "CheckModule.h"
#include "TextMutator.h"

#include <string>

TALLY_FUZZ_TEXT

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // MLIR's lexer reads the zero that ends a buffer.
  std::string text(reinterpret_cast<const char *>(data), size);
  tally::fuzz::checkModule(text);
  return 0;
}
