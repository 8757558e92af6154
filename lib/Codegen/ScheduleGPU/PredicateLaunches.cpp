//===- PredicateLaunches.cpp - Branches that nobody waits for -------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/BufferOrigins.h"
#include "Common/Fusion.h"
#include "Kernels/Decisions.h"
#include "Kernels/Kernels.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_PREDICATELAUNCHES
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-predicate-launches"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// The most kernels that a branch launches, an estimate: a launch in vain costs
/// a small part of a wait, after which the device has nothing to do until the
/// host has gone on.
static constexpr int64_t kMaxLaunches = 8;

//===----------------------------------------------------------------------===//
// What can be launched before anybody knows whether it is to run
//===----------------------------------------------------------------------===//

/// Whether two numbers are the same, as the operations that make them tell.
static bool areEqual(Value a, Value b, unsigned depth = 8) {
  if (a == b)
    return true;
  auto one = dyn_cast<OpResult>(a), two = dyn_cast<OpResult>(b);
  if (!one || !two || depth == 0 ||
      one.getResultNumber() != two.getResultNumber() ||
      one.getOwner()->getNumRegions() != 0 ||
      !isMemoryEffectFree(one.getOwner()))
    return false;
  return OperationEquivalence::isEquivalentTo(
      one.getOwner(), two.getOwner(),
      [&](Value left, Value right) {
        return success(areEqual(left, right, depth - 1));
      },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// The allocation in `block` that a value is; null where it is another buffer.
static memref::AllocOp getOwnAllocation(Value value, Block *block) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  return alloc && alloc->getBlock() == block ? alloc : memref::AllocOp();
}

static bool isOutside(Value value, Operation *op) {
  return !op->isAncestor(value.getParentRegion()->getParentOp());
}

namespace {

/// A branch of the host, and whether its kernels can decide it themselves.
class Branch {
public:
  explicit Branch(scf::IfOp op) : op(op) {}

  /// Why the host has to decide, as the end of a sentence; empty where kernels
  /// can.
  StringRef findObstacle();

  /// Moves what is in the branch in front of it, and erases it.
  void inlineRegions();

private:
  StringRef checkOp(Operation &inner, int64_t &launches);
  StringRef checkBlock(Block &block, int64_t &launches);
  StringRef checkResult(Value fromThen, Value fromElse);
  StringRef checkBuffers(Value fromThen, Value fromElse);

  scf::IfOp op;
  /// The allocation of the first region that each of the second one becomes.
  llvm::SmallDenseMap<Operation *, memref::AllocOp> shared;
};

} // namespace

StringRef Branch::checkOp(Operation &inner, int64_t &launches) {
  if (isa<scf::YieldOp, memref::AllocOp>(inner))
    return "";
  if (isa<gpu::LaunchFuncOp>(inner)) {
    ++launches;
    return "";
  }
  if (auto free = dyn_cast<memref::DeallocOp>(inner)) {
    Value root = BufferOrigins::getRoot(free.getMemref());
    return root.getDefiningOp<memref::AllocOp>() && !isOutside(root, op)
               ? ""
               : "a branch may free a buffer of others";
  }
  if (auto nested = dyn_cast<scf::IfOp>(inner)) {
    int64_t most = 0;
    for (Region &region : nested->getRegions()) {
      int64_t count = 0;
      if (!region.empty())
        if (StringRef obstacle = checkBlock(region.front(), count);
            !obstacle.empty())
          return obstacle;
      most = std::max(most, count);
    }
    launches += most;
    return "";
  }
  if (isa<ReadBackOp>(inner))
    return "a branch waits for something else";
  if (isa<AssertOp>(inner))
    return "the host checks something in a branch";
  if (isa<LoopLikeOpInterface>(inner))
    return "there is a loop of the host in a branch";
  if (isMemoryEffectFree(&inner) && inner.getNumRegions() == 0)
    return isSpeculatable(&inner)
               ? ""
               : "a branch computes what is only defined in it";
  return "a branch calls the runtime";
}

StringRef Branch::checkBlock(Block &block, int64_t &launches) {
  for (Operation &inner : block)
    if (StringRef obstacle = checkOp(inner, launches); !obstacle.empty())
      return obstacle;
  return "";
}

/// Both branches have to write into one buffer.
StringRef Branch::checkBuffers(Value fromThen, Value fromElse) {
  memref::AllocOp one = getOwnAllocation(fromThen, op.thenBlock()),
                  two = getOwnAllocation(fromElse, op.elseBlock());
  if (!one || !two)
    return "a branch results in a buffer of others";
  bool haveEqualSizes =
      one.getType() == two.getType() &&
      llvm::all_of(
          llvm::zip_equal(one.getDynamicSizes(), two.getDynamicSizes()),
          [](auto sizes) {
            return areEqual(std::get<0>(sizes), std::get<1>(sizes));
          });
  if (!haveEqualSizes)
    return "the sizes of its results are not known to be the same in both "
           "branches";
  auto isTaken = [&](auto &entry) { return entry.second == one; };
  if (shared.contains(two) ? shared.lookup(two) != one
                           : llvm::any_of(shared, isTaken))
    return "a branch has one buffer for two results";
  shared[two] = one;
  return "";
}

StringRef Branch::checkResult(Value fromThen, Value fromElse) {
  if (isa<BaseMemRefType>(fromThen.getType()))
    return fromThen == fromElse ? "" : checkBuffers(fromThen, fromElse);
  return areEqual(fromThen, fromElse) ? "" : "the host gets a number out of it";
}

StringRef Branch::findObstacle() {
  shared.clear();
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    int64_t launches = 0;
    if (region->empty())
      continue;
    if (StringRef obstacle = checkBlock(region->front(), launches);
        !obstacle.empty())
      return obstacle;
    if (launches > kMaxLaunches)
      return "a branch launches more than 8 kernels";
  }
  if (op.getNumResults() == 0)
    return "";
  for (auto [one, two] : llvm::zip_equal(op.thenYield().getOperands(),
                                         op.elseYield().getOperands()))
    if (StringRef obstacle = checkResult(one, two); !obstacle.empty())
      return obstacle;
  return "";
}

