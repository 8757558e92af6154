//===- MergeLoops.cpp - Neighboring dimensions as one ---------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_MERGELOOPS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-merge-loops"

using namespace mlir;

/// Whether the type of a memref tells that a dimension and the next
/// one lie in memory like one.
static bool areTogether(MemRefType type, unsigned first) {
  // Upstream merges a dimension of one element with any other, as the real
  // parts of complex numbers, which the source of a view does not have
  // together.
  if (!type.getLayout().isIdentity() &&
      (type.getDimSize(first) == 1 || type.getDimSize(first + 1) == 1))
    return false;
  SmallVector<ReassociationIndices> groups;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    if (dim == first + 1)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  return memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups);
}

/// Whether an operation asserts before `before` that two values are equal.
static bool isAsserted(Value first, Value second, Operation *before) {
  return llvm::any_of(first.getUsers(), [&](Operation *user) {
    auto equal = dyn_cast<arith::CmpIOp>(user);
    return equal && equal.getPredicate() == arith::CmpIPredicate::eq &&
           llvm::is_contained(equal->getOperands(), second) &&
           llvm::any_of(equal->getUsers(), [&](Operation *check) {
             auto assert = dyn_cast<tally::AssertOp>(check);
             return assert &&assert.getCondition() == equal.getResult() &&
                    check->getBlock() == before->getBlock() &&
                    check->isBeforeInBlock(before);
           });
  });
}

/// Whether a view has all of a dimension of its source.
static bool isWhole(memref::SubViewOp view, unsigned dim) {
  OpFoldResult size = view.getMixedSizes()[dim];
  Value source = view.getSource();
  int64_t whole = view.getSourceType().getDimSize(dim);
  if (getConstantIntValue(view.getMixedOffsets()[dim]) != 0)
    return false;
  if (!ShapedType::isDynamic(whole))
    return getConstantIntValue(size) == whole;
  auto value = dyn_cast<Value>(size);
  if (auto alloc = source.getDefiningOp<memref::AllocOp>())
    if (alloc.getMixedSizes()[dim] == size)
      return true;
  return value && llvm::any_of(source.getUsers(), [&](Operation *user) {
           auto read = dyn_cast<memref::DimOp>(user);
           return read && read.getConstantIndex() == int64_t(dim) &&
                  (read == value.getDefiningOp() ||
                   isAsserted(value, read, view));
         });
}

/// Returns the view that an operand is, where its dimension behind `first` is
/// whole and lies in the source as one with it.
static memref::SubViewOp findView(Value operand, unsigned first) {
  auto view = operand.getDefiningOp<memref::SubViewOp>();
  bool isSimple = view &&
                  view.getSourceType().getRank() == view.getType().getRank() &&
                  llvm::all_of(view.getMixedStrides(), [](OpFoldResult stride) {
                    return getConstantIntValue(stride) == 1;
                  });
  return isSimple && isWhole(view, first + 1) &&
                 areTogether(view.getSourceType(), first)
             ? view
             : memref::SubViewOp();
}

/// Whether a loop and the next one run, in an operand, over neighboring
/// dimensions that lie in memory like one, or over none. With `inViews`, what
/// an operand is a view of may tell it.
static bool areOneDimension(linalg::GenericOp op, OpOperand &operand,
                            unsigned loop, bool inViews) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto find = [&](unsigned number) {
    return map.getResultPosition(getAffineDimExpr(number, op->getContext()));
  };
  std::optional<unsigned> first = find(loop), second = find(loop + 1);
  if (!first && !second)
    return true;
  if (!first || !second || *second != *first + 1)
    return false;
  return areTogether(cast<MemRefType>(operand.get().getType()), *first) ||
         (inViews && findView(operand.get(), *first));
}

/// Whether nothing runs at all, which upstream's types of merged dimensions do
/// not know.
static bool isEmpty(linalg::GenericOp op) {
  return llvm::is_contained(op.getStaticLoopRanges(), 0);
}

/// The size of a loop as an operand that is an allocation has it.
static OpFoldResult findSize(linalg::GenericOp op, unsigned loop) {
  AffineExpr index = getAffineDimExpr(loop, op->getContext());
  for (OpOperand &operand : op->getOpOperands()) {
    auto alloc = operand.get().getDefiningOp<memref::AllocOp>();
    auto dim = op.getMatchingIndexingMap(&operand).getResultPosition(index);
    if (alloc && dim)
      return alloc.getMixedSizes()[*dim];
  }
  return {};
}

