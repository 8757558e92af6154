//===- Function.h - One function of an imported program ---------*- C++ -*-===//
//
// Values of a graph and the storages that they share. PyTorch's tensors may be
// views of one another and may be updated in place; here every tensor is a
// value. An update gives the storage a new version; a view that is read
// afterwards is made again from its base, and an update of a view is written
// back into its base.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_FUNCTION_H
#define TALLY_LIB_IMPORT_FUNCTION_H

#include "Emitter.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace tally::import_pt2 {

class Lowering;
class ProgramImporter;

/// Makes a view of a tensor.
using ViewFn = std::function<Tensor(Lowering &, const Tensor &base)>;
/// Gives the base with the view's elements replaced.
using WriteBackFn =
    std::function<Tensor(Lowering &, const Tensor &base, const Tensor &view)>;

/// Memory that tensors of the program share.
struct Storage {
  unsigned version = 0;
  /// Says why it must not be written; empty if it may be.
  std::string readOnlyBecause;
  /// Of a tensor of the model, its name: if the program writes to it, it is
  /// state.
  std::string ofModel;
  /// Storages that may be this one: they must not be written, nor read once
  /// this one is.
  llvm::SmallVector<unsigned> copies;
  /// Says that nobody knows what it holds.
  bool isUnknown = false;
};

/// A tensor of the program: all of a storage, or a view.
struct TensorSlot {
  Tensor tensor;
  unsigned storage = 0;
  unsigned version = 0;
  int64_t base = -1;
  ViewFn view;
  WriteBackFn writeBack;
  /// Of a slice: which dimensions of its base it has.
  std::optional<llvm::SmallVector<int64_t>> dimsOfBase;
  /// Several elements may be one of the base: an update of one is one of all.
  bool repeatsBase = false;
};

/// The value of a name of a graph: a tensor, a number, or nothing.
struct Binding {
  int64_t slot = -1;
  Expr scalar;

  bool isTensor() const { return slot >= 0; }
};

/// A graph and the meaning of its names.
struct GraphScope {
  explicit GraphScope(const Graph &graph) : graph(graph) {}

  const Graph &graph;
  llvm::StringMap<Binding> values;
  /// Names of tensors with other elements than are recorded: PyTorch 2.11 says
  /// of the counts of `unique` that they have the type of what is counted, and
  /// draws its conclusions from that.
  llvm::StringSet<> misrecorded;
};

/// Returns true if no node takes a value of a graph, and it is no output.
bool isUnused(llvm::StringRef name, const Graph &graph);
/// Returns true for random numbers of which nothing is used: models draw them
/// and then look whether they are training. That others would be drawn next is
/// no part of a program.
bool isUnusedRandom(const Node &node, const Graph &graph);

/// Builds one function: `main`, or a subgraph that is called.
class Function {
public:
  Function(ProgramImporter &program, mlir::MLIRContext *context,
           const llvm::StringMap<Range> &ranges)
      : program(program), state(context, ranges) {}

  ProgramImporter &program;
  FunctionState state;

  /// Adds a tensor with memory of its own; gives its slot.
  int64_t addTensor(Tensor tensor, llvm::StringRef readOnlyBecause = "");
  /// Adds a tensor of the model.
  int64_t addConstant(Tensor tensor, llvm::StringRef name);
  int64_t addView(int64_t base, Tensor tensor, ViewFn view,
                  WriteBackFn writeBack);
  /// Says that a tensor may share the memory of another, or be a copy: nobody
  /// knows which until one of both is written.
  void addPossibleCopy(int64_t slot, int64_t copy, llvm::StringRef why);
  /// Returns true if a condition can be computed: strides in it are those of
  /// arguments.
  bool canTell(Expr condition);
  /// Says that a tensor is a view of another one where a condition holds, and
  /// a copy where that does not.
  void addViewIf(Expr condition, int64_t slot, int64_t copy, ViewFn view,
                 WriteBackFn writeBack) {
    viewsIf.push_back(
        {condition, slot, copy, std::move(view), std::move(writeBack)});
  }
  TensorSlot &getSlot(int64_t slot) { return slots[slot]; }
  Storage &getStorage(int64_t slot) { return storages[slots[slot].storage]; }

  /// The tensor as it is now.
  Tensor read(int64_t slot, Lowering &lowering);
  /// Replaces the elements of a tensor, and so of all its views.
  mlir::LogicalResult write(int64_t slot, Tensor tensor, Lowering &lowering);

  /// The tensor that the archive records under a name of the graph, as a
  /// function's argument: its sizes are what is recorded.
  mlir::FailureOr<Sizes> getRecordedSizes(const TensorMeta &meta,
                                          mlir::Location loc);
  /// Any number of the archive. Reports what is not known or not understood.
  mlir::FailureOr<Expr> getRecorded(const SymInt &number, mlir::Location loc);
  /// The same for a size, which must be an integer.
  mlir::FailureOr<Expr> getRecordedSize(const SymInt &number,
                                        mlir::Location loc);
  /// The same; null where it is not known. Symbols that are not known stand for
  /// themselves in a formal one, which can be compared with others only.
  Expr findRecorded(const SymInt &number, bool isFormal = false);
  /// Declares the symbols of a recorded number that are not known yet.
  void declareSymbols(const SymInt &number, bool isSize);

  /// Imports the nodes of a graph whose inputs are in the scope.
  mlir::LogicalResult importNodes(GraphScope &scope) {
    return importNodes(scope, scope.graph.nodes);
  }
  /// Imports some of them, one after the other.
  mlir::LogicalResult importNodes(GraphScope &scope,
                                  llvm::ArrayRef<Node> nodes);
  /// The values of a graph's outputs.
  mlir::FailureOr<llvm::SmallVector<Binding>> getOutputs(GraphScope &scope,
                                                         mlir::Location loc);

private:
  /// A tensor and one that is a view of it where the condition holds.
  struct ViewIf {
    Expr condition;
    int64_t slot, copy;
    ViewFn view;
    WriteBackFn writeBack;
  };

  Expr readStrides(Expr condition);
  void forgetCopies(unsigned storage);
  mlir::LogicalResult writeStorage(int64_t slot, Tensor tensor,
                                   Lowering &lowering);
  mlir::LogicalResult writeViewsIf(unsigned storage, const ViewIf *from,
                                   Lowering &lowering);

  std::vector<TensorSlot> slots;
  std::vector<Storage> storages;
  std::vector<ViewIf> viewsIf;
};

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_FUNCTION_H
