//===- SymbolBinder.h - From the named to the bound form --------*- C++ -*-===//
//
// The state of tally-bind-symbols on one function. BindSymbols.cpp binds what
// the arguments give, BindSolutions.cpp what has to be solved for,
// BindMentions.cpp what operations make, and rewrites what mentions a name.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_SYMBOLBINDER_H
#define TALLY_LIB_TRANSFORMS_SYMBOLBINDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Facts/Facts.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tally {

/// An equation that a signature states: what is read from an argument equals
/// the expression declared of it.
struct Equation {
  mlir::Value value;       ///< A size (index) or a scalar.
  symbolic::Expr unknown;  ///< A local symbol that stands for the value.
  symbolic::Expr declared; ///< The expression over names.
  std::string source;      ///< `x.size(0)`.
  std::string argument;    ///< The argument's name.
  mlir::Location loc;      ///< Where the argument is declared.
  bool isSize;             ///< A size of a tensor: never negative.
  bool isUsed = false;     ///< Defines a symbol.
};

/// Binds the names of one function.
class SymbolBinder {
public:
  explicit SymbolBinder(mlir::FunctionOpInterface function)
      : function(function), table(SymbolsAttr::get(function)), facts(context),
        builder(function.getContext()) {}

  mlir::LogicalResult run();

private:
  /// The declaration of a name that stands in the table.
  SymbolDeclAttr lookupDeclared(llvm::StringRef name) const {
    return declarations.lookup(name);
  }
  void declareSymbols();
  void declareSymbol(symbolic::Facts &into, symbolic::Expr symbol);
  void declareRead(symbolic::Facts &into, const Equation &equation);
  mlir::LogicalResult collectEquations();
  mlir::LogicalResult collectValue(mlir::BlockArgument argument);
  mlir::LogicalResult collectSizes(mlir::BlockArgument argument);
  void limitProducts(ShapeAttr shape);
  mlir::LogicalResult addEquation(mlir::Value value, symbolic::Expr declared,
                                  std::string source, std::string argument,
                                  bool isSize);
  mlir::FailureOr<symbolic::Expr> readDeclared(ExprAttr declared,
                                               const llvm::Twine &source);
  void bindFromArguments();
  void checkEquations();

  // Solving (BindSolutions.cpp).
  using System = llvm::SmallVector<Equation *>;
  bool isUnknown(symbolic::Expr symbol) const;
  symbolic::Expr getOnlyUnknown(symbolic::Expr expr) const;
  mlir::LogicalResult solveEquations();
  bool solveEquation(Equation &equation);
  llvm::SmallVector<System> findSystems();
  mlir::LogicalResult solveSystemOf(llvm::ArrayRef<Equation *> system);
  void listEquations(mlir::InFlightDiagnostic &diagnostic,
                     llvm::ArrayRef<Equation *> system);
  void defineSolved(symbolic::Expr symbol, symbolic::Expr value,
                    const Equation &equation);
  void checkRequired(llvm::SmallVectorImpl<symbolic::Expr> &required,
                     llvm::ArrayRef<Equation *> system,
                     symbolic::Facts &implied);
  mlir::LogicalResult checkAllSolved();

  mlir::LogicalResult bindUnbacked(UnbackedBindingOpInterface op);
  mlir::Value readKeyPath(mlir::Operation *op, BindingAttr binding);
  llvm::StringSet<> collectMentionedNames();
  mlir::LogicalResult checkAllBound();
  mlir::LogicalResult rewriteRegion(mlir::Region &region);
  mlir::LogicalResult rewriteOperation(mlir::Operation *op);
  mlir::LogicalResult rewrite(SizeOp size);
  void requireDefined(symbolic::Expr expr);
  void requireDivisors(symbolic::Expr expr);
  void requireFits(symbolic::Expr expr, llvm::StringRef declaredBy = {});
  template <typename OpT>
  mlir::LogicalResult rewriteStatement(OpT statement);

  void define(symbolic::Expr symbol, mlir::Value raw, llvm::StringRef source,
              llvm::StringRef declaredBy, bool isSize);
  symbolic::Expr getLocalName(mlir::Value value, symbolic::SymbolType type,
                              const llvm::DenseSet<symbolic::Expr> &taken);
  void emitCheck(symbolic::Expr condition,
                 llvm::ArrayRef<std::pair<symbolic::Expr, mlir::Value>> locals,
                 llvm::StringRef declaredBy = {},
                 llvm::StringRef requiredBy = {}, bool isAssumed = false,
                 llvm::StringRef message = {});
  void emitDeclaration(symbolic::Expr symbol, mlir::Value raw,
                       llvm::StringRef declaredBy, bool isSize);
  mlir::Value toSymbolType(mlir::Value value, symbolic::SymbolType type,
                           bool isUnsigned = false);
  mlir::Value lookup(symbolic::Expr symbol) const {
    return values.lookup(symbol);
  }
  mlir::LogicalResult requireDominance(mlir::Operation *user,
                                       symbolic::Expr symbol);

  mlir::FunctionOpInterface function;
  SymbolsAttr table;
  llvm::StringMap<SymbolDeclAttr> declarations;
  symbolic::ExprContext context;
  /// The declarations and, while uses are rewritten, the statements that
  /// dominate a use.
  symbolic::Facts facts;
  mlir::OpBuilder builder;
  mlir::DominanceInfo dominance;
  mlir::Location loc = mlir::UnknownLoc::get(builder.getContext());
  /// The name of the operation that is rewritten.
  llvm::StringRef reader = "tally.size";
  llvm::SmallVector<Equation> equations;
  /// Names for values that are no symbol.
  llvm::DenseSet<symbolic::Expr> localNames;
  /// The value of each symbol that is bound, and the operation that made it.
  llvm::DenseMap<symbolic::Expr, mlir::Value> values;
  llvm::DenseMap<symbolic::Expr, mlir::Operation *> definitions;
};

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_SYMBOLBINDER_H
