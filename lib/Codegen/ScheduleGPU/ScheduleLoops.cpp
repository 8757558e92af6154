//===- ScheduleLoops.cpp - Loops over elements become kernels -------------===//
//
// See the description of the pass in Passes.td. Each thread runs iterations in
// the order of the program; what is divided among threads is either the
// iterations of loops that do not depend on each other, or the elements that
// the others write. Where the order does not matter, updates are atomic.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "Common/LoopNest.h"
#include "Schedules.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/Tally.h"
#include "tally/Interfaces/PlacementOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SCHEDULELOOPS
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-schedule-loops"

using namespace mlir;
using namespace tally::codegen;

static constexpr int64_t kThreads = 128;
/// How many threads are worth it that each owner goes through all iterations,
/// and the most owners: reading an index takes a fraction of what its element
/// takes.
static constexpr int64_t kManyThreads = 65536, kMaxOwners = 128;

//===----------------------------------------------------------------------===//
// What can be divided
//===----------------------------------------------------------------------===//

namespace {

/// How the one buffer that is written is divided among owners of its elements.
struct Ownership {
  /// The indices of the element, but for those of independent loops.
  SmallVector<Value> places;
  /// What computes them, in the innermost loop.
  llvm::SetVector<Operation *> slice;
};

/// The one write of a nest, where it combines an element with a value in a way
/// whose order does not matter.
struct AtomicUpdate {
  Operation *load, *combiner, *store;
  arith::AtomicRMWKind kind;

  Value getOperand() const {
    bool isFirst = combiner->getOperand(0).getDefiningOp() == load;
    return combiner->getOperand(isFirst ? 1 : 0);
  }
};

/// Which iterations and elements of a nest are divided among threads.
class NestDivision {
public:
  NestDivision(const LoopNest &nest, BufferOrigins &origins)
      : nest(nest), origins(origins),
        body(scf::ForOp(nest.getLoops().back()).getBody()) {
    for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
      (nest.isIndependent(loop, origins) ? independent : others)
          .push_back(nest.getLoops()[loop]);
    if (others.empty())
      return;
    findUpdate();
    if (!update) {
      findOwnership();
      return;
    }
    independent.assign(nest.getLoops().begin(), nest.getLoops().end());
    others.clear();
  }

  ArrayRef<scf::ForOp> getIndependent() const { return independent; }
  /// The loops whose iterations a thread runs in their order.
  ArrayRef<scf::ForOp> getOthers() const { return others; }
  const std::optional<Ownership> &getOwnership() const { return ownership; }
  /// What is atomic, as iterations that are not independent are divided.
  const std::optional<AtomicUpdate> &getUpdate() const { return update; }

private:
  bool isDistinct(Value memref, Value written) const {
    return origins.relate(memref, written) == BufferOrigins::Relation::Distinct;
  }

  bool isIndependentIndex(Value index) const {
    return llvm::any_of(independent, [&](scf::ForOp loop) {
      return loop.getInductionVar() == index;
    });
  }

  void findUpdate();
  void findOwnership();
  bool addToSlice(Ownership &found, Value value, Value written) const;

  const LoopNest &nest;
  BufferOrigins &origins;
  Block *body;
  SmallVector<scf::ForOp> independent, others;
  std::optional<Ownership> ownership;
  std::optional<AtomicUpdate> update;
};

} // namespace

/// How an operation combines integers for which there is an instruction.
static std::optional<arith::AtomicRMWKind> getAtomicKind(Operation *op) {
  using Kind = arith::AtomicRMWKind;
  if (!op || op->getNumResults() != 1 ||
      !(op->getResult(0).getType().isInteger(32) ||
        op->getResult(0).getType().isInteger(64)))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddIOp>([](auto) { return Kind::addi; })
      .Case<arith::MaxSIOp>([](auto) { return Kind::maxs; })
      .Case<arith::MinSIOp>([](auto) { return Kind::mins; })
      .Case<arith::MaxUIOp>([](auto) { return Kind::maxu; })
      .Case<arith::MinUIOp>([](auto) { return Kind::minu; })
      .Case<arith::AndIOp>([](auto) { return Kind::andi; })
      .Case<arith::OrIOp>([](auto) { return Kind::ori; })
      .Default([](auto) { return std::nullopt; });
}

