//===- SplitConcats.cpp - What is computed of a concatenation, in parts ---===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "tally/Codegen/Kernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_SPLITCONCATS
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-split-concats"

using namespace mlir;
using namespace tally::codegen;
using linalg::LinalgOp;

/// The most parts that an operation is split into: each is a kernel.
static constexpr unsigned kMaxParts = 4;

//===----------------------------------------------------------------------===//
// What is split
//===----------------------------------------------------------------------===//

/// Returns whether an operation computes an element for each point, from
/// elements at that point alone.
static bool isOnPoints(Operation *op) {
  auto linalgOp = dyn_cast<LinalgOp>(op);
  return linalgOp && linalgOp.hasPureTensorSemantics() &&
         linalg::isElementwise(linalgOp) &&
         llvm::all_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
           return !linalgOp.payloadUsesValueFromOperand(&init);
         });
}

/// The loop that a dimension of an operand is; none if it is no loop.
static std::optional<unsigned> getLoop(OpOperand &operand, unsigned dim) {
  auto op = cast<LinalgOp>(operand.getOwner());
  auto loop = dyn_cast<AffineDimExpr>(
      op.getMatchingIndexingMap(&operand).getResult(dim));
  return loop ? std::optional<unsigned>(loop.getPosition()) : std::nullopt;
}

/// The dimension of an operand that a loop is; none if it does not run over it.
static std::optional<unsigned> getDim(LinalgOp op, OpOperand &operand,
                                      unsigned loop) {
  return op.getMatchingIndexingMap(&operand).getResultPosition(
      getAffineDimExpr(loop, op->getContext()));
}

/// The dimension of a result that a loop is.
static unsigned getDimOfResult(LinalgOp op, OpResult result, unsigned loop) {
  return *getDim(op, *op.getTiedOpOperand(result), loop);
}

namespace {

/// The operations on points around a concatenation, each with the loop that is
/// split: those that read it, those that read what they make, and what only
/// these read.
class SplitOps {
public:
  explicit SplitOps(tensor::ConcatOp concat) : concat(concat) {}

  /// Fails if the concatenation is needed as a whole.
  LogicalResult collect() {
    for (OpOperand &use : concat->getUses())
      if (!addReader(use, concat.getDim()))
        return failure();
    for (unsigned next = 0; next < ops.size(); ++next) {
      addReaders(ops[next]);
      addMakers(ops[next]);
    }
    return success(!ops.empty());
  }

  bool contains(Operation *op) const { return loops.contains(op); }
  unsigned getLoop(Operation *op) const { return loops.at(op); }
  /// In the order of the program.
  SmallVector<LinalgOp> getInOrder() const {
    SmallVector<LinalgOp> sorted(ops);
    llvm::sort(sorted,
               [](LinalgOp a, LinalgOp b) { return a->isBeforeInBlock(b); });
    return sorted;
  }

private:
  /// Adds an operation that reads what is split along `dim`; returns whether it
  /// is one of those that are split.
  bool addReader(OpOperand &use, unsigned dim) {
    Operation *reader = use.getOwner();
    if (reader->getBlock() != concat->getBlock() || !isOnPoints(reader) ||
        !cast<LinalgOp>(reader).isDpsInput(&use))
      return false;
    std::optional<unsigned> loop = ::getLoop(use, dim);
    if (!loop)
      return false;
    auto [it, isNew] = loops.insert({reader, *loop});
    if (isNew)
      ops.push_back(cast<LinalgOp>(reader));
    return it->second == *loop;
  }

  void addReaders(LinalgOp op) {
    for (OpResult result : op->getResults())
      for (OpOperand &use : result.getUses())
        addReader(use, getDimOfResult(op, result, getLoop(op)));
  }

  /// Adds operations whose results only those that are split read.
  void addMakers(LinalgOp op) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      std::optional<unsigned> dim = getDim(op, *input, getLoop(op));
      auto maker = input->get().getDefiningOp<LinalgOp>();
      if (!dim || !maker || maker->getNumResults() != 1 ||
          maker->getBlock() != concat->getBlock() || !isOnPoints(maker) ||
          contains(maker) || maker.getNumLoops() == 0)
        continue;
      std::optional<unsigned> loop =
          ::getLoop(*maker.getTiedOpOperand(maker->getResult(0)), *dim);
      if (loop && llvm::all_of(maker->getUses(), [&](OpOperand &use) {
            return isSplitAlong(use, *dim);
          })) {
        loops.insert({maker, *loop});
        ops.push_back(maker);
      }
    }
  }
  bool isSplitAlong(OpOperand &use, unsigned dim) const {
    auto reader = loops.find(use.getOwner());
    return reader != loops.end() &&
           cast<LinalgOp>(use.getOwner()).isDpsInput(&use) &&
           ::getLoop(use, dim) == reader->second;
  }

  tensor::ConcatOp concat;
  SmallVector<LinalgOp> ops;
  llvm::DenseMap<Operation *, unsigned> loops;
};

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

/// Replaces operations by one for each part.
class ConcatSplitter {
public:
  ConcatSplitter(tensor::ConcatOp concat, const SplitOps &ops)
      : concat(concat), ops(ops), builder(concat) {}