/// Whether an operation computes `row * size + column`.
static bool isLinear(Operation *user, Value row, Value column,
                     OpFoldResult size) {
  auto apply = dyn_cast<affine::AffineApplyOp>(user);
  if (!apply || !size)
    return false;
  AffineMap map = apply.getAffineMap();
  auto isOf = [&](AffineExpr expr, OpFoldResult value) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return getConstantIntValue(value) == constant.getValue();
    unsigned operand = 0;
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      operand = dim.getPosition();
    else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      operand = map.getNumDims() + symbol.getPosition();
    else
      return false;
    return OpFoldResult(apply->getOperand(operand)) == value;
  };
  auto isBoth = [&](AffineExpr expr, AffineExprKind kind, auto isFirst,
                    auto isSecond) {
    auto pair = dyn_cast<AffineBinaryOpExpr>(expr);
    return pair && pair.getKind() == kind &&
           ((isFirst(pair.getLHS()) && isSecond(pair.getRHS())) ||
            (isFirst(pair.getRHS()) && isSecond(pair.getLHS())));
  };
  auto isRow = [&](AffineExpr expr) { return isOf(expr, row); };
  auto isSize = [&](AffineExpr expr) { return isOf(expr, size); };
  auto isColumn = [&](AffineExpr expr) { return isOf(expr, column); };
  auto isStart = [&](AffineExpr expr) {
    return isBoth(expr, AffineExprKind::Mul, isRow, isSize);
  };
  return isBoth(map.getResult(0), AffineExprKind::Add, isStart, isColumn);
}

/// How the body uses the indices of a loop and the next one.
enum class IndexUse { None, Linear, Other };

static IndexUse getIndexUse(linalg::GenericOp op, unsigned loop) {
  linalg::IndexOp row, column;
  for (auto index : op.getBody()->getOps<linalg::IndexOp>()) {
    if (index.getDim() != loop && index.getDim() != loop + 1)
      continue;
    linalg::IndexOp &found = index.getDim() == loop ? row : column;
    if (found)
      return IndexUse::Other;
    found = index;
  }
  if (!row && !column)
    return IndexUse::None;
  if (!row || !column)
    return IndexUse::Other;
  OpFoldResult size = findSize(op, loop + 1);
  auto isOfBoth = [&](Operation *user) {
    return isLinear(user, row, column, size);
  };
  return llvm::all_of(row->getUsers(), isOfBoth) &&
                 llvm::all_of(column->getUsers(), isOfBoth)
             ? IndexUse::Linear
             : IndexUse::Other;
}

/// Takes the index of a merged loop where the body puts it together again from
/// a row and a column.
static void joinIndices(linalg::GenericOp op) {
  for (auto apply : llvm::make_early_inc_range(
           op.getBody()->getOps<affine::AffineApplyOp>())) {
    arith::DivSIOp row;
    arith::RemSIOp column;
    for (Value operand : apply->getOperands()) {
      if (auto division = operand.getDefiningOp<arith::DivSIOp>())
        row = division;
      if (auto remainder = operand.getDefiningOp<arith::RemSIOp>())
        column = remainder;
    }
    if (!row || !column || row.getLhs() != column.getLhs() ||
        !isLinear(apply, row, column, column.getRhs()))
      continue;
    apply.getResult().replaceAllUsesWith(row.getLhs());
    apply.erase();
  }
}

/// The loops in groups of those that can be one; none where each is alone.
static SmallVector<ReassociationIndices> groupLoops(linalg::GenericOp op,
                                                    bool inViews) {
  SmallVector<ReassociationIndices> groups;
  if (!op.hasPureBufferSemantics() || isEmpty(op) ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return groups;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    IndexUse use = loop > 0 ? getIndexUse(op, loop - 1) : IndexUse::Other;
    // Of three loops, two would be put together by the index of the third.
    bool canMerge = use == IndexUse::None ||
                    (use == IndexUse::Linear && groups.back().size() == 1);
    bool isOne = canMerge && iterators[loop - 1] == iterators[loop] &&
                 llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
                   return areOneDimension(op, operand, loop - 1, inViews);
                 });
    if (isOne)
      groups.back().push_back(loop);
    else
      groups.push_back({loop});
  }
  if (groups.size() == op.getNumLoops())
    groups.clear();
  return groups;
}

namespace {

/// Merges loops of an operation that does not ask for indices.
class LoopMerger {
public:
  LoopMerger(linalg::GenericOp op, ArrayRef<ReassociationIndices> groups,
             RewriterBase &rewriter)
      : op(op), groups(groups), rewriter(rewriter), loc(op.getLoc()) {}

  linalg::GenericOp run();

private:
  AffineMap mergeMap(AffineMap map);
  Value mergeOperand(OpOperand &operand);
  Value mergeView(memref::SubViewOp view, ArrayRef<ReassociationIndices> dims);
  OpFoldResult multiply(OpFoldResult a, OpFoldResult b);

  linalg::GenericOp op;
  ArrayRef<ReassociationIndices> groups;
  RewriterBase &rewriter;
  Location loc;
};

} // namespace

