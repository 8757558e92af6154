//===- PrepareFFT.cpp - Fourier transforms as a GPU's library has them ----===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Analysis/ScopedFacts.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/TallyFFTOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_PREPAREFFT
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-prepare-fft"

using namespace mlir;
using tally::FFTOp;
using tally::FFTScaling;

namespace {

/// Prepares one operation.
class FFTPreparation {
public:
  explicit FFTPreparation(FFTOp op)
      : op(op), loc(op.getLoc()), b(op), last(op.getSignalRank() - 1) {}

  void run() {
    bool isMoved = int64_t(op.getDim()) != last;
    Value in = op.getInput(), out = op.getOutput();
    if (isMoved) {
      in = createEmpty(op.getInput());
      in = createGeneric(op.getInput(), in, getOrder(in, /*inverse=*/false),
                         Value());
      out = createEmpty(op.getOutput());
    }
    Value factor = createFactor();
    Value result = FFTOp::create(b, loc, out.getType(), op.getKind(), last,
                                 FFTScaling::None, in, out)
                       .getResult();
    if (isMoved || factor)
      result =
          createGeneric(result, op.getOutput(),
                        getOrder(op.getOutput(), /*inverse=*/true), factor);
    op.replaceAllUsesWith(ValueRange(result));
    op.erase();
  }

private:
  /// The number of each dimension before the transformed one is the last, that
  /// of parts aside.
  SmallVector<unsigned> getPermutation(Value tensor) {
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    auto dims = llvm::to_vector(llvm::seq<unsigned>(0, rank));
    std::rotate(dims.begin() + op.getDim(), dims.begin() + op.getDim() + 1,
                dims.begin() + last + 1);
    return dims;
  }

  /// Where an element of the moved tensor was, or the other way round.
  AffineMap getOrder(Value tensor, bool inverse) {
    AffineMap map =
        AffineMap::getPermutationMap(getPermutation(tensor), op.getContext());
    return inverse ? map : inversePermutation(map);
  }

  /// A destination for a tensor whose transformed dimension is the last.
  Value createEmpty(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<int64_t> shape;
    SmallVector<Value> sizes;
    for (unsigned dim : getPermutation(tensor)) {
      shape.push_back(type.getDimSize(dim));
      if (type.isDynamicDim(dim))
        sizes.push_back(b.createOrFold<tensor::DimOp>(loc, tensor, dim));
    }
    return tensor::EmptyOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), sizes);
  }

  /// Reads elements by a map, and multiplies them where there is a factor.
  Value createGeneric(Value in, Value out, AffineMap map, Value factor) {
    int64_t rank = map.getNumDims();
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, loc, out.getType(), in, out,
               ArrayRef<AffineMap>{map, b.getMultiDimIdentityMap(rank)}, loops,
               [&](OpBuilder &inner, Location, ValueRange elements) {
                 Value element = elements.front();
                 if (factor)
                   element = arith::MulFOp::create(inner, loc, element, factor);
                 linalg::YieldOp::create(inner, loc, element);
               })
        .getResult(0);
  }

  /// What sums are multiplied by; null for 1. It is rounded once.
  Value createFactor() {
    if (op.getScaling() == FFTScaling::None)
      return {};
    Value real = op.givesComplex() ? op.getInput() : op.getOutput();
    Value length = b.createOrFold<tensor::DimOp>(loc, real, op.getDim());
    Type element = getElementTypeOrSelf(real), f64 = b.getF64Type();
    Value number = arith::UIToFPOp::create(
        b, loc, f64,
        arith::IndexCastUIOp::create(b, loc, b.getI64Type(), length));
    if (op.getScaling() == FFTScaling::Root)
      number = math::SqrtOp::create(b, loc, number);
    Value one = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(1));
    Value factor = arith::DivFOp::create(b, loc, one, number);
    return element == f64
               ? factor
               : arith::TruncFOp::create(b, loc, element, factor).getResult();
  }

  FFTOp op;
  Location loc;
  OpBuilder b;
  int64_t last;
};

} // namespace

void tally::prepareFFT(Operation *root) {
  SmallVector<FFTOp> ops;
  root->walk([&](FFTOp op) {
    bool isReady = int64_t(op.getDim()) == op.getSignalRank() - 1 &&
                   op.getScaling() == FFTScaling::None;
    if (op.getResult() && !isReady)
      ops.push_back(op);
  });
  for (FFTOp op : ops) {
    LDBG() << op->getName() << describePlace(op.getLoc())
           << ": transforms lines without gaps, and does not divide";
    FFTPreparation(op).run();
  }
}

namespace {
struct PrepareFFTPass : tally::impl::PrepareFFTBase<PrepareFFTPass> {
  void runOnOperation() override { tally::prepareFFT(getOperation()); }
};
} // namespace
