//===- TransposedConvolution.cpp - Windows that move over a result --------===//
//
// A transposed convolution adds what a window gives for each element of its
// input to a result. It is written as a convolution: the input has zeros
// between its elements and around them, and the window is mirrored.
//
//===----------------------------------------------------------------------===//

#include "TransposedConvolution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

std::optional<SpreadConvolution>
codegen::findSpreadConvolution(OpBuilder &builder, PaddedImages &images,
                               Value weight, Value image,
                               const Convolution &convolution) {
  int64_t lead = convolution.isGrouped ? 1 : 0;
  auto type = cast<RankedTensorType>(weight.getType());
  SpreadConvolution found;
  found.firstSpatial = 2 + lead;
  found.dilations = llvm::to_vector(convolution.dilations);
  for (auto [dim, stride] : llvm::enumerate(convolution.strides)) {
    found.window.push_back(type.getDimSize(2 + lead + int64_t(dim)));
    if (stride != 1 || convolution.padding[dim] != 0 ||
        ShapedType::isDynamic(found.window.back()) || found.window.back() == 0)
      return std::nullopt;
  }
  std::optional<PaddedImage> inner = images.findSpread(builder, image);
  if (!inner)
    return std::nullopt;
  for (int64_t dim = 0; dim < found.firstSpatial; ++dim)
    if (!inner->isWhole[dim])
      return std::nullopt;
  found.image = *inner;
  return found;
}

/// Whether `value` is the index of a loop, counted from the last one of `size`.
static bool isMirrored(Value value, int64_t loop, int64_t size) {
  auto rest = value.getDefiningOp<arith::SubIOp>();
  auto index = rest ? rest.getRhs().getDefiningOp<linalg::IndexOp>() : nullptr;
  return index && int64_t(index.getDim()) == loop &&
         getConstantIntValue(rest.getLhs()) == size - 1;
}

/// The tensor that is mirrored along all dimensions from `first` on.
static Value findMirrored(Value tensor, int64_t first) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!op || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return Value();
  auto read = op.getBody()
                  ->getTerminator()
                  ->getOperand(0)
                  .getDefiningOp<tensor::ExtractOp>();
  if (!read || read.getTensor().getType() != type)
    return Value();
  for (auto [dim, place] : llvm::enumerate(read.getIndices())) {
    auto loop = int64_t(dim);
    auto index = place.getDefiningOp<linalg::IndexOp>();
    bool isSame = index && int64_t(index.getDim()) == loop;
    int64_t size = type.getDimSize(loop);
    if (loop < first ? !isSame
                     : !(isSame && size == 1) && !isMirrored(place, loop, size))
      return Value();
  }
  return read.getTensor();
}

/// The weight before its window was mirrored and its channels were exchanged.
static Value findWeight(OpBuilder &builder, Value weight, bool isGrouped) {
  auto exchange = weight.getDefiningOp<linalg::TransposeOp>();
  int64_t lead = isGrouped ? 1 : 0;
  if (!exchange)
    return Value();
  for (auto [to, from] : llvm::enumerate(exchange.getPermutation())) {
    int64_t expected = int64_t(to) == lead       ? lead + 1
                       : int64_t(to) == lead + 1 ? lead
                                                 : int64_t(to);
    if (from != expected)
      return Value();
  }
  if (!isGrouped)
    return findMirrored(exchange.getInput(), 2);
  auto split = exchange.getInput().getDefiningOp<tensor::ExpandShapeOp>();
  if (!split || split.getReassociationIndices().front().size() != 2 ||
      split.getSrcType().getRank() + 1 != split.getResultType().getRank())
    return Value();
  Value source = findMirrored(split.getSrc(), 2);
  if (!source)
    return Value();
  return tensor::ExpandShapeOp::create(
      builder, split.getLoc(), split.getResultType(), source,
      split.getReassociationIndices(),
      getMixedValues(split.getStaticOutputShape(), split.getOutputShape(),
                     builder));
}

