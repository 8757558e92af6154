//===- Symbols.h - Symbolic numbers of exported programs --------*- C++ -*-===//
//
// Exported programs spell symbolic numbers as sympy's `srepr`:
// `Add(Symbol('s0', integer=True), Integer(1))`. Here they become expressions
// of Tally's engine.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_SYMBOLS_H
#define TALLY_LIB_IMPORT_SYMBOLS_H

#include "tally/Symbolic/Text/SymPy.h"
#include "llvm/Support/Error.h"

namespace tally::import_pt2 {

using symbolic::getBooleanSymbol;
using symbolic::getLoneSymbol;

/// Reads `srepr` text. The error names what is not understood.
llvm::Expected<symbolic::Expr> readSrepr(llvm::StringRef text,
                                         symbolic::ExprContext &context,
                                         symbolic::SymPyResolver resolve);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_SYMBOLS_H
