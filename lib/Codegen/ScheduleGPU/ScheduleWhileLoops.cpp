//===- ScheduleWhileLoops.cpp - Loops that nobody waits for ---------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "Common/Fusion.h"
#include "Kernels/KernelCopies.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SCHEDULEWHILELOOPS
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-schedule-while-loops"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// The threads of the block, and the most points of an iteration: what it takes
/// longer than many blocks is less than a wait.
static constexpr unsigned kThreads = 512;
static constexpr int64_t kMaxWork = 32768;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

/// Makes a kernel of a loop and launches it.
class LoopKernel {
public:
  /// `results` are those that are used behind the loop.
  LoopKernel(DeviceLoop &device, ValueRange results, OpBuilder &host)
      : device(device), results(results), loop(device.getLoop()),
        loc(loop.getLoc()), host(host) {}

  /// Returns what the loop results in.
  SmallVector<Value> run(StringRef function);

private:
  Value allocateLike(Value buffer);
  void allocate();
  void createSlots();
  SmallVector<Value> collectCaptures();
  void fill(Kernel &kernel);
  SmallVector<Value> takeResults();
  void release(ArrayRef<Value> results);

  DeviceLoop &device;
  ValueRange results;
  scf::WhileOp loop;
  Location loc;
  OpBuilder &host;
  /// The place of each carried buffer, and a second one where it moves; null
  /// for numbers.
  SmallVector<Value> homes, temporaries;
  /// Where what the loop allocates is.
  llvm::MapVector<Value, Value> buffers;
  /// Where each number that is used behind the loop comes back.
  SmallVector<Value> slots;
};

} // namespace

/// A buffer as large as one of the loop.
Value LoopKernel::allocateLike(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(device.createSize(host, buffer, dim));
  return memref::AllocOp::create(host, loc, type, sizes);
}

void LoopKernel::allocate() {
  for (auto [number, init] : llvm::enumerate(loop.getInits())) {
    DeviceLoop::Carry carry = device.getCarry(number);
    Value home = carry == DeviceLoop::Carry::Number ? Value() : init;
    if (carry == DeviceLoop::Carry::Borrowed) {
      home = allocateLike(loop.getBeforeArguments()[number]);
      memref::CopyOp::create(host, loc, init, home);
    }
    homes.push_back(home);
    temporaries.push_back(device.getsOther(number)
                              ? allocateLike(loop.getBeforeArguments()[number])
                              : Value());
  }
  loop->walk(
      [&](memref::AllocOp alloc) { buffers[alloc] = allocateLike(alloc); });
}

void LoopKernel::createSlots() {
  for (auto [value, result] :
       llvm::zip_equal(loop.getConditionOp().getArgs(), results)) {
    Type type = result.getType();
    if (isa<BaseMemRefType>(type))
      continue;
    bool isNeeded = !result.use_empty() && !device.isFlag(value);
    slots.push_back(isNeeded ? memref::AllocOp::create(
                                   host, loc, MemRefType::get({1}, type))
                             : Value());
  }
}

SmallVector<Value> LoopKernel::collectCaptures() {
  llvm::SetVector<Value> captures;
  getUsedValuesDefinedAbove(loop->getRegions(), captures);
  for (auto [number, init] : llvm::enumerate(loop.getInits()))
    captures.insert(homes[number] ? homes[number] : init);
  for (ArrayRef<Value> more : {ArrayRef(temporaries), ArrayRef(slots)})
    for (Value value : more)
      if (value)
        captures.insert(value);
  for (auto &[inside, buffer] : buffers)
    captures.insert(buffer);
  return captures.takeVector();
}

void LoopKernel::fill(Kernel &kernel) {
  OpBuilder builder = kernel.getBodyBuilder();
  bool canFail = loop->walk([](AssertOp) { return WalkResult::interrupt(); })
                     .wasInterrupted();
  for (auto [number, home] : llvm::enumerate(homes))
    if (home)
      kernel.map.map(loop.getBeforeArguments()[number],
                     kernel.map.lookup(home));
  for (auto &[inside, buffer] : buffers)
    kernel.map.map(inside, kernel.map.lookup(buffer));
  SmallVector<Value> inside = llvm::map_to_vector(
      temporaries, [&](Value it) { return it ? kernel.map.lookup(it) : it; });
  BlockEmitter block(kernel, builder, kThreads, canFail);
  SmallVector<Value> numbers = block.emitLoop(device, inside);
  for (auto [number, slot] : llvm::zip_equal(numbers, slots))
    if (slot)
      block.store(number, kernel.map.lookup(slot));
  if (canFail)
    block.noteFailures();
}

SmallVector<Value> LoopKernel::takeResults() {
  SmallVector<Value> results;
  const auto *slot = slots.begin();
  scf::ConditionOp condition = loop.getConditionOp();
  for (auto [place, value] : llvm::enumerate(condition.getArgs())) {
    if (std::optional<unsigned> carry = device.getPassed(place);
        carry && homes[*carry]) {
      results.push_back(homes[*carry]);
    } else if (Value made = buffers.lookup(value)) {
      results.push_back(made);
    } else if (Value from = *slot++) {
      Value zero = arith::ConstantIndexOp::create(host, loc, 0);
      results.push_back(memref::LoadOp::create(host, loc, from, zero));
      memref::DeallocOp::create(host, loc, from);
    } else {
      Type type = value.getType();
      results.push_back(arith::ConstantOp::create(
          host, loc,
          device.isFlag(value) ? host.getOneAttr(type)
                               : host.getZeroAttr(type)));
    }
  }
  return results;
}

