//===- Shrinker.cpp - Smaller programs with the same finding --------------===//
//
// Tries one edit after the other. Each makes the program smaller by a measure,
// so that this ends: first the operations are counted, then the sizes of inputs
// and their elements.
//
//===----------------------------------------------------------------------===//

#include "Shrinker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tally/IR/Tally.h"

#include <chrono>
#include <tuple>

using namespace mlir;
using namespace tally::fuzz;
using tally::run::Array;

/// Changes a program; false where there is nothing to change.
using Edit = std::function<bool(FuzzProgram &)>;

static func::FuncOp getMain(FuzzProgram &program) {
  return program.module->lookupSymbol<func::FuncOp>("main");
}

/// Smaller is better.
static auto measure(FuzzProgram &program) {
  uint64_t operations = 0, attributes = 0, elements = 0, digits = 0;
  program.module->walk([&](Operation *op) {
    ++operations;
    operations += op->getNumRegions();
    for (Region &region : op->getRegions())
      attributes += region.getNumArguments();
  });
  func::FuncOp main = getMain(program);
  attributes += main.getNumResults() + program.calls.size() +
                (main->hasAttr("tally.symbols") ? 1 : 0);
  for (const std::vector<Array> &call : program.calls)
    for (const Array &array : call) {
      elements += array.getNumElements();
      for (int64_t size : array.getShape())
        elements += size;
      for (int64_t i = 0; i < array.getNumElements(); ++i)
        digits += array.getFloat(i) == 0 ? 0 : array.getFloat(i) == 1 ? 1 : 2;
    }
  return std::make_tuple(operations, attributes, elements, digits);
}

//===----------------------------------------------------------------------===//
// Edits of operations
//===----------------------------------------------------------------------===//

static SmallVector<Operation *> getOperations(ModuleOp module) {
  SmallVector<Operation *> operations;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ModuleOp, func::FuncOp>(op))
      operations.push_back(op);
  });
  return operations;
}

static Operation *getOperation(FuzzProgram &program, unsigned index) {
  return getOperations(*program.module)[index];
}

/// A value of the type of `result` that could stand for it: the `choice`th.
static Value findReplacement(OpResult result, unsigned choice) {
  Operation *op = result.getOwner();
  OpBuilder builder(op);
  Type type = result.getType();
  SmallVector<Value> values;
  auto consider = [&](Value value) {
    if (value.getType() == type && !llvm::is_contained(values, value))
      values.push_back(value);
  };
  llvm::for_each(op->getOperands(), consider);
  if (auto function = op->getParentOfType<func::FuncOp>())
    llvm::for_each(function.getArguments(), consider);
  for (Block *block = op->getBlock(); block;
       block = block->getParentOp()->getBlock()) {
    llvm::for_each(block->getArguments(), consider);
    if (isa<func::FuncOp>(block->getParentOp()))
      break;
  }
  if (choice < values.size())
    return values[choice];
  choice -= values.size();
  if (isa<IntegerType, IndexType, FloatType>(type) && choice < 2) {
    TypedAttr value = isa<FloatType>(type)
                          ? TypedAttr(builder.getFloatAttr(type, choice))
                          : builder.getIntegerAttr(type, choice);
    if (op->getName().getStringRef() == "arith.constant")
      return {};
    return arith::ConstantOp::create(builder, op->getLoc(), value);
  }
  // An operand of the same rank and other static sizes.
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || choice >= 2 || isa<tensor::CastOp>(op))
    return {};
  for (Value operand : op->getOperands()) {
    auto other = dyn_cast<RankedTensorType>(operand.getType());
    if (!other || other == tensor ||
        !tensor::CastOp::areCastCompatible(other, tensor))
      continue;
    if (choice-- == 0)
      return tensor::CastOp::create(builder, op->getLoc(), tensor, operand);
  }
  return {};
}

/// Replaces every result by something that is there, and erases.
static bool eraseOperation(FuzzProgram &program, unsigned index,
                           unsigned choice) {
  Operation *op = getOperation(program, index);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  for (OpResult result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value replacement = findReplacement(result, choice);
    if (!replacement)
      return false;
    result.replaceAllUsesWith(replacement);
  }
  if (op->getNumResults() == 0 && choice > 0)
    return false;
  op->erase();
  return true;
}

