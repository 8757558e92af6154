//===- ElideCopies.cpp - Kernels that write where a copy would go ---------===//
//
// See the description of the pass in Passes.td. Bufferization writes a result
// where it is inserted unless another result of the same kernel is inserted
// before it, or the part has a dimension of one element more than the result.
//
//===----------------------------------------------------------------------===//

#include "Common/BufferParts.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Codegen/Kernels/Passes.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tally-elide-copies"

namespace tally {
#define GEN_PASS_DEF_ELIDECOPIES
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

namespace {

/// A copy of what a kernel has written to a buffer of its own into a part of
/// another buffer.
class KernelCopy {
public:
  explicit KernelCopy(memref::CopyOp copy) : copy(copy) {}

  /// Finds the kernel and the buffers; fails where others use the buffer.
  LogicalResult match();
  /// Returns why the kernel may not write to the part; empty if it may.
  StringRef findObstacle();
  void elide();

private:
  LogicalResult matchBuffer();
  /// Whether `op` is between the kernel and the copy, or the kernel.
  bool isBetween(Operation *op) {
    return op->isBeforeInBlock(copy) && !op->isBeforeInBlock(kernel);
  }
  /// Whether `value` is there where the kernel starts.
  bool dominates(Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != kernel->getBlock() ||
           op->isBeforeInBlock(kernel);
  }
  bool canMoveUp(Value value);
  bool isReadOrWritten();
  void moveUp(Value value);

  memref::CopyOp copy;
  memref::AllocOp buffer;
  /// Adds dimensions of one element between the buffer and the copy.
  memref::ExpandShapeOp expanded;
  KernelOp kernel;
  memref::SubViewOp part;
  /// What the part is of.
  memref::AllocOp whole;
  /// The part as the kernel writes it, without those dimensions.
  MemRefType type;
};

} // namespace

/// A kernel writes the buffer, and the copy reads it. Nobody else does either.
LogicalResult KernelCopy::matchBuffer() {
  expanded = copy.getSource().getDefiningOp<memref::ExpandShapeOp>();
  if (expanded && !expanded->hasOneUse())
    return failure();
  Value source = expanded ? expanded.getSrc() : copy.getSource();
  buffer = source.getDefiningOp<memref::AllocOp>();
  if (!buffer)
    return failure();
  Operation *reader = expanded ? expanded.getOperation() : copy;
  for (OpOperand &use : source.getUses()) {
    if (use.getOwner() == reader)
      continue;
    auto writer = dyn_cast<KernelOp>(use.getOwner());
    if (!writer || kernel || !writer.isDpsInit(&use))
      return failure();
    kernel = writer;
  }
  return success(kernel && kernel->getBlock() == copy->getBlock() &&
                 kernel->isBeforeInBlock(copy));
}

LogicalResult KernelCopy::match() {
  part = copy.getTarget().getDefiningOp<memref::SubViewOp>();
  if (!part || !part->hasOneUse() || failed(matchBuffer()))
    return failure();
  whole = part.getSource().getDefiningOp<memref::AllocOp>();
  auto from = cast<MemRefType>(copy.getSource().getType());
  if (!whole || from.getShape() != part.getType().getShape())
    return failure();
  type = part.getType();
  ArrayRef<int64_t> shape = buffer.getType().getShape();
  if (!expanded)
    return success();
  if (type.getRank() != part.getSourceType().getRank() ||
      isRankReducedType(from, buffer.getType()) !=
          SliceVerificationResult::Success)
    return failure();
  type = memref::SubViewOp::inferRankReducedResultType(
      shape, part.getSourceType(), part.getMixedOffsets(), part.getMixedSizes(),
      part.getMixedStrides());
  return success(type && type.getShape() == shape);
}

StringRef KernelCopy::findObstacle() {
  for (auto at = kernel->getIterator(); &*at != copy; ++at)
    if (at->walk([](AssertOp) {
            return WalkResult::interrupt();
          }).wasInterrupted())
      return "an assert stands between";
  if (!canMoveUp(part))
    return "where it ends up is not known yet";
  if (isReadOrWritten())
    return "the part may be read or written in between";
  return "";
}

/// Whether `value` is there before the kernel, or can be.
bool KernelCopy::canMoveUp(Value value) {
  if (dominates(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op != kernel && op->getNumRegions() == 0 &&
         (op == whole || isMemoryEffectFree(op)) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return canMoveUp(operand); });
}

/// Whether what has the whole buffer may have the part between the kernel and
/// the copy.
bool KernelCopy::isReadOrWritten() {
  llvm::DenseSet<Value> sizes;
  SmallVector<Value> views{whole};
  for (unsigned i = 0; i < views.size(); ++i) {
    if (auto view = views[i].getDefiningOp<memref::SubViewOp>())
      sizes.insert_range(view.getSizes());
    for (Operation *user : views[i].getUsers())
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(views, user->getResults());
  }
  for (Value view : views)
    for (Operation *user : view.getUsers()) {
      Operation *op = copy->getBlock()->findAncestorOpInBlock(*user);
      // What comes behind the copy has what it has always had.
      if (!op || user == copy || copy->isBeforeInBlock(op) ||
          isa<ViewLikeOpInterface, memref::DimOp>(user))
        continue;
      // Others may have other names for the buffer.
      if (!isa<KernelOp, memref::CopyOp>(user) ||
          (isBetween(op) && !areApart(view, part, sizes)))
        return true;
    }
  return false;
}

void KernelCopy::moveUp(Value value) {
  if (dominates(value))
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    moveUp(operand);
  value.getDefiningOp()->moveBefore(kernel);
}

void KernelCopy::elide() {
  moveUp(part);
  OpBuilder builder(kernel);
  Value written = part;
  if (expanded)
    written = memref::SubViewOp::create(
        builder, part.getLoc(), type, part.getSource(), part.getMixedOffsets(),
        part.getMixedSizes(), part.getMixedStrides());
  buffer->replaceUsesWithIf(ValueRange{written}, [&](OpOperand &use) {
    return use.getOwner() == kernel;
  });
  copy.erase();
  if (expanded) {
    expanded.erase();
    part.erase();
  }
  buffer.erase();
}

namespace {
struct ElideCopiesPass : tally::impl::ElideCopiesBase<ElideCopiesPass> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      KernelCopy elision(copy);
      if (failed(elision.match()))
        continue;
      StringRef obstacle = elision.findObstacle();
      LDBG() << "copy" << describePlace(copy.getLoc())
             << (obstacle.empty() ? ": a kernel writes where it goes"
                                  : ": stays, as ")
             << obstacle;
      if (obstacle.empty())
        elision.elide();
    }
  }
};
} // namespace
