//===- HoistStackBuffers.cpp - Buffers on the stack, once for a call ------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tally {
#define GEN_PASS_DEF_HOISTSTACKBUFFERS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;

void tally::hoistStackBuffers(func::FuncOp function) {
  if (function.isExternal())
    return;
  SmallVector<memref::AllocaOp> buffers;
  function.walk([&](memref::AllocaOp buffer) {
    if (buffer->getNumOperands() == 0)
      buffers.push_back(buffer);
  });
  Block &entry = function.front();
  for (memref::AllocaOp buffer : llvm::reverse(buffers))
    buffer->moveBefore(&entry, entry.begin());
}

namespace {
struct HoistStackBuffersPass
    : tally::impl::HoistStackBuffersBase<HoistStackBuffersPass> {
  void runOnOperation() override { tally::hoistStackBuffers(getOperation()); }
};
} // namespace
