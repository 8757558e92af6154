//===- GPULaunch.cpp - The threads of a launch ----------------------------===//
//
// Blocks run one after the other, and so do the threads of a block between two
// places where they meet; in which order, a seed decides. What depends on the
// order is a race, and refused where the accesses are made.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "GPUThread.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

static constexpr int64_t kWarpSize = 32;
static constexpr int64_t kMaxBlockSize = 1024;
/// The most bytes that a block may share without asking for more.
static constexpr int64_t kMaxSharedBytes = 48 * 1024;

using Size = std::array<int64_t, 3>;

static int64_t getProduct(const Size &size) {
  return size[0] * size[1] * size[2];
}

/// The place of a number in a block or a grid; x is the innermost dimension.
static Size delinearize(int64_t number, const Size &size) {
  return {number % size[0], number / size[0] % size[1],
          number / size[0] / size[1]};
}

namespace {

/// Runs the blocks of a launch.
class Launch {
public:
  Launch(Operation *op, gpu::GPUFuncOp kernel, const Size &gridSize,
         const Size &blockSize, ArrayRef<RuntimeValue> arguments,
         Execution &execution)
      : op(op), kernel(kernel), gridSize(gridSize), blockSize(blockSize),
        arguments(arguments), execution(execution), places(kernel),
        failures(kernel.getBody(), execution), number(execution.countLaunch()) {
  }

  LogicalResult run();

private:
  LogicalResult checkSizes();
  LogicalResult runBlock(int64_t block);
  FailureOr<SmallVector<RuntimeValue>>
  allocateAll(ArrayRef<BlockArgument> attributions);
  LogicalResult startThreads(int64_t block, std::vector<GPUThread> &threads);
  LogicalResult runToMeetings(MutableArrayRef<GPUThread> threads);
  LogicalResult runThread(GPUThread &thread);
  LogicalResult meet(MutableArrayRef<GPUThread> threads);
  /// The operation at which all of the threads wait, or null where none does.
  FailureOr<Operation *> findMeeting(ArrayRef<GPUThread> threads,
                                     StringRef who);
  LogicalResult meetInWarp(Operation *at, MutableArrayRef<GPUThread> warp);
  LogicalResult runShuffle(gpu::ShuffleOp shuffle,
                           MutableArrayRef<GPUThread> warp);
  LogicalResult runVote(NVVM::VoteSyncOp vote, MutableArrayRef<GPUThread> warp);

  Operation *op;
  gpu::GPUFuncOp kernel;
  Size gridSize, blockSize;
  ArrayRef<RuntimeValue> arguments;
  Execution &execution;
  MeetingPlaces places;
  /// The checks that fail in threads; the first by program order counts.
  ElementRuns failures;
  int32_t number;
};

} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

