//===- Declarations.h - What a program says of its symbols ------*- C++ -*-===//
//
// The names of the table with their bindings (named form) or the `tally.symbol`
// operations (bound form), and what is declared of arguments.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_ANALYSIS_DECLARATIONS_H
#define TALLY_LIB_ANALYSIS_DECLARATIONS_H

#include "ShapeTable.h"
#include "ValueSymbols.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/IR/Tally.h"
#include "tally/Runtime/tally_runtime.h"

namespace tally {

/// The limit of a dimension of an argument, and of the product of its
/// dimensions, that the entry of a compiled function enforces.
inline constexpr int64_t kArgumentLimit = TALLY_RT_MAX_ELEMENTS;

class Declarations {
public:
  using Expr = symbolic::Expr;

  Declarations(SymbolicShapes &shapes, mlir::Operation *root,
               SymbolicShapesOptions::Form form, symbolic::ExprContext &context,
               ValueSymbols &symbols, ShapeFacts &facts, ShapeTable &sizes);

  /// Returns true if names are read from the table.
  bool isNamedForm() const { return named; }
  /// Makes the symbols that are declared.
  void declareSymbols();
  /// Gives arguments the sizes and values that are declared, and what the entry
  /// of a compiled function guarantees.
  void seedArguments();
  /// Bindings give the sizes that nobody has told a name; of the others the
  /// name is another word for the same.
  void applyBindings(mlir::Operation *op);
  /// Adds declared ranges and divisors. Before the walk only the symbols are
  /// known, which is enough for most.
  void addTo(symbolic::Facts &into, bool isWalked);

private:
  void nameBoundSymbols();
  void findBindings();
  void seedNamedArgument(mlir::BlockArgument argument, ShapeAttr shape);
  void seedNamedValue(mlir::BlockArgument argument, Expr expr, bool isUnsigned);
  void limitArgument(mlir::Value argument);
  void limitSize(Expr size, int64_t limit);
  void applyBinding(mlir::Value result, BindingAttr binding);
  void addTable(symbolic::Facts &into);
  void addDeclaration(symbolic::Facts &into, Expr value, SymbolOp op);

  SymbolicShapes &shapes;
  mlir::Operation *root;
  symbolic::ExprContext &context;
  ValueSymbols &symbols;
  ShapeFacts &facts;
  ShapeTable &sizes;
  SymbolsAttr table;
  llvm::SmallVector<SymbolOp> boundSymbols;
  bool named;
};

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_DECLARATIONS_H