/// Puts the body of a region in place of its operation.
static bool inlineRegion(FuzzProgram &program, unsigned index,
                         unsigned number) {
  Operation *op = getOperation(program, index);
  if (number >= op->getNumRegions() || isa<linalg::LinalgOp>(op))
    return false;
  Region &region = op->getRegion(number);
  if (!region.hasOneBlock())
    return false;
  Block &block = region.front();
  SmallVector<Value> arguments;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    arguments.push_back(loop.getLowerBound());
    llvm::append_range(arguments, loop.getInitArgs());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    llvm::append_range(arguments, loop.getInits());
  } else if (auto branch = dyn_cast<tally::CondOp>(op)) {
    llvm::append_range(arguments, branch.getInputs());
  }
  if (arguments.size() != block.getNumArguments())
    return false;
  Operation *terminator = block.getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  if (isa<scf::ConditionOp>(terminator))
    results.erase(results.begin());
  if (TypeRange(ValueRange(results)) != op->getResultTypes())
    return false;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    argument.replaceAllUsesWith(value);
  SmallVector<Value> yielded(terminator->getOperands());
  if (isa<scf::ConditionOp>(terminator))
    yielded.erase(yielded.begin());
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         block.getOperations(), block.begin(),
                                         terminator->getIterator());
  op->replaceAllUsesWith(yielded);
  op->erase();
  return true;
}

/// Replaces one operand by another operand of the operation or an argument.
static bool runPass(FuzzProgram &program, std::unique_ptr<Pass> pass) {
  PassManager pm(program.module->getContext());
  pm.addPass(std::move(pass));
  return succeeded(pm.run(*program.module));
}

//===----------------------------------------------------------------------===//
// Edits of the signature and the inputs
//===----------------------------------------------------------------------===//

static bool dropResult(FuzzProgram &program, unsigned index) {
  func::FuncOp main = getMain(program);
  Operation *terminator = main.getBody().front().getTerminator();
  if (terminator->getNumOperands() < 2)
    return false;
  BitVector dropped(terminator->getNumOperands());
  dropped.set(index);
  terminator->eraseOperand(index);
  return succeeded(main.eraseResults(dropped));
}

static bool dropArgument(FuzzProgram &program, unsigned index) {
  func::FuncOp main = getMain(program);
  if (!main.getArgument(index).use_empty() || failed(main.eraseArgument(index)))
    return false;
  for (std::vector<Array> &call : program.calls)
    call.erase(call.begin() + index);
  return true;
}

static bool dropAnnotations(FuzzProgram &program) {
  func::FuncOp main = getMain(program);
  main->removeAttr("tally.symbols");
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    for (StringRef name : {"tally.shape", "tally.value"})
      main.removeArgAttr(i, name);
  return true;
}

static bool keepCall(FuzzProgram &program, unsigned index) {
  if (program.calls.size() < 2)
    return false;
  program.calls = {program.calls[index]};
  return true;
}

/// A copy of an array with another shape; the elements start over.
static Array resize(const Array &array, ArrayRef<int64_t> shape) {
  Array result = makeArray(array.getType(), shape);
  int64_t count = std::max<int64_t>(array.getNumElements(), 1);
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    if (array.getNumElements() == 0)
      result.setInt(i, 0);
    else if (tally::run::isFloat(array.getType()))
      result.setFloat(i, array.getFloat(i % count));
    else
      result.setInt(i, array.getInt(i % count));
  }
  return result;
}

/// Makes all dynamic sizes (and indices) of one value smaller.
static bool shrinkSize(FuzzProgram &program, int64_t from, int64_t to) {
  func::FuncOp main = getMain(program);
  bool changed = false;
  for (std::vector<Array> &call : program.calls)
    for (auto [array, type] : llvm::zip_equal(call, main.getArgumentTypes())) {
      if (type.isIndex() && array.getInt(0) == from) {
        array = resize(array, {});
        array.setInt(0, to);
        changed = true;
      }
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      SmallVector<int64_t> shape(array.getShape());
      for (auto [dim, size] : llvm::enumerate(shape))
        if (tensor.isDynamicDim(dim) && size == from)
          size = to;
      if (ArrayRef(shape) == array.getShape())
        continue;
      array = resize(array, shape);
      changed = true;
    }
  return changed;
}