OpFoldResult LoopMerger::multiply(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> first = getConstantIntValue(a),
                         second = getConstantIntValue(b);
  if (first == 0 || second == 0)
    return rewriter.getIndexAttr(0);
  if (first && second)
    return rewriter.getIndexAttr(*first * *second);
  return rewriter.createOrFold<arith::MulIOp>(
      loc, getValueOrCreateConstantIndexOp(rewriter, loc, a),
      getValueOrCreateConstantIndexOp(rewriter, loc, b));
}

/// The first loop of a group stands for it.
AffineMap LoopMerger::mergeMap(AffineMap map) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    for (auto [number, group] : llvm::enumerate(groups))
      if (group.front() == loop)
        results.push_back(rewriter.getAffineDimExpr(number));
  }
  return AffineMap::get(groups.size(), 0, results, rewriter.getContext());
}

/// The same part of the source, whose dimensions are merged.
Value LoopMerger::mergeView(memref::SubViewOp view,
                            ArrayRef<ReassociationIndices> dims) {
  Value source =
      memref::CollapseShapeOp::create(rewriter, loc, view.getSource(), dims);
  SmallVector<OpFoldResult> offsets, sizes,
      viewOffsets = view.getMixedOffsets(), viewSizes = view.getMixedSizes();
  for (const ReassociationIndices &group : dims) {
    OpFoldResult offset = viewOffsets[group.front()],
                 size = viewSizes[group.front()];
    for (int64_t dim : ArrayRef(group).drop_front()) {
      offset = multiply(offset, viewSizes[dim]);
      size = multiply(size, viewSizes[dim]);
    }
    offsets.push_back(offset);
    sizes.push_back(size);
  }
  return memref::SubViewOp::create(
      rewriter, loc, source, offsets, sizes,
      SmallVector<OpFoldResult>(dims.size(), rewriter.getIndexAttr(1)));
}

Value LoopMerger::mergeOperand(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<ReassociationIndices> dims;
  for (auto [dim, result] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    bool isFirst = llvm::any_of(groups, [&](const ReassociationIndices &group) {
      return group.front() == loop;
    });
    if (isFirst)
      dims.emplace_back();
    dims.back().push_back(dim);
  }
  if (dims.size() == map.getNumResults())
    return operand.get();
  auto type = cast<MemRefType>(operand.get().getType());
  if (memref::CollapseShapeOp::isGuaranteedCollapsible(type, dims))
    return memref::CollapseShapeOp::create(rewriter, loc, operand.get(), dims);
  return mergeView(operand.get().getDefiningOp<memref::SubViewOp>(), dims);
}

linalg::GenericOp LoopMerger::run() {
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    (op.isDpsInput(&operand) ? inputs : outputs)
        .push_back(mergeOperand(operand));
    maps.push_back(mergeMap(op.getMatchingIndexingMap(&operand)));
  }
  SmallVector<utils::IteratorType> iterators;
  for (const ReassociationIndices &group : groups)
    iterators.push_back(op.getIteratorTypesArray()[group.front()]);
  auto merged = linalg::GenericOp::create(rewriter, loc, TypeRange(), inputs,
                                          outputs, maps, iterators);
  rewriter.inlineRegionBefore(op.getRegion(), merged.getRegion(),
                              merged.getRegion().begin());
  return merged;
}

/// Returns the operation that takes the place of one; null where nothing can
/// be merged.
static linalg::GenericOp mergeLoopsOf(linalg::GenericOp op,
                                      RewriterBase &rewriter) {
  bool hasIndices = op.hasIndexSemantics();
  SmallVector<ReassociationIndices> groups =
      groupLoops(op, /*inViews=*/!hasIndices);
  if (groups.empty())
    return {};
  LDBG() << op.getNumLoops() << " loops become " << groups.size();
  if (!hasIndices)
    return LoopMerger(op, groups, rewriter).run();
  FailureOr<linalg::CollapseResult> merged =
      linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(merged))
    return {};
  auto made = cast<linalg::GenericOp>(merged->collapsedOp);
  joinIndices(made);
  return made;
}

void tally::mergeLoops(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) { ops.push_back(op); });
  IRRewriter rewriter(function.getContext());
  for (linalg::GenericOp op : ops) {
    rewriter.setInsertionPoint(op);
    DictionaryAttr attributes = op->getDiscardableAttrDictionary();
    linalg::GenericOp merged = mergeLoopsOf(op, rewriter);
    if (!merged)
      continue;
    merged->setDiscardableAttrs(attributes);
    rewriter.eraseOp(op);
  }
}

namespace {
struct MergeLoopsPass : tally::impl::MergeLoopsBase<MergeLoopsPass> {
  void runOnOperation() override { tally::mergeLoops(getOperation()); }
};
} // namespace