/// Nothing else may access the buffer, or use the element that is read.
void NestDivision::findUpdate() {
  SmallVector<memref::StoreOp> stores;
  body->walk([&](memref::StoreOp store) { stores.push_back(store); });
  scf::ForOp outer = nest.getLoops().front();
  if (stores.size() != 1 ||
      !outer.isDefinedOutsideOfLoop(stores.front().getMemRef()))
    return;
  memref::StoreOp store = stores.front();
  Operation *combiner = store.getValueToStore().getDefiningOp();
  std::optional<arith::AtomicRMWKind> kind = getAtomicKind(combiner);
  if (!kind || combiner->getBlock() != store->getBlock() ||
      !combiner->hasOneUse())
    return;
  for (Value operand : combiner->getOperands()) {
    auto load = operand.getDefiningOp<memref::LoadOp>();
    if (!load || load->getBlock() != store->getBlock() || !load->hasOneUse() ||
        load.getMemRef() != store.getMemRef() ||
        load.getIndices() != store.getIndices())
      continue;
    auto others = llvm::make_filter_range(
        nest.getReads(), [&](const ElementAccess &read) {
          return !isDistinct(read.memref, store.getMemRef());
        });
    if (llvm::hasSingleElement(others))
      update = AtomicUpdate{load, combiner, store, *kind};
  }
}

/// All accesses of the buffer that is written have to be at the same indices,
/// which an owner finds out before it does anything else.
void NestDivision::findOwnership() {
  if (nest.getWrites().empty())
    return;
  scf::ForOp outer = nest.getLoops().front();
  const ElementAccess &first = nest.getWrites().front();
  if (!outer.isDefinedOutsideOfLoop(first.memref) ||
      !LoopNest::hasOwnElements(first.memref))
    return;
  auto isSame = [&](const ElementAccess &other) {
    return other.memref == first.memref && other.indices == first.indices;
  };
  if (!llvm::all_of(nest.getWrites(), isSame) ||
      !llvm::all_of(nest.getReads(), [&](const ElementAccess &read) {
        return isSame(read) || isDistinct(read.memref, first.memref);
      }))
    return;
  Ownership found;
  for (Value index : first.indices) {
    if (isIndependentIndex(index) || outer.isDefinedOutsideOfLoop(index))
      continue;
    if (!addToSlice(found, index, first.memref))
      return;
    found.places.push_back(index);
  }
  if (!found.places.empty())
    ownership = std::move(found);
}

/// Adds what computes `value`; false if some of it depends on what is written,
/// or on an assert.
bool NestDivision::addToSlice(Ownership &found, Value value,
                              Value written) const {
  Region *region = value.getParentRegion();
  if (region->isProperAncestor(body->getParent()) ||
      value == body->getArgument(0))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return false;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (load ? !isDistinct(load.getMemRef(), written)
           : op->getNumRegions() != 0 || !isPure(op))
    return false;
  bool isChecked =
      load && llvm::any_of(body->getOps<tally::AssertOp>(), [&](Operation *it) {
        return it->isBeforeInBlock(op);
      });
  if (isChecked || !llvm::all_of(op->getOperands(), [&](Value operand) {
        return addToSlice(found, operand, written);
      }))
    return false;
  found.slice.insert(op);
  return true;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

/// Makes a kernel of a nest and launches it in its place.
class NestKernel {
public:
  NestKernel(const LoopNest &nest, const NestDivision &division,
             BufferOrigins &origins)
      : nest(nest), division(division), origins(origins),
        outer(nest.getLoops().front()), loc(outer.getLoc()), host(outer),
        math(host, loc) {}

  void run(StringRef function) {
    createCounts();
    collectCaptures();
    StringRef suffix = owners                 ? "_owners"
                       : division.getUpdate() ? "_atomics"
                                              : "_loop";
    Kernel kernel = createKernel(host, loc, (function + suffix).str(),
                                 captures.getArrayRef());
    kernel.function.setKnownBlockSizeAttr(
        host.getDenseI32ArrayAttr({int32_t(kThreads), 1, 1}));
    annotatePointers(kernel.function);
    fill(kernel);
    launchKernel(host, loc, kernel,
                 math.min(math.ceilDiv(total, kThreads),
                          math.constant(std::numeric_limits<int32_t>::max())),
                 math.constant(kThreads));
    outer.erase();
  }

private:
  Value createCount(scf::ForOp loop);
  void createCounts();
  void collectCaptures();
  void annotatePointers(gpu::GPUFuncOp function);
  void fill(Kernel &kernel);
  void fillIteration(OpBuilder &builder, IRMapping &map, Value owner);
  void makeAtomic(OpBuilder &builder, IRMapping &map);
  Value createOwner(OpBuilder &builder, IRMapping &map);

  const LoopNest &nest;
  const NestDivision &division;
  BufferOrigins &origins;
  scf::ForOp outer;
  Location loc;
  OpBuilder host;
  IndexMath math;
  /// How often each independent loop runs, and all of them.
  SmallVector<Value> counts;
  Value points;
  /// How many threads share a point; null where each has one.
  Value owners;
  Value total;
  llvm::SetVector<Value> captures;
};

} // namespace