LogicalResult Launch::checkSizes() {
  for (int64_t size : {gridSize[0], gridSize[1], gridSize[2], blockSize[0],
                       blockSize[1], blockSize[2]})
    if (size < 0 || size > std::numeric_limits<int32_t>::max())
      return refuseAccess(op, "has a size of " + Twine(size), execution);
  if (getProduct(blockSize) < 1 || getProduct(blockSize) > kMaxBlockSize)
    return refuseAccess(op,
                        "has blocks of " + Twine(getProduct(blockSize)) +
                            " threads, and a GPU from 1 to " +
                            Twine(kMaxBlockSize),
                        execution);
  if (auto known = kernel.getKnownBlockSize())
    for (auto [expected, actual] : zip_equal(*known, blockSize))
      if (expected != actual)
        return refuseAccess(
            op, "has blocks of another size than its kernel says", execution);
  int64_t bytes = 0;
  for (BlockArgument attribution : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(attribution.getType());
    bytes += Tensor::getNumBytes(type.getElementType(), type.getShape())
                 .value_or(kMaxSharedBytes + 1);
  }
  if (bytes > kMaxSharedBytes)
    return refuseAccess(op,
                        "launches a kernel whose blocks share more than " +
                            Twine(kMaxSharedBytes) + " bytes",
                        execution);
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks and threads
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<RuntimeValue>>
Launch::allocateAll(ArrayRef<BlockArgument> attributions) {
  SmallVector<RuntimeValue> buffers;
  for (BlockArgument attribution : attributions) {
    auto type = cast<MemRefType>(attribution.getType());
    FailureOr<Buffer> buffer =
        execution.allocate(op, type.getElementType(), type.getShape());
    if (failed(buffer))
      return failure();
    buffers.emplace_back(std::move(*buffer));
  }
  return buffers;
}

LogicalResult Launch::startThreads(int64_t block,
                                   std::vector<GPUThread> &threads) {
  FailureOr<SmallVector<RuntimeValue>> shared =
      allocateAll(kernel.getWorkgroupAttributions());
  if (failed(shared))
    return failure();
  ThreadPlace place;
  place.block = delinearize(block, gridSize);
  place.blockSize = blockSize;
  place.gridSize = gridSize;
  place.blockNumber = static_cast<int32_t>(block);
  place.launch = number;
  int64_t count = getProduct(blockSize);
  threads.reserve(count);
  for (int64_t thread = 0; thread < count; ++thread) {
    place.thread = delinearize(thread, blockSize);
    place.threadNumber = static_cast<int32_t>(thread);
    FailureOr<SmallVector<RuntimeValue>> own =
        allocateAll(kernel.getPrivateAttributions());
    if (failed(own))
      return failure();
    SmallVector<RuntimeValue> all(arguments);
    all.append(*shared);
    all.append(*own);
    threads.emplace_back(places, place).start(kernel.getBody(), all);
  }
  return success();
}

/// Runs a thread; one for which a check fails ends.
LogicalResult Launch::runThread(GPUThread &thread) {
  if (succeeded(thread.run(execution)))
    return success();
  const auto *error = std::get_if<RunError>(&*execution.getEnd());
  if (!error) {
    thread.end();
    return failures.note();
  }
  RunError placed = *error;
  placed.message += (" (in thread " + Twine(thread.getPlace().threadNumber) +
                     " of block " + Twine(thread.getPlace().blockNumber) +
                     ", seed " + Twine(execution.getOptions().seed) + ")")
                        .str();
  return execution.fail(std::move(placed));
}

LogicalResult Launch::runToMeetings(MutableArrayRef<GPUThread> threads) {
  for (int64_t index : execution.shuffle(static_cast<int64_t>(threads.size())))
    if (failed(runThread(threads[index])))
      return failure();
  return success();
}

/// Behind a failed check a block does not go on.
LogicalResult Launch::runBlock(int64_t block) {
  std::vector<GPUThread> threads;
  if (failed(startThreads(block, threads)))
    return failure();
  while (true) {
    if (failed(runToMeetings(threads)))
      return failure();
    if (failures.hasFailed() ||
        all_of(threads, [](const GPUThread &t) { return t.hasEnded(); }))
      return success();
    if (failed(meet(threads)))
      return failure();
  }
}

LogicalResult Launch::run() {
  if (failed(checkSizes()))
    return failure();
  if (execution.getOptions().onLaunch)
    execution.getOptions().onLaunch(kernel.getName(), getProduct(gridSize));
  for (int64_t block : execution.shuffle(getProduct(gridSize)))
    if (failed(runBlock(block)))
      return failure();
  return failures.finish();
}

//===----------------------------------------------------------------------===//
// Where threads meet
//===----------------------------------------------------------------------===//

static std::string describeState(const GPUThread &thread) {
  std::string text = "thread " + std::to_string(thread.getPlace().threadNumber);
  Operation *at = thread.getPlaceOfMeeting();
  if (!at)
    return text + " has ended";
  text += " waits at '" + at->getName().getStringRef().str() + "'";
  if (auto file = at->getLoc()->findInstanceOf<FileLineColLoc>())
    text += (" at " + file.getFilename().getValue() + ":" +
             Twine(file.getLine()) + ":" + Twine(file.getColumn()))
                .str();
  return text;
}

FailureOr<Operation *> Launch::findMeeting(ArrayRef<GPUThread> threads,
                                           StringRef who) {
  const GPUThread &first = threads.front();
  for (const GPUThread &thread : threads) {
    if (thread.getPlaceOfMeeting() == first.getPlaceOfMeeting())
      continue;
    const GPUThread &waits = first.hasEnded() ? thread : first;
    const GPUThread &other = first.hasEnded() ? first : thread;
    return refuseAccess(waits.getPlaceOfMeeting(),
                        "is not reached by all threads of " + who +
                            " of block " + Twine(waits.getPlace().blockNumber) +
                            ": " + describeState(waits) + ", " +
                            describeState(other) + " (seed " +
                            Twine(execution.getOptions().seed) + ")",
                        execution);
  }
  return first.getPlaceOfMeeting();
}

/// Lets threads go on that have met. No thread can go on by itself.
LogicalResult Launch::meet(MutableArrayRef<GPUThread> threads) {
  bool hasPassed = false;
  for (size_t start = 0; start < threads.size(); start += kWarpSize) {
    MutableArrayRef<GPUThread> warp = threads.slice(
        start, std::min<size_t>(kWarpSize, threads.size() - start));
    if (none_of(warp, [](const GPUThread &thread) {
          Operation *at = thread.getPlaceOfMeeting();
          return at && getMeeting(at) == Meeting::Warp;
        }))
      continue;
    FailureOr<Operation *> at = findMeeting(warp, "a warp");
    if (failed(at) || failed(meetInWarp(*at, warp)))
      return failure();
    hasPassed = true;
  }
  if (hasPassed)
    return success();
  if (failed(findMeeting(threads, "the block")))
    return failure();
  for (GPUThread &thread : threads)
    thread.passBarrier();
  return success();
}

LogicalResult Launch::meetInWarp(Operation *at,
                                 MutableArrayRef<GPUThread> warp) {
  if (warp.size() < kWarpSize)
    return refuseAccess(at, "needs a warp of 32 threads", execution);
  auto shuffle = dyn_cast<gpu::ShuffleOp>(at);
  if (failed(shuffle ? runShuffle(shuffle, warp)
                     : runVote(cast<NVVM::VoteSyncOp>(at), warp)))
    return failure();
  for (GPUThread &thread : warp)
    thread.pass();
  return success();
}

/// The lane whose value a shuffle gives; it may be none.
static int64_t getSourceLane(gpu::ShuffleMode mode, int64_t lane,
                             int64_t offset) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return lane ^ offset;
  case gpu::ShuffleMode::UP:
    return lane - offset;
  case gpu::ShuffleMode::DOWN:
    return lane + offset;
  case gpu::ShuffleMode::IDX:
    return offset;
  }
  llvm_unreachable("no such mode");
}

