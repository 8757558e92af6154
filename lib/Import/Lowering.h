//===- Lowering.h - The import of one node ----------------------*- C++ -*-===//
//
// The view of a node that a lowering has: arguments by name, and where results
// go. A lowering is a short function; tables by family register them (see
// Aten/).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_LOWERING_H
#define TALLY_LIB_IMPORT_LOWERING_H

#include "Function.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace tally::import_pt2 {

class Lowering : public Emitter {
public:
  Lowering(Function &function, GraphScope &scope, const Node &node,
           mlir::Location loc);

  Function &function;
  GraphScope &scope;
  const Node &node;

  //===--------------------------------------------------------------------===//
  // Arguments. A missing or wrong one is reported; a stand-in is returned, so
  // that a lowering need not look.
  //===--------------------------------------------------------------------===//

  /// The argument, or null if it is missing or None. Arguments of higher-order
  /// ops have no names and are found by position.
  const Argument *find(llvm::StringRef name);
  /// What the program records of a tensor argument, or null if it is missing,
  /// no tensor, or not recorded.
  const TensorMeta *argumentMeta(llvm::StringRef name);
  bool has(llvm::StringRef name) { return find(name) != nullptr; }
  const Argument *positional(unsigned index);
  /// Says that no argument matters.
  void ignoreArguments() { ignoresArguments = true; }
  /// Reports an argument that was given but not looked at: it may change what
  /// the operator means. Call it after the lowering.
  mlir::LogicalResult checkAllArgumentsRead();

  /// A tensor of at least so many dimensions.
  Tensor tensor(llvm::StringRef name, int64_t minRank = 0);
  std::optional<Tensor> optionalTensor(llvm::StringRef name);
  llvm::SmallVector<Tensor> tensors(llvm::StringRef name);
  llvm::SmallVector<std::optional<Tensor>>
  optionalTensors(llvm::StringRef name);
  Tensor tensorOf(const Argument &argument);

  /// A number or a boolean, symbolic or not.
  Expr number(llvm::StringRef name);
  Expr number(llvm::StringRef name, Expr absent);
  Expr number(llvm::StringRef name, int64_t absent) {
    return number(name, literal(absent));
  }
  /// An integer or a float, symbolic or not; a boolean counts as an integer.
  Expr numeric(llvm::StringRef name);
  Expr numeric(llvm::StringRef name, int64_t absent);
  Expr scalarOf(const Argument &argument);
  /// The same of one that may tell where a tensor is in memory: it is good for
  /// other such numbers only.
  Expr scalarOrLayoutOf(const Argument &argument);
  /// An integer, symbolic or not; a boolean counts as one.
  Expr symInt(llvm::StringRef name);
  Expr symInt(llvm::StringRef name, Expr absent);
  Expr symInt(llvm::StringRef name, int64_t absent) {
    return symInt(name, literal(absent));
  }
  /// A list of integers, or one.
  Sizes symInts(llvm::StringRef name);
  /// A literal.
  int64_t integer(llvm::StringRef name, int64_t absent);
  llvm::SmallVector<int64_t> integers(llvm::StringRef name);
  double real(llvm::StringRef name, double absent);
  bool flag(llvm::StringRef name, bool absent);
  llvm::StringRef string(llvm::StringRef name, llvm::StringRef absent = "");
  /// A dimension of a tensor of `rank` dimensions, wrapped to [0, rank).
  int64_t dim(llvm::StringRef name, int64_t rank, int64_t absent = 0);
  /// The same for a list; all dimensions if it is missing or empty.
  llvm::SmallVector<int64_t> dims(llvm::StringRef name, int64_t rank);
  int64_t wrapDim(int64_t dim, int64_t rank);
  /// A tensor or a number.
  Operand operand(llvm::StringRef name);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  unsigned numResults() const { return unsigned(resultNames.size()); }
  llvm::StringRef resultName(unsigned index) const {
    return index < resultNames.size() ? llvm::StringRef(resultNames[index])
                                      : llvm::StringRef();
  }
  /// The recorded properties of a result, or null.
  const TensorMeta *resultMeta(unsigned index = 0);
  /// The recorded element type of a result. Where that of an operand is
  /// recorded wrongly and the node names none, it is what the operator defines:
  /// what the operands are promoted to, if nothing else is given.
  Dtype resultDtype(unsigned index = 0, Dtype defined = Dtype::Undefined);

  /// A result with memory of its own. Converts it to the recorded type.
  void result(Tensor tensor, unsigned index = 0);
  void result(Expr number, unsigned index = 0);
  /// A result of a type that no recorded one changes.
  void resultAsDefined(Tensor tensor, unsigned index = 0);
  /// A result that shares the memory of an argument.
  void resultView(llvm::StringRef base, ViewFn view, WriteBackFn writeBack,
                  unsigned index = 0);
  void resultViewOf(int64_t slot, ViewFn view, WriteBackFn writeBack,
                    unsigned index = 0);
  /// A result that is the argument.
  void resultAlias(llvm::StringRef argument, unsigned index = 0);
  /// A result that shares the memory of an argument where a condition holds,
  /// and is a copy, the tensor, where that does not. Where the condition is
  /// null, nobody can tell: neither may be updated in place from now on.
  void resultViewIf(llvm::StringRef base, Expr condition, Tensor tensor,
                    ViewFn view, WriteBackFn writeBack);
  /// Gives results that share the memory of others memory of their own.
  void copyResults();
  /// Updates an argument in place.
  void update(llvm::StringRef argument, Tensor tensor);
  /// The slot of a tensor argument, or -1.
  int64_t slotOf(llvm::StringRef argument);
  /// The slots of a list of tensors.
  llvm::SmallVector<int64_t> slotsOf(llvm::StringRef argument);

