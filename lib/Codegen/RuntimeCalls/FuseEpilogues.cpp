//===- FuseEpilogues.cpp - Matmuls that add a bias ------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/Tally.h"

#include "Common/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-fuse-epilogues"

using namespace mlir;
using namespace tally::codegen;

namespace {

/// A matmul, and the operations that follow it and may become a part of it.
struct Epilogue {
  tally::MatmulOp matmul;
  /// Gives rows the dimensions that the matmul has as one, or null.
  tensor::ExpandShapeOp expand;
  /// Either may be null, not both.
  linalg::GenericOp bias, relu;
  /// What `bias` adds to each row.
  Value row;

  linalg::GenericOp getLast() const { return relu ? relu : bias; }
};

} // namespace

static Type getResultType(linalg::GenericOp op) {
  return getElementTypeOrSelf(op.getResult(0).getType());
}

/// Whether every element of the only result is computed from those of the
/// inputs, of which the elements of `value` are at the same place.
static bool isElementwise(linalg::GenericOp op, Value value) {
  if (op.getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getBody()->getArguments().back().use_empty())
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return (operand.get() != value && !op.isDpsInit(&operand)) ||
           op.getMatchingIndexingMap(&operand).isIdentity();
  });
}

/// What `value` is before `Op` has changed its type, or itself.
template <typename Op>
static Value skip(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op ? op.getIn() : value;
}

/// The elementwise operation that alone uses `value`, or null.
static linalg::GenericOp getOnlyUser(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  auto op = dyn_cast<linalg::GenericOp>(*value.user_begin());
  return op && isElementwise(op, value) ? op : nullptr;
}

/// Returns what `op` adds to each row of `product`, if it does nothing else but
/// round the sum.
static Value matchBias(linalg::GenericOp op, Value product) {
  if (op.getNumDpsInputs() != 2)
    return Value();
  unsigned index = op.getDpsInputs()[0] == product ? 1 : 0;
  Value row = op.getDpsInputs()[index];
  auto columns =
      AffineMap::get(op.getNumLoops(), 0,
                     getAffineDimExpr(op.getNumLoops() - 1, op.getContext()));
  OpOperand *operand = op.getDpsInputOperand(index);
  if (row == product || op.getMatchingIndexingMap(operand) != columns ||
      getElementTypeOrSelf(row) != getResultType(op))
    return Value();
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  auto sum = skip<arith::TruncFOp>(yielded).getDefiningOp<arith::AddFOp>();
  if (!sum || sum.getType() != getElementTypeOrSelf(product))
    return Value();
  Value left = sum.getLhs(), right = sum.getRhs();
  if (left != op.getBody()->getArgument(1 - index))
    std::swap(left, right);
  return left == op.getBody()->getArgument(1 - index) &&
                 skip<arith::ExtFOp>(right) == op.getBody()->getArgument(index)
             ? row
             : Value();
}

/// Returns whether `op` makes negative elements of its only input 0, and does
/// nothing else.
static bool isRelu(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 ||
      getElementTypeOrSelf(op.getDpsInputs()[0]) != getResultType(op))
    return false;
  Value input = op.getBody()->getArgument(0);
  auto isInput = [&](Value value) {
    return skip<arith::ExtFOp>(value) == input;
  };
  auto isZero = [](Value value) {
    return matchPattern(value, m_AnyZeroFloat());
  };
  Value result =
      skip<arith::TruncFOp>(op.getBody()->getTerminator()->getOperand(0));
  if (auto maximum = result.getDefiningOp<arith::MaximumFOp>())
    return isInput(maximum.getLhs()) && isZero(maximum.getRhs());
  auto select = result.getDefiningOp<arith::SelectOp>();
  if (!select || !isZero(select.getTrueValue()) ||
      !isInput(select.getFalseValue()))
    return false;
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == arith::CmpFPredicate::OLT &&
         isInput(compare.getLhs()) && isZero(compare.getRhs());
}

/// Whether a kernel reads `value` anyway.
static bool isReadByKernel(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            user))
      return isReadByKernel(user->getResult(0));
    return isa<linalg::LinalgOp>(user);
  });
}

