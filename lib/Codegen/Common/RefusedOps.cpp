//===- RefusedOps.cpp - Operations that cannot run ------------------------===//
//
// Behind a check that always fails, sizes may become constants that disagree,
// and upstream's folders put them into types. Such an operation never runs, or
// it is a loop without an iteration, of which upstream's verifier looks at the
// last one. Its results are its inits, or contents that nobody reads.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/RefusedOps.h"

#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

/// Returns whether `op` can be replaced: all that it makes are tensors of a
/// known rank or a buffer without strides, or it is a loop over buffers or a
/// copy of one.
static bool isReplaceable(Operation *op) {
  if (isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(op)) {
    auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
    return type && type.getLayout().isIdentity();
  }
  if (op->getNumResults() == 0)
    return isa<linalg::LinalgOp, memref::CopyOp>(op);
  return isa_and_present<linalg::LinalgDialect, tensor::TensorDialect>(
             op->getDialect()) &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

/// Returns whether the verifier of `op` refuses it; it reports nothing.
static bool isRefused(Operation *op) {
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler silence(op->getContext(), [&](Diagnostic &) {
    return success(llvm::get_threadid() == thread);
  });
  return failed(op->getName().verifyInvariants(op)) ||
         failed(op->getName().verifyRegionInvariants(op));
}

/// Returns whether no iteration of the loops of `op` runs.
static bool runsOverNothing(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && llvm::is_contained(structured.getStaticLoopRanges(), 0);
}

/// Creates a tensor or a buffer without contents.
static Value createEmpty(OpBuilder &builder, Location loc, ShapedType type) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  SmallVector<Value> sizes(type.getNumDynamicDims(), zero);
  if (auto buffer = dyn_cast<MemRefType>(type))
    return memref::AllocOp::create(builder, loc, buffer, sizes);
  return tensor::EmptyOp::create(builder, loc, cast<RankedTensorType>(type),
                                 sizes);
}

/// Replaces `op` by its inits, or by what has no contents.
static void replace(Operation *op) {
  OpBuilder builder(op);
  // An operation that is right only as it does not run reports it if it does.
  if (!runsOverNothing(op)) {
    Value never = arith::ConstantOp::create(builder, op->getLoc(),
                                            builder.getBoolAttr(false));
    tally::AssertOp::create(
        builder, op->getLoc(), never,
        "the sizes of " + op->getName().getStringRef().str() + " disagree");
  }
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpResult result : op->getResults()) {
    if (destination) {
      Value init = destination.getTiedOpOperand(result)->get();
      if (init.getType() == result.getType()) {
        result.replaceAllUsesWith(init);
        continue;
      }
    }
    result.replaceAllUsesWith(
        createEmpty(builder, op->getLoc(), cast<ShapedType>(result.getType())));
  }
  op->erase();
}

void tally::replaceRefused(Operation *root) {
  SmallVector<Operation *> refused;
  root->walk([&](Operation *op) {
    if (isReplaceable(op) && isRefused(op))
      refused.push_back(op);
  });
  for (Operation *op : refused)
    replace(op);
}
