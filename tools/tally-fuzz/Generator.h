//===- Generator.h - Random programs ----------------------------*- C++ -*-===//
//
// The generator plans the calls of a program before it writes the program: how
// large each argument is in each of them. It then keeps account of what every
// size and index is in every planned call, so that most of what it writes is
// right in all of them: two operands have equal sizes, an index is inside. One
// more call changes a size: there a check may fail, and then everybody has to
// refuse.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_TALLYFUZZ_GENERATOR_H
#define TALLY_TOOLS_TALLYFUZZ_GENERATOR_H

#include "Program.h"
#include "Quantity.h"
#include "Random.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace tally::fuzz {

/// A value that later operations may use.
struct Item {
  mlir::Value value;
  /// The sizes of a tensor.
  llvm::SmallVector<Quantity, 3> shape;
  /// What is known of a scalar of type index.
  Quantity number;
  /// The value depends on the order of a sum or on a math function:
  /// nothing may be decided by it, and it is compared with a tolerance.
  bool inexact = false;

  bool isTensor() const { return mlir::isa<mlir::TensorType>(value.getType()); }
  bool isIndex() const { return value.getType().isIndex(); }
  mlir::Type getElementType() const {
    return mlir::getElementTypeOrSelf(value.getType());
  }
  int64_t getRank() const { return shape.size(); }
};

/// A scalar in the body of an operation.
struct Leaf {
  mlir::Value value;
  bool inexact = false;
};

/// Writes one program.
class Generator {
public:
  Generator(mlir::MLIRContext *context, uint64_t seed);

  FuzzProgram generate();

private:
  using Accept = llvm::function_ref<bool(const Item &)>;
  using Emitter = bool (Generator::*)();

  // Generator.cpp: arguments, functions, calls.
  void planCalls();
  Quantity makeSymbol();
  mlir::Type randomElementType();
  mlir::Type randomArgumentType();
  void addArgument();
  void addTensorArgument();
  void addScalarArgument();
  Quantity randomArgumentSize(std::string &text);
  void annotateMain(mlir::func::FuncOp function);
  void fillArguments(FuzzProgram &program);
  Array makeInput(const Item &argument, unsigned call, unsigned position);
  void emitSome(unsigned count);
  void emitReturn();

  // What is known: Items.cpp.
  Quantity unknown(int64_t low, int64_t high);
  Quantity constant(int64_t value);
  Quantity combine(const Quantity &a, const Quantity &b,
                   llvm::function_ref<int64_t(int64_t, int64_t)> apply);
  Item add(mlir::Value value, llvm::ArrayRef<Quantity> shape, bool inexact);
  Item add(mlir::Value index, const Quantity &number);
  Item add(mlir::Value scalar, bool inexact);
  std::optional<Item> pick(Accept accept);
  std::optional<Item> pickTensor(Accept accept = nullptr);
  std::optional<Item> pickSize(int64_t low, int64_t high);
  llvm::SmallVector<Leaf> getLeaves();
  /// A value of type index that is the quantity.
  mlir::Value getValue(const Quantity &quantity);
  mlir::OpFoldResult getFoldable(const Quantity &quantity);
  Item indexConstant(int64_t value);
  Item addIndex(const Item &a, const Item &b);
  Item subIndex(const Item &a, const Item &b);
  Item mulIndex(const Item &a, const Item &b);
  mlir::RankedTensorType makeType(llvm::ArrayRef<Quantity> shape,
                                  mlir::Type element);
  mlir::Value makeEmpty(llvm::ArrayRef<Quantity> shape, mlir::Type element);
  /// The same with static sizes where `types` has them.
  mlir::Value makeEmptyLike(llvm::ArrayRef<int64_t> types,
                            llvm::ArrayRef<Quantity> shape, mlir::Type element);
  static llvm::SmallVector<int64_t> getSizes(mlir::Value tensor);
  Item makeFilled(llvm::ArrayRef<Quantity> shape, mlir::Type element);
  Item fill(mlir::Value empty, llvm::ArrayRef<Quantity> shape);
  mlir::Value castTo(mlir::Value tensor, mlir::Type type);

  // Scalars.cpp
  mlir::Value scalarConstant(mlir::Type type);
  Leaf convert(Leaf leaf, mlir::Type type);
  Leaf makeScalar(mlir::Type type, llvm::ArrayRef<Leaf> leaves, unsigned depth,
                  bool exact = false);
  Leaf makeBoolean(llvm::ArrayRef<Leaf> leaves, unsigned depth);
  Leaf makeInteger(mlir::Type type, llvm::ArrayRef<Leaf> leaves,
                   unsigned depth);
  Leaf makeFloat(mlir::Type type, llvm::ArrayRef<Leaf> leaves, unsigned depth,
                 bool exact);
  Leaf makeFunction(mlir::Type type, Leaf operand);
  Leaf combineForReduction(mlir::Value accumulator, Leaf value);
  bool emitScalar();
  bool emitIndex();
  bool emitSymbolicSize();
  std::string makeNumberText(unsigned depth);
  std::string makeTruthText(unsigned depth);
  bool emitSymbolicNumber();
  bool emitCheck();

