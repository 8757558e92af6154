//===- ScheduleLoops.cpp - Loops over elements become kernels -------------===//
//
// See the description of the pass in Passes.td. Each thread runs iterations in
// the order of the program; what is divided among threads is either the
// iterations of loops that do not depend on each other, or the elements that
// the others write. Where the order does not matter, updates are atomic.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "DigitRanks.h"
#include "NestDivision.h"
#include "NestPoints.h"
#include "ScatterChecks.h"
#include "ScatterKernels.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/Tally.h"
#include "tally/Interfaces/PlacementOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
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
/// The memory of a block for elements that are updated atomically, how many
/// iterations each is worth, and how many blocks have one.
static constexpr int64_t kTableBytes = 16384, kMinRepeats = 4;
static constexpr int64_t kTableBlocks = 2048;
/// Fewer elements are not added to in any order, unless there are few
/// iterations: an element takes one float at a time, in 18 ns, measured on an
/// H200, which is 160 times what sorting takes for an iteration.
static constexpr int64_t kManyElements = 160, kFewIterations = 512;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

/// Makes a kernel of a nest, each of whose threads goes through all iterations
/// of its point, and launches it.
class NestKernel {
public:
  NestKernel(const NestDivision &division, OpBuilder &host)
      : division(division), outer(division.getNest().getLoops().front()),
        loc(outer.getLoc()), host(host), math(host, loc) {}

  void run(StringRef function) {
    createCounts();
    choose(
        host, loc, createHasTable(),
        [&] { launch(function, /*hasTable=*/true); },
        [&] { launch(function, /*hasTable=*/false); });
  }

private:
  void launch(StringRef function, bool hasTable) {
    captures = collectCaptures(outer);
    SmallVector<Value> buffers;
    for (Value capture : captures)
      if (isa<MemRefType>(capture.getType()))
        buffers.push_back(capture);
    captures.insert(counts.begin(), counts.end());
    if (inAnyOrder)
      for (Value each : inAnyOrder->getCaptures())
        captures.insert(each);
    else
      captures.insert(total);
    if (owners) {
      captures.insert(points);
      captures.insert(owners);
    }
    StringRef suffix = hasTable                      ? "_tables"
                       : owners                      ? "_owners"
                       : division.isAtomic()         ? "_atomics"
                       : division.writesInAnyOrder() ? "_any"
                                                     : "_loop";
    Kernel kernel = createKernel(host, loc, (function + suffix).str(),
                                 captures.getArrayRef());
    kernel.function.setKnownBlockSizeAttr(
        host.getDenseI32ArrayAttr({int32_t(kThreads), 1, 1}));
    division.annotatePointers(kernel.function, buffers);
    if (hasTable) {
      fillWithTable(kernel);
      table = Value();
    } else {
      OpBuilder builder = kernel.getBodyBuilder();
      fill(kernel, builder);
    }
    int64_t mostBlocks =
        hasTable ? kTableBlocks : std::numeric_limits<int32_t>::max();
    launchKernel(
        host, loc, kernel,
        math.min(math.ceilDiv(total, kThreads), math.constant(mostBlocks)),
        math.constant(kThreads));
  }

  void createCounts();
  Value createHasTable();
  int64_t getTableSize();
  void forTable(ThreadEmitter &thread, Value buffer,
                function_ref<void(Value)> body);
  void fillWithTable(Kernel &kernel);
  void fill(Kernel &kernel, OpBuilder &builder);
  void fillIteration(OpBuilder &builder, IRMapping &map, Value owner);
  void makeAtomic(OpBuilder &builder, IRMapping &map);
  void writeAtomically(OpBuilder &builder, IRMapping &map);
  void finishPoint(OpBuilder &builder, IRMapping &map);
  Value createOwner(OpBuilder &builder, IRMapping &map);

  const NestDivision &division;
  scf::ForOp outer;
  Location loc;
  OpBuilder &host;
  IndexMath math;
  /// How often each independent loop runs, and all of them.
  SmallVector<Value> counts;
  Value points;
  /// How points are divided, where a thread runs no loop at any.
  std::optional<NestPoints> inAnyOrder;
  /// How many threads share a point; null where each has one.
  Value owners;
  Value total;
  llvm::SetVector<Value> captures;
  /// What a block combines elements in, while a kernel that has one is filled.
  Value table;
};

} // namespace