  void run() {
    builder.setInsertionPointAfter(concat);
    collectParts();
    SmallVector<LinalgOp> sorted = ops.getInOrder();
    for (LinalgOp op : sorted) {
      if (concat->isBeforeInBlock(op))
        builder.setInsertionPoint(op);
      split(op);
    }
    for (LinalgOp op : llvm::reverse(sorted))
      op->erase();
    concat->erase();
  }

private:
  void collectParts() {
    Location loc = concat.getLoc();
    OpFoldResult offset = builder.getIndexAttr(0);
    AffineExpr a, b;
    bindSymbols(builder.getContext(), a, b);
    for (Value part : concat.getInputs()) {
      OpFoldResult size =
          tensor::getMixedSize(builder, loc, part, concat.getDim());
      offsets.push_back(offset);
      sizes.push_back(size);
      offset = affine::makeComposedFoldedAffineApply(builder, loc, a + b,
                                                     {offset, size});
    }
    parts[concat.getResult()] = llvm::to_vector(concat.getInputs());
  }

  /// The part of an operand; all of it where it does not run over the loop.
  Value getPart(LinalgOp op, OpOperand &operand, unsigned number) {
    Value value = operand.get();
    auto known = parts.find(value);
    if (known != parts.end())
      return known->second[number];
    std::optional<unsigned> dim = getDim(op, operand, ops.getLoop(op));
    if (!dim)
      return value;
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<OpFoldResult> from(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> step(type.getRank(), builder.getIndexAttr(1));
    SmallVector<OpFoldResult> size = tensor::getMixedSizes(builder, loc, value);
    from[*dim] = offsets[number];
    size[*dim] = sizes[number];
    return tensor::ExtractSliceOp::create(builder, loc, value, from, size,
                                          step);
  }

  /// Where a part of a result goes.
  Value createInit(LinalgOp op, OpOperand &init, unsigned number) {
    SmallVector<OpFoldResult> size =
        tensor::getMixedSizes(builder, op.getLoc(), init.get());
    size[*getDim(op, init, ops.getLoop(op))] = sizes[number];
    return tensor::EmptyOp::create(builder, op.getLoc(), size,
                                   getElementTypeOrSelf(init.get().getType()));
  }

  void split(LinalgOp op) {
    SmallVector<SmallVector<Value>> made(op->getNumResults());
    for (unsigned number = 0; number < sizes.size(); ++number) {
      SmallVector<Value> operands;
      SmallVector<Type> types;
      for (OpOperand &operand : op->getOpOperands()) {
        bool isInput = op.isDpsInput(&operand);
        operands.push_back(isInput ? getPart(op, operand, number)
                                   : createInit(op, operand, number));
        if (!isInput)
          types.push_back(operands.back().getType());
      }
      Operation *part = mlir::clone(builder, op, types, operands);
      moveIndices(part, ops.getLoop(op), number);
      for (auto [list, result] : llvm::zip_equal(made, part->getResults()))
        list.push_back(result);
    }
    for (auto [result, list] : llvm::zip_equal(op->getResults(), made)) {
      parts[result] = list;
      join(op, result, list);
    }
  }

  /// Indices of a part start where the part does.
  void moveIndices(Operation *part, unsigned loop, unsigned number) {
    OpBuilder::InsertionGuard guard(builder);
    Value offset;
    part->walk([&](linalg::IndexOp index) {
      if (index.getDim() != loop)
        return;
      if (!offset) {
        builder.setInsertionPoint(part);
        offset = getValueOrCreateConstantIndexOp(builder, part->getLoc(),
                                                 offsets[number]);
      }
      builder.setInsertionPointAfter(index);
      auto moved =
          arith::AddIOp::create(builder, index.getLoc(), index, offset);
      index.getResult().replaceAllUsesExcept(moved, moved);
    });
  }

  /// What others need of a result is a concatenation again.
  void join(LinalgOp op, OpResult result, ArrayRef<Value> list) {
    auto isOther = [&](OpOperand &use) {
      return !ops.contains(use.getOwner()) ||
             !cast<LinalgOp>(use.getOwner()).isDpsInput(&use) ||
             getLoop(use, getDimOfResult(op, result, ops.getLoop(op))) !=
                 ops.getLoop(use.getOwner());
    };
    if (llvm::none_of(result.getUses(), isOther))
      return;
    Value whole = tensor::ConcatOp::create(
        builder, op.getLoc(), getDimOfResult(op, result, ops.getLoop(op)),
        list);
    if (whole.getType() != result.getType())
      whole =
          tensor::CastOp::create(builder, op.getLoc(), result.getType(), whole);
    result.replaceUsesWithIf(whole, isOther);
  }

  tensor::ConcatOp concat;
  const SplitOps &ops;
  OpBuilder builder;
  SmallVector<OpFoldResult> offsets, sizes;
  /// The parts of what is split.
  llvm::DenseMap<Value, SmallVector<Value>> parts;
};

struct SplitConcatsPass
    : public tally::impl::SplitConcatsBase<SplitConcatsPass> {
  void runOnOperation() override {
    SmallVector<tensor::ConcatOp> concats;
    getOperation().walk([&](tensor::ConcatOp op) { concats.push_back(op); });
    for (tensor::ConcatOp concat : concats) {
      if (concat.getInputs().size() > kMaxParts)
        continue;
      SplitOps ops(concat);
      if (failed(ops.collect()))
        continue;
      LDBG() << describeLastPart(concat) << ": its readers are split";
      ConcatSplitter(concat, ops).run();
    }
  }
};
} // namespace