void Branch::inlineRegions() {
  for (auto [number, value] : llvm::enumerate(op.thenYield().getOperands()))
    op.getResult(number).replaceAllUsesWith(value);
  for (auto &[two, one] : shared) {
    two->getResult(0).replaceAllUsesWith(memref::AllocOp(one).getResult());
    two->erase();
  }
  Block *block = op->getBlock();
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
    if (!region->empty()) {
      Block &inner = region->front();
      block->getOperations().splice(Block::iterator(op), inner.getOperations(),
                                    inner.begin(), std::prev(inner.end()));
    }
  op.erase();
}

//===----------------------------------------------------------------------===//
// Kernels that read a predicate
//===----------------------------------------------------------------------===//

namespace {

/// The kernels of a module, and how often each is named.
class NamedKernels {
public:
  explicit NamedKernels(ModuleOp module) {
    module.walk([&](Operation *op) {
      op->getAttrDictionary().walk<WalkOrder::PreOrder>(
          [&](SymbolRefAttr name) {
            ++counts[name.getLeafReference()];
            // Its parts are names, too.
            return WalkResult::skip();
          });
    });
  }

  /// Has launches of one branch return at once where the number that `pointer`
  /// points to is not `expected`.
  void predicate(ArrayRef<gpu::LaunchFuncOp> launches, Value pointer,
                 bool expected);

private:
  llvm::DenseMap<StringAttr, size_t> counts;
};

} // namespace

/// Has a kernel do nothing where its last argument, which it gets, does not
/// point to what is expected.
static void addPredicate(gpu::GPUFuncOp kernel, Type pointer, bool expected) {
  Location loc = kernel.getLoc();
  unsigned number = kernel.getNumArguments();
  // Any type may be one of a kernel.
  (void)kernel.insertArgument(number, pointer, {}, loc);
  Block &body = kernel.getBody().front();
  auto builder = OpBuilder::atBlockBegin(&body);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value flag =
      memref::LoadOp::create(builder, loc, kernel.getArgument(number), zero);
  if (!expected)
    flag = arith::XOrIOp::create(
        builder, loc, flag, arith::ConstantIntOp::create(builder, loc, 1, 1));
  auto branch = scf::IfOp::create(builder, loc, flag, /*withElseRegion=*/false);
  Block *inside = branch.thenBlock();
  inside->getOperations().splice(inside->begin(), body.getOperations(),
                                 std::next(Block::iterator(branch)),
                                 std::prev(body.end()));
}

