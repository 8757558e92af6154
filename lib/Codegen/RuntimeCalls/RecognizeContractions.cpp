//===- RecognizeContractions.cpp - Contractions for a library -------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "MatmulSums.h"
#include "TransposedConvolution.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/ContractLoops.h"
#include "tally/IR/Tally.h"

#include "Common/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_RECOGNIZECONTRACTIONS
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-recognize-contractions"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

namespace {

/// An operation as `tally.contract` has it.
struct Contraction {
  Value a, b;
  SmallVector<AffineMap> maps;
};

} // namespace

/// Whether loops of a kind run more than once, as far as the types say.
static bool runs(const ContractLoops &loops, ContractLoopKind kind,
                 ArrayRef<int64_t> sizes) {
  return llvm::any_of(llvm::enumerate(loops.loops), [&](auto it) {
    return it.value().kind == kind && sizes[it.index()] != 1;
  });
}

/// Whether lines of images a and b are multiplied and summed, those of b from
/// each element of a window on. What tells a gradient of weights from the
/// convolution is that images are summed over, and nothing but windows is not.
static bool sumsLines(const ContractLoops &loops, ArrayRef<int64_t> sizes) {
  const ContractOperand &a = loops.operands[0], &b = loops.operands[1];
  auto getKind = [&](const ContractTerm &term) {
    return loops.loops[term.loop].kind;
  };
  auto hasDim = [&](ContractLoopKind kind) {
    return llvm::any_of(b, [&](ArrayRef<ContractTerm> terms) {
      return isSingleLoop(terms) && getKind(terms.front()) == kind &&
             sizes[terms.front().loop] != 1;
    });
  };
  if (a.empty() || b.empty() || !isSingleLoop(a.back()) ||
      b.back().size() != 2 || !hasDim(ContractLoopKind::K) ||
      hasDim(ContractLoopKind::N))
    return false;
  int64_t line = a.back().front().loop;
  return getKind(a.back().front()) == ContractLoopKind::K &&
         llvm::all_of(b.back(), [&](const ContractTerm &term) {
           return term.loop == line || getKind(term) == ContractLoopKind::N;
         });
}