/// How often a loop runs, on the host.
Value NestKernel::createCount(scf::ForOp loop) {
  Value length = math.sub(loop.getUpperBound(), loop.getLowerBound());
  length = host.createOrFold<arith::MaxSIOp>(loc, length, math.constant(0));
  Value before = math.sub(loop.getStep(), math.constant(1));
  return host.createOrFold<arith::DivSIOp>(loc, math.add(length, before),
                                           loop.getStep());
}

void NestKernel::createCounts() {
  for (scf::ForOp loop : division.getIndependent())
    counts.push_back(createCount(loop));
  points = total = math.product(counts);
  if (!division.getOwnership())
    return;
  SmallVector<Value> sequential;
  for (scf::ForOp loop : division.getOthers())
    sequential.push_back(createCount(loop));
  Value one = math.constant(1);
  auto atLeastOne = [&](Value value) {
    return host.createOrFold<arith::MaxUIOp>(loc, value, one);
  };
  Value worth =
      atLeastOne(math.div(math.constant(kManyThreads), atLeastOne(points)));
  owners = math.min(math.min(math.product(sequential), worth),
                    math.constant(kMaxOwners));
  total = math.mul(points, owners);
}

void NestKernel::collectCaptures() {
  outer.walk([&](memref::GetGlobalOp global) { global->moveBefore(outer); });
  host.setInsertionPoint(outer);
  captures.insert(outer->operand_begin(), outer->operand_end());
  getUsedValuesDefinedAbove(outer->getRegions(), captures);
  captures.insert(counts.begin(), counts.end());
  captures.insert(points);
  captures.insert(total);
  if (owners)
    captures.insert(owners);
}

/// Tells the compiler of the kernel which buffers lie apart, and which of them
/// are only read.
void NestKernel::annotatePointers(gpu::GPUFuncOp function) {
  SmallVector<Value> buffers;
  for (Value value : captures)
    if (isa<MemRefType>(value.getType()))
      buffers.push_back(value);
  auto unit = UnitAttr::get(function.getContext());
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    bool isApart = llvm::all_of(buffers, [&, buffer = buffer](Value other) {
      return other == buffer ||
             origins.relate(other, buffer) == BufferOrigins::Relation::Distinct;
    });
    if (!isApart)
      continue;
    function.setArgAttr(index, "llvm.noalias", unit);
    if (llvm::none_of(nest.getWrites(),
                      [&, buffer = buffer](const ElementAccess &write) {
                        return write.memref == buffer;
                      }))
      function.setArgAttr(index, "llvm.readonly", unit);
  }
}

void NestKernel::fill(Kernel &kernel) {
  OpBuilder builder = kernel.getBodyBuilder();
  IndexMath inner(builder, loc);
  IRMapping &map = kernel.map;
  auto translate = [&](Value value) { return map.lookupOrDefault(value); };
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  Value threads = inner.constant(kThreads);
  auto loop = scf::ForOp::create(builder, loc,
                                 inner.add(inner.mul(block, threads), thread),
                                 translate(total), inner.mul(blocks, threads));
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), owner;
  if (owners) {
    owner = inner.div(number, translate(points));
    number = inner.rem(number, translate(points));
  }
  SmallVector<Value> indices =
      inner.delinearize(number, llvm::map_to_vector(counts, translate));
  for (auto [independent, index] :
       llvm::zip_equal(division.getIndependent(), indices)) {
    scf::ForOp from = independent;
    map.map(from.getInductionVar(),
            inner.add(translate(from.getLowerBound()),
                      inner.mul(index, translate(from.getStep()))));
  }
  for (scf::ForOp from : division.getOthers()) {
    auto sequential = scf::ForOp::create(
        builder, loc, translate(from.getLowerBound()),
        translate(from.getUpperBound()), translate(from.getStep()));
    map.map(from.getInductionVar(), sequential.getInductionVar());
    builder.setInsertionPointToStart(sequential.getBody());
  }
  fillIteration(builder, map, owner);
}