void NestKernel::createCounts() {
  for (scf::ForOp loop : division.getIndependent())
    counts.push_back(createTripCount(host, loop));
  points = total = math.product(counts);
  if (division.getOthers().empty()) {
    inAnyOrder.emplace(division, host, counts, kThreads);
    total = inAnyOrder->getNumThreads();
  }
  if (!division.getOwnership())
    return;
  SmallVector<Value> sequential;
  for (scf::ForOp loop : division.getOthers())
    sequential.push_back(createTripCount(host, loop));
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

/// Whether blocks can combine elements in tables of their own, which are far
/// fewer than iterations.
Value NestKernel::createHasTable() {
  Value isSmall = arith::ConstantIntOp::create(host, loc, 0, 1);
  bool isChecked =
      division.getBody()
          ->walk([](tally::AssertOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  // Floats are added in shared memory by attempts.
  if (!division.isAtomic() || !division.getUpdate()->isAtomic() || isChecked)
    return isSmall;
  Value buffer = division.getUpdate()->getBuffer();
  SmallVector<Value> sizes;
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(host.createOrFold<memref::DimOp>(loc, buffer, dim));
  Value size = math.product(sizes);
  auto compare = [&](Value a, Value b) {
    return host.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule, a,
                                            b);
  };
  isSmall = compare(size, math.constant(getTableSize()));
  Value areMany = compare(math.mul(size, math.constant(kMinRepeats)), points);
  return host.createOrFold<arith::AndIOp>(loc, isSmall, areMany);
}

int64_t NestKernel::getTableSize() {
  return kTableBytes * 8 /
         division.getUpdate()->getType().getIntOrFloatBitWidth();
}

/// What the threads of a block do to the elements of its table.
void NestKernel::forTable(ThreadEmitter &thread, Value buffer,
                          function_ref<void(Value)> body) {
  auto loop =
      scf::ForOp::create(thread.builder, loc, thread.thread,
                         thread.elementCount(buffer), thread.index(kThreads));
  OpBuilder::InsertionGuard guard(thread.builder);
  thread.builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// A table of the block is combined, and then the buffer with it.
void NestKernel::fillWithTable(Kernel &kernel) {
  OpBuilder builder = kernel.getBodyBuilder();
  ThreadEmitter thread(builder, kernel.function);
  const ElementUpdate &update = *division.getUpdate();
  table = thread.share({getTableSize()}, update.getType());
  Value buffer = kernel.map.lookup(update.getBuffer());
  Value neutral =
      arith::getIdentityValue(update.kind, update.getType(), builder, loc);
  forTable(thread, buffer, [&](Value at) { thread.store(neutral, table, at); });
  thread.barrier();
  {
    OpBuilder::InsertionGuard guard(builder);
    fill(kernel, builder);
  }
  thread.barrier();
  forTable(thread, buffer, [&](Value at) {
    Value value = thread.load(table, at);
    Value isUsed =
        isa<FloatType>(value.getType())
            ? builder.createOrFold<arith::CmpFOp>(
                  loc, arith::CmpFPredicate::UNE, value, neutral)
            : thread.compare(arith::CmpIPredicate::ne, value, neutral);
    thread.ifThen(isUsed, [&] {
      SmallVector<Value> sizes;
      int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
      for (int64_t dim = 0; dim < rank; ++dim)
        sizes.push_back(thread.size(buffer, dim));
      memref::AtomicRMWOp::create(
          builder, loc, update.kind, value, buffer,
          IndexMath(builder, loc).delinearize(at, sizes));
    });
  });
}

void NestKernel::fill(Kernel &kernel, OpBuilder &builder) {
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
  if (inAnyOrder)
    return inAnyOrder->emit(
        builder, map, number,
        [&](OpBuilder &at, IRMapping &point) { finishPoint(at, point); });
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
  for (Operation &op : division.getBody()->without_terminator())
    if (!ownership || !ownership->slice.contains(&op))
      builder.clone(op, map);
}

/// Makes what a point writes atomic, if points are not independent.
void NestKernel::finishPoint(OpBuilder &builder, IRMapping &map) {
  if (division.isAtomic())
    makeAtomic(builder, map);
  if (division.writesInAnyOrder())
    writeAtomically(builder, map);
}

void NestKernel::writeAtomically(OpBuilder &builder, IRMapping &map) {
  auto written =
      llvm::getSingleElement(division.getBody()->getOps<memref::StoreOp>());
  auto store = cast<memref::StoreOp>(map.lookup(written.getOperation()));
  builder.setInsertionPoint(store);
  memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::assign,
                              store.getValueToStore(), store.getMemRef(),
                              store.getIndices());
  store.erase();
}

void NestKernel::makeAtomic(OpBuilder &builder, IRMapping &map) {
  const ElementUpdate &update = *division.getUpdate();
  auto store = cast<memref::StoreOp>(map.lookup(update.store));
  builder.setInsertionPoint(store);
  Value buffer = store.getMemRef();
  SmallVector<Value> at(store.getIndices());
  if (table) {
    IndexMath inner(builder, loc);
    Value number = inner.constant(0);
    for (auto [dim, index] : llvm::enumerate(at)) {
      Value size =
          builder.createOrFold<memref::DimOp>(loc, buffer, int64_t(dim));
      number = inner.add(inner.mul(number, size), index);
    }
    buffer = table;
    at.assign(1, number);
  }
  memref::AtomicRMWOp::create(builder, loc, update.kind,
                              map.lookupOrDefault(update.getOperand()), buffer,
                              at);
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

/// How many iterations loops have in all; on the host.
static Value createCount(const LoopNest &nest, OpBuilder &host, Location loc) {
  SmallVector<Value> counts;
  for (scf::ForOp each : nest.getLoops())
    counts.push_back(createTripCount(host, each));
  return IndexMath(host, loc).product(counts);
}

/// Whether the caller lets updates come in any order, and there are not so few
/// elements that threads would wait for each other; on the host.
static Value createIsInAnyOrder(const NestDivision &division, OpBuilder &host,
                                Location loc) {
  Value isAllowed = tally::AnyOrderOp::create(host, loc, host.getI1Type());
  if (!division.isAtomic())
    return isAllowed;
  IndexMath math(host, loc);
  Value buffer = division.getUpdate()->getBuffer();
  SmallVector<Value> sizes;
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(host.createOrFold<memref::DimOp>(loc, buffer, dim));
  Value areMany = host.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::uge, math.product(sizes),
      math.constant(kManyElements));
  Value isShort = host.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ule,
      createCount(division.getNest(), host, loc),
      math.constant(kFewIterations));
  Value isWorth = host.createOrFold<arith::OrIOp>(loc, areMany, isShort);
  return host.createOrFold<arith::AndIOp>(loc, isAllowed, isWorth);
}

/// Tells that a scatter has two forms.
static void explainOrder(scf::ForOp loop, const NestDivision &loose,
                         StringRef function) {
  remark::passed(getLastPartLoc(loop), remark::RemarkOpts::name("Order")
                                           .category("tally-form-kernels")
                                           .function(function))
      << describeLastPart(loop) + ": " +
             (loose.isAtomic() ? "floats are added up in any order"
                               : "any of the values for one element may stay") +
             " where the caller allows it (tally_rt_set_deterministic); else "
             "iterations are sorted by their places";
}

/// Whether updates of the loops may come in any order, where the caller allows
/// it, and would be sorted otherwise.
static bool hasTwoForms(const NestDivision &division,
                        const NestDivision &loose) {
  return division.getOwnership() &&
         (loose.isAtomic() || loose.writesInAnyOrder());
}

namespace {
/// Schedules the loops of a function.
class LoopScheduler {
public:
  explicit LoopScheduler(func::FuncOp function)
      : origins(function), function(function.getName()) {}

  /// Makes a kernel of the loops that start with one, if they can be divided.
  bool run(scf::ForOp loop);

private:
  /// Leaves what only checks to a scatter after it.
  bool leaveToScatter(scf::ForOp loop);
  void runTwoForms(scf::ForOp loop, const NestDivision &division,
                   const NestDivision &loose);
  void runAtomically(scf::ForOp loop, const NestDivision &division);

  BufferOrigins origins;
  StringRef function;
  /// By scatter, the loops that check what it reads and have no kernel yet.
  llvm::DenseMap<Operation *, scf::ForOp> checks;
};
} // namespace

bool LoopScheduler::leaveToScatter(scf::ForOp loop) {
  scf::ForOp scatter = findCheckedLoop(loop);
  if (!scatter)
    return false;
  LoopNest nest(scatter, LoopNest::Asserts::Allowed);
  NestDivision division(nest, origins);
  NestDivision loose(nest, origins, /*inAnyOrder=*/true);
  if (!hasTwoForms(division, loose) && !division.isAtomic())
    return false;
  checks[scatter] = loop;
  return true;
}

void LoopScheduler::runTwoForms(scf::ForOp loop, const NestDivision &division,
                                const NestDivision &loose) {
  explainOrder(loop, loose, function);
  OpBuilder host(loop);
  scf::ForOp check = checks.lookup(loop);
  auto checkFirst = [&] {
    if (!check)
      return;
    LoopNest nest(check, LoopNest::Asserts::Allowed);
    NestKernel(NestDivision(nest, origins), host).run(function);
  };
  auto runInOrder = [&] {
    checkFirst();
    ScatterKernels kernels(division, host, function);
    choose(
        host, loop.getLoc(), kernels.createIsWorth(), [&] { kernels.run(); },
        [&] { NestKernel(division, host).run(function); });
  };
  scf::ForOp checked = check ? createCheckedLoop(check, loop) : scf::ForOp();
  auto runInAnyOrder = [&] {
    if (checked) {
      LoopNest nest(checked, LoopNest::Asserts::Allowed);
      NestDivision both(nest, origins, /*inAnyOrder=*/true);
      if (both.isAtomic() == loose.isAtomic() &&
          both.writesInAnyOrder() == loose.writesInAnyOrder()) {
        NestKernel(both, host).run(function);
        return;
      }
    }
    checkFirst();
    NestKernel(loose, host).run(function);
  };
  choose(host, loop.getLoc(), createIsInAnyOrder(loose, host, loop.getLoc()),
         runInAnyOrder, runInOrder);
  if (checked)
    checked.erase();
  if (check)
    check.erase();
  checks.erase(loop);
}

/// Where there are few iterations, each checks what it reads itself. Where
/// there are none, something may be checked all the same; where there are many,
/// blocks may have tables.
void LoopScheduler::runAtomically(scf::ForOp loop,
                                  const NestDivision &division) {
  OpBuilder host(loop);
  Location loc = loop.getLoc();
  auto run = [&](const NestDivision &each) {
    NestKernel(each, host).run(function);
  };
  scf::ForOp check = checks.lookup(loop);
  if (!check)
    return run(division);
  auto runCheckFirst = [&] {
    LoopNest nest(check, LoopNest::Asserts::Allowed);
    run(NestDivision(nest, origins));
    run(division);
  };
  scf::ForOp checked = createCheckedLoop(check, loop);
  LoopNest nest(checked, LoopNest::Asserts::Allowed);
  NestDivision both(nest, origins);
  if (both.isAtomic()) {
    IndexMath math(host, loc);
    Value before =
        math.sub(createCount(division.getNest(), host, loc), math.constant(1));
    Value areFew = host.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ult, before, math.constant(kFewIterations));
    choose(host, loc, areFew, [&] { run(both); }, runCheckFirst);
  } else {
    runCheckFirst();
  }
  checked.erase();
  check.erase();
  checks.erase(loop);
}

