//===- DeferChecks.cpp - Checks of data that nobody waits for -------------===//
//
// See the description of the pass in Passes.td. From the last assert to the
// first: what follows a check may then be the kernel that uses what it checks,
// although other checks stood between them.
//
//===----------------------------------------------------------------------===//

#include "Common/BufferOrigins.h"
#include "Common/Fusion.h"
#include "DataCheck.h"
#include "KernelSpace.h"
#include "tally/Codegen/Kernels/Passes.h"
#include "tally/Codegen/Kernels/Transforms.h"
#include "tally/Interfaces/PlacementOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_DEFERCHECKS
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-defer-checks"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// Whether `op` computes numbers of the host and does nothing else.
static bool isOfHost(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// Whether an operation between a check and its assert leaves alone what was
/// checked; it may free it.
static bool mayStandBetween(Operation *op) {
  return isa<memref::AllocOp, memref::DeallocOp, memref::LoadOp, AssertOp>(
             op) ||
         isOfHost(op);
}

/// Moves what frees a buffer that is read behind an assert. Returns whether
/// nothing from `first` to there stands in the way.
static bool keepUntil(AssertOp assertion, Operation *first,
                      ArrayRef<Value> buffers) {
  SmallVector<Operation *> frees;
  for (Operation *op = first->getNextNode(); op != assertion;
       op = op->getNextNode()) {
    if (!mayStandBetween(op))
      return false;
    auto free = dyn_cast<memref::DeallocOp>(op);
    if (free &&
        llvm::is_contained(buffers, BufferOrigins::getRoot(free.getMemref())))
      frees.push_back(op);
  }
  for (Operation *op : llvm::reverse(frees))
    op->moveAfter(assertion);
  return true;
}

//===----------------------------------------------------------------------===//
// Any value of the device
//===----------------------------------------------------------------------===//

/// Whether all that comes of a value is conditions and values of asserts that
/// return nothing.
static bool onlyFeedsAsserts(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (user->getBlock() != value.getParentBlock())
      return false;
    if (isa<AssertOp>(user))
      return user->getNumResults() == 0;
    return isOfHost(user) && llvm::all_of(user->getResults(), onlyFeedsAsserts);
  });
}

/// Collects the loads that an assert depends on, and what is computed of them.
/// False if the host needs one of them anyway, or a loop around needs it.
static bool collectLoads(Value value, Block *block,
                         llvm::SetVector<Operation *> &found,
                         bool &dependsOnLoad) {
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getBlock() != block)
    return true;
  if (isa<memref::LoadOp>(maker)) {
    dependsOnLoad = true;
    found.insert(maker);
    return onlyFeedsAsserts(value);
  }
  if (!isOfHost(maker))
    return true;
  bool below = false;
  for (Value operand : maker->getOperands())
    if (!collectLoads(operand, block, found, below))
      return false;
  if (below)
    found.insert(maker);
  dependsOnLoad |= below;
  return true;
}

/// Finds the constants that operations in a kernel use; false if they use what
/// cannot be passed to one.
static bool collectConstants(ArrayRef<Operation *> ops,
                             llvm::SetVector<Operation *> &constants) {
  for (Operation *op : ops)
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (maker && matchPattern(maker, m_Constant()))
        constants.insert(maker);
      else if (!llvm::is_contained(ops, maker) &&
               !isa<MemRefType>(operand.getType()) && !canBePassed(operand))
        return false;
    }
  return true;
}

