//===- ShapesImpl.h - The state of a SymbolicShapes -------------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_SHAPESIMPL_H
#define TALLY_LIB_ANALYSIS_SHAPESIMPL_H

#include "BlockOrder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/SymbolTable.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/IR/Tally.h"
#include "tally/Runtime/tally_runtime.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/ScopedHashTable.h"

namespace tally {

/// The limit of a dimension of an argument, and of the product of its
/// dimensions, that the entry of a compiled function enforces.
inline constexpr int64_t kArgumentLimit = TALLY_RT_MAX_ELEMENTS;

/// What one value, or one size of it, is called: the dimension is -1 for the
/// value itself.
using ShapeKey = std::pair<mlir::Value, int>;

/// A value that goes around a loop.
struct LoopCarry {
  mlir::Value init;
  mlir::Value argument;
  mlir::Value yielded;
};

namespace detail {
/// What a result of `op`, or an argument of one of its regions, may be; empty
/// if that is not told.
llvm::SmallVector<mlir::Value> getPredecessorValues(mlir::Operation *op,
                                                    mlir::Value input);
} // namespace detail

/// Operations are the same if they do the same to the same values, whatever
/// they call the symbols that they make (ValueNumbering.cpp).
struct SameValueNumber : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op);
  static bool isEqual(const mlir::Operation *a, const mlir::Operation *b);
};
using ValueNumberTable =
    llvm::ScopedHashTable<mlir::Operation *, mlir::Operation *,
                          SameValueNumber>;

struct SymbolicShapes::Impl {
  Impl(SymbolicShapes &shapes, mlir::Operation *root,
       SymbolicShapesOptions options);

  //===--------------------------------------------------------------------===//
  // Start: names, arguments (Names.cpp)
  //===--------------------------------------------------------------------===//

  void run();
  void declareTable();
  void findBindings();
  void nameBoundSymbols();
  void seedArguments();
  void seedNamedArgument(mlir::BlockArgument argument, ShapeAttr shape);
  void seedNamedValue(mlir::BlockArgument argument, Expr expr, bool isUnsigned);
  void limitArgument(mlir::Value argument);
  void applyBindings(mlir::Operation *op);
  void applyBinding(mlir::Value result, BindingAttr binding);
  void addDeclarations(symbolic::Facts &into);
  bool isBornInBlock(Expr expr, mlir::Block *block);
  void addDeclaration(symbolic::Facts &into, Expr value, SymbolOp op);

  //===--------------------------------------------------------------------===//
  // The walk (SymbolicShapes.cpp, Regions.cpp)
  //===--------------------------------------------------------------------===//

  void visit(mlir::Operation *op);
  void visitLate(mlir::Operation *op);
  void visitRegion(mlir::Region &region);
  void visitRegions(mlir::Operation *op);
  void infer(mlir::Operation *op);
  void inferByTraits(mlir::Operation *op);
  /// Gives an operation the results of one before it that does the same.
  void inferFromTwin(mlir::Operation *op);
  void clear(mlir::Value value);
  /// True if nothing has been said about some dynamic size of a result.
  bool lacksSizes(mlir::Operation *op);

  void visitLoop(mlir::Operation *op, llvm::ArrayRef<LoopCarry> carries,
                 llvm::function_ref<void()> walk);
  bool isInvariant(mlir::Operation *loop, const LoopCarry &carry, unsigned dim);
  /// The result of a loop is the carry where that never changes.
  void setLoopResult(mlir::Operation *loop, mlir::Value result,
                     const LoopCarry &carry);
  void copyShape(mlir::Value from, mlir::Value to);
  /// Gives `to`, which is outside of `op`, the sizes and the value of `from`,
  /// which is inside, as far as they speak of what is outside.
  void copyOutOf(mlir::Operation *op, mlir::Value from, mlir::Value to);
  void addAlternatives(mlir::Operation *op, Expr symbol,
                       llvm::ArrayRef<Expr> exprs);