bool LoopScheduler::run(scf::ForOp loop) {
  LoopNest nest(loop, LoopNest::Asserts::Allowed);
  if (!nest.isKnown())
    return false;
  if (leaveToScatter(loop))
    return true;
  NestDivision division(nest, origins);
  if (division.getIndependent().empty() && !division.getOwnership())
    return false;
  LDBG() << describeLastPart(loop) << ": " << division.getIndependent().size()
         << " of " << nest.getLoops().size() << " loops are independent"
         << (division.getOwnership() ? ", elements have owners" : "")
         << (division.isAtomic() ? ", updates are atomic" : "");
  OpBuilder host(loop);
  auto divide = [&] { NestKernel(division, host).run(function); };
  NestDivision loose(nest, origins, /*inAnyOrder=*/true);
  if (!division.getOwnership()) {
    division.isAtomic() ? runAtomically(loop, division) : divide();
  } else if (hasTwoForms(division, loose)) {
    runTwoForms(loop, division, loose);
  } else {
    ScatterKernels kernels(division, host, function);
    choose(
        host, loop.getLoc(), kernels.createIsWorth(), [&] { kernels.run(); },
        divide);
  }
  loop.erase();
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
  LoopScheduler scheduler(function);
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumRegions() == 0)
      return WalkResult::advance();
    if (isa<tally::KernelOp, linalg::LinalgOp>(op))
      return WalkResult::skip();
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && scheduler.run(loop))
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
