//===- FuzzMlir.cpp - Any bytes as an .mlir file --------------------------===//

#include "CheckModule.h"
#include "TextMutator.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

TALLY_FUZZ_TEXT

/// True for what upstream's parser of linalg's own syntax (22.1) reads through
/// a null attribute: a list of dimensions that is missing or is none.
static bool crashesUpstream(llvm::StringRef text) {
  size_t needed = text.count("linalg.reduce") + text.count("linalg.broadcast") +
                  text.count("linalg.transpose");
  llvm::Regex list("(dimensions|permutation) = \\[[-0-9, ]*\\]");
  llvm::SmallVector<llvm::StringRef> matches;
  for (; needed > 0 && list.match(text, &matches); --needed)
    text = text.substr(matches[0].end() - text.begin());
  return needed > 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (!crashesUpstream(text))
    tally::fuzz::checkModule(text);
  return 0;
}