void NamedKernels::predicate(ArrayRef<gpu::LaunchFuncOp> launches,
                             Value pointer, bool expected) {
  llvm::MapVector<Operation *, SmallVector<gpu::LaunchFuncOp>> byKernel;
  for (gpu::LaunchFuncOp launch : launches)
    byKernel[SymbolTable::lookupNearestSymbolFrom(launch,
                                                  launch.getKernelAttr())]
        .push_back(launch);
  for (auto &[found, all] : byKernel) {
    auto kernel = cast<gpu::GPUFuncOp>(found);
    if (size_t &count = counts[kernel.getNameAttr()]; count > all.size()) {
      // Others launch it without the predicate.
      count -= all.size();
      auto copy = kernel.clone();
      SymbolTable(kernel->getParentOp()).insert(copy);
      counts[copy.getNameAttr()] = all.size();
      kernel = copy;
    }
    addPredicate(kernel, pointer.getType(), expected);
    for (gpu::LaunchFuncOp launch : all) {
      launch.setKernelAttr(
          SymbolRefAttr::get(launch.getKernelModuleName(),
                             FlatSymbolRefAttr::get(kernel.getNameAttr())));
      launch.getKernelOperandsMutable().append(pointer);
    }
  }
}

//===----------------------------------------------------------------------===//
// The predicate
//===----------------------------------------------------------------------===//

namespace {

/// A number of the device that decides branches, and nothing else.
class Predicate {
public:
  Predicate(ReadBackOp read, NamedKernels &kernels)
      : read(read), kernels(kernels), loc(read.getLoc()) {
    for (Operation *user : read->getUsers()) {
      branches.push_back(cast<scf::IfOp>(user));
      Operation *place = read->getBlock()->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(place))
        last = place;
    }
  }

  /// Takes the branches apart, unless the host has to wait.
  void run();

private:
  bool staysInPlace();
  bool mayBeWritten(Value buffer);
  Value createPointer();
  Value createCopy();
  void report(StringRef obstacle);

  ReadBackOp read;
  NamedKernels &kernels;
  Location loc;
  SmallVector<scf::IfOp> branches;
  /// The last operation of the block of the read that has such a branch.
  Operation *last = nullptr;
  /// What frees the number before the branches have read it.
  SmallVector<memref::DeallocOp> releases;
};

} // namespace

/// Whether something may write or free a buffer between the read and the end of
/// the branches; notes what frees it there.
bool Predicate::mayBeWritten(Value buffer) {
  Block *block = read->getBlock();
  SmallVector<Value> views = {buffer};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (user->getNumRegions() == 0 && isMemoryEffectFree(user) &&
          !user->hasTrait<OpTrait::IsTerminator>()) {
        llvm::copy_if(
            user->getResults(), std::back_inserter(views),
            [](Value result) { return isa<BaseMemRefType>(result.getType()); });
        continue;
      }
      if (isa<func::ReturnOp>(user))
        continue;
      if (user->getNumRegions() != 0 ||
          isa<scf::YieldOp, scf::ConditionOp>(user))
        return true;
      Operation *place = block->findAncestorOpInBlock(*user);
      if (place && (place == read || place->isBeforeInBlock(read) ||
                    last->isBeforeInBlock(place)))
        continue;
      auto free = dyn_cast<memref::DeallocOp>(user);
      if (!free || free != place)
        return true;
      releases.push_back(free);
    }
  return false;
}

/// Whether the number can be read where it is, for as long as it is needed.
bool Predicate::staysInPlace() {
  auto type = dyn_cast<MemRefType>(read.getSource().getType());
  if (!type || !type.getLayout().isIdentity() ||
      !llvm::all_of(read.getIndices(),
                    [](Value index) { return matchPattern(index, m_Zero()); }))
    return false;
  Value root = BufferOrigins::getRoot(read.getSource());
  if (root.getDefiningOp<memref::AllocOp>())
    return !mayBeWritten(root);
  auto argument = dyn_cast<BlockArgument>(root);
  auto function = read->getParentOfType<func::FuncOp>();
  if (!argument || argument.getOwner() != &function.front())
    return false;
  // Arguments may lie in one buffer.
  return llvm::none_of(function.getArguments(), [&](Value other) {
    auto memref = dyn_cast<BaseMemRefType>(other.getType());
    return memref && memref.getElementType() == type.getElementType() &&
           mayBeWritten(other);
  });
}

