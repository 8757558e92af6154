//===- GPU.cpp - Launches, and what a thread knows of itself --------------===//

#include "Buffers.h"
#include "Handlers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

static constexpr int64_t kWarpSize = 32;

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// What a kernel gets: a buffer that it promises only to read is such a one.
static SmallVector<RuntimeValue> passArguments(gpu::LaunchFuncOp op,
                                               gpu::GPUFuncOp kernel,
                                               Execution &execution) {
  SmallVector<RuntimeValue> arguments;
  for (auto [index, operand] : enumerate(op.getKernelOperands())) {
    RuntimeValue value = execution.get(operand);
    if (value.isBuffer() &&
        kernel.getArgAttr(index, LLVM::LLVMDialect::getReadonlyAttrName())) {
      Buffer buffer = value.getBuffer();
      buffer.isReadOnly = true;
      value = std::move(buffer);
    }
    arguments.push_back(std::move(value));
  }
  return arguments;
}

static LogicalResult runLaunch(gpu::LaunchFuncOp op, Execution &execution) {
  auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(
      execution.lookupFunction(op, op.getKernelAttr()).getOperation());
  if (!kernel)
    return execution.unsupported(op, "the kernel is no 'gpu.func'");
  if (op.hasClusterSize() || op.getAsyncToken())
    return execution.unsupported(op, "the interpreter launches kernels one "
                                     "after the other, without clusters");
  std::array<int64_t, 3> gridSize = {}, blockSize = {};
  auto read = [&](std::array<int64_t, 3> &size, gpu::KernelDim3 operands) {
    FailureOr<SmallVector<int64_t>> values = execution.observeInts(
        op, ValueRange{operands.x, operands.y, operands.z});
    if (succeeded(values))
      llvm::copy(*values, size.begin());
    return success(succeeded(values));
  };
  if (failed(read(gridSize, op.getGridSizeOperandValues())) ||
      failed(read(blockSize, op.getBlockSizeOperandValues())))
    return failure();
  return launchKernel(op, kernel, gridSize, blockSize,
                      passArguments(op, kernel, execution), execution);
}

static LogicalResult runReturn(gpu::ReturnOp op, Execution &execution) {
  return execution.leave(execution.takeAll(op->getOpOperands()));
}

/// Threads meet in the kernel itself, where the launch sees to it.
static LogicalResult refuseMeeting(Operation *op, Execution &execution) {
  return execution.unsupported(op, "threads can meet only in a kernel itself");
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Adds an operation whose result follows from the place of the thread.
static void addPlace(HandlerTable &table, StringRef name,
                     int64_t (*get)(Operation *, const ThreadPlace &)) {
  table.add(name, [get](Operation *op, Execution &execution) -> LogicalResult {
    const ThreadPlace *thread = execution.getThread();
    if (!thread)
      return execution.unsupported(op, "there are threads only in a kernel");
    execution.set(op->getResult(0), Scalar::ofIndex(get(op, *thread)));
    return success();
  });
}

template <typename OpT>
static unsigned getDimension(Operation *op) {
  return static_cast<unsigned>(cast<OpT>(op).getDimension());
}

template <typename OpT, auto member>
static int64_t getOfPlace(Operation *op, const ThreadPlace &place) {
  return (place.*member)[getDimension<OpT>(op)];
}

static int64_t getGlobalId(Operation *op, const ThreadPlace &place) {
  auto dim = getDimension<gpu::GlobalIdOp>(op);
  return place.block[dim] * place.blockSize[dim] + place.thread[dim];
}

static int64_t getLane(Operation *, const ThreadPlace &place) {
  return place.threadNumber % kWarpSize;
}

static int64_t getWarp(Operation *, const ThreadPlace &place) {
  return place.threadNumber / kWarpSize;
}

static int64_t getNumWarps(Operation *, const ThreadPlace &place) {
  int64_t threads =
      place.blockSize[0] * place.blockSize[1] * place.blockSize[2];
  return static_cast<int64_t>(divideCeil(threads, kWarpSize));
}

static int64_t getWarpSize(Operation *, const ThreadPlace &) {
  return kWarpSize;
}

template <typename OpT, auto member>
static void addPlace(HandlerTable &table) {
  addPlace(table, OpT::getOperationName(), getOfPlace<OpT, member>);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static FailureOr<Scalar> countBits(Operation *, ArrayRef<Scalar> operands,
                                   Execution &) {
  const APInt &bits = operands.front().getBits();
  return Scalar(APInt(bits.getBitWidth(), bits.popcount()));
}

void tally::interpreter::registerGPU(HandlerTable &table) {
  addHandler<gpu::LaunchFuncOp>(table, runLaunch);
  addHandler<gpu::ReturnOp>(table, runReturn);
  table.add(gpu::BarrierOp::getOperationName(), refuseMeeting);
  table.add(gpu::ShuffleOp::getOperationName(), refuseMeeting);
  table.add(NVVM::VoteSyncOp::getOperationName(), refuseMeeting);
  addPlace<gpu::ThreadIdOp, &ThreadPlace::thread>(table);
  addPlace<gpu::BlockIdOp, &ThreadPlace::block>(table);
  addPlace<gpu::BlockDimOp, &ThreadPlace::blockSize>(table);
  addPlace<gpu::GridDimOp, &ThreadPlace::gridSize>(table);
  addPlace(table, gpu::GlobalIdOp::getOperationName(), getGlobalId);
  addPlace(table, gpu::LaneIdOp::getOperationName(), getLane);
  addPlace(table, gpu::SubgroupIdOp::getOperationName(), getWarp);
  addPlace(table, gpu::NumSubgroupsOp::getOperationName(), getNumWarps);
  addPlace(table, gpu::SubgroupSizeOp::getOperationName(), getWarpSize);
  addElementwise<LLVM::CtPopOp>(table, countBits);
}