LogicalResult Launch::runShuffle(gpu::ShuffleOp shuffle,
                                 MutableArrayRef<GPUThread> warp) {
  SmallVector<Scalar> values;
  for (const GPUThread &thread : warp)
    values.push_back(thread.getScalar(shuffle.getValue()));
  for (auto [lane, thread] : enumerate(warp)) {
    const Scalar &offset = thread.getScalar(shuffle.getOffset());
    const Scalar &width = thread.getScalar(shuffle.getWidth());
    if (offset.isPoison() || width.isPoison())
      return execution.observedPoison(shuffle, "the offset of a shuffle");
    int64_t source = getSourceLane(shuffle.getMode(),
                                   static_cast<int64_t>(lane), offset.getInt());
    int64_t limit = std::min(width.getInt(), kWarpSize);
    bool isValid =
        static_cast<int64_t>(lane) < limit && source >= 0 && source < limit;
    Scalar result =
        isValid ? values[source]
                : execution.makePoison(shuffle, "there is no such lane");
    thread.set(shuffle.getShuffleResult(), std::move(result));
    thread.set(shuffle.getValid(), Scalar::ofBool(isValid));
  }
  return success();
}

LogicalResult Launch::runVote(NVVM::VoteSyncOp vote,
                              MutableArrayRef<GPUThread> warp) {
  APInt ballot(kWarpSize, 0);
  for (auto [lane, thread] : enumerate(warp)) {
    const Scalar &mask = thread.getScalar(vote.getMask());
    const Scalar &predicate = thread.getScalar(vote.getPred());
    if (mask.isPoison() || predicate.isPoison())
      return execution.observedPoison(vote, "what a thread votes");
    if (!mask.getBits().isAllOnes())
      return execution.unsupported(vote, "all threads of a warp have to vote");
    ballot.setBitVal(static_cast<unsigned>(lane), predicate.getBool());
  }
  std::optional<Scalar> result;
  switch (vote.getKind()) {
  case NVVM::VoteSyncKind::ballot:
    result = Scalar(ballot);
    break;
  case NVVM::VoteSyncKind::any:
    result = Scalar::ofBool(!ballot.isZero());
    break;
  case NVVM::VoteSyncKind::all:
    result = Scalar::ofBool(ballot.isAllOnes());
    break;
  case NVVM::VoteSyncKind::uni:
    result = Scalar::ofBool(ballot.isZero() || ballot.isAllOnes());
    break;
  }
  for (GPUThread &thread : warp)
    thread.set(vote.getResult(), *result);
  return success();
}

LogicalResult tally::interpreter::launchKernel(Operation *op,
                                               FunctionOpInterface kernel,
                                               Size gridSize, Size blockSize,
                                               ArrayRef<RuntimeValue> arguments,
                                               Execution &execution) {
  return Launch(op, cast<gpu::GPUFuncOp>(kernel.getOperation()), gridSize,
                blockSize, arguments, execution)
      .run();
}