/// A copy of the number, which a kernel makes where the host would have read
/// it.
Value Predicate::createCopy() {
  OpBuilder host(read);
  auto type = MemRefType::get({1}, read.getType());
  Value copy = memref::AllocOp::create(host, loc, type);
  SmallVector<Value> captures = {read.getSource(), copy};
  llvm::append_range(captures, read.getIndices());
  auto function = read->getParentOfType<func::FuncOp>();
  Kernel kernel = createKernel(
      host, loc, (function.getName() + "_predicate").str(), captures);
  OpBuilder inside = kernel.getBodyBuilder();
  SmallVector<Value> indices = llvm::map_to_vector(
      read.getIndices(), [&](Value index) { return kernel.map.lookup(index); });
  Value number = memref::LoadOp::create(
      inside, loc, kernel.map.lookup(read.getSource()), indices);
  memref::StoreOp::create(
      inside, loc, number, kernel.map.lookup(copy),
      arith::ConstantIndexOp::create(inside, loc, 0).getResult());
  Value one = arith::ConstantIndexOp::create(host, loc, 1);
  launchKernel(host, loc, kernel, one, one);
  host.setInsertionPointAfter(last);
  memref::DeallocOp::create(host, loc, copy);
  return copy;
}

/// Where kernels find the number.
Value Predicate::createPointer() {
  if (!staysInPlace())
    return createCopy();
  for (memref::DeallocOp release : releases)
    release->moveAfter(last);
  OpBuilder host(read);
  auto type = MemRefType::get({1}, read.getType());
  if (read.getSource().getType() == type)
    return read.getSource();
  OpFoldResult zero = host.getIndexAttr(0), one = host.getIndexAttr(1);
  return memref::ReinterpretCastOp::create(host, loc, type, read.getSource(),
                                           zero, ArrayRef<OpFoldResult>{one},
                                           ArrayRef<OpFoldResult>{one});
}

void Predicate::report(StringRef obstacle) {
  auto function = read->getParentOfType<func::FuncOp>();
  // What becomes of operations is told by the same name for all passes.
  auto options = remark::RemarkOpts::name("Wait")
                     .category("tally-form-kernels")
                     .function(function.getName());
  LDBG() << describeLastPart(read) << ": "
         << (obstacle.empty() ? "kernels read it" : obstacle);
  std::string what = describeLastPart(read);
  if (obstacle.empty())
    remark::passed(getLastPartLoc(read), options)
        << "the host does not wait for " + what +
               ": kernels of both branches are launched, and return at once "
               "where the other branch is taken";
  else
    remark::missed(getLastPartLoc(read), options)
        << "the host waits for " + what +
               ": it decides which branch is taken, and " + obstacle.str();
}

void Predicate::run() {
  SmallVector<Branch> parts;
  StringRef obstacle;
  for (scf::IfOp op : branches)
    if (obstacle = parts.emplace_back(op).findObstacle(); !obstacle.empty())
      break;
  report(obstacle);
  if (!obstacle.empty())
    return;
  Value pointer = createPointer();
  for (auto [op, part] : llvm::zip_equal(branches, parts)) {
    for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
      SmallVector<gpu::LaunchFuncOp> launches;
      region->walk(
          [&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
      kernels.predicate(launches, pointer, region == &op.getThenRegion());
    }
    part.inlineRegions();
  }
  read.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void tally::predicateLaunches(ModuleOp module) {
  SmallVector<ReadBackOp> reads;
  module.walk([&](ReadBackOp read) {
    if (decidesBranchesAlone(read.getResult()))
      reads.push_back(read);
  });
  if (reads.empty())
    return;
  NamedKernels kernels(module);
  // Those in branches first: nobody waits in them then.
  for (ReadBackOp read : llvm::reverse(reads))
    Predicate(read, kernels).run();
}

namespace {
struct PredicateLaunchesPass
    : tally::impl::PredicateLaunchesBase<PredicateLaunchesPass> {
  void runOnOperation() override { tally::predicateLaunches(getOperation()); }
};
} // namespace