/// Whether the contraction has a matrix: one operand alone that moves over
/// several windows, or one that is multiplied with a vector, or lines of two
/// images whose products are summed, for each element of a window.
static bool hasMatrix(linalg::LinalgOp op, const ContractLoops &loops,
                      ArrayRef<AffineMap> maps) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  bool rows = runs(loops, ContractLoopKind::M, sizes);
  bool columns = runs(loops, ContractLoopKind::N, sizes);
  if (!runs(loops, ContractLoopKind::K, sizes))
    return false;
  if (rows && columns)
    return true;
  if (columns && sumsLines(loops, sizes) &&
      isa<Float32Type, Float64Type>(getElementTypeOrSelf(op.getDpsInputs()[0])))
    return true;
  return (rows || columns) && llvm::all_of(maps, [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Whether maps are those of a convolution for a library of a GPU.
static bool isFloatConvolution(linalg::LinalgOp op, ArrayRef<AffineMap> maps) {
  std::optional<ContractLoops> loops = getContractLoops(maps);
  return isa<FloatType>(getElementTypeOrSelf(op.getDpsInits().front())) &&
         loops && getConvolution(*loops);
}

static std::optional<Contraction> matchContraction(linalg::LinalgOp op,
                                                   bool convolutionsOnly) {
  if (!isMultiplied(op))
    return std::nullopt;
  Contraction result{op.getDpsInputs()[0], op.getDpsInputs()[1],
                     op.getIndexingMapsArray()};
  if (!isa<RankedTensorType>(result.a.getType()) ||
      !isa<RankedTensorType>(result.b.getType()))
    return std::nullopt;
  std::optional<ContractLoops> loops = getContractLoops(result.maps);
  if (!loops || loops->writesWindows || loops->isPadded())
    return std::nullopt;
  // Columns of the product are next to each other where the result's are.
  auto isRow = [](const ContractLoop &loop) {
    return loop.kind == ContractLoopKind::M;
  };
  const ContractOperand &c = loops->operands[2];
  if (!c.empty() && isRow(loops->loops[c.back().front().loop])) {
    std::swap(result.a, result.b);
    std::swap(result.maps[0], result.maps[1]);
    loops = getContractLoops(result.maps);
  }
  if (!convolutionsOnly && !hasMatrix(op, *loops, result.maps))
    return std::nullopt;
  if (convolutionsOnly && !isFloatConvolution(op, result.maps))
    return std::nullopt;
  return result;
}

/// Lets a convolution read what is inside of a padded image, and pad it itself.
static void takePadding(OpBuilder &builder, PaddedImages &images,
                        Contraction &contraction) {
  std::optional<ContractLoops> loops = getContractLoops(contraction.maps);
  std::optional<PaddedImage> image = images.find(builder, contraction.b);
  if (!image)
    return;
  // Only windows reach beyond an image.
  for (auto [zeros, terms] :
       llvm::zip_equal(image->padding, loops->operands[1]))
    if (zeros != 0 && isSingleLoop(terms))
      return;
  AffineMap &map = contraction.maps[1];
  SmallVector<AffineExpr> indices;
  for (auto [zeros, index] : llvm::zip_equal(image->padding, map.getResults()))
    indices.push_back(index - zeros);
  map = AffineMap::get(map.getNumDims(), 0, indices, map.getContext());
  contraction.b = image->inner;
}

/// Lets windows move over the result of a convolution whose image has zeros
/// between its elements.
static bool transpose(OpBuilder &builder, PaddedImages &images,
                      Contraction &contraction) {
  std::optional<Convolution> convolution =
      getConvolution(*getContractLoops(contraction.maps));
  if (!convolution || convolution->givesWeight)
    return false;
  std::optional<TransposedConvolution> found = findTransposedConvolution(
      builder, images, contraction.a, contraction.b, *convolution);
  if (!found)
    return false;
  contraction = {found->weight, found->image, found->maps};
  return true;
}

static void replace(linalg::LinalgOp op, Contraction contraction,
                    bool convolutionsOnly, PaddedImages &images) {
  OpBuilder builder(op);
  if (!convolutionsOnly)
    readMirroredWeight(builder, contraction.a, contraction.maps[0]);
  else if (!transpose(builder, images, contraction))
    takePadding(builder, images, contraction);
  Location loc = op.getLoc();
  Value init = op.getDpsInits().front();
  auto type = cast<RankedTensorType>(init.getType());
  Type sumType = type.getElementType();
  bool startsAtZero = isZeroFill(init);
  Value sums = op->getResult(0);
  // Groups of channels are merged before they are rounded.
  tensor::CollapseShapeOp merging;
  if (convolutionsOnly && startsAtZero && sums.hasOneUse())
    merging = dyn_cast<tensor::CollapseShapeOp>(*sums.user_begin());
  linalg::GenericOp rounding =
      startsAtZero ? getRounding(op, merging ? merging.getResult() : sums)
                   : nullptr;
  if (!rounding && !keepsOperands(op))
    for (Value *operand : {&contraction.a, &contraction.b})
      *operand = extend(builder, loc, *operand, sumType);
  // What is left of a sum of halves for a library of a GPU to give.
  bool isRounded = rounding || convolutionsOnly;
  if (isRounded)
    type = type.clone(getElementTypeOrSelf(contraction.a));
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, init),
      type.getElementType());
  Value result =
      ContractOp::create(builder, loc, empty.getType(), contraction.a,
                         contraction.b, empty,
                         builder.getAffineMapArrayAttr(contraction.maps))
          .getResults()
          .front();
  if (merging)
    result = tensor::CollapseShapeOp::create(
        builder, loc, merging.getResultType().clone(type.getElementType()),
        result, merging.getReassociationIndices());
  if (!rounding)
    result = extend(builder, loc, result, sumType);
  if (!startsAtZero)
    result = addTo(builder, loc, init, result);
  SmallVector<Operation *> replaced{op};
  if (merging)
    replaced.push_back(merging);
  if (rounding)
    replaced.push_back(rounding);
  replaced.back()->getResult(0).replaceAllUsesWith(result);
  for (Operation *last : llvm::reverse(replaced)) {
    images.forget(last);
    last->erase();
  }
}

void tally::recognizeContractions(func::FuncOp function,
                                  bool convolutionsOnly) {
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) {
    if (matchContraction(op, convolutionsOnly))
      ops.push_back(op);
  });
  // The operands of one may be the results of another.
  PaddedImages images(function);
  for (linalg::LinalgOp op : ops) {
    LDBG() << describeLastPart(op) << ": a contraction of the library";
    replace(op, *matchContraction(op, convolutionsOnly), convolutionsOnly,
            images);
  }
}

namespace {
struct RecognizeContractionsPass
    : tally::impl::RecognizeContractionsBase<RecognizeContractionsPass> {
  using RecognizeContractionsBase::RecognizeContractionsBase;

  void runOnOperation() override {
    tally::recognizeContractions(getOperation(), convolutionsOnly);
  }
};

} // namespace