  // Structured.cpp
  struct Operand {
    Item item;
    llvm::SmallVector<mlir::AffineExpr, 3> map;
  };
  struct Structure {
    llvm::SmallVector<Quantity, 4> loops;
    llvm::SmallVector<mlir::utils::IteratorType, 4> kinds;
    /// Whether an input reads exactly this loop along a dimension.
    llvm::SmallVector<bool, 4> covered;
    llvm::SmallVector<Operand, 3> inputs;
    llvm::SmallVector<Operand, 2> outputs;
    llvm::SmallVector<bool, 2> reads;
  };
  void addFirstInput(Structure &structure, const Item &item);
  bool addInput(Structure &structure, const Item &item);
  std::optional<mlir::AffineExpr>
  matchLoops(const Structure &structure, const Quantity &size, unsigned &loop);
  void addOutput(Structure &structure);
  void shuffleLoops(Structure &structure);
  std::optional<Structure> makeStructure();
  bool emitGeneric();
  llvm::SmallVector<Leaf> emitGenericBody(const Structure &structure,
                                          mlir::ValueRange arguments,
                                          llvm::ArrayRef<bool> inexact,
                                          llvm::ArrayRef<Leaf> outside);
  bool emitElementwise();
  bool emitNamedElementwise();
  bool emitFill();
  bool emitTranspose();
  bool emitBroadcast();
  bool emitReduce();
  bool emitMap();
  bool emitMatmul();
  bool emitConvolution();
  bool emitPooling();
  bool emitAccumulateThenSpread();

  // Rows.cpp
  Item emitOverElements(
      llvm::ArrayRef<Item> operands, const Item &init, unsigned numLoops,
      llvm::function_ref<Leaf(llvm::ArrayRef<Leaf> operands, mlir::Value old)>
          makeElement);
  bool emitRows();
  mlir::Value makePosition(llvm::ArrayRef<Leaf> leaves,
                           llvm::ArrayRef<Quantity> loops, const Quantity &size,
                           mlir::Value sizeValue);
  std::optional<Item> makeLookup();
  bool emitLookup();

  // TensorOps.cpp
  struct Slice {
    llvm::SmallVector<mlir::OpFoldResult, 3> offsets, sizes, strides;
    llvm::SmallVector<Quantity, 3> shape;
  };
  void addSliceDim(Slice &slice, const Quantity &size);
  bool emitExtractSlice();
  bool emitInsertSlice();
  bool emitCollapse();
  bool emitExpand();
  bool emitPad();
  bool emitConcat();
  bool emitCast();
  bool emitDim();
  bool emitFromElements();
  bool emitExtract();
  bool emitInsert();
  bool emitGather();
  bool emitGenerate();
  bool emitSelectTensor();
  bool emitReshape();
  std::optional<llvm::SmallVector<mlir::Value>> pickIndices(const Item &tensor);

  // Regions.cpp
  /// What a region may see is gone when it ends.
  class Scope;
  struct Carry {
    Item init;
    bool changes = false;
    mlir::Type type;
  };
  std::vector<Carry> pickCarries(unsigned most);
  llvm::SmallVector<mlir::Value> getInits(llvm::ArrayRef<Carry> carries);
  void addCarries(llvm::ArrayRef<Carry> carries, mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> pickYields(llvm::ArrayRef<Carry> carries,
                                            mlir::ValueRange inside);
  bool emitFor();
  bool emitWhile();
  mlir::Value pickCondition();
  struct Join {
    mlir::Type type;
    llvm::SmallVector<Quantity, 3> shape;
    bool sameSizes = true;
    bool inexact = false;
  };
  std::vector<Join> pickJoins();
  llvm::SmallVector<mlir::Value> pickJoined(llvm::ArrayRef<Join> joins);
  void addJoined(llvm::ArrayRef<Join> joins, mlir::ValueRange results);
  void emitBranch(mlir::Block *block, llvm::ArrayRef<Join> joins, bool isTally);
  bool emitIf();
  bool emitCond();
  bool emitSwitch();
  std::vector<Item> emitFunction(llvm::StringRef name,
                                 llvm::ArrayRef<Item> operands);
  bool emitCall();

  // DataDependent.cpp
  bool emitNonzero();
  bool emitMaskedSelect();
  bool emitUnique();
  bool emitRepeatInterleave();
  bool emitBincount();
  bool emitSlice();
  bool emitSelect();
  bool emitSplit();
  bool emitItem();
  Item makeMask(const Item &tensor);

  static llvm::ArrayRef<std::pair<Emitter, unsigned>> getEmitters();

  mlir::MLIRContext *context;
  Random random;
  mlir::ImplicitLocOpBuilder b;
  mlir::ModuleOp module;
  mlir::func::FuncOp main;
  unsigned numCalls = 4;
  uint64_t nextId = 1;
  unsigned depth = 0;
  unsigned numFunctions = 0;
  unsigned budget = 0;
  /// Whether math functions and sums of floats are used.
  bool allowInexact = false;
  /// Whether the program declares its symbols.
  bool isNamed = false;
  std::vector<Quantity> symbols;
  std::vector<std::string> symbolRanges;
  std::vector<Item> pool;
  struct Argument {
    Item item;
    /// How the sizes, or the value, are written with symbols.
    llvm::SmallVector<std::string, 3> texts;
    /// Elements are indices that are likely to be inside.
    bool isSmall = false;
  };
  std::vector<Argument> arguments;
};

} // namespace tally::fuzz

#endif // TALLY_TOOLS_TALLYFUZZ_GENERATOR_H