std::optional<TransposedConvolution>
codegen::findTransposedConvolution(OpBuilder &builder, PaddedImages &images,
                                   Value weight, Value image,
                                   const Convolution &convolution) {
  Value mirrored = findWeight(builder, weight, convolution.isGrouped);
  if (!mirrored)
    return std::nullopt;
  std::optional<SpreadConvolution> spread =
      findSpreadConvolution(builder, images, weight, image, convolution);
  if (!spread)
    return std::nullopt;
  // Loops: n, (g), the channel of the result and that of the input, then the
  // places of the input and those of the window.
  auto first = unsigned(spread->firstSpatial), lead = first - 2;
  auto rank = unsigned(spread->window.size());
  unsigned loops = first + 1 + 2 * rank;
  auto d = [&](unsigned i) { return builder.getAffineDimExpr(i); };
  SmallVector<AffineExpr> read, given{d(0)}, written{d(0)};
  if (lead)
    for (SmallVector<AffineExpr> *exprs : {&read, &given, &written})
      exprs->push_back(d(1));
  read.append({d(lead + 2), d(lead + 1)});
  given.push_back(d(lead + 2));
  written.push_back(d(lead + 1));
  for (unsigned i = 0; i < rank; ++i) {
    AffineExpr x = d(first + 1 + i), k = d(first + 1 + rank + i);
    int64_t dilation = spread->dilations[i];
    int64_t padding =
        (spread->window[i] - 1) * dilation - spread->image.padding[first + i];
    if (padding < 0)
      return std::nullopt;
    read.push_back(k);
    given.push_back(x);
    written.push_back(x * spread->image.strides[first + i] + k * dilation -
                      padding);
  }
  TransposedConvolution found{mirrored, spread->image.inner, {}};
  for (ArrayRef<AffineExpr> exprs :
       {ArrayRef(read), ArrayRef(given), ArrayRef(written)})
    found.maps.push_back(AffineMap::get(loops, 0, exprs, builder.getContext()));
  return found;
}

namespace {
/// The part of a tensor that is read: for each dimension.
struct Part {
  SmallVector<int64_t> offsets, sizes, strides;
};
} // namespace

/// All of a tensor, or the part that `slice` takes; nothing where what is taken
/// of one of the dimensions from `first` on is not known.
static std::optional<Part> getPart(tensor::ExtractSliceOp slice,
                                   RankedTensorType type, int64_t first) {
  int64_t rank = type.getRank();
  Part part{
      SmallVector<int64_t>(rank, 0),
      llvm::to_vector(slice ? slice.getType().getShape() : type.getShape()),
      SmallVector<int64_t>(rank, 1)};
  if (slice && slice.getType().getRank() != rank)
    return std::nullopt;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (slice) {
      part.offsets[dim] = slice.getStaticOffset(dim);
      part.strides[dim] = slice.getStaticStride(dim);
    }
    bool isWhole = part.offsets[dim] == 0 && part.strides[dim] == 1 &&
                   part.sizes[dim] == type.getDimSize(dim);
    if (dim < first ? !isWhole
                    : ShapedType::isDynamic(part.offsets[dim]) ||
                          ShapedType::isDynamic(part.strides[dim]) ||
                          ShapedType::isDynamic(part.sizes[dim]) ||
                          part.sizes[dim] == 0)
      return std::nullopt;
  }
  return part;
}

void codegen::readMirroredWeight(OpBuilder &builder, Value &weight,
                                 AffineMap &map) {
  auto slice = weight.getDefiningOp<tensor::ExtractSliceOp>();
  Value mirrored = slice ? slice.getSource() : weight;
  if (!isa<RankedTensorType>(mirrored.getType()) ||
      !llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>))
    return;
  for (bool isGrouped : {false, true}) {
    int64_t lead = isGrouped ? 1 : 0;
    auto type = cast<RankedTensorType>(mirrored.getType());
    std::optional<Part> part = getPart(slice, type, 2 + lead);
    if (!part)
      continue;
    Value source = findWeight(builder, mirrored, isGrouped);
    if (!source)
      continue;
    SmallVector<AffineExpr> exprs = llvm::to_vector(map.getResults());
    std::swap(exprs[lead], exprs[lead + 1]);
    std::swap(part->sizes[lead], part->sizes[lead + 1]);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, source.getLoc(), source);
    SmallVector<OpFoldResult> offsets, strides;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t offset = 0, last = part->sizes[dim] - 1;
      if (dim >= 2 + lead) {
        offset = type.getDimSize(dim) - 1 - part->offsets[dim] -
                 last * part->strides[dim];
        sizes[dim] = builder.getIndexAttr(part->sizes[dim]);
        if (last > 0)
          exprs[dim] = last - exprs[dim];
      }
      offsets.push_back(builder.getIndexAttr(offset));
      strides.push_back(builder.getIndexAttr(part->strides[dim]));
    }
    weight =
        slice ? tensor::ExtractSliceOp::create(builder, slice.getLoc(), source,
                                               offsets, sizes, strides)
                    .getResult()
              : source;
    map = AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
    return;
  }
}
