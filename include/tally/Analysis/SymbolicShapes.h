//===- SymbolicShapes.h - Sizes of every value as expressions ---*- C++ -*-===//
//
// The shape analysis of one function: the size of every dimension of every
// ranked tensor and the value of every integer, boolean and index scalar, as
// expressions of the symbols that the function starts from.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_ANALYSIS_SYMBOLICSHAPES_H
#define TALLY_ANALYSIS_SYMBOLICSHAPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Expr/Expr.h"
#include "tally/Symbolic/Facts/Comparison.h"
#include "tally/Symbolic/Facts/Facts.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tally::symbolic {
struct Answer;
} // namespace tally::symbolic

namespace tally {

/// How a SymbolicShapes reads its function.
struct SymbolicShapesOptions {
  /// The place that gives names their meaning.
  enum class Form {
    /// Named where the function has a `tally.symbols` table and no
    /// `tally.symbol` operation, bound otherwise.
    Auto,
    /// The table and the attributes that mention it: `tally.shape` and
    /// `tally.value` of arguments are true, bindings name results.
    Named,
    /// SSA values: `tally.symbol` names the value it is given, attributes are
    /// not read (they are what the checks in the body are about).
    Bound,
  };
  /// The use of the declared ranges and divisors of symbols.
  enum class Declarations {
    /// They are good for nothing, as if nobody had declared them.
    Ignore,
    /// To see that arithmetic on them does not overflow, which makes it exact.
    /// Every run in which a declaration does not hold ends with its check, so
    /// this is sound for everything except the exactness of the declarations'
    /// own checks, which are made on raw values. They are not facts. Statements
    /// (checks, assumptions, asserts) serve what comes after them alike.
    Translate,
    /// Facts like others, of provenance Checked (Assumed where nobody checks).
    /// Only right where no check of a declaration is decided.
    Facts,
  };

  Form form = Form::Auto;
  Declarations declarations = Declarations::Translate;
  /// Whether every means is used to see that arithmetic does not overflow, and
  /// what sign a number has. This takes a few times as long: it is for a second
  /// look, where something was not seen at the first.
  bool thorough = false;

  /// Those of a pass that only takes functions in the bound form.
  static SymbolicShapesOptions bound(bool thorough = false) {
    SymbolicShapesOptions options;
    options.form = Form::Bound;
    options.thorough = thorough;
    return options;
  }
};

/// Sizes and integer values as expressions, for everything in a function (or
/// below any operation). They are computed once, in program order; what is
/// created later is computed when it is asked for. The analysis never looks
/// into another function, and leaves the IR as it is.
///
/// A size that nobody tells is an anonymous symbol that belongs to (value,
/// dimension), so nothing depends on the order of computation. An expression
/// holds where the values it speaks of exist: of a loop's body it speaks of the
/// current iteration.
class SymbolicShapes {
public:
  using Expr = symbolic::Expr;

  explicit SymbolicShapes(mlir::Operation *root,
                          SymbolicShapesOptions options = {});
  ~SymbolicShapes();
  SymbolicShapes(const SymbolicShapes &) = delete;
  SymbolicShapes &operator=(const SymbolicShapes &) = delete;

  mlir::Operation *getRoot() const;
  /// Returns true if names were read from the table, false in the bound form.
  bool isNamedForm() const;
  symbolic::ExprContext &getContext();

  //===--------------------------------------------------------------------===//
  // Sizes and values
  //===--------------------------------------------------------------------===//

  /// The size of a dimension of a ranked tensor; never null.
  Expr getDim(mlir::Value tensor, unsigned dim);
  llvm::SmallVector<Expr> getShape(mlir::Value tensor);
  /// The product of all sizes.
  Expr getNumElements(mlir::Value tensor);
  /// For models: sets the size of a result (or region argument). That of a
  /// static dimension is ignored.
  void setDim(mlir::Value tensor, unsigned dim, Expr size);
  void setShape(mlir::Value tensor, llvm::ArrayRef<Expr> sizes);

