//===- Reify.cpp - Result sizes of operations that have no model ----------===//

#include "ShapesImpl.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {
/// IR that is made to be read, and goes away with this object wherever it was
/// inserted: in a detached block, beside the operation (some implementations
/// set the insertion point themselves, or use another builder), or elsewhere.
class ScratchIR : public OpBuilder::Listener {
public:
  ScratchIR(Operation *op, SymbolicShapes &shapes)
      : shapes(shapes), op(op), before(op->getPrevNode()),
        after(op->getNextNode()), builder(op->getContext(), this) {
    builder.setInsertionPointToStart(&block);
  }
  ~ScratchIR() override;

  OpBuilder &getBuilder() { return builder; }
  /// Returns true if the value of the expression can be read without the
  /// scratch IR.
  bool survives(Expr expr);

  void notifyOperationInserted(Operation *inserted,
                               OpBuilder::InsertPoint) override {
    if (inserted->getBlock() != &block)
      elsewhere.insert(inserted);
  }

private:
  void recordAdjacent();
  bool isScratch(Operation *candidate);
  bool isScratchValue(Value value) {
    Block *parent = value.getParentBlock();
    return parent == &block || isScratch(parent->getParentOp()) ||
           isScratch(value.getDefiningOp());
  }

  SymbolicShapes &shapes;
  Operation *op;
  Operation *before, *after;
  Block block;
  OpBuilder builder;
  llvm::SetVector<Operation *> elsewhere;
};
} // namespace

/// Records what was inserted beside the operation without notice.
void ScratchIR::recordAdjacent() {
  for (Operation *it = op->getPrevNode(); it && it != before;
       it = it->getPrevNode())
    elsewhere.insert(it);
  for (Operation *it = op->getNextNode(); it && it != after;
       it = it->getNextNode())
    elsewhere.insert(it);
}

bool ScratchIR::isScratch(Operation *candidate) {
  for (; candidate; candidate = candidate->getParentOp())
    if (candidate->getBlock() == &block || elsewhere.contains(candidate))
      return true;
  return false;
}

bool ScratchIR::survives(Expr expr) {
  recordAdjacent();
  return llvm::none_of(shapes.getContext().freeSymbols(expr), [&](Expr symbol) {
    auto origin = shapes.getOrigin(symbol);
    return origin && isScratchValue(origin->value);
  });
}

ScratchIR::~ScratchIR() {
  recordAdjacent();
  SmallVector<Operation *> scratch;
  for (Operation &inserted : block)
    scratch.push_back(&inserted);
  for (Operation *inserted : elsewhere)
    if (!isScratch(inserted->getParentOp()))
      scratch.push_back(inserted);
  for (Operation *inserted : scratch)
    shapes.forget(inserted);
  // Uses go first, so that the order does not matter.
  for (Operation *inserted : scratch)
    inserted->dropAllReferences();
  for (Operation *inserted : scratch) {
    inserted->dropAllUses();
    inserted->erase();
  }
}

/// Returns true if the reified sizes are for this operation.
static bool fitsResults(Operation *op,
                        const ReifiedRankedShapedTypeDims &dims) {
  if (dims.size() != op->getNumResults())
    return false;
  for (auto [result, sizes] : llvm::zip(op->getResults(), dims)) {
    ShapedType type = getRankedType(result);
    if (type && static_cast<size_t>(type.getRank()) != sizes.size())
      return false;
  }
  return true;
}

void ShapeWalk::inferByReification(Operation *op) {
  auto reifiable = dyn_cast<ReifyRankedShapedTypeOpInterface>(op);
  if (!reifiable || !op->getBlock())
    return;
  ScratchIR scratch(op, shapes);
  ReifiedRankedShapedTypeDims reified;
  if (failed(reifiable.reifyResultShapes(scratch.getBuilder(), reified)) ||
      !fitsResults(op, reified))
    return;
  for (auto [result, shape] : llvm::zip(op->getResults(), reified)) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (!size || sizes.lookupDim(result, dim))
        continue;
      if (Expr expr = shapes.getValue(size); scratch.survives(expr))
        shapes.setDim(result, dim, expr);
    }
  }
}
