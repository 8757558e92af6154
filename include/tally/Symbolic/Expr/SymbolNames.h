//===- SymbolNames.h - The names that an expression mentions ----*- C++ -*-===//

#ifndef TALLY_SYMBOLIC_EXPR_SYMBOLNAMES_H
#define TALLY_SYMBOLIC_EXPR_SYMBOLNAMES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tally::symbolic {

/// The names of symbols in the text of an expression, each once, in the order
/// of their first appearance. Reads no more than words, so that it takes much
/// less time than parsing.
llvm::SmallVector<llvm::StringRef> findSymbolNames(llvm::StringRef text);

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_EXPR_SYMBOLNAMES_H
