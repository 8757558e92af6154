//===- LowerHostSort.cpp - Sorts on the CPU as calls of the runtime -------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "HostCall.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tally/Analysis/ScopedFacts.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LOWERHOSTSORT
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lower-host-sort"

using namespace mlir;
using namespace tally::codegen;

namespace {

/// Lowers one sort.
class HostSortLowering : public HostCall {
public:
  explicit HostSortLowering(tally::SortOp op) : HostCall(op), op(op) {}

  void run() {
    auto dim = int64_t(op.getDim());
    int64_t rank = cast<MemRefType>(op.getSource().getType()).getRank();
    Value buffers[] = {op.getSource(), op.getValues(), op.getIndices()};
    Value any = op.getAnyOutput(), pointers[3];
    SmallVector<Value> rowStrides, loops;
    for (int64_t other = 0; other < rank; ++other)
      if (other != dim)
        loops.push_back(getSize(op.getSource(), other));
    for (auto [index, buffer] : llvm::enumerate(buffers)) {
      SmallVector<Value> strides(rank);
      if (buffer)
        std::tie(pointers[index], strides) = describeBuffer(buffer);
      else
        pointers[index] = createNull();
      for (Value &stride : strides)
        if (!stride)
          stride = constant(0);
      rowStrides.push_back(strides[dim]);
      strides.erase(strides.begin() + dim);
      llvm::append_range(loops, strides);
    }
    SmallVector<Value> fields(std::begin(pointers), std::end(pointers));
    fields.push_back(getSize(op.getSource(), dim));
    fields.push_back(op.getFirst() ? toI64(op.getFirst()) : constant(0));
    fields.push_back(getSize(any, dim));
    llvm::append_range(fields, rowStrides);
    fields.push_back(constant(rank - 1));
    fields.push_back(createArray(loops));
    fields.push_back(getTypeCode(op.getSource(), op.getIsUnsigned()));
    fields.push_back(constant(op.getDescending() ? 1 : 0));
    call(tally::runtime_functions::kHostSort,
         createStruct<tally_rt_host_sort_args>(fields));
  }

private:
  tally::SortOp op;
};

} // namespace

/// Returns whether the runtime sorts elements of a type.
static bool isKnown(Type element) {
  return element.isIndex() || element.isF16() || element.isBF16() ||
         element.isF32() || element.isF64() || element.isInteger(1) ||
         element.isInteger(8) || element.isInteger(16) ||
         element.isInteger(32) || element.isInteger(64);
}

LogicalResult tally::lowerHostSorts(ModuleOp module) {
  SmallVector<SortOp> sorts;
  WalkResult result = module.walk([&](SortOp op) {
    sorts.push_back(op);
    Type element = getElementTypeOrSelf(op.getSource());
    if (!isa<MemRefType>(op.getSource().getType()) || op.getNumResults() > 0)
      return WalkResult(op.emitOpError("is on tensors; bufferize it first"));
    if (!isKnown(element))
      return WalkResult(op.emitOpError("sorts elements of type ")
                        << element
                        << ", which the runtime does not know; run "
                           "'tally-lower-sort' first");
    return WalkResult(requireCallContext(op));
  });
  if (result.wasInterrupted())
    return failure();
  for (SortOp op : sorts) {
    LDBG() << op->getName() << describePlace(op.getLoc())
           << ": a call of the runtime";
    HostSortLowering(op).run();
  }
  return success();
}

namespace {
struct LowerHostSortPass : tally::impl::LowerHostSortBase<LowerHostSortPass> {
  void runOnOperation() override {
    if (failed(tally::lowerHostSorts(getOperation())))
      signalPassFailure();
  }
};
} // namespace
