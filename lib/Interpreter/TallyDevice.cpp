//===- TallyDevice.cpp - What the host asks of a device -------------------===//

#include "Buffers.h"
#include "Handlers.h"

#include "tally/IR/Tally.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;
using namespace tally;
using namespace tally::interpreter;

/// The threads of a block of a kernel that multiplies, and the most blocks; as
/// the runtime launches it.
static constexpr int64_t kMatmulThreads = 256;
static constexpr int64_t kMostMatmulBlocks = int64_t(65535) * 16;

static LogicalResult runReadBack(ReadBackOp op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> indices =
      execution.observeInts(op, op.getIndices());
  if (failed(indices))
    return failure();
  FailureOr<Scalar> element =
      loadElement(op, execution.getBuffer(op.getSource()), *indices, execution);
  if (failed(element))
    return failure();
  if (element->isPoison())
    return execution.observedPoison(op, "what the host reads");
  execution.set(op, std::move(*element));
  return success();
}

/// Launches the kernel of the product, as the runtime does without a library.
static LogicalResult runMatmul(MatmulOp op, Execution &execution) {
  if (!isa<MemRefType>(op.getC().getType()) || !op.getFallbackAttr())
    return execution.unsupported(op, "a matmul needs buffers and a kernel");
  if (op.getPrologue())
    return execution.unsupported(op, "a matmul on a GPU has no prologue");
  FunctionOpInterface kernel =
      execution.lookupFunction(op, op.getFallbackAttr());
  SmallVector<RuntimeValue> arguments;
  SmallVector<int64_t> leading, between;
  for (mlir::Value operand : {op.getA(), op.getB(), op.getC()}) {
    Buffer buffer = execution.getBuffer(operand);
    size_t rank = buffer.sizes.size();
    leading.push_back(buffer.strides[rank - 2]);
    between.push_back(rank > 2 ? buffer.strides[rank - 3] : 0);
    // A kernel gets a pointer to the first element.
    buffer.base += std::exchange(buffer.offset, 0);
    buffer.isReadOnly = operand != op.getC();
    arguments.emplace_back(std::move(buffer));
  }
  ArrayRef<int64_t> c = execution.getBuffer(op.getC()).sizes;
  ArrayRef<int64_t> a = execution.getBuffer(op.getA()).sizes;
  int64_t batch = 1;
  for (int64_t size : c.drop_back(2))
    batch *= size;
  int64_t m = c[c.size() - 2], n = c.back();
  int64_t k = op.getTransposeA() ? a[a.size() - 2] : a.back();
  SmallVector<int64_t> numbers = {batch, m, n, k};
  numbers.append(leading);
  numbers.append(between);
  for (int64_t value : numbers)
    arguments.emplace_back(Scalar::ofIndex(value));
  auto blocks = static_cast<int64_t>(divideCeil(batch * m * n, kMatmulThreads));
  return launchKernel(op, kernel, {std::min(blocks, kMostMatmulBlocks), 1, 1},
                      {kMatmulThreads, 1, 1}, arguments, execution);
}

void tally::interpreter::registerTallyDevice(HandlerTable &table) {
  addHandler<ReadBackOp>(table, runReadBack);
  addHandler<MatmulOp>(table, runMatmul);
}
