//===- FuzzProve.cpp - Any bytes as a script of tally-prove ---------------===//

#include "Output.h"
#include "TextMutator.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tally::prove;

/// Questions may take a millisecond each.
static constexpr unsigned kMaxLines = 64;

TALLY_FUZZ_TEXT

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SessionOptions options;
  options.keepsWritten = true;
  Session session(options);
  std::string printed;
  raw_string_ostream os(printed);
  StringRef rest(reinterpret_cast<const char *>(data), size);
  for (unsigned line = 1; line <= kMaxLines && !rest.empty(); ++line) {
    StringRef text = rest.take_front(rest.find('\n') + 1);
    // A last line without an end.
    if (text.empty())
      text = rest;
    rest = rest.drop_front(text.size());
    Outcome outcome = session.run(text, line);
    for (const Failure &warning : outcome.warnings)
      printFailure(os, "warning", line, warning);
    if (outcome.failure)
      printFailure(os, "error", line, *outcome.failure);
    if (!isQuery(outcome.keyword))
      continue;
    printText(os, outcome, /*explain=*/true);
    printJSON(os, outcome);
    printSMT(os, outcome, session);
  }
  return 0;
}
