//===- RepeatedWork.cpp - What kernels compute more than once -------------===//

#include "RepeatedWork.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tally::codegen;

int64_t tally::codegen::getCodeSize(linalg::GenericOp op) {
  // A function of a library is as much as some operations.
  constexpr int64_t kFunctionSize = 16;
  int64_t size = 0;
  op.getBody()->walk([&](Operation *nested) {
    bool isFunction = isa_and_nonnull<math::MathDialect>(nested->getDialect());
    size += isFunction ? kFunctionSize : 1;
  });
  return size;
}

unsigned tally::codegen::countComputedAgain(const KernelGroup &group) {
  // How many reductions, one after the other, an operation needs.
  llvm::SmallDenseMap<Operation *, unsigned> needed;
  unsigned most = 0;
  SmallVector<unsigned> expensive;
  for (linalg::GenericOp op : group.ops) {
    unsigned count = 0;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        count = std::max(count, needed.lookup(def));
    bool isReduction = op.getNumReductionLoops() > 0;
    bool isOfElements = group.loopDims.at(op).size() == group.dims.size();
    if (!isReduction && isOfElements && !isCheapToRepeat(op))
      expensive.push_back(count);
    needed[op] = count + isReduction;
    most = std::max(most, count + isReduction);
  }
  unsigned again = 0;
  for (unsigned count : expensive)
    again += most - count;
  return again;
}