static bool setElements(FuzzProgram &program, unsigned index, int64_t value) {
  for (std::vector<Array> &call : program.calls) {
    Array &array = call[index];
    array = resize(array, array.getShape());
    for (int64_t i = 0; i < array.getNumElements(); ++i)
      array.setInt(i, value);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static void addPassEdits(std::vector<Edit> &edits) {
  using CreatePass = std::unique_ptr<Pass> (*)();
  static constexpr CreatePass passes[] = {
      +[] { return createInlinerPass(); },
      +[] { return createSymbolDCEPass(); },
      +[] { return createCanonicalizerPass(); },
      +[] { return createCSEPass(); },
      +[] { return createRemoveDeadValuesPass(); },
  };
  for (CreatePass create : passes)
    edits.push_back(
        [create](FuzzProgram &program) { return runPass(program, create()); });
}

/// Everything that could be tried, what removes most first.
static std::vector<Edit> listEdits(FuzzProgram &program) {
  std::vector<Edit> edits;
  if (program.calls.size() > 1)
    for (unsigned i = 0; i < program.calls.size(); ++i)
      edits.push_back([i](FuzzProgram &p) { return keepCall(p, i); });
  func::FuncOp main = getMain(program);
  if (main.getNumResults() > 1)
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      edits.push_back([i](FuzzProgram &p) { return dropResult(p, i); });
  addPassEdits(edits);
  unsigned count = getOperations(*program.module).size();
  // Regions from the outside, operations from the end.
  for (unsigned i = 0; i < count; ++i)
    for (unsigned number = 0;
         number < getOperation(program, i)->getNumRegions(); ++number)
      edits.push_back(
          [=](FuzzProgram &p) { return inlineRegion(p, i, number); });
  for (unsigned choice = 0; choice < 4; ++choice)
    for (unsigned i = count; i-- > 0;)
      edits.push_back(
          [=](FuzzProgram &p) { return eraseOperation(p, i, choice); });
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    edits.push_back([i](FuzzProgram &p) { return dropArgument(p, i); });
  edits.push_back(dropAnnotations);
  SmallVector<int64_t> sizes;
  for (const std::vector<Array> &call : program.calls)
    for (const Array &array : call) {
      llvm::append_range(sizes, array.getShape());
      if (array.getShape().empty() && array.getType().bits == 64)
        sizes.push_back(array.getInt(0));
    }
  llvm::sort(sizes);
  sizes.erase(llvm::unique(sizes), sizes.end());
  for (int64_t size : llvm::reverse(sizes))
    for (int64_t to : {int64_t(0), int64_t(1), size - 1})
      if (to < size && to >= 0)
        edits.push_back(
            [=](FuzzProgram &p) { return shrinkSize(p, size, to); });
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    for (int64_t value : {0, 1})
      edits.push_back([=](FuzzProgram &p) { return setElements(p, i, value); });
  return edits;
}

/// Applies an edit to a copy; nothing where the result is not smaller.
static std::optional<FuzzProgram> tryEdit(FuzzProgram &program,
                                          const Edit &edit) {
  ScopedDiagnosticHandler silence(program.module->getContext(),
                                  [](Diagnostic &) { return success(); });
  FuzzProgram copy = program.clone();
  if (!edit(copy) || failed(verify(*copy.module)) ||
      measure(copy) >= measure(program))
    return std::nullopt;
  return copy;
}

FuzzProgram tally::fuzz::shrink(FuzzProgram program, Verdict &verdict,
                                const SandboxOptions &options,
                                MLIRContext *context, unsigned seconds) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  auto isOver = [&] {
    return Clock::now() - start > std::chrono::seconds(seconds);
  };
  size_t from = 0;
  while (!isOver()) {
    std::vector<Edit> edits = listEdits(program);
    auto make = [&](uint64_t index,
                    MLIRContext *) -> llvm::Expected<FuzzProgram> {
      if (std::optional<FuzzProgram> smaller = tryEdit(program, edits[index]))
        return std::move(*smaller);
      return llvm::createStringError("no edit");
    };
    std::optional<size_t> found;
    auto take = [&](uint64_t index, const Verdict &candidate) {
      if (candidate.isLike(verdict) && (!found || index < *found)) {
        found = index;
        verdict = candidate;
      }
      return !found && !isOver();
    };
    from = std::min(from, edits.size());
    judgeAll(from, edits.size(), options, context, make, take);
    if (!found && from > 0)
      judgeAll(0, from, options, context, make, take);
    if (!found)
      break;
    // What follows is likely to help next.
    program = std::move(*tryEdit(program, edits[*found]));
    from = *found;
  }
  return program;
}