void NestKernel::fillIteration(OpBuilder &builder, IRMapping &map,
                               Value owner) {
  const std::optional<Ownership> &ownership = division.getOwnership();
  if (ownership) {
    for (Operation *op : ownership->slice)
      builder.clone(*op, map);
    Value isMine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         createOwner(builder, map), owner);
    auto branch = scf::IfOp::create(builder, loc, isMine);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  scf::ForOp innermost = nest.getLoops().back();
  for (Operation &op : innermost.getBody()->without_terminator())
    if (!ownership || !ownership->slice.contains(&op))
      builder.clone(op, map);
  if (division.getUpdate())
    makeAtomic(builder, map);
}

void NestKernel::makeAtomic(OpBuilder &builder, IRMapping &map) {
  const AtomicUpdate &update = *division.getUpdate();
  auto store = cast<memref::StoreOp>(map.lookup(update.store));
  builder.setInsertionPoint(store);
  memref::AtomicRMWOp::create(builder, loc, update.kind,
                              map.lookupOrDefault(update.getOperand()),
                              store.getMemRef(), store.getIndices());
  store.erase();
  map.lookup(update.combiner)->erase();
  map.lookup(update.load)->erase();
}

/// The owner of an element: a hash of its indices, so that elements that lie
/// apart regularly have different ones, scaled to the number of owners.
Value NestKernel::createOwner(OpBuilder &builder, IRMapping &map) {
  IndexMath inner(builder, loc);
  Value factor = inner.constant(int64_t(0x9E3779B97F4A7C15));
  Value half = inner.constant(32);
  Value hash;
  for (Value place : division.getOwnership()->places) {
    Value index = map.lookupOrDefault(place);
    hash = inner.mul(hash ? inner.add(hash, index) : index, factor);
  }
  Value high = arith::ShRUIOp::create(builder, loc, hash, half);
  Value scaled = inner.mul(high, map.lookupOrDefault(owners));
  return arith::ShRUIOp::create(builder, loc, scaled, half);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Makes a kernel of the loops that start with one, if they can be divided.
static bool scheduleLoop(scf::ForOp loop, BufferOrigins &origins,
                         StringRef function) {
  LoopNest nest(loop, LoopNest::Asserts::Allowed);
  if (!nest.isKnown())
    return false;
  NestDivision division(nest, origins);
  if (division.getIndependent().empty() && !division.getOwnership())
    return false;
  LDBG() << describeLastPart(loop) << ": " << division.getIndependent().size()
         << " of " << nest.getLoops().size() << " loops are independent"
         << (division.getOwnership() ? ", elements have owners" : "")
         << (division.getUpdate() ? ", updates are atomic" : "");
  NestKernel(nest, division, origins).run(function);
  return true;
}

/// Whether one thread can run `op`; branches of the host are gone into.
static bool runsInOneThread(Operation *op) {
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op) && op->getNumResults() == 0)
    return false;
  return !op->walk([](Operation *inner) {
              return tally::runsInThread(inner) ? WalkResult::advance()
                                                : WalkResult::interrupt();
            }).wasInterrupted();
}

void tally::scheduleLoopsOnGPU(func::FuncOp function) {
  BufferOrigins origins(function);
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumRegions() == 0)
      return WalkResult::advance();
    if (isa<tally::KernelOp, linalg::LinalgOp>(op))
      return WalkResult::skip();
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && scheduleLoop(loop, origins, function.getName()))
      return WalkResult::skip();
    return runsInOneThread(op) ? WalkResult::skip() : WalkResult::advance();
  });
}

namespace {
struct ScheduleLoopsPass : tally::impl::ScheduleLoopsBase<ScheduleLoopsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        tally::scheduleLoopsOnGPU(function);
  }
};
} // namespace
