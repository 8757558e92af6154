//===- FunctionState.h - What is known while a function is imported -*- C++
//-*-===//
//
// The symbols of the function that is being built, what is known about them,
// and the sizes that are there as values.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_FUNCTIONSTATE_H
#define TALLY_LIB_IMPORT_FUNCTIONSTATE_H

#include "Dtypes.h"
#include "Schema.h"

#include "tally/IR/Tally.h"
#include "tally/Symbolic/Facts/Comparison.h"
#include "tally/Symbolic/Facts/Facts.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace tally::import_pt2 {

using symbolic::Comparison;
using symbolic::Expr;

/// A tensor of the program: its value and its sizes. The sizes are worked out
/// from the operands, exactly, not taken from the archive: what was recorded
/// there holds only where no size is 0 or 1.
struct Tensor {
  mlir::Value value;
  Dtype dtype = Dtype::F32;
  llvm::SmallVector<Expr, 4> sizes;
  /// Dimensions that the archive records as 1: they broadcast, whatever
  /// expression they have here. And those that it records as an expression
  /// which was 1 in the call that was traced: they may broadcast.
  llvm::SmallVector<bool, 4> recordedOne, tracedOne;

  int64_t rank() const { return int64_t(sizes.size()); }
  bool isOne(int64_t dim) const {
    return sizes[dim].isConstant(1) ||
           (dim < int64_t(recordedOne.size()) && recordedOne[dim]);
  }
  bool mayBeOne(int64_t dim) const {
    return dim < int64_t(tracedOne.size()) && tracedOne[dim];
  }
  /// Takes over what is recorded about the sizes.
  void setRecorded(llvm::ArrayRef<SymInt> numbers) {
    recordedOne.clear();
    tracedOne.clear();
    for (const SymInt &number : numbers) {
      recordedOne.push_back(number.isLiteral(1));
      tracedOne.push_back(number.traced == 1);
    }
  }
  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
};

/// The symbols of one function and the point where its IR is being built.
class FunctionState {
public:
  FunctionState(mlir::MLIRContext *context,
                const llvm::StringMap<Range> &ranges)
      : builder(context), facts(exprs), ranges(ranges) {}

  mlir::OpBuilder builder;
  symbolic::ExprContext exprs;
  symbolic::Facts facts;

  mlir::MLIRContext *getContext() const { return builder.getContext(); }

  /// The expression for a symbol of the archive; null if it is not known yet.
  Expr lookup(llvm::StringRef name) const { return known.lookup(name); }
  /// Declares a symbol that the arguments determine, with its recorded range.
  Expr declareBacked(llvm::StringRef name, symbolic::SymbolType type,
                     bool isSize);
  /// Declares a symbol that an operation makes. Its recorded range is not used:
  /// it holds what some later check says, perhaps in one branch only, and the
  /// program has these checks.
  Expr declareUnbacked(llvm::StringRef name, symbolic::SymbolType type,
                       std::optional<int64_t> lower = std::nullopt,
                       std::optional<int64_t> upper = std::nullopt);
  /// Lets a symbol of the archive stand for an expression.
  void define(llvm::StringRef name, Expr expr) { known[name] = expr; }
  /// A number that tells where a tensor is in memory, which a compiled program
  /// decides by itself: a symbol that is not declared, so that nothing but
  /// other such numbers can be made of it.
  Expr getLayoutSymbol(llvm::StringRef name, symbolic::SymbolType type);
  /// The names of such symbols in an expression.
  llvm::SmallVector<llvm::StringRef> getLayoutSymbols(Expr expr) const;
  /// Returns true for an expression with such a symbol.
  bool isAboutLayout(Expr expr) const {
    return !isDeclaredWithin(declarations.size(), expr);
  }
  /// How many symbols are declared.
  size_t numDeclared() const { return declarations.size(); }
  /// Returns true if all symbols of an expression are among the first `count`
  /// that were declared.
  bool isDeclaredWithin(size_t count, Expr expr) const;
  /// A symbol's name that nothing has yet, made of a node's name.
  std::string freshName(llvm::StringRef hint) const;

  /// An expression with the same value that is as simple as the facts allow.
  Expr simplify(Expr expr) { return facts.simplify(expr); }
  bool isNonNegative(Expr expr) { return facts.range(expr).isAtLeast(0); }

  ExprAttr getAttr(Expr expr) {
    return ExprAttr::get(getContext(), expr.str());
  }
  /// The table of all symbols that were declared.
  SymbolsAttr getTable();

  /// Values of sizes in the block that is being built, or around it.
  llvm::DenseMap<Expr, mlir::Value> sizeCache;
  /// Index constants, in the same way.
  std::map<int64_t, mlir::Value> indexCache;
  /// Results of `tally.nonzero` and `tally.item`, by operand: PyTorch remembers
  /// them too, so that a mask gives the same symbol each time.
  llvm::DenseMap<mlir::Value, Tensor> nonzeroCache;
  llvm::DenseMap<mlir::Value, Expr> itemCache;
  /// The parts that tensors of complex numbers were made of.
  llvm::DenseMap<mlir::Value, std::pair<Tensor, Tensor>> partsCache;

  /// Returns true if `value` may be used where the builder stands.
  bool isVisible(mlir::Value value) const;

  /// Values that are made in a region are forgotten at its end. In a region
  /// that is to be closed, values from outside are not reused either.
  class RegionScope {
  public:
    RegionScope(FunctionState &state, bool isClosed);
    ~RegionScope();
    RegionScope(const RegionScope &) = delete;
    RegionScope &operator=(const RegionScope &) = delete;

  private:
    FunctionState &state;
    mlir::OpBuilder::InsertPoint insertPoint;
    llvm::DenseMap<Expr, mlir::Value> sizes;
    std::map<int64_t, mlir::Value> indices;
    llvm::DenseMap<mlir::Value, Tensor> nonzeros;
    llvm::DenseMap<mlir::Value, Expr> items;
    llvm::DenseMap<mlir::Value, std::pair<Tensor, Tensor>> parts;
    llvm::StringMap<Expr> known;
  };

private:
  Expr declare(llvm::StringRef name, symbolic::SymbolType type, bool unbacked,
               std::optional<int64_t> lower, std::optional<int64_t> upper);

  const llvm::StringMap<Range> &ranges;
  llvm::StringMap<Expr> known;
  /// Symbols that tell where tensors are, by name.
  llvm::StringMap<Expr> layout;
  /// The places of symbols in `declarations`, by name.
  llvm::StringMap<size_t> declaredNames;
  llvm::SmallVector<SymbolDeclAttr> declarations;
};

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_FUNCTIONSTATE_H