/// Frees what the loop would have freed.
void LoopKernel::release(ArrayRef<Value> results) {
  auto free = [&](Value buffer) {
    if (buffer && !llvm::is_contained(results, buffer))
      memref::DeallocOp::create(host, loc, buffer);
  };
  for (auto &[inside, buffer] : buffers)
    free(buffer);
  for (Value buffer : temporaries)
    free(buffer);
  for (auto [number, home] : llvm::enumerate(homes))
    if (device.getCarry(number) != DeviceLoop::Carry::Kept)
      free(home);
}

SmallVector<Value> LoopKernel::run(StringRef function) {
  allocate();
  createSlots();
  Kernel kernel =
      createKernel(host, loc, (function + "_while").str(), collectCaptures());
  kernel.function.setKnownBlockSizeAttr(
      host.getDenseI32ArrayAttr({int32_t(kThreads), 1, 1}));
  fill(kernel);
  Value one = arith::ConstantIndexOp::create(host, loc, 1);
  launchKernel(host, loc, kernel, one,
               arith::ConstantIndexOp::create(host, loc, kThreads));
  SmallVector<Value> results = takeResults();
  release(results);
  return results;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether the host reads memory of the device in the loop.
static bool waits(scf::WhileOp loop) {
  return loop
      ->walk<WalkOrder::PreOrder>([](Operation *op) {
        if (isa<memref::LoadOp>(op))
          return WalkResult::interrupt();
        return isa<KernelOp, scf::ForOp>(op) ? WalkResult::skip()
                                             : WalkResult::advance();
      })
      .wasInterrupted();
}

static void report(scf::WhileOp loop, bool isAlways) {
  auto function = loop->getParentOfType<func::FuncOp>();
  std::string text = describeLastPart(loop) + " runs in one block of the GPU";
  if (!isAlways)
    text += " where an iteration has few points";
  // What becomes of operations is told by the same name for all passes.
  remark::passed(getLastPartLoc(loop), remark::RemarkOpts::name("OneBlock")
                                           .category("tally-form-kernels")
                                           .function(function.getName()))
      << text + ": the host does not wait in it";
}

/// Whether one block does an iteration fast enough, and buffers keep their
/// sizes.
static Value createIsSmall(OpBuilder &host, DeviceLoop &device) {
  Location loc = device.getLoop().getLoc();
  Value isSmall = host.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ule, device.createWork(host),
      arith::ConstantIndexOp::create(host, loc, kMaxWork));
  return host.createOrFold<arith::AndIOp>(loc, isSmall,
                                          device.createKeepsSizes(host));
}

/// Has a kernel run the loop where that is small; `device` is what kernels are
/// made of.
static void schedule(scf::WhileOp loop, DeviceLoop &device) {
  auto function = loop->getParentOfType<func::FuncOp>();
  OpBuilder host(loop);
  Value flag = createIsSmall(host, device);
  if (matchPattern(flag, m_Zero()))
    return;
  bool isAlways = matchPattern(flag, m_One());
  report(loop, isAlways);
  LoopKernel kernel(device, loop.getResults(), host);
  if (isAlways) {
    loop.replaceAllUsesWith(kernel.run(function.getName()));
    loop.erase();
    return;
  }
  auto branch =
      scf::IfOp::create(host, loop.getLoc(), loop.getResultTypes(), flag,
                        /*withElseRegion=*/true);
  host.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> results = kernel.run(function.getName());
  loop.replaceAllUsesWith(branch);
  Block *elseBlock = branch.elseBlock();
  loop->moveBefore(elseBlock, elseBlock->begin());
  if (results.empty())
    return;
  scf::YieldOp::create(host, loop.getLoc(), results);
  host.setInsertionPointToEnd(elseBlock);
  scf::YieldOp::create(host, loop.getLoc(), loop.getResults());
}

static StringRef findObstacle(scf::WhileOp loop) {
  StringRef obstacle = DeviceLoop(loop).findObstacle();
  LDBG() << describeLastPart(loop) << ": "
         << (obstacle.empty() ? "one block can run it" : obstacle);
  return obstacle;
}

/// Makes a kernel of the loop if one block can run it.
static LogicalResult scheduleLoop(scf::WhileOp loop) {
  if (!waits(loop) || !findObstacle(loop).empty())
    return success();
  // The schedules come later for what stays on the host.
  OpBuilder host(loop);
  auto copy = cast<scf::WhileOp>(host.clone(*loop));
  copy.walk([&](memref::GetGlobalOp global) { global->moveBefore(copy); });
  tally::hardenArith(copy);
  for (KernelOp kernel : splitCopies(copy))
    if (failed(verifySchedulable(kernel)))
      return failure();
  DeviceLoop device(copy);
  if (device.findObstacle().empty())
    schedule(loop, device);
  copy.erase();
  return success();
}

LogicalResult tally::scheduleWhileLoopsOnGPU(func::FuncOp function) {
  SmallVector<scf::WhileOp> loops;
  function.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops)
    if (failed(scheduleLoop(loop)))
      return failure();
  return success();
}

namespace {
struct ScheduleWhileLoopsPass
    : tally::impl::ScheduleWhileLoopsBase<ScheduleWhileLoopsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          failed(tally::scheduleWhileLoopsOnGPU(function)))
        return signalPassFailure();
  }
};
} // namespace
