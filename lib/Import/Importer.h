//===- Importer.h - The import of a whole program ---------------*- C++ -*-===//
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_IMPORTER_H
#define TALLY_LIB_IMPORT_IMPORTER_H

#include "Archive.h"
#include "Function.h"

#include "tally/Import/ImportPt2.h"
#include "tally/Import/Operators.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace tally::import_pt2 {

/// A subgraph that is called, as a function.
struct Subgraph {
  /// An input: a tensor or a number, in the callee's symbols.
  struct Input {
    Tensor tensor;
    Expr scalar;
  };

  mlir::func::FuncOp func;
  /// Owns the callee's expressions.
  std::unique_ptr<Function> function;
  std::vector<Input> inputs;
  std::vector<Tensor> outputs;
  llvm::SmallVector<mlir::DictionaryAttr> argAttrs;
  /// Recorded sizes that stand for a symbol as a whole.
  llvm::StringMap<Expr> opaqueSizes;
};

/// Collects large constants in a file.
class DataFile {
public:
  explicit DataFile(const ImportOptions &options) : options(options) {}

  bool isEnabled() const { return !options.dataFile.empty(); }
  std::string getReference() const;
  /// Appends bytes at a multiple of 64; gives the offset.
  llvm::Expected<int64_t> append(llvm::StringRef bytes);
  llvm::Error finish();

private:
  const ImportOptions &options;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

/// Builds the module of a program.
class ProgramImporter {
public:
  /// `states` are the tensors of the model that the program is known to write
  /// to.
  ProgramImporter(mlir::MLIRContext *context, const Archive &archive,
                  const Program &program, const ImportOptions &options,
                  llvm::StringSet<> &states)
      : context(context), archive(archive), program(program), options(options),
        data(options), states(states) {}

  /// Returns null after an error, and where the program is to be imported
  /// again.
  mlir::OwningOpRef<mlir::ModuleOp> run();
  /// Whether the program writes to a tensor of the model that was not among the
  /// states, and now is.
  bool mustRunAgain() const { return lacksState; }

  /// The lowering that has been registered for an operator from outside, or
  /// null.
  const OperatorTable::LowerFn *findOperator(llvm::StringRef target) const {
    return options.operators ? options.operators->lookup(target) : nullptr;
  }

  /// The user's line that made a node.
  mlir::Location getLocation(const Node &node) const;
  mlir::Location getLocation() const { return mlir::UnknownLoc::get(context); }

  /// The function of a subgraph, made when its identifier is first seen.
  mlir::FailureOr<const Subgraph *> getSubgraph(const Graph &graph,
                                                llvm::StringRef identifier,
                                                mlir::Location loc);

  /// Notes that the program writes to a tensor of the model.
  void addState(llvm::StringRef name) { states.insert(name); }

  /// An argument and a dimension of it.
  struct Stride {
    unsigned argument, dim;
  };
  /// The stride that a symbol of the archive stands for, in `main`.
  std::optional<Stride> findStride(const Function &function,
                                   llvm::StringRef symbol) const;
  /// Its value: a hidden argument.
  symbolic::Expr addStride(Function &function, llvm::StringRef symbol);

private:
  mlir::LogicalResult addSubgraphInput(Subgraph &subgraph, GraphScope &scope,
                                       const Argument &input,
                                       mlir::Block &block, mlir::Location loc);
  mlir::LogicalResult checkTargets();
  /// The first node of each operator, and whether it is on complex numbers.
  using UnsupportedNodes =
      llvm::MapVector<std::pair<llvm::StringRef, unsigned>, const Node *>;
  void collectUnsupported(const Graph &graph, UnsupportedNodes &missing);
  mlir::LogicalResult readTables();
  mlir::LogicalResult importMain();
  mlir::LogicalResult addInputs(Function &function, mlir::Block &block,
                                GraphScope &scope);
  mlir::LogicalResult addStates(Function &function, mlir::Block &block,
                                GraphScope &scope);
  mlir::FailureOr<Tensor> importConstant(Function &function,
                                         const InputSpec &spec);
  mlir::FailureOr<std::string> readElements(const StoredTensor &stored,
                                            const llvm::Twine &path);
  mlir::Attribute getResource(const TensorMeta &meta, llvm::StringRef path,
                              mlir::RankedTensorType type,
                              std::string elements);
  mlir::LogicalResult addTensorArgument(Function &function, mlir::Block &block,
                                        GraphScope &scope, llvm::StringRef name,
                                        const TensorMeta &meta);
  /// The value of a scalar argument, null for None and strings.
  mlir::FailureOr<symbolic::Expr> getScalarArgument(Function &function,
                                                    const InputSpec &spec,
                                                    mlir::Location loc);
  mlir::LogicalResult addArgument(Function &function, mlir::Block &block,
                                  GraphScope &scope, const InputSpec &spec);
  mlir::LogicalResult declareInputSymbols(Function &function);
  mlir::LogicalResult buildResults(Function &function, GraphScope &scope,
                                   mlir::func::FuncOp main);
  mlir::LogicalResult addResult(Function &function, GraphScope &scope,
                                const Binding &binding, bool isComplex,
                                std::optional<int64_t> mutates);

  /// A result of main that is being put together.
  struct Result {
    mlir::Value value;
    mlir::DictionaryAttr attrs;
  };
  /// An argument of main.
  struct ArgumentInfo {
    std::string name;
    int64_t slot = -1;
    mlir::DictionaryAttr attrs;
  };

  mlir::MLIRContext *context;
  const Archive &archive;
  const Program &program;
  const ImportOptions &options;
  DataFile data;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::StringMap<StoredTensor> weights, constants;
  /// The large constants so far, by what is stored and how it is read.
  llvm::StringMap<mlir::Attribute> resources;
  const llvm::StringMap<Range> noRanges;
  llvm::StringMap<std::unique_ptr<Subgraph>> subgraphs;
  std::vector<ArgumentInfo> arguments;
  const Function *main = nullptr;
  /// The strides that are hidden arguments.
  llvm::StringMap<symbolic::Expr> strides;
  /// The full names of the tensors of the model that are state.
  llvm::StringSet<> &states;
  bool lacksState = false;
  std::vector<Result> results;
};

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_IMPORTER_H
