//===- AliasChains.cpp - Long chains of tensors in one buffer -------------===//

#include "AliasChains.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SubsetOpInterface.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tally-bufferize"

using namespace mlir;
using namespace mlir::bufferization;

/// How many tensors may share a buffer before their chain is cut: where nothing
/// is inserted, and where what is inserted may be computed in its place, which
/// it is not behind a cut.
static constexpr unsigned kMostAliases = 32;
static constexpr unsigned kMostInsertions = 96;

namespace {
/// Tensors that may share a buffer.
struct Aliases {
  unsigned size = 1;
  /// The position of the last operation that uses one of them.
  unsigned lastUse = 0;
  bool isWritable = true;
  /// Something is inserted into one of them, or one of them into something.
  bool hasInsertion = false;
  bool stays = false;
};

/// The chains of one block that is run once: of a function.
class BlockChains {
public:
  BlockChains(Block &block, const OneShotBufferizationOptions &options,
              bool mayInsert)
      : block(block), state(options), mayInsert(mayInsert) {}

  /// Calls `cut` with each tensor whose chain ends and whether it may be
  /// written; it returns what stands for the tensor from there on.
  void walk(bool isCalled, function_ref<Value(Value, bool)> cut);

private:
  void addWithNested(Operation *op);
  /// Adds a tensor, alone; whoever adds one of the block itself tells where it
  /// is used last, as those inside of an operation end with it.
  void add(Value value, bool isWritable);
  bool isWritable(Value value) const;
  unsigned getLastUse(Value value) const;
  void unite(Value left, Value right);
  void uniteAll(Operation *op);
  void uniteRegions(Operation *op);
  void uniteResults(Operation *op);
  /// Returns the one result that is used behind `op` in each set that ends.
  SmallVector<Value> findEnds(Operation *op);
  Aliases &getAliases(Value value) {
    return aliases[sets.findLeader(numbers.lookup(value))];
  }

  Block &block;
  AnalysisState state;
  bool mayInsert;
  DenseMap<Operation *, unsigned> positions;
  DenseMap<Value, unsigned> numbers;
  llvm::IntEqClasses sets;
  /// By the leaders of the sets.
  SmallVector<Aliases> aliases;
};
} // namespace

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

unsigned BlockChains::getLastUse(Value value) const {
  unsigned last = 0;
  for (Operation *user : value.getUsers())
    if (!isa<tensor::DimOp>(user))
      last =
          std::max(last, positions.lookup(block.findAncestorOpInBlock(*user)));
  return last;
}

bool BlockChains::isWritable(Value value) const {
  auto op = state.getOptions().dynCastBufferizableOp(
      isa<BlockArgument>(value) ? value.getParentBlock()->getParentOp()
                                : value.getDefiningOp());
  return op && op.isWritable(value, state);
}

void BlockChains::add(Value value, bool isWritable) {
  if (!isTensor(value))
    return;
  numbers[value] = aliases.size();
  sets.grow(aliases.size() + 1);
  Aliases alone;
  alone.isWritable = isWritable;
  aliases.push_back(alone);
}

void BlockChains::unite(Value left, Value right) {
  if (!isTensor(left) || !isTensor(right))
    return;
  unsigned first = sets.findLeader(numbers.lookup(left));
  unsigned second = sets.findLeader(numbers.lookup(right));
  if (first == second)
    return;
  Aliases both;
  both.size = aliases[first].size + aliases[second].size;
  both.lastUse = std::max(aliases[first].lastUse, aliases[second].lastUse);
  both.isWritable = aliases[first].isWritable && aliases[second].isWritable;
  both.hasInsertion =
      aliases[first].hasInsertion || aliases[second].hasInsertion;
  both.stays = aliases[first].stays || aliases[second].stays;
  aliases[sets.join(first, second)] = both;
}

/// Unites all that goes into an operation, comes out of it, and is handed
/// around in it.
void BlockChains::uniteAll(Operation *op) {
  SmallVector<Value> values;
  for (Region &region : op->getRegions())
    for (Block &inner : region) {
      llvm::append_range(values, inner.getArguments());
      if (inner.mightHaveTerminator())
        llvm::append_range(values, inner.getTerminator()->getOperands());
    }
  // The body of a structured operation computes elements.
  if (op->getNumRegions() != 0 && llvm::none_of(values, isTensor))
    return;
  llvm::append_range(values, op->getOperands());
  llvm::append_range(values, op->getResults());
  llvm::erase_if(values, [](Value value) { return !isTensor(value); });
  for (Value value : values)
    unite(values.front(), value);
}