  // What comes out of branches and loops (Joins.cpp).
  bool addLeaves(Expr expr, mlir::Operation *op, llvm::DenseSet<Expr> &seen,
                 llvm::SmallVectorImpl<Expr> &leaves);
  Expr isOneOf(Expr symbol, llvm::ArrayRef<Expr> leaves);
  Expr selectRegion(mlir::Operation *op, llvm::ArrayRef<Expr> exprs);
  Expr findCommon(mlir::Operation *op, llvm::ArrayRef<Expr> exprs);
  Expr joinExprs(mlir::Operation *op, llvm::ArrayRef<Expr> exprs, Expr symbol);
  void join(mlir::Operation *op, mlir::OpResult result);
  void joinCarried(mlir::Operation *loop, mlir::Value value,
                   llvm::SmallVectorImpl<Expr> &into);
  void joinLoop(mlir::Operation *loop);
  void forgetAlternatives(mlir::Operation *op);

  bool isBornInside(Expr expr, mlir::Operation *op);
  void setInductionRange(mlir::Value variable, Expr lower, Expr upper);
  void visitFor(mlir::Operation *op);
  void visitBranchLoop(mlir::Operation *op);
  void visitParallel(mlir::Operation *op);
  void visitHigherOrderLoop(mlir::Operation *op);
  /// A loop whose results, if there is one for each, are what it carries.
  void visitCarryingLoop(mlir::Operation *op,
                         llvm::ArrayRef<LoopCarry> carries);
  void visitHigherOrder(mlir::Operation *op);
  void visitBranches(mlir::Operation *op);
  void visitAlternatives(mlir::Operation *op);
  void visitWhereItRuns(mlir::Region &region);

  /// Asks an operation to reify its result sizes, and reads them (Reify.cpp).
  void inferByReification(mlir::Operation *op);

