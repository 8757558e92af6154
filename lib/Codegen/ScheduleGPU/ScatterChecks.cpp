//===- ScatterChecks.cpp - Checks that a scatter makes itself -------------===//

#include "ScatterChecks.h"
#include "Common/LoopNest.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally::codegen;

/// Returns whether two numbers are the same before `op`, as asserts before it
/// in its block tell.
static bool areEqual(Value one, Value two, Operation *op) {
  if (isEqualConstantIntOrValue(getAsOpFoldResult(one), getAsOpFoldResult(two)))
    return true;
  auto isAsserted = [&](arith::CmpIOp compared) {
    return compared.getPredicate() == arith::CmpIPredicate::eq &&
           llvm::any_of(compared->getUsers(), [&](Operation *user) {
             auto assertion = dyn_cast<tally::AssertOp>(user);
             return assertion && assertion.getCondition() == compared &&
                    assertion->getBlock() == op->getBlock() &&
                    assertion->isBeforeInBlock(op);
           });
  };
  constexpr size_t most = 16;
  llvm::SetVector<Value> equal;
  equal.insert(one);
  for (size_t next = 0; next < equal.size() && next < most; ++next)
    for (Operation *user : equal[next].getUsers())
      if (auto compared = dyn_cast<arith::CmpIOp>(user);
          compared && isAsserted(compared)) {
        equal.insert(compared.getLhs());
        equal.insert(compared.getRhs());
      }
  return equal.contains(two);
}

/// Whether loops run over the same numbers.
static bool runAlike(scf::ForOp one, scf::ForOp two, Operation *check) {
  return areEqual(one.getLowerBound(), two.getLowerBound(), check) &&
         areEqual(one.getUpperBound(), two.getUpperBound(), check) &&
         areEqual(one.getStep(), two.getStep(), check);
}

/// Whether the loops do nothing but end the call where a check fails.
static bool checksOnly(const LoopNest &nest) {
  scf::ForOp inner = nest.getLoops().back();
  return nest.isKnown() && nest.getWrites().empty() &&
         !inner.getBody()->getOps<tally::AssertOp>().empty() &&
         llvm::all_of(*inner.getBody(),
                      [](Operation &op) { return op.getNumRegions() == 0; });
}

/// Whether an operation after `first` in its block may come before the check:
/// it fails nothing, and writes to nothing that was there.
static bool mayComeBefore(Operation *op, Operation *first) {
  auto isNew = [&](Value buffer) {
    auto alloc = buffer.getDefiningOp<memref::AllocOp>();
    return alloc && alloc->getBlock() == first->getBlock() &&
           first->isBeforeInBlock(alloc);
  };
  if (isa<memref::AllocOp>(op))
    return true;
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return isNew(copy.getTarget());
  if (auto kernel = dyn_cast<tally::KernelOp>(op))
    return llvm::all_of(kernel.getOutputs(), isNew) &&
           !kernel.getBody()
                .walk([](tally::AssertOp) { return WalkResult::interrupt(); })
                .wasInterrupted();
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// Whether all that loops write was allocated by the call.
static bool writesOwnMemory(const LoopNest &nest) {
  return !nest.getWrites().empty() &&
         llvm::all_of(nest.getWrites(), [](const ElementAccess &write) {
           return write.memref.getDefiningOp<memref::AllocOp>() != nullptr;
         });
}

scf::ForOp tally::codegen::findCheckedLoop(scf::ForOp check) {
  LoopNest nest(check, LoopNest::Asserts::Allowed);
  if (!checksOnly(nest))
    return scf::ForOp();
  Operation *next = check->getNextNode();
  while (next && !isa<scf::ForOp>(next) && mayComeBefore(next, check))
    next = next->getNextNode();
  auto loop = dyn_cast_or_null<scf::ForOp>(next);
  if (!loop || loop->getNumResults() != 0)
    return scf::ForOp();
  LoopNest checked(loop, LoopNest::Asserts::Allowed);
  bool fits =
      checked.isKnown() && writesOwnMemory(checked) &&
      checked.getLoops().size() >= nest.getLoops().size() &&
      llvm::all_of(
          llvm::zip(nest.getLoops(), checked.getLoops()), [&](auto pair) {
            return runAlike(std::get<0>(pair), std::get<1>(pair), check);
          });
  return fits ? loop : scf::ForOp();
}

/// The first operation of an iteration that what is checked has to hold for: it
/// fails itself, writes, or reads at a place that the iteration computes. What
/// tells the places is before it, as `NestDivision` wants it.
static Operation *findGuarded(Block *body) {
  auto isComputed = [&](Value index) {
    return index.getParentBlock() == body && !isa<BlockArgument>(index);
  };
  for (Operation &op : *body) {
    auto load = dyn_cast<memref::LoadOp>(op);
    bool readsPlainly = load && llvm::none_of(load.getIndices(), isComputed);
    if (!readsPlainly && !isPure(&op))
      return &op;
  }
  return body->getTerminator();
}

scf::ForOp tally::codegen::createCheckedLoop(scf::ForOp check,
                                             scf::ForOp loop) {
  auto made = cast<scf::ForOp>(OpBuilder(loop).clone(*loop));
  LoopNest from(check, LoopNest::Asserts::Allowed);
  LoopNest to(made, LoopNest::Asserts::Allowed);
  IRMapping map;
  for (auto [one, two] : llvm::zip(from.getLoops(), to.getLoops())) {
    scf::ForOp known = one, other = two;
    map.map(known.getInductionVar(), other.getInductionVar());
  }
  scf::ForOp inner = to.getLoops().back(), body = from.getLoops().back();
  OpBuilder builder(findGuarded(inner.getBody()));
  for (Operation &op : body.getBody()->without_terminator())
    builder.clone(op, map);
  return made;
}