void BlockChains::uniteRegions(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, carried, yielded, result] :
         llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                         loop.getYieldedValues(), loop.getResults())) {
      unite(init, carried);
      unite(init, yielded);
      unite(init, result);
    }
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : branch.getRegions())
      if (!region->empty())
        for (auto [result, yielded] :
             llvm::zip(branch.getResults(),
                       region->front().getTerminator()->getOperands()))
          unite(result, yielded);
    return;
  }
  if (op->getNumRegions() != 0 || isa<CallOpInterface>(op))
    uniteAll(op);
}

void BlockChains::uniteResults(Operation *op) {
  // Only the analysis knows what a call returns.
  for (Value result : op->getResults())
    if (isTensor(result) && !isa<CallOpInterface>(op))
      for (AliasingOpOperand operand : state.getAliasingOpOperands(result))
        unite(result, operand.opOperand->get());
  if (mayInsert && isa<SubsetInsertionOpInterface>(op))
    for (Value operand : op->getOperands())
      if (isTensor(operand))
        getAliases(operand).hasInsertion = true;
}

void BlockChains::addWithNested(Operation *op) {
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    for (Value result : nested->getResults())
      add(result, isWritable(result));
    for (Region &region : nested->getRegions())
      for (Value argument : region.getArguments())
        add(argument, /*isWritable=*/true);
  });
  op->walk([&](Operation *nested) {
    uniteRegions(nested);
    uniteResults(nested);
  });
}

SmallVector<Value> BlockChains::findEnds(Operation *op) {
  unsigned position = positions.lookup(op);
  llvm::MapVector<unsigned, SmallVector<Value>> used;
  for (Value result : op->getResults())
    if (isTensor(result) && getLastUse(result) > position)
      used[sets.findLeader(numbers.lookup(result))].push_back(result);
  SmallVector<Value> ends;
  for (auto &[set, results] : used) {
    Aliases &here = aliases[set];
    bool isLong =
        here.size >= (here.hasInsertion ? kMostInsertions : kMostAliases);
    if (isLong && !here.stays && here.lastUse <= position &&
        results.size() == 1)
      ends.push_back(results.front());
    for (Value result : results)
      here.lastUse = std::max(here.lastUse, getLastUse(result));
  }
  return ends;
}

void BlockChains::walk(bool isCalled, function_ref<Value(Value, bool)> cut) {
  SmallVector<Operation *> operations;
  for (Operation &op : block) {
    operations.push_back(&op);
    positions[&op] = operations.size();
  }
  for (Value argument : block.getArguments()) {
    add(argument, isWritable(argument));
    if (!isTensor(argument))
      continue;
    getAliases(argument).lastUse = getLastUse(argument);
    // The caller wants to know what is done to its tensors.
    getAliases(argument).stays = isCalled;
  }
  for (Operation *op : operations) {
    addWithNested(op);
    for (Value end : findEnds(op)) {
      unsigned lastUse = getLastUse(end);
      bool isWritable = getAliases(end).isWritable;
      Value next = cut(end, isWritable);
      if (!next)
        continue;
      add(next, isWritable);
      getAliases(next).lastUse = lastUse;
    }
  }
}

/// Whether a buffer may be cast to `type` also where bufferization decides to
/// copy a slice: copies have no layout.
static bool isTypeOfCopies(BufferLikeType type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return memref != nullptr;
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(memref.getStridesAndOffset(strides, offset)) &&
         ShapedType::isDynamic(offset) &&
         llvm::all_of(strides, ShapedType::isDynamic);
}

/// The buffer of a tensor, or null where its type is not known.
ToBufferOp tally::AliasChains::getBuffer(Value value, bool isWritable) {
  BufferizationState state;
  FailureOr<BufferLikeType> type = getBufferType(value, options, state);
  if (failed(type) || !isTypeOfCopies(*type))
    return {};
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  return ToBufferOp::create(builder, value.getLoc(), *type, value,
                            /*read_only=*/!isWritable);
}