  /// Reads result sizes off the signature of a callee (Preconditions.cpp).
  void inferCallResults(mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // Symbols and facts
  //===--------------------------------------------------------------------===//

  Expr symbolOf(ShapeKey key);
  /// What to call a value: a long sum gets a symbol (LongSums.cpp).
  Expr limitLength(ShapeKey key, Expr value);
  /// The same with symbols that exist at `op` in place of the long sums that
  /// they stand for.
  Expr shorten(Expr expr, mlir::Operation *op);
  bool isAvailableAt(ShapeKey key, mlir::Operation *op);
  /// A symbol goes away; if it stands for a long sum, nobody finds it any more.
  void forgetSum(Expr symbol);
  void forgetSums(mlir::Operation *op);
  Expr lookupDim(mlir::Value value, unsigned dim);
  symbolic::Facts &translation() {
    return declaredFacts ? *declaredFacts : facts;
  }
  symbolic::ProverBudget getBudget() const;
  void addFact(Expr fact, llvm::StringRef source);
  void addRange(Expr symbol, const symbolic::Interval &range);

  /// The place of a statement or condition among the facts used to translate:
  /// it holds as long as this object lives. What holds by construction stays.
  class StatementScope {
  public:
    explicit StatementScope(Impl &impl);
    ~StatementScope();
    StatementScope(const StatementScope &) = delete;
    StatementScope &operator=(const StatementScope &) = delete;
    void add(Expr condition);

  private:
    Impl &impl;
    std::optional<symbolic::Facts::Scope> scope;
    size_t firstLasting;
  };

  // Writing expressions down (Statements.cpp).
  bool isAbove(mlir::Value value, mlir::OpBuilder &builder);
  mlir::Value readSymbol(mlir::OpBuilder &builder, mlir::Location loc,
                         Expr symbol);
  Expr abbreviate(Expr expr, mlir::Operation *reader);
  Expr readCondition(mlir::Operation *statement);
  std::string getStatementName(Expr symbol, unsigned number);
  /// Gives what stands for a symbol where a text is written.
  using Rename = llvm::function_ref<Expr(Expr symbol)>;
  using WriteText =
      llvm::function_ref<std::string(symbolic::ExprContext &, Rename)>;
  Statement write(mlir::OpBuilder &builder, mlir::Location loc,
                  llvm::ArrayRef<Expr> symbols, WriteText writeText);

  SymbolicShapes &shapes;
  mlir::Operation *root;
  SymbolicShapesOptions options;
  bool named = false;
  SymbolsAttr table;

  symbolic::ExprContext context;
  symbolic::Facts facts;
  /// The facts, the declarations and what the statements before the visited
  /// operation state, if these are for translation only.
  std::unique_ptr<symbolic::Facts> declaredFacts;
  /// A fact, or the range of a symbol, that holds by construction.
  struct LastingFact {
    Expr expr;
    std::optional<symbolic::Interval> range;
    std::string source;
  };
  /// What was added to `declaredFacts` inside of the scopes that are open.
  llvm::SmallVector<LastingFact, 0> lastingFacts;
  unsigned statementScopes = 0;
  void translateWith(const LastingFact &fact);

  llvm::DenseMap<mlir::Value, llvm::SmallVector<Expr, 4>> dims;
  llvm::DenseMap<mlir::Value, Expr> values;
  /// The residues of the values that may be others (getResidue).
  llvm::DenseMap<mlir::Value, Expr> residues;
  /// The element of arguments of rank 0.
  llvm::DenseMap<mlir::Value, Expr> onlyElements;
  llvm::DenseMap<ShapeKey, Expr> symbols;
  llvm::DenseMap<Expr, ShapeKey> origins;
  llvm::DenseMap<Expr, mlir::Value> symbolValues;
  /// Long sums: what was the first to have one, the sum that a symbol stands
  /// for, these symbols in order, and those that an operation's results
  /// brought.
  llvm::DenseMap<Expr, ShapeKey> longSums;
  /// Which of several values the results of an operation are: what holds behind
  /// it. What a loop carries: what holds in a region.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Expr, 2>> alternativesOf;
  llvm::DenseMap<mlir::Region *, llvm::SmallVector<Expr, 2>> alternativesInside;
  /// Where neither the value nor the residue of a result wraps around: that
  /// they are the same. It holds behind the operation.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Expr, 1>> agreements;
  /// The result of a branch as a choice between values from outside.
  llvm::DenseMap<Expr, Expr> definitions;
  llvm::DenseMap<Expr, Expr> sumOfSymbol;
  llvm::SmallVector<Expr, 0> longSymbols;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Expr, 1>> sumsOfOperation;
  llvm::DenseMap<Expr, mlir::Operation *> bindingOps;
  llvm::SmallVector<SymbolOp> boundSymbols;

  /// What has run on every way to the operation that is visited.
  ValueNumberTable valueNumbers;

  llvm::DenseSet<mlir::Operation *> visited;
  unsigned lateDepth = 0;
  bool isWalked = false;

  /// How many loops around are walked under an assumption; facts that depend on
  /// it are left out until it is confirmed.
  unsigned speculating = 0;
  /// The assumptions of the loops around have been confirmed.
  bool isConfirmed = false;
  /// The carried sizes of each loop that were seen to change.
  llvm::DenseMap<mlir::Operation *,
                 llvm::DenseSet<std::pair<unsigned, unsigned>>>
      varying;

  /// A `tensor.dim` that reads a size, for each block.
  llvm::DenseMap<std::pair<mlir::Block *, ShapeKey>, mlir::Value> readSizes;
  BlockOrder order;
  /// The conditions of the statements that were there at the walk.
  llvm::DenseMap<mlir::Operation *, Expr> conditions;
  mlir::SymbolTableCollection symbolTables;
  std::unique_ptr<mlir::DominanceInfo> dominance;
};

/// A sum in which `part`, another sum, is replaced by a symbol; null if that
/// leaves as many terms (LongSums.cpp).
symbolic::Expr replacePart(symbolic::Expr sum, symbolic::Expr part,
                           symbolic::Expr symbol,
                           symbolic::ExprContext &context);

/// True if an expression is a sum that is too long to be written out
/// (LongSums.cpp).
bool isLong(symbolic::Expr expr);

/// The values that a type can hold, seen as signed.
symbolic::Interval getTypeRange(mlir::Type type);

/// The sizes of a ranked tensor or memref, or null.
mlir::ShapedType getRankedType(mlir::Value value);

/// The value of an integer that is known at compile time.
std::optional<int64_t> getConstantInt(mlir::Value value);

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_SHAPESIMPL_H