  /// If not empty, the only result is written to this argument, whose name the
  /// result also gets.
  llvm::StringRef updated;

  /// Names the symbols that first appear in a result, by its sizes.
  void learn(const TensorMeta &meta, Tensor &tensor);
  /// The recorded name of a number that a result makes, if it is a symbol that
  /// was not known before; otherwise a fresh name.
  std::string getNewSymbol(const SymInt *number, llvm::StringRef hint);

private:
  void bind(unsigned index, Binding binding);
  void addResult(Tensor tensor, unsigned index);
  /// Remembers that a result has another element type than is recorded.
  void noteDtype(Dtype dtype, unsigned index);
  Dtype getPromotedDtype();
  bool isMisled() { return misled && !has("dtype"); }
  Tensor placeholder(int64_t rank = kPlaceholderRank);
  Expr toSymInt(Expr number, llvm::StringRef name);

  /// A stand-in has more dimensions than a lowering looks for.
  static constexpr int64_t kPlaceholderRank = 8;

  llvm::SmallVector<std::string> resultNames;
  llvm::SmallPtrSet<const NamedArgument *, 8> readArguments;
  bool ignoresArguments = false;
  /// An operand has another element type than is recorded.
  bool misled = false;
};

/// Checks that no operand of an elementwise update has a part of the memory
/// that is written: PyTorch refuses that.
void checkOverlaps(Lowering &op);

// A vmap is written as a sequence of nodes: a start, what gives tensors with a
// hidden batch dimension, the computation, what shows the dimension again, and
// an end. It becomes a loop over the batch.

bool isVmapStart(const Node &node);
/// The number of nodes up to the end that belongs to the start in front.
size_t countVmapNodes(llvm::ArrayRef<Node> nodes);
mlir::LogicalResult importVmap(Function &function, GraphScope &scope,
                               llvm::ArrayRef<Node> nodes);

/// Imports one node.
using LowerFn = void (*)(Lowering &op);

/// The lowerings, by target.
class LoweringTable {
public:
  /// The lowerings of operators, or of those on pairs of numbers.
  static const LoweringTable &get(bool onPairs = false);

  /// The lowering of a target. If it is that of the functional form of a target
  /// that updates an argument, `updated` names the argument; if it is that of a
  /// view, of which the target gives a copy, `copies` is true.
  struct Entry {
    LowerFn lower = nullptr;
    llvm::StringRef updated = "";
    bool copies = false;
  };
  Entry lookup(llvm::StringRef target) const;
  void add(llvm::StringRef target, LowerFn lower) { table[target] = lower; }
  /// Adds the other names of what is there.
  void addAliases();

private:
  explicit LoweringTable(bool onPairs);
  llvm::StringMap<LowerFn> table;
};

// One function for each family registers its lowerings.
void addElementwise(LoweringTable &table);
void addBinary(LoweringTable &table);
void addComparisons(LoweringTable &table);
void addReductions(LoweringTable &table);
void addNormalizations(LoweringTable &table);
void addContractions(LoweringTable &table);
void addAttention(LoweringTable &table);
void addViews(LoweringTable &table);
void addStrided(LoweringTable &table);
void addPermutations(LoweringTable &table);
void addSlices(LoweringTable &table);
void addJoins(LoweringTable &table);
void addIndexing(LoweringTable &table);
void addScatters(LoweringTable &table);
void addCreation(LoweringTable &table);
void addComplex(LoweringTable &table);
void addComplexCreation(LoweringTable &table);
void addConversions(LoweringTable &table);
void addScans(LoweringTable &table);
void addSymbolic(LoweringTable &table);
/// Where tensors of complex numbers are in memory.
void addPlacesOfPairs(LoweringTable &table);
void addChecks(LoweringTable &table);
void addDataDependent(LoweringTable &table);
void addConvolutions(LoweringTable &table);
void addPools(LoweringTable &table);
void addPoolGradients(LoweringTable &table);
void addNormalizationGradients(LoweringTable &table);
void addActivationGradients(LoweringTable &table);
void addBags(LoweringTable &table);
void addWindows(LoweringTable &table);
void addRecurrent(LoweringTable &table);
void addHigherOrder(LoweringTable &table);
void addLoops(LoweringTable &table);
void addVmap(LoweringTable &table);
void addProducts(LoweringTable &table);
void addGroupedProducts(LoweringTable &table);
void addLosses(LoweringTable &table);
void addLossGradients(LoweringTable &table);
void addPadGradients(LoweringTable &table);
void addSpecial(LoweringTable &table);
void addShapes(LoweringTable &table);
void addSearches(LoweringTable &table);
void addSegments(LoweringTable &table);
void addStatistics(LoweringTable &table);
void addDistances(LoweringTable &table);
void addGamma(LoweringTable &table);
void addImages(LoweringTable &table);
void addGridSampler(LoweringTable &table);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_LOWERING_H