/// A tensor of its own, to the analysis, in the same buffer.
ToTensorOp tally::AliasChains::addTensor(ToBufferOp buffer, bool isWritable) {
  OpBuilder builder(buffer->getContext());
  builder.setInsertionPointAfter(buffer);
  auto tensor =
      ToTensorOp::create(builder, buffer.getLoc(), buffer.getTensor().getType(),
                         buffer, /*restrict=*/true, isWritable);
  cuts.push_back(tensor);
  return tensor;
}

/// Returns whether the only way to the buffer of a tensor are the tensor's own
/// uses.
static bool ownsBuffer(Value value, const AnalysisState &state, bool isCalled) {
  while (true) {
    if (isa<BlockArgument>(value))
      return isa<func::FuncOp>(value.getParentBlock()->getParentOp()) &&
             !isCalled;
    Operation *op = value.getDefiningOp();
    if (isa<CallOpInterface>(op) ||
        !state.getOptions().dynCastBufferizableOp(op))
      return false;
    AliasingOpOperandList operands = state.getAliasingOpOperands(value);
    if (operands.getNumAliases() == 0)
      return true;
    if (operands.getNumAliases() != 1)
      return false;
    value = operands.getAliases().front().opOperand->get();
    if (!value.hasOneUse())
      return false;
  }
}

/// Returns whether an operand is read where it is, or a part of it is.
static bool onlyReads(OpOperand &use, AnalysisState &state) {
  Operation *op = use.getOwner();
  return !isa<CallOpInterface, SubsetInsertionOpInterface>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         state.getOptions().dynCastBufferizableOp(op) &&
         !state.bufferizesToMemoryWrite(use);
}

void tally::AliasChains::separateReaders(func::FuncOp function, bool isCalled) {
  AnalysisState state(options);
  auto visit = [&](Value value) {
    if (!isTensor(value) || !value.hasNUsesOrMore(kMostAliases + 1))
      return;
    SmallVector<OpOperand *> readers;
    for (OpOperand &use : value.getUses())
      if (!isa<tensor::DimOp>(use.getOwner()))
        readers.push_back(&use);
    if (readers.size() <= kMostAliases ||
        !llvm::all_of(readers,
                      [&](OpOperand *use) { return onlyReads(*use, state); }) ||
        !ownsBuffer(value, state, isCalled))
      return;
    LDBG() << "a tensor" << describePlace(value.getLoc()) << ": has "
           << readers.size()
           << " readers: to the analysis, a few each read one of their own";
    ToBufferOp buffer = getBuffer(value, /*isWritable=*/false);
    ToTensorOp tensor;
    for (auto [number, reader] : llvm::enumerate(llvm::reverse(readers))) {
      if (!buffer)
        return;
      if (number % kMostAliases == 0)
        tensor = addTensor(buffer, /*isWritable=*/false);
      reader->set(tensor);
    }
  };
  llvm::for_each(function.getArguments(), visit);
  function.walk([&](Operation *op) {
    // A tensor inside of a kernel is no buffer of its own.
    if (!options.isOpAllowed(op))
      return WalkResult::skip();
    llvm::for_each(op->getResults(), visit);
    return WalkResult::advance();
  });
}

void tally::AliasChains::cut(ModuleOp module) {
  DenseSet<StringAttr> called;
  module.walk([&](CallOpInterface call) {
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      called.insert(callee.getLeafReference());
  });
  auto cutAt = [&](Value value, bool isWritable) -> Value {
    ToBufferOp buffer = getBuffer(value, isWritable);
    if (!buffer)
      return {};
    LDBG() << "a tensor" << describePlace(value.getLoc())
           << ": many share its buffer: those behind it are another buffer to "
              "the analysis";
    ToTensorOp tensor = addTensor(buffer, isWritable);
    value.replaceAllUsesExcept(tensor, buffer);
    return tensor;
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.getBody().hasOneBlock())
      continue;
    bool isCalled =
        !function.isPublic() || called.contains(function.getSymNameAttr());
    // Nothing behind a tensor that is only read may write to it.
    separateReaders(function, isCalled);
    BlockChains(function.getBody().front(), options, mayInsert)
        .walk(isCalled, cutAt);
  }
}

void tally::AliasChains::join() {
  for (ToTensorOp tensor : cuts) {
    auto buffer = tensor.getBuffer().getDefiningOp<ToBufferOp>();
    tensor.replaceAllUsesWith(buffer.getTensor());
    tensor.erase();
    if (buffer.use_empty())
      buffer.erase();
  }
  cuts.clear();
}