  /// The value of a scalar; never null. Integers and index are signed
  /// mathematical integers, i1 is a Bool, f64 (and any other float) a Float.
  /// Arithmetic whose result may not fit its type is an anonymous symbol.
  Expr getValue(mlir::Value scalar);
  /// The value of a static or dynamic offset, size or stride.
  Expr getValue(mlir::OpFoldResult foldResult);
  void setValue(mlir::Value scalar, Expr value);
  /// For models of arithmetic: sets the value if it provably fits the type. The
  /// residue, if there is one, is the better value if that fits.
  void setValueIfFits(mlir::Value scalar, Expr value, Expr residue = {});
  /// The value of an integer of n bits modulo 2**n: the number that
  /// arithmetic would give if it had more bits. It is the value unless a sum, a
  /// difference or a product before was not known to fit.
  /// Sums, differences and products of residues are residues, so what leaves
  /// the type in between may come back.
  Expr getResidue(mlir::Value scalar);

  /// The value of a dense tensor of integers element by element (row-major), as
  /// far as it can be seen: constants and `tensor.from_elements`. Also the
  /// element, of any type, of an argument of rank 0 that is declared.
  std::optional<llvm::SmallVector<Expr>> getElements(mlir::Value tensor);

  /// Visits an operation that was created after the analysis (and its regions);
  /// asking for one of its results does this by itself.
  void update(mlir::Operation *op);
  /// Forgets what is known of an operation's results before it is erased.
  void forget(mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // Facts
  //===--------------------------------------------------------------------===//

  /// States as facts what is known of the results of an operation behind it:
  /// which of the values of its regions they are, and the range of a sum of
  /// very many terms, which has a symbol of its own, given the facts as they
  /// are now.
  void establishResults(mlir::Operation *op);
  /// States as facts what is known of the arguments of a region in it.
  void establishArguments(mlir::Region &region);
  /// The condition before an operation under which it runs this one of its
  /// regions (at least once), and only then; null if that is not told.
  Expr getRegionCondition(mlir::Region &region);

  /// Facts that hold by construction, all of provenance Proven: sizes are not
  /// negative, an argument of a public function has at most 2^48 elements,
  /// guarantees of operations (rows of nonzero). Declarations only if the
  /// options say so. Callers may push, add and pop.
  symbolic::Facts &getFacts();
  /// Adds the declared range and divisor of each symbol of the table (named
  /// form) or of each `tally.symbol` (bound form) to some facts.
  void addDeclarations(symbolic::Facts &facts);
  /// For models: a fact about results that the operation guarantees. There must
  /// be results that fit it whatever the operands are.
  void addProven(Expr fact, llvm::StringRef source = "");
  /// For models: a range of a symbol that stands for a result.
  void addProvenRange(Expr symbol, const symbolic::Interval &range);

  /// Returns true if the expression is known to be in the range of an integer
  /// type or index (64 bits), seen as signed. Uses declarations as the options
  /// say.
  bool fits(Expr value, mlir::Type type);
  /// Returns true if a cheap proof shows the condition, from the facts used to
  /// translate values.
  bool isKnown(Expr condition);

  //===--------------------------------------------------------------------===//
  // Symbols
  //===--------------------------------------------------------------------===//

  /// Where the value of a symbol can be read.
  struct Origin {
    mlir::Value value;
    /// Set if the symbol is a size of `value`, else it is the value itself.
    std::optional<unsigned> dim;
  };
  /// Where a symbol that is no name of the table can be read (a bound symbol:
  /// at the value that `tally.symbol` names). Nothing for names of the table.
  std::optional<Origin> getOrigin(Expr symbol) const;
  /// The result of the first `tally.symbol` that names it (bound form), or
  /// null.
  mlir::Value getSymbolValue(Expr symbol) const;
  /// The operation whose `bind` makes a name of the table (named form), or null
  /// for names that exist at entry.
  mlir::Operation *getBindingOp(Expr symbol) const;
  /// The symbol that belongs to a size, whatever is known of it: the one that
  /// stands for it where nothing is.
  Expr getSymbolOf(mlir::Value tensor, unsigned dim);
  Expr getSymbolOf(mlir::Value scalar);
  /// The name that `bind` gives to a size of a result (named form), or null.
  Expr getBoundSize(mlir::OpResult result, unsigned dim) const;
  /// Returns true if every symbol of the expression exists before `op` runs.
  bool isAvailable(Expr expr, mlir::Operation *op);
  /// Returns true if the first of two operations of a block comes first; cheap
  /// also where many operations are inserted.
  bool isBefore(mlir::Operation *a, mlir::Operation *b);

  /// The space that the body of a structured operation (or tensor.generate)
  /// runs over: how often each loop runs, and the symbols that stand for the
  /// index of a loop in the body, which is in [0, size).
  struct ElementSpace {
    llvm::SmallVector<Expr> sizes;
    llvm::SmallVector<std::pair<Expr, unsigned>> indices;
  };
  /// Returns nothing if the operation has no such body, or if its sizes are
  /// not told.
  std::optional<ElementSpace> getElementSpace(mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  /// An expression of the IR: names are those of the given values first, then
  /// those of the table. Null if a name is unknown.
  Expr parse(ExprAttr expr, llvm::ArrayRef<llvm::StringRef> names = {},
             mlir::ValueRange values = {});
  /// The condition of a tally.check, tally.assume or tally.assert (of an assert
  /// that of its i1 operand), or null for any other operation.
  Expr getCondition(mlir::Operation *statement);

  /// An expression as an operation states it: a text, and a value for each name
  /// in it that the table does not have.
  struct Statement {
    ExprAttr expr;
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<std::string> names;
  };
  /// The value of a symbol at the insertion point of the builder, where it must
  /// be available; makes a `tensor.dim` for a size that nobody reads above in
  /// the same block. Null for a name of the table.
  mlir::Value read(mlir::OpBuilder &builder, mlir::Location loc, Expr symbol);
  /// Writes an expression down at the insertion point of the builder; makes a
  /// `tensor.dim` for each anonymous size in it (or takes one that is above in
  /// the same block). Everything in it must be available there. A sum of many
  /// terms is written with the operands of `reader` that are a part of it.
  Statement state(mlir::OpBuilder &builder, mlir::Location loc, Expr expr,
                  mlir::Operation *reader = nullptr);
  /// The same of what some comparisons say, with their sides as they are.
  Statement state(mlir::OpBuilder &builder, mlir::Location loc,
                  llvm::ArrayRef<symbolic::Comparison> comparisons,
                  mlir::Operation *reader = nullptr);

  //===--------------------------------------------------------------------===//
  // Preconditions
  //===--------------------------------------------------------------------===//

  /// Asks an operation what it requires of its operands.
  void collectPreconditions(mlir::Operation *op, Preconditions &preconditions);

  struct Impl;

private:
  std::unique_ptr<Impl> impl;
};

/// Something that must hold for an operation to be right.
struct Precondition {
  /// A boolean; never one that is true by canonical form.
  symbolic::Expr condition;
  /// The operation that wants it.
  mlir::Operation *op;
  /// A message to the user besides the condition; may be empty.
  std::string message;
  /// The condition in the words of the operation; may be empty.
  llvm::SmallVector<symbolic::Comparison, 2> told;
};

/// Collects the preconditions of one operation after the other.
class Preconditions {
public:
  using Expr = symbolic::Expr;

  /// Without `elide`, only what is true by canonical form is dropped.
  explicit Preconditions(SymbolicShapes &shapes, bool elide = true)
      : shapes(shapes), elide(elide) {}

  /// Is told each precondition that the facts prove, with the proof; it is
  /// none of those that are collected.
  using ProvenHandler =
      std::function<void(const Precondition &, const symbolic::Answer &)>;
  void setProvenHandler(ProvenHandler handler) {
    tellProven = std::move(handler);
  }

  /// The operation that the next preconditions belong to.
  void setOperation(mlir::Operation *newOp) { op = newOp; }
  mlir::Operation *getOperation() const { return op; }

  /// A condition; dropped if it is `true` by canonical form and the facts that
  /// hold by construction about single symbols.
  void add(Expr condition, const llvm::Twine &message = "");
  /// Comparisons that must all hold, told as they are here; those that are
  /// dropped are not told either.
  void add(llvm::ArrayRef<symbolic::Comparison> comparisons,
           const llvm::Twine &message = "");
  void addEqual(Expr a, Expr b);
  /// Both dimensions have the same size.
  void addEqualDims(mlir::Value a, unsigned dimA, mlir::Value b, unsigned dimB);
  /// 0 <= index < size.
  void addInBounds(Expr index, Expr size, const llvm::Twine &message = "");
  /// The elements offset, offset + stride, ... (`count` of them) are in
  /// [0, size); an empty slice may start anywhere in [0, size].
  void addSlice(Expr offset, Expr count, Expr stride, Expr size);

  llvm::ArrayRef<Precondition> getPreconditions() const {
    return preconditions;
  }
  void clear() { preconditions.clear(); }

private:
  symbolic::Answer prove(Expr condition) const;

  SymbolicShapes &shapes;
  bool elide;
  ProvenHandler tellProven;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<Precondition> preconditions;
};

} // namespace tally

#endif // TALLY_ANALYSIS_SYMBOLICSHAPES_H
