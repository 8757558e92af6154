//===- PairMaker.h - Complex numbers as pairs, in a graph -------*- C++ -*-===//

#ifndef TALLY_LIB_IMPORT_PAIRMAKER_H
#define TALLY_LIB_IMPORT_PAIRMAKER_H

#include "ComplexPairs.h"
#include "Dtypes.h"

#include "llvm/ADT/STLExtras.h"

namespace tally::import_pt2 {

SymInt makeLiteral(int64_t value);
/// What is described of another tensor, as one that is nowhere in memory.
TensorMeta makeFresh(TensorMeta meta);
Argument makeName(llvm::StringRef name);
Argument makeInt(int64_t value);
Argument makeList(std::vector<Argument> elements);
Argument makeInts(llvm::ArrayRef<int64_t> values);
/// An argument, or null if it is missing or None.
Argument *findArgument(Node &node, llvm::StringRef name);
void setArgument(Node &node, llvm::StringRef name, Argument value);

/// Whether an operator is a product of two operands, added to another one or
/// not.
bool isProduct(llvm::StringRef name);

/// Counts dimensions, which a number or a list tells, from the front.
void wrapDims(Argument &argument, int64_t rank);

/// Whether an operator works on each part alone, or on magnitudes.
bool isOfParts(llvm::StringRef name);

/// The graph of a program, or of an operator in it.
class PairMaker {
public:
  explicit PairMaker(Graph &graph) : graph(graph) {}

  void run();

private:
  bool isPair(const Argument &argument) const {
    return argument.isName() && graph.pairs.contains(argument.text);
  }
  bool isTensor(const Argument &argument) const {
    return argument.isName() && graph.tensors.contains(argument.text);
  }
  bool hasPair(const Argument &argument) const {
    return isPair(argument) ||
           llvm::any_of(argument.list,
                        [&](const Argument &each) { return hasPair(each); });
  }
  bool givesOthers(const Node &node) const;
  int64_t getRank(const Argument &argument) const;
  int64_t getRank(const Node &node) const;

  void rewrite(Node node);
  bool rewriteUpdate(Node &node, llvm::StringRef name);
  bool rewriteSame(Node &node, llvm::StringRef name);
  bool rewriteParts(Node &node, llvm::StringRef name);
  bool rewriteTransposed(Node &node, llvm::StringRef name);
  bool rewriteNewLast(Node &node, llvm::StringRef name);
  bool rewriteLinear(Node &node, llvm::StringRef name);
  bool rewriteNorm(Node &node, llvm::StringRef name);
  bool rewriteSum(Node &node, llvm::StringRef name);
  bool rewriteChoice(Node &node, llvm::StringRef name);
  bool rewriteIndexed(Node &node, llvm::StringRef name);
  bool rewriteProduct(Node &node, llvm::StringRef name);
  bool rewriteAddedProduct(Node &node, llvm::StringRef name);

  /// Adds a node in front of `node`; gives its result, which is described.
  Argument add(const Node &node, llvm::StringRef target,
               std::vector<NamedArgument> inputs, TensorMeta meta,
               bool givesPairs);
  Argument addPart(const Node &node, const Argument &argument, int64_t part);
  Argument addPairs(const Node &node, const Argument &argument);
  Argument addUnsqueezed(const Node &node, const Argument &argument);
  void makeAllPairs(Node &node);

  Graph &graph;
  std::vector<Node> nodes;
  unsigned numAdded = 0;
};

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_PAIRMAKER_H
