//===- DeviceLoop.cpp - Loops that one block can run ----------------------===//
//
// Upstream's deallocation has decided who owns a buffer: a carry either always
// belongs to the loop, or never, or from when on a flag is true. What the loop
// starts with is copied in the last case: then its results are always its own.
//
//===----------------------------------------------------------------------===//

#include "DeviceLoop.h"

#include "tally/Interfaces/PlacementOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// So many operations of a point's bodies are no more than reading it.
static constexpr int64_t kCheapPoint = 32;
/// A function of a library is as much as some operations.
static constexpr int64_t kFunctionSize = 16;

static bool isNumber(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

/// Whether a buffer has no gaps.
static bool isPlain(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getLayout().isIdentity() && !memref.getMemorySpace();
}

static bool isComputation(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && runsInThread(op);
}

bool tally::codegen::isRelease(scf::IfOp branch) {
  return branch->getNumResults() == 0 && branch.getElseRegion().empty() &&
         llvm::all_of(branch.thenBlock()->without_terminator(),
                      llvm::IsaPred<memref::DeallocOp>);
}

DeviceLoop::DeviceLoop(scf::WhileOp loop)
    : loop(loop), condition(loop.getConditionOp()), yield(loop.getYieldOp()) {}

std::optional<unsigned> DeviceLoop::getPassed(unsigned place) const {
  scf::ConditionOp op = condition;
  auto argument = dyn_cast<BlockArgument>(op.getArgs()[place]);
  if (!argument || argument.getOwner() != op->getBlock())
    return std::nullopt;
  return argument.getArgNumber();
}

std::optional<unsigned> DeviceLoop::findPlace(unsigned carry) const {
  scf::ConditionOp op = condition;
  for (unsigned place = 0; place < op.getArgs().size(); ++place)
    if (getPassed(place) == carry)
      return place;
  return std::nullopt;
}

bool DeviceLoop::getsOther(unsigned carry) const {
  scf::YieldOp end = yield;
  return (carries[carry] == Carry::Owned ||
          carries[carry] == Carry::Borrowed) &&
         isa<BlockArgument>(getBefore(end.getOperand(carry)));
}

Value DeviceLoop::getBefore(Value value) const {
  scf::ConditionOp op = condition;
  scf::YieldOp end = yield;
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == end->getBlock()
             ? op.getArgs()[argument.getArgNumber()]
             : value;
}

//===----------------------------------------------------------------------===//
// What the host can compute
//===----------------------------------------------------------------------===//

bool DeviceLoop::hasKnownSizes(Value buffer) const {
  scf::WhileOp op = loop;
  buffer = getBefore(buffer);
  if (!op->isAncestor(buffer.getParentRegion()->getParentOp()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return argument.getOwner()->getParentOp() == op;
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  return alloc && llvm::all_of(alloc.getDynamicSizes(),
                               [&](Value size) { return isKnown(size); });
}

/// Whether the host can compute a number before the loop.
bool DeviceLoop::isKnown(Value number) const {
  scf::WhileOp op = loop;
  if (!op->isAncestor(number.getParentRegion()->getParentOp()))
    return true;
  Operation *maker = number.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(maker))
    return dim.getConstantIndex() && hasKnownSizes(dim.getSource());
  return maker && isComputation(maker) &&
         llvm::all_of(maker->getOperands(), [&](Value operand) {
           return isNumber(operand.getType()) && isKnown(operand);
         });
}

Value DeviceLoop::createSize(OpBuilder &host, Value buffer, int64_t dim) {
  Location loc = loop.getLoc();
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(host, loc, type.getDimSize(dim));
  buffer = getBefore(buffer);
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (argument && argument.getOwner() == loop.getBeforeBody())
    buffer = loop.getInits()[argument.getArgNumber()];
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  if (alloc && loop->isAncestor(alloc))
    return createNumber(host,
                        alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
  return host.createOrFold<memref::DimOp>(loc, buffer, dim);
}

Value DeviceLoop::createNumber(OpBuilder &host, Value value) {
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return value;
  if (Value made = numbers.lookup(value))
    return made;
  Operation *maker = value.getDefiningOp();
  if (auto dim = dyn_cast<memref::DimOp>(maker))
    return numbers[value] =
               createSize(host, dim.getSource(), *dim.getConstantIndex());
  IRMapping map;
  for (Value operand : maker->getOperands())
    map.map(operand, createNumber(host, operand));
  Operation *clone = host.clone(*maker, map);
  for (auto [result, made] :
       llvm::zip_equal(maker->getResults(), clone->getResults()))
    numbers[result] = made;
  return numbers[value];
}

Value DeviceLoop::createKeepsSizes(OpBuilder &host) {
  Location loc = loop.getLoc();
  Value keeps = arith::ConstantIntOp::create(host, loc, 1, 1);
  for (auto [number, init, next] :
       llvm::enumerate(loop.getInits(), yield.getOperands())) {
    if (carries[number] == Carry::Number || carries[number] == Carry::Kept)
      continue;
    auto type = cast<MemRefType>(init.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      Value before = host.createOrFold<memref::DimOp>(loc, init, dim);
      Value after = createSize(host, next, dim);
      if (before == after)
        continue;
      Value same = host.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::eq, before, after);
      keeps = host.createOrFold<arith::AndIOp>(loc, keeps, same);
    }
  }
  return keeps;
}

/// How much code a point of a kernel takes, in reads of it.
static int64_t getWeight(KernelOp kernel) {
  int64_t size = 0;
  kernel.getBody().walk([&](Operation *op) {
    size += isa_and_nonnull<math::MathDialect>(op->getDialect()) ? kFunctionSize
                                                                 : 1;
  });
  return llvm::divideCeil(size, kCheapPoint);
}

Value DeviceLoop::createWork(OpBuilder &host) {
  IndexMath math(host, loop.getLoc());
  Value work = math.constant(0);
  loop->walk([&](Operation *op) {
    SmallVector<Value> factors;
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      factors.push_back(math.constant(getWeight(kernel)));
      for (Value extent : kernel.getExtents())
        factors.push_back(createNumber(host, extent));
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      auto type = cast<MemRefType>(copy.getTarget().getType());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        factors.push_back(createSize(host, copy.getTarget(), dim));
    } else {
      return;
    }
    work = math.add(work, math.product(factors));
  });
  return work;
}

//===----------------------------------------------------------------------===//
// What a block can run
//===----------------------------------------------------------------------===//

StringRef DeviceLoop::checkBranch(scf::IfOp branch) {
  if (!llvm::all_of(branch.getResultTypes(), isNumber))
    return "a branch results in a buffer";
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
    if (!region->empty())
      if (StringRef obstacle = checkBlock(region->front()); !obstacle.empty())
        return obstacle;
  return "";
}

/// Whether one thread runs a loop over elements.
static bool isOfThread(scf::ForOp loop) {
  return loop->getNumResults() == 0 &&
         !loop->walk([](Operation *inner) {
                return runsInThread(inner) ? WalkResult::advance()
                                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

StringRef DeviceLoop::checkOp(Operation &op) {
  if (op.hasTrait<OpTrait::IsTerminator>() ||
      isa<memref::LoadOp, memref::StoreOp, AssertOp>(op))
    return "";
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    bool areKnown = llvm::all_of(kernel.getExtents(),
                                 [&](Value size) { return isKnown(size); });
    return areKnown ? "" : "how much a kernel does is not known before";
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    bool isUsable = isPlain(alloc.getType()) && hasKnownSizes(alloc);
    return isUsable ? "" : "how large a buffer is is not known before";
  }
  if (auto free = dyn_cast<memref::DeallocOp>(op))
    return checkRelease(free);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return isa<MemRefType>(copy.getSource().getType()) &&
                   isa<MemRefType>(copy.getTarget().getType()) &&
                   hasKnownSizes(copy.getTarget())
               ? ""
               : "how much is copied is not known before";
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return checkBranch(branch);
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return isOfThread(inner) ? "" : "there is a loop in it";
  return isComputation(&op) ? "" : "it does what no block does";
}

StringRef DeviceLoop::checkBlock(Block &block) {
  for (Operation &op : block)
    if (StringRef obstacle = checkOp(op); !obstacle.empty())
      return obstacle;
  return "";
}

//===----------------------------------------------------------------------===//
// Who owns a buffer
//===----------------------------------------------------------------------===//

/// Whether a value says if two buffers are one.
static bool comparesPointers(Value value) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  return compare && llvm::all_of(compare->getOperands(), [](Value operand) {
           return operand
               .getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>();
         });
}

/// Whether a value follows from flags alone.
bool DeviceLoop::isFlag(Value value) const {
  scf::WhileOp op = loop;
  value = getBefore(value);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == op.getBeforeBody() &&
           flags.contains(argument.getArgNumber());
  Operation *maker = value.getDefiningOp();
  return isa<arith::AndIOp, arith::OrIOp>(maker) &&
         value.getType().isInteger(1) &&
         llvm::all_of(maker->getOperands(), [&](Value operand) {
           return comparesPointers(operand) || isFlag(operand);
         });
}

/// Finds the carries that are false at first, and follow from flags alone.
void DeviceLoop::findFlags() {
  for (auto [number, init] : llvm::enumerate(loop.getInits()))
    if (init.getType().isInteger(1) && matchPattern(init, m_Zero()))
      flags.insert(number);
  for (size_t round = 0; round < loop.getInits().size(); ++round)
    for (auto [number, next] : llvm::enumerate(yield.getOperands()))
      if (!matchPattern(next, m_One()) && !isFlag(next))
        flags.erase(number);
}

/// Whether all that follows from a flag is who frees buffers, or whether they
/// are copied first.
static bool onlyManagesMemory(Value flag) {
  auto isManagement = [](Operation *op) {
    return isa<memref::AllocOp, memref::DeallocOp, memref::CopyOp,
               scf::YieldOp>(op) ||
           isComputation(op);
  };
  return llvm::all_of(flag.getUsers(), [&](Operation *user) {
    if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(user))
      return onlyManagesMemory(user->getResult(0));
    auto branch = dyn_cast<scf::IfOp>(user);
    if (!branch || llvm::any_of(branch.getResultTypes(), isNumber))
      return false;
    return llvm::all_of(branch->getRegions(), [&](Region &region) {
      return region.empty() || llvm::all_of(region.front(), [&](Operation &op) {
               return isManagement(&op);
             });
    });
  });
}

StringRef DeviceLoop::checkReleaseOfCarry(memref::DeallocOp op,
                                          unsigned carry) {
  Operation *parent = op->getParentOp();
  if (parent == loop) {
    freed.insert(carry);
    return "";
  }
  auto branch = dyn_cast<scf::IfOp>(parent);
  if (!branch || !isRelease(branch) || branch->getParentOp() != loop ||
      !isFlag(branch.getCondition()))
    return "it is not known who frees a buffer";
  freedByFlag.insert(carry);
  return "";
}

StringRef DeviceLoop::checkRelease(memref::DeallocOp op) {
  Value buffer = getBefore(op.getMemref());
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return alloc->getBlock() == op->getBlock() ||
                   (op->getParentOp() == loop && alloc->getParentOp() == loop)
               ? ""
               : "it is not known who frees a buffer";
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (argument && argument.getOwner() == loop.getBeforeBody())
    return checkReleaseOfCarry(op, argument.getArgNumber());
  return "it frees a buffer of others";
}

/// What the first region passes on, each buffer once.
StringRef DeviceLoop::checkPassed() {
  llvm::SmallDenseSet<Value> seen;
  for (Value value : condition.getArgs()) {
    if (isNumber(value.getType()))
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    auto alloc = value.getDefiningOp<memref::AllocOp>();
    bool isOwn = argument ? argument.getOwner() == loop.getBeforeBody()
                          : alloc && alloc->getParentOp() == loop;
    if (!isOwn || !isPlain(value.getType()) || !seen.insert(value).second)
      return "it passes on a buffer of others";
  }
  return "";
}

/// Whether what the second region yields has been made in the loop.
bool DeviceLoop::isFresh(Value yielded) const {
  scf::WhileOp op = loop;
  auto alloc = getBefore(yielded).getDefiningOp<memref::AllocOp>();
  return alloc && alloc->getParentOp() == op;
}

/// Finds who owns the buffers that change; false if that is not known of one.
bool DeviceLoop::findOwned() {
  SmallVector<std::optional<unsigned>> from(carries.size());
  SmallVector<bool> isOwned(carries.size());
  for (auto [number, next] : llvm::enumerate(yield.getOperands())) {
    if (carries[number] != Carry::Owned)
      continue;
    isOwned[number] = isFresh(next) || freed.contains(number);
    if (auto argument = dyn_cast<BlockArgument>(getBefore(next)))
      from[number] = argument.getArgNumber();
    else if (!isFresh(next))
      return false;
  }
  for (size_t round = 0; round < carries.size(); ++round)
    for (auto [number, source] : llvm::enumerate(from))
      if (source)
        isOwned[number] = isOwned[number] || isOwned[*source];
  auto borrow = [&](unsigned number) {
    if (carries[number] == Carry::Owned && !freed.contains(number))
      carries[number] = Carry::Borrowed;
  };
  for (unsigned number : freedByFlag)
    borrow(number);
  // What goes from one carry to another one has the same owner.
  for (size_t round = 0; round < carries.size(); ++round)
    for (auto [number, source] : llvm::enumerate(from))
      if (source && carries[number] == Carry::Borrowed)
        borrow(*source);
      else if (source && carries[*source] == Carry::Borrowed)
        borrow(number);
  for (auto [number, source] : llvm::enumerate(from)) {
    if (carries[number] != Carry::Owned && carries[number] != Carry::Borrowed)
      continue;
    if (!isOwned[number] || (source && carries[*source] != carries[number]))
      return false;
  }
  return true;
}

StringRef DeviceLoop::checkCarries() {
  carries.assign(loop.getInits().size(), Carry::Number);
  for (auto [number, next] : llvm::enumerate(yield.getOperands())) {
    if (isNumber(next.getType()))
      continue;
    if (!isPlain(next.getType()))
      return "it carries a buffer with gaps";
    auto argument = dyn_cast<BlockArgument>(getBefore(next));
    bool isKept = argument && argument.getOwner() == loop.getBeforeBody() &&
                  argument.getArgNumber() == number;
    if (!isKept && argument && argument.getOwner() != loop.getBeforeBody())
      return "it carries a buffer of others";
    carries[number] = isKept ? Carry::Kept : Carry::Owned;
    if (isKept && (freed.contains(number) || freedByFlag.contains(number)))
      return "it frees what it keeps";
  }
  if (!findOwned())
    return "it is not known who owns what it carries";
  bool compares = loop->walk([](memref::ExtractAlignedPointerAsIndexOp) {
                        return WalkResult::interrupt();
                      })
                      .wasInterrupted();
  if (compares && llvm::is_contained(carries, Carry::Kept))
    return "it is not known whether it carries one buffer twice";
  for (unsigned number = 0; number < carries.size(); ++number)
    if (carries[number] == Carry::Owned && !findPlace(number) &&
        !freed.contains(number))
      return "it is not known who frees what it carries";
  for (auto [value, result] :
       llvm::zip_equal(condition.getArgs(), loop.getResults()))
    if (isFlag(value) && !onlyManagesMemory(result))
      return "it is not known who frees its results";
  return "";
}

StringRef DeviceLoop::findObstacle() {
  findFlags();
  for (Block *block : {loop.getBeforeBody(), loop.getAfterBody()})
    if (StringRef obstacle = checkBlock(*block); !obstacle.empty())
      return obstacle;
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(loop->getRegions(), used);
  for (Value value : used)
    if (!isNumber(value.getType()) && !isa<MemRefType>(value.getType()))
      return "it uses what cannot be passed to a kernel";
  if (StringRef obstacle = checkPassed(); !obstacle.empty())
    return obstacle;
  return checkCarries();
}
