//===- SymPy.h - Expressions of PyTorch and SymPy ---------------*- C++ -*-===//
//
// PyTorch writes symbolic numbers in two ways: as SymPy's `srepr`, which its
// archives hold (`Add(Symbol('s0', integer=True), Integer(1))`), and as infix,
// in guards and messages (`s0 + 1`, `Eq(Mod(s0, 8), 0)`, `2*(s0//2)`). Both
// are read here, and infix is written.
//
// Python's meaning is kept, with two exceptions that PyTorch makes as well. A
// quotient of SymPy (`s0/2`, `Rational(1, 2)`) is exact, so it is undefined
// where it is no integer. And a rounded `IntTrueDiv` is an integer division,
// which differs from Python beyond 2 ** 53, where floats skip integers.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_TEXT_SYMPY_H
#define TALLY_SYMBOLIC_TEXT_SYMPY_H

#include "tally/Symbolic/Text/Parser.h"

namespace tally::symbolic {

/// Gives the expression that a symbol of the text stands for; null for one that
/// is not known. In infix the type is a guess: an integer.
using SymPyResolver =
    llvm::function_ref<Expr(llvm::StringRef name, SymbolType type)>;

/// Reads `srepr`. The error says what is not understood, at offset 0.
ParseResult parseSrepr(llvm::StringRef text, ExprContext &context,
                       SymPyResolver resolve);

/// Reads infix as SymPy and PyTorch print it. A path of a guard, like
/// `L['x'].size()[0]`, is the name of a symbol.
ParseResult parseSymPy(llvm::StringRef text, ExprContext &context,
                       SymPyResolver resolve);

/// Writes infix that `parseSymPy`, and Python where PyTorch's functions are in
/// scope, read back; nothing for a residue, which has no counterpart.
std::optional<std::string> printSymPy(Expr expr);

/// The name of the symbol, if the `srepr` is nothing but one symbol.
std::optional<llvm::StringRef> getLoneSymbol(llvm::StringRef srepr);

/// The name of the symbol in `Equality(Symbol(...), Integer(1))`: how booleans
/// that are read from tensors are written.
std::optional<llvm::StringRef> getBooleanSymbol(llvm::StringRef srepr);

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_TEXT_SYMPY_H
