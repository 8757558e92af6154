//===- Symbols.cpp - Symbolic numbers of exported programs ----------------===//
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

using namespace llvm;
using namespace tally::symbolic;

Expected<Expr> tally::import_pt2::readSrepr(StringRef text,
                                            ExprContext &context,
                                            SymPyResolver resolve) {
  symbolic::ParseResult result = symbolic::parseSrepr(text, context, resolve);
  if (result)
    return *result;
  return createStringError(inconvertibleErrorCode(), result.errorMessage);
}
