//===- Symbols.h - Symbolic numbers of exported programs --------*- C++ -*-===//
//
// Exported programs spell symbolic numbers as sympy's `srepr`:
// `Add(Symbol('s0', integer=True), Integer(1))`. Here they become expressions
// of Tally's engine.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_SYMBOLS_H
#define TALLY_LIB_IMPORT_SYMBOLS_H

#include "tally/Symbolic/Expr.h"
#include "llvm/Support/Error.h"

namespace tally::import_pt2 {

/// Gives the expression that a symbol of the program stands for; null for one
/// that is not known yet.
using SymbolResolver = llvm::function_ref<symbolic::Expr(
    llvm::StringRef name, symbolic::SymbolType type)>;

/// Reads `srepr` text. The error names what is not understood.
llvm::Expected<symbolic::Expr> parseSrepr(llvm::StringRef text,
                                          symbolic::ExprContext &context,
                                          SymbolResolver resolve);

/// The name of the symbol, if the text is nothing but one symbol.
std::optional<llvm::StringRef> getLoneSymbol(llvm::StringRef text);

/// The name of the symbol in `Equality(Symbol(...), Integer(1))`: how booleans
/// that are read from tensors are written.
std::optional<llvm::StringRef> getBooleanSymbol(llvm::StringRef text);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_SYMBOLS_H
