//===- ForwardCarried.cpp - Loops that pass on what they carry ------------===//
//
// See the description of the pass in Passes.td. Upstream copies what the first
// region of a loop passes on unless both regions give back the buffers that
// they get, as a buffer that the second one yields might be someone else's.
// Here it is known to be nobody's.
//
//===----------------------------------------------------------------------===//

#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Tally.h"
#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Transforms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_FORWARDCARRIED
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-forward-carried"

using namespace mlir;

/// Whether `user` may let others have a buffer that it uses.
static bool passesOn(Operation *user) {
  return user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() != 0;
}

/// Collects what uses a buffer, or what is made of it.
static void collectUsers(Value buffer, SmallVectorImpl<Operation *> &users) {
  SmallVector<Value> worklist{buffer};
  for (unsigned i = 0; i < worklist.size(); ++i)
    for (Operation *user : worklist[i].getUsers()) {
      users.push_back(user);
      if (!passesOn(user))
        llvm::append_range(
            worklist,
            llvm::make_filter_range(user->getResults(), [](Value result) {
              return isa<BaseMemRefType>(result.getType());
            }));
    }
}

/// Whether `op` uses a buffer once, and nobody else passes it on.
static bool isUsedOnceBy(Value buffer, Operation *op) {
  SmallVector<Operation *> users;
  collectUsers(buffer, users);
  return llvm::count(users, op) == 1 &&
         llvm::all_of(users, [&](Operation *user) {
           return user == op || isa<tally::KernelOp, linalg::LinalgOp>(user) ||
                  !passesOn(user);
         });
}

/// Whether a block makes a buffer that it ends with, and nobody else has it.
static bool isMade(Value buffer, Operation *terminator) {
  return buffer.getParentBlock() == terminator->getBlock() &&
         buffer.getDefiningOp<memref::AllocOp>() &&
         isUsedOnceBy(buffer, terminator);
}

namespace {

/// One loop.
class CarriedBuffers {
public:
  /// `owned` are block arguments and results that are the only name of their
  /// buffer.
  CarriedBuffers(scf::WhileOp loop, const DenseSet<Value> &owned)
      : loop(loop), condition(loop.getConditionOp()), owned(owned) {}

  void run() {
    matchCopies();
    // What is kept as a copy may be a reason to keep another one.
    while (dropOne()) {
    }
    for (auto &[position, copy] : copies) {
      LDBG() << "while" << tally::describePlace(loop.getLoc()) << ": carry "
             << position << " is passed on as it is";
      Value alloc = copy.getTarget();
      condition.getArgsMutable()[position].set(copy.getSource());
      copy.erase();
      alloc.getDefiningOp()->erase();
    }
  }

private:
  void matchCopies();
  bool dropOne();
  bool isOwnInit(Value init);
  bool isOwnYield(Value value);

  scf::WhileOp loop;
  scf::ConditionOp condition;
  const DenseSet<Value> &owned;
  /// Copies of arguments of the first region, by their place in what it passes
  /// on.
  llvm::MapVector<unsigned, memref::CopyOp> copies;
};

} // namespace

/// Whether nothing that stands between a copy and the end of the region writes.
static bool isLast(memref::CopyOp copy, scf::ConditionOp condition) {
  if (copy->getBlock() != condition->getBlock())
    return false;
  for (Operation *op = copy->getNextNode(); op != condition;
       op = op->getNextNode())
    if (!isa<memref::AllocOp, memref::CopyOp>(op) && !isMemoryEffectFree(op))
      return false;
  return true;
}

/// Finds what is copied last in the first region; nothing where it passes on a
/// buffer that it does not own in another way.
void CarriedBuffers::matchCopies() {
  Block *block = condition->getBlock();
  for (auto [position, value] : llvm::enumerate(condition.getArgs())) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!isa<BaseMemRefType>(value.getType()) ||
        (argument && argument.getOwner() == block))
      continue;
    if (!isMade(value, condition)) {
      copies.clear();
      return;
    }
    memref::CopyOp copy;
    for (Operation *user : value.getUsers())
      if (auto found = dyn_cast<memref::CopyOp>(user))
        copy = found;
    auto source = copy ? dyn_cast<BlockArgument>(copy.getSource()) : nullptr;
    if (source && source.getOwner() == block && copy.getTarget() == value &&
        llvm::hasNItems(value.getUses(), 2) && isLast(copy, condition) &&
        source.getType() == value.getType())
      copies.insert({position, copy});
  }
}

/// Whether only the loop has the buffer that a carry starts with.
bool CarriedBuffers::isOwnInit(Value init) {
  if (init.getParentBlock() != loop->getBlock() ||
      (!init.getDefiningOp<memref::AllocOp>() && !owned.contains(init)) ||
      !isUsedOnceBy(init, loop))
    return false;
  SmallVector<Operation *> users;
  collectUsers(init, users);
  return llvm::all_of(users, [&](Operation *user) {
    Operation *place = loop->getBlock()->findAncestorOpInBlock(*user);
    return place == loop ? user == loop : place->isBeforeInBlock(loop);
  });
}

/// Whether the second region yields a buffer that it has made, or that it got.
bool CarriedBuffers::isOwnYield(Value value) {
  scf::YieldOp yield = loop.getYieldOp();
  return value.getParentBlock() == yield->getBlock() &&
         (value.getDefiningOp<memref::AllocOp>() || owned.contains(value)) &&
         isUsedOnceBy(value, yield);
}

/// Finds a copy that has to stay; false where there is none.
bool CarriedBuffers::dropOne() {
  for (auto &[position, copy] : copies) {
    unsigned carry = cast<BlockArgument>(copy.getSource()).getArgNumber();
    if (isOwnInit(loop.getInits()[carry]) &&
        isOwnYield(loop.getYieldOp().getOperand(carry)) &&
        isUsedOnceBy(copy.getSource(), copy))
      continue;
    copies.erase(position);
    return true;
  }
  return false;
}

void tally::forwardCarried(Operation *root) {
  // What a region makes, and passes on, has one name behind it. That stays so
  // where it passes on what only it has instead of a copy.
  DenseSet<Value> owned;
  root->walk([&](scf::ConditionOp condition) {
    auto loop = cast<scf::WhileOp>(condition->getParentOp());
    for (auto [position, value] : llvm::enumerate(condition.getArgs()))
      if (isMade(value, condition)) {
        owned.insert(loop.getAfterArguments()[position]);
        owned.insert(loop.getResult(position));
      }
  });
  root->walk([&](scf::WhileOp loop) { CarriedBuffers(loop, owned).run(); });
}

namespace {
struct ForwardCarriedPass
    : tally::impl::ForwardCarriedBase<ForwardCarriedPass> {
  void runOnOperation() override { tally::forwardCarried(getOperation()); }
};
} // namespace