/// Finds what follows a matmul, if it saves memory traffic to have it in the
/// matmul: where the sum is of more bits than the result, or nothing else
/// follows.
static std::optional<Epilogue> findEpilogue(tally::MatmulOp matmul) {
  auto type = cast<ShapedType>(matmul.getC().getType());
  if (matmul.getResults().empty() || matmul.getPrologue() ||
      matmul.hasEpilogue() || type.getRank() != 2 ||
      matmul.getResults()[0].use_empty())
    return std::nullopt;
  Epilogue epilogue;
  epilogue.matmul = matmul;
  Value value = matmul.getResults()[0];
  auto expand = dyn_cast<tensor::ExpandShapeOp>(*value.user_begin());
  if (expand && value.hasOneUse() &&
      expand.getReassociationIndices().back().size() == 1) {
    epilogue.expand = expand;
    value = expand.getResult();
  }
  linalg::GenericOp op = getOnlyUser(value);
  if (op && op->getBlock() == matmul->getBlock())
    if (Value row = matchBias(op, value)) {
      epilogue.bias = op;
      epilogue.row = row;
      value = op.getResult(0);
      op = getOnlyUser(value);
    }
  if (op && op->getBlock() == matmul->getBlock() && isRelu(op))
    epilogue.relu = op;
  if (!epilogue.getLast())
    return std::nullopt;
  // Of operands of another type than the result, no library is known to do it.
  Type result = getResultType(epilogue.getLast());
  if (getElementTypeOrSelf(matmul.getA()) != result)
    return std::nullopt;
  bool isNarrower = result.isF16() || result.isBF16();
  if (!isNarrower &&
      (!result.isF32() || isReadByKernel(epilogue.getLast().getResult(0))))
    return std::nullopt;
  return epilogue;
}

static void fuse(Epilogue epilogue) {
  tally::MatmulOp matmul = epilogue.matmul;
  linalg::GenericOp last = epilogue.getLast();
  OpBuilder builder(last);
  Location loc = last.getLoc();
  Type element = getResultType(last);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, matmul.getC()),
      element);
  auto fused = tally::MatmulOp::create(
      builder, loc, TypeRange(empty.getType()), matmul.getA(), matmul.getB(),
      /*elements=*/ValueRange(), epilogue.row, empty, /*maps=*/ArrayAttr(),
      matmul.getTransposeAAttr(), matmul.getTransposeBAttr(),
      epilogue.relu ? builder.getUnitAttr() : UnitAttr(),
      matmul.getFallbackAttr(), /*prologuesCount=*/0);
  if (epilogue.bias && epilogue.relu)
    noteFused(epilogue.bias, fused);
  noteFused(matmul, fused);
  Value result = fused.getResults()[0];
  if (tensor::ExpandShapeOp expand = epilogue.expand)
    result = tensor::ExpandShapeOp::create(
        builder, loc,
        RankedTensorType::get(expand.getResultType().getShape(), element),
        result, expand.getReassociationIndices(), expand.getMixedOutputShape());
  last.getResult(0).replaceAllUsesWith(result);
  for (Operation *op :
       {epilogue.relu.getOperation(), epilogue.bias.getOperation(),
        epilogue.expand.getOperation(), matmul.getOperation()})
    if (op)
      op->erase();
}

void tally::fuseEpilogues(func::FuncOp function) {
  SmallVector<MatmulOp> ops;
  function.walk([&](MatmulOp op) { ops.push_back(op); });
  for (MatmulOp op : ops) {
    std::optional<Epilogue> epilogue = findEpilogue(op);
    if (!epilogue)
      continue;
    LDBG() << describeLastPart(op) << ": computes "
           << (epilogue->bias ? "a bias" : "") << ' '
           << (epilogue->relu ? "a ReLU" : "");
    fuse(*epilogue);
  }
}

namespace {
struct FuseEpiloguesPass : tally::impl::FuseEpiloguesBase<FuseEpiloguesPass> {
  void runOnOperation() override { tally::fuseEpilogues(getOperation()); }
};
} // namespace