/// Has one thread of the device assert what it loads itself. Returns whether it
/// does.
static bool assertOnDevice(AssertOp assertion) {
  llvm::SetVector<Operation *> found;
  bool dependsOnLoad = false;
  for (Value operand : assertion->getOperands())
    if (!collectLoads(operand, assertion->getBlock(), found, dependsOnLoad))
      return false;
  if (!dependsOnLoad || assertion->getNumResults() != 0)
    return false;
  SmallVector<Operation *> ops = found.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::SetVector<Operation *> constants;
  ops.push_back(assertion);
  if (!collectConstants(ops, constants))
    return false;
  SmallVector<Value> buffers;
  for (Operation *op : ops)
    if (auto load = dyn_cast<memref::LoadOp>(op))
      buffers.push_back(BufferOrigins::getRoot(load.getMemRef()));
  if (!keepUntil(assertion, ops.front(), buffers))
    return false;
  LDBG() << describeLastPart(assertion) << ": a thread of the device asserts";
  OpBuilder builder(assertion);
  Location loc = assertion.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto once = scf::ForOp::create(builder, loc, zero, one, one);
  builder.setInsertionPointToStart(once.getBody());
  IRMapping map;
  for (Operation *op : constants)
    builder.clone(*op, map);
  for (Operation *op : ops)
    builder.clone(*op, map);
  ops.pop_back();
  assertion.erase();
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Checks of all elements
//===----------------------------------------------------------------------===//

/// Has a loop check the elements, of which each iteration takes one.
static void checkInLoops(DataCheck &check, OpBuilder &builder) {
  Location loc = check.assertion.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> indices;
  for (Value extent : check.getExtents()) {
    auto loop = scf::ForOp::create(builder, loc, zero, extent, one);
    indices.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  LoopCheckEmitter(check, builder).emit(indices);
}

namespace {

/// The kernel that uses what has been checked, next behind the assert.
class CheckedKernel {
public:
  explicit CheckedKernel(DataCheck &check) : check(check) {}

  /// Finds the kernel; false if there is none that can check what it reads.
  bool find();
  /// Makes it check; what it may not reach is checked before it.
  void run();

private:
  bool readsOnlyChecked(BlockArgument argument) const;
  bool isProtected(Value index) const;
  bool findReaders();
  SmallVector<Value> getOtherExtents(linalg::GenericOp op,
                                     OpOperand &operand) const;
  void checkWhereEmpty();

  DataCheck &check;
  KernelOp kernel;
  Value checked;
  /// The operations that read what is checked, and where.
  SmallVector<std::pair<linalg::GenericOp, OpOperand *>> readers;
};

} // namespace

/// The buffer whose elements a memref has, all of them.
static Value getBase(Value memref) {
  while (isa_and_nonnull<memref::CollapseShapeOp, memref::ExpandShapeOp,
                         memref::CastOp>(memref.getDefiningOp()))
    memref = memref.getDefiningOp()->getOperand(0);
  return memref;
}

/// Whether an input is all of what was checked.
bool CheckedKernel::readsOnlyChecked(BlockArgument argument) const {
  KernelOp op = kernel;
  return argument.getOwner() == &op.getBody().front() &&
         argument.getArgNumber() < op.getInputs().size() &&
         getBase(op.getInputs()[argument.getArgNumber()]) == checked;
}

/// Whether an index in a body follows from what is checked, and from what the
/// engine knows.
bool CheckedKernel::isProtected(Value index) const {
  SmallVector<Value> worklist{index};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto owner =
          dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
      if (!owner &&
          (!isa<KernelOp>(argument.getOwner()->getParentOp()) ||
           (isa<ShapedType>(value.getType()) && !readsOnlyChecked(argument))))
        return false;
      if (owner)
        worklist.push_back(owner.getMatchingOpOperand(argument)->get());
      continue;
    }
    Operation *maker = value.getDefiningOp();
    if (isa<tensor::ExtractOp>(maker))
      return false;
    if (auto made = dyn_cast<linalg::GenericOp>(maker)) {
      worklist.push_back(made.getBody()->getTerminator()->getOperand(
          cast<OpResult>(value).getResultNumber()));
      continue;
    }
    if (maker->getNumRegions() != 0)
      return false;
    llvm::append_range(worklist, maker->getOperands());
  }
  return true;
}

/// Finds who reads what is checked. All of them check it where something is
/// looked up, else the one that does so least often.
bool CheckedKernel::findReaders() {
  bool looksUp = false;
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      looksUp = true;
      auto table = dyn_cast<BlockArgument>(extract.getTensor());
      bool isPart = table && readsOnlyChecked(table);
      return !isPart && llvm::all_of(extract.getIndices(),
                                     [&](Value i) { return isProtected(i); })
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      return WalkResult::advance();
    for (OpOperand *input : generic.getDpsInputOperands()) {
      auto argument = dyn_cast<BlockArgument>(input->get());
      if (!argument || !readsOnlyChecked(argument))
        continue;
      AffineMap map = generic.getMatchingIndexingMap(input);
      if (!map.isProjectedPermutation() || !generic->hasAttr(attr_names::kDims))
        return WalkResult::interrupt();
      readers.push_back({generic, input});
      break;
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || readers.empty())
    return false;
  if (!looksUp)
    readers = {*llvm::min_element(readers, [](auto &a, auto &b) {
      return a.first.getNumLoops() < b.first.getNumLoops();
    })};
  return true;
}

bool CheckedKernel::find() {
  checked = getBase(check.getOnlyInput());
  if (!checked)
    return false;
  Operation *next = check.assertion->getNextNode();
  while (next &&
         (isa<memref::AllocOp, memref::DeallocOp>(next) || isOfHost(next)))
    next = next->getNextNode();
  kernel = dyn_cast_or_null<KernelOp>(next);
  if (!kernel)
    return false;
  // A part of what is checked could be used before it is.
  Value root = BufferOrigins::getRoot(checked);
  for (Value input : kernel.getInputs())
    if (isa<MemRefType>(input.getType()) && getBase(input) != checked &&
        BufferOrigins::getRoot(input) == root)
      return false;
  return findReaders();
}

/// The sizes of the kernel, without those of what is checked.
SmallVector<Value> CheckedKernel::getOtherExtents(linalg::GenericOp op,
                                                  OpOperand &operand) const {
  KernelOp all = kernel;
  llvm::SmallDenseSet<int64_t> own;
  SmallVector<Value> known;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (AffineExpr expr : map.getResults()) {
    int64_t dim = getKernelDims(op)[cast<AffineDimExpr>(expr).getPosition()];
    own.insert(dim);
    known.push_back(all.getExtents()[dim]);
  }
  SmallVector<Value> others;
  for (auto [dim, extent] : llvm::enumerate(all.getExtents())) {
    APInt constant;
    bool isKnown =
        own.contains(dim) || llvm::is_contained(known, extent) ||
        (matchPattern(extent, m_ConstantInt(&constant)) && !constant.isZero());
    if (!isKnown)
      others.push_back(extent);
  }
  return others;
}

/// A kernel without points reads nothing.
void CheckedKernel::checkWhereEmpty() {
  OpBuilder builder(kernel);
  Location loc = check.assertion.getLoc();
  Value isEmpty;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto &[op, operand] = readers.front();
  for (Value extent : getOtherExtents(op, *operand)) {
    Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     extent, zero);
    isEmpty = isEmpty ? arith::OrIOp::create(builder, loc, isEmpty, is) : is;
  }
  if (!isEmpty)
    return;
  auto branch = scf::IfOp::create(builder, loc, isEmpty);
  builder.setInsertionPointToStart(branch.thenBlock());
  checkInLoops(check, builder);
}

void CheckedKernel::run() {
  LDBG() << describeLastPart(kernel) << ": checks what it reads";
  checkWhereEmpty();
  for (auto &[op, operand] : readers) {
    OpBuilder builder = OpBuilder::atBlockBegin(op.getBody());
    KernelCheckEmitter(check, builder, kernel,
                       op.getMatchingBlockArgument(operand))
        .emit({});
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Has the device check the elements where they are used, or next to it.
static bool checkOnDevice(AssertOp assertion) {
  std::optional<DataCheck> check = DataCheck::match(assertion);
  if (!check)
    return false;
  SmallVector<Value> buffers;
  for (Value input : check->kernel.getInputs())
    if (isa<MemRefType>(input.getType()))
      buffers.push_back(BufferOrigins::getRoot(input));
  if (!keepUntil(assertion, check->kernel, buffers))
    return false;
  if (CheckedKernel use(*check); use.find()) {
    use.run();
  } else {
    LDBG() << describeLastPart(assertion) << ": a kernel of its own checks";
    OpBuilder builder(assertion);
    checkInLoops(*check, builder);
  }
  check->erase();
  return true;
}

/// Whether one thread runs all of `op`; branches of the host are gone into.
static bool isForOneThread(Operation *op) {
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op) && op->getNumResults() == 0)
    return false;
  return !op->walk([](Operation *inner) {
              return tally::runsInThread(inner) ? WalkResult::advance()
                                                : WalkResult::interrupt();
            }).wasInterrupted();
}

void tally::deferChecks(func::FuncOp function) {
  SmallVector<AssertOp> asserts;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto assertion = dyn_cast<AssertOp>(op))
      asserts.push_back(assertion);
    if (op->getNumRegions() == 0)
      return WalkResult::advance();
    return isa<KernelOp, linalg::LinalgOp>(op) || isForOneThread(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  for (AssertOp assertion : llvm::reverse(asserts))
    if (!checkOnDevice(assertion))
      assertOnDevice(assertion);
}

namespace {
struct DeferChecksPass : public tally::impl::DeferChecksBase<DeferChecksPass> {
  void runOnOperation() override { tally::deferChecks(getOperation()); }
};
} // namespace
